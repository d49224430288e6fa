package locator

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoting is how a language writes a string literal.
type quoting struct {
	quote  byte
	escape func(r rune) string // writes a character that does not show as itself
}

func escapeUTF16(r rune) string {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Sprintf(`\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
	}
	return fmt.Sprintf(`\u%04x`, r)
}

func escapeUTF32(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// escapeJava avoids \uXXXX for ASCII: Java replaces it before it reads literals, so
// that an escaped quote or line end would end them.
func escapeJava(r rune) string {
	if r < 0x80 {
		return fmt.Sprintf(`\%03o`, r)
	}
	return escapeUTF16(r)
}

var (
	quoteTypeScript = quoting{'\'', escapeUTF16}
	quoteJava       = quoting{'"', escapeJava}
	quoteOther      = quoting{'"', escapeUTF32} // Python, C# and Go
)

// writeLiteral writes a value as a string literal.
func (q quoting) writeLiteral(value string) string {
	var b strings.Builder
	b.WriteByte(q.quote)
	for _, r := range value {
		switch {
		case r == rune(q.quote) || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case isHidden(r):
			b.WriteString(q.escape(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte(q.quote)
	return b.String()
}

// Quote returns value as a string literal of a language, in its usual quotes. No
// character of it can end the literal, and invisible ones are escaped.
func Quote(value string, lang Language) string { return dialectOf(lang).quote(value) }

// maxValue bounds a value that may be written into somebody's source, in bytes.
const maxValue = 300

// Writable says why a value must not be written into source code, "" when it may:
// with control characters, or such that hide or reorder text, a page could deceive
// the person who reads the diff.
func Writable(value string) string {
	switch {
	case !utf8.ValidString(value):
		return "the new locator is not valid UTF-8"
	case len(value) > maxValue:
		return "the new locator is too long to be written into a test"
	}
	for _, r := range value {
		if isHidden(r) {
			return "the new locator holds control or invisible characters"
		}
	}
	return ""
}

// isHidden reports whether a character is invisible: controls, line and paragraph
// separators, formatting and bidirectional marks, and unassigned code points.
func isHidden(r rune) bool {
	return r != ' ' && !unicode.IsPrint(r) || r == utf8.RuneError || r == '\u00ad' ||
		r >= 0xfe00 && r <= 0xfe0d || r >= 0xe0100 && r <= 0xe01ef
}
