package locator

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// stringStart matches the start of a string literal. Python's r"x" and C#'s @"x" are
// literals as well.
var stringStart = lazyregexp.New("^(?:[rRuU]{0,2}|@)[\"'`]")

// readString reads a string literal and decodes it. It fails for one that spans lines
// or has code in it, and for escapes that the language does not know.
func (r *expressionReader) readString() string {
	quoteAt := r.at + strings.IndexAny(r.text[r.at:], "\"'`")
	prefix := r.text[r.at:quoteAt]
	quote := r.text[quoteAt]
	raw := prefix != "" && strings.ContainsAny(prefix, "rR@") || quote == '`' && r.lang == Go
	end := closingQuote(r.text, quoteAt)
	if raw && (quote == '`' || prefix == "@") {
		end = quoteAt + 1 + strings.IndexByte(r.text[quoteAt+1:]+string(quote), quote)
	}
	if end >= len(r.text) {
		r.failed = true
		return ""
	}
	body := r.text[quoteAt+1 : end]
	r.at = end + 1
	switch {
	case strings.HasPrefix(r.text[r.at:], string(quote)), quote == '`' && !raw && strings.ContainsAny(body, `$\`):
		r.failed = true // tripled or doubled quotes, a template with code or, if it is not Go's, escapes in it
	case !raw:
		decoded, ok := decodeEscapes(body)
		r.failed = r.failed || !ok
		return decoded
	}
	return body
}

// plainEscapes are the escapes of one character that no language reads otherwise: \$ and
// \/ keep their backslash in Python.
var plainEscapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v', '0': 0, '\\': '\\', '"': '"', '\'': '\''}

// decodeEscapes decodes the escapes of a string literal, false for one that languages
// read in different ways.
func decodeEscapes(body string) (string, bool) {
	var units []uint16 // JavaScript, Java and C# write pairs of surrogates
	for body != "" {
		at := strings.IndexByte(body, '\\')
		if at < 0 {
			at = len(body)
		}
		units = append(units, utf16.Encode([]rune(body[:at]))...)
		if body = body[at:]; body == "" {
			break
		}
		r, size, ok := decodeEscape(body)
		if !ok {
			return "", false
		}
		if r > 0xffff {
			units = append(units, utf16.Encode([]rune{r})...)
		} else {
			units = append(units, uint16(r))
		}
		body = body[size:]
	}
	return string(utf16.Decode(units)), true
}

// decodeEscape decodes the escape that a text starts with, and returns its length.
func decodeEscape(text string) (r rune, size int, ok bool) {
	if len(text) < 2 {
		return 0, 0, false
	}
	digits := map[byte]int{'u': 4, 'U': 8}[text[1]] // \x takes up to four in C# and two elsewhere
	if strings.HasPrefix(text, `\u{`) {
		digits = strings.IndexByte(text, '}') - 3
		code, err := strconv.ParseUint(text[3:3+max(digits, 0)], 16, 32)
		return rune(code), digits + 4, err == nil && code <= utf8.MaxRune
	}
	if digits > 0 {
		if len(text) < 2+digits {
			return 0, 0, false
		}
		code, err := strconv.ParseUint(text[2:2+digits], 16, 32)
		return rune(code), 2 + digits, err == nil && code <= utf8.MaxRune
	}
	c, known := plainEscapes[text[1]]
	octal := c == 0 && len(text) > 2 && text[2] >= '0' && text[2] <= '9'
	return rune(c), 2, known && !octal
}
