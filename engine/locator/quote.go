package locator

import (
	"fmt"
	"strings"
)

// quoting is how one language writes a string literal in its usual quotes.
type quoting struct {
	quote byte
	// hidden spells a rune that must not stand in source as itself.
	hidden func(r rune) string
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

// escapeJava avoids \uXXXX for ASCII: Java reads it before it reads literals,
// so that a quote or a line end written that way is one.
func escapeJava(r rune) string {
	if r < 0x80 {
		return fmt.Sprintf(`\%03o`, r)
	}
	return escapeUTF16(r)
}

var (
	quoteTypeScript = quoting{'\'', escapeUTF16}
	quotePython     = quoting{'"', escapeUTF32}
	quoteJava       = quoting{'"', escapeJava}
	quoteCSharp     = quoting{'"', escapeUTF32}
	quoteGo         = quoting{'"', escapeUTF32}
)

// quoter returns a function that writes a value as a literal of q.
func quoter(q quoting) func(string) string {
	return func(value string) string {
		var b strings.Builder
		b.WriteByte(q.quote)
		for _, r := range value {
			b.WriteString(q.escape(r))
		}
		b.WriteByte(q.quote)
		return b.String()
	}
}

func (q quoting) escape(r rune) string {
	switch {
	case r == rune(q.quote) || r == '\\':
		return `\` + string(r)
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case hidden(r):
		return q.hidden(r)
	}
	return string(r)
}
