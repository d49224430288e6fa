package source

import (
	"bytes"
	"strings"
	"unicode"
)

// Printable cuts hostile text for a reason: one line, printable, at most 120
// characters, the end kept because it says most of a path.
func Printable(text string) string {
	runes := []rune(strings.Map(printableOnly, text))
	if len(runes) > 120 {
		runes = append([]rune("…"), runes[len(runes)-119:]...)
	}
	return string(runes)
}

func printableOnly(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}

// ContainsWord reports whether text holds word as a whole identifier.
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

func IsWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
