package source

import (
	"bytes"
	"strings"
	"unicode"
)

// Printable returns hostile text for a message: printable, on one line and at most
// 120 characters. The end is kept, because that of a path matters most.
func Printable(text string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text))
	if len(runes) > 120 {
		runes = append([]rune("…"), runes[len(runes)-119:]...)
	}
	return string(runes)
}

// ContainsWord reports whether text contains word as a whole identifier.
func ContainsWord(text []byte, word string) bool {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(word))
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(word)
		if (start == 0 || !IsWordByte(text[start-1])) && (end == len(text) || !IsWordByte(text[end])) {
			return true
		}
		at = end
	}
}

// IsWordByte reports whether a byte can be part of an identifier.
func IsWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
