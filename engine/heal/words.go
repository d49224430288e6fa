package heal

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// maxWords is how many words of a text are compared.
const maxWords = 40

// shortcut is a keyboard shortcut in brackets. It is how to reach a control, not
// what the control does.
var shortcut = lazyregexp.New(`\((?:(?:ctrl|control|cmd|command|alt|option|shift|meta|strg|⌘|⌃|⌥|⇧)\s*[-+ ]?\s*)+[^()]{0,8}\)`)

// contentWords returns the words of a text, in order and in lower case: runs of
// letters, runs of digits, units such as % and €, and each character of a script
// that is written without spaces. A text with neither letters nor digits is made
// of its symbols.
func contentWords(text string) []string {
	text = normalizeCut(text)
	if strings.Contains(text, "(") {
		text = shortcut.ReplaceAllString(text, " ")
	}
	var words []string
	var symbols []string
	after := false // a letter, a digit or a grade
	for len(text) > 0 && len(words) < maxWords {
		r, size := utf8.DecodeRuneInString(text)
		end := size
		switch {
		case unspaced(r) || unicode.Is(unicode.Sc, r) || r == '%' || r == '°' || isSign(r, text[size:]) && len(words) == 0:
			words = append(words, text[:size])
		case unicode.IsDigit(r):
			end = runEnd(text, unicode.IsDigit)
			words = append(words, text[:end])
		case unicode.IsLetter(r):
			end = runEnd(text, func(r rune) bool { return (unicode.IsLetter(r) || unicode.IsMark(r)) && !unspaced(r) })
			words = append(words, text[:end])
		case isGrade(r, text[size:]) && after:
			words = append(words, text[:size])
		case !unicode.IsSpace(r) && !unicode.In(r, unicode.Cf, unicode.Co) && // icon fonts use private characters
			len(symbols) < 8:
			symbols = append(symbols, text[:size])
		}
		after = unicode.IsLetter(r) || unicode.IsDigit(r) || after && isGrade(r, text[size:])
		text = text[end:]
	}
	if len(words) == 0 {
		return symbols
	}
	return words
}

// runEnd returns the length of the start of a text that belongs to a run.
func runEnd(text string, in func(rune) bool) int {
	if end := strings.IndexFunc(text, func(r rune) bool { return !in(r) }); end >= 0 {
		return end
	}
	return len(text)
}

// unspaced reports whether a script has no spaces between words.
func unspaced(r rune) bool {
	return r >= '\u0e00' && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// isSign reports whether a rune before rest is the sign of a number.
func isSign(r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return (r == '+' || r == '-' || r == '−') && unicode.IsDigit(next)
}

// isGrade reports whether a rune before rest ends a word that it belongs to: A+, C#.
func isGrade(r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return (r == '+' || r == '-' || r == '−' || r == '#') && !unicode.IsLetter(next) && !unicode.IsDigit(next)
}

// wordDiff is how the words of two texts differ.
type wordDiff struct {
	removed, added []string
	turned         bool // the same words in another order that says something else
}

// same reports whether two texts say the same.
func (d wordDiff) same() bool { return len(d.removed) == 0 && len(d.added) == 0 && !d.turned }

// replaced reports whether words went and others came.
func (d wordDiff) replaced() bool { return len(d.removed) > 0 && len(d.added) > 0 || d.turned }

// VaryingWords returns the words of a text that another text of the same element,
// taken in another run, does not have.
func VaryingWords(text, other string) []string {
	return diffWords(contentWords(text), contentWords(other)).removed
}

// diffWords compares two lists of words. Inflected words are the same, so are
// words written apart and together; two words may stand the other way round, and the
// first of more may be the last.
func diffWords(old, now []string) wordDiff {
	if slices.Equal(old, now) || joined(old) == joined(now) {
		return wordDiff{}
	}
	var d wordDiff
	rest := slices.Clone(now)
	var matched []string // words of old that now has, as now writes them
	for _, w := range old {
		i := slices.Index(rest, w)
		if i < 0 {
			i = slices.IndexFunc(rest, func(other string) bool { return inflected(w, other) })
		}
		if i < 0 {
			d.removed = append(d.removed, w)
			continue
		}
		matched = append(matched, rest[i])
		rest = slices.Delete(rest, i, i+1)
	}
	d.added = rest
	if len(d.removed) == 0 && len(d.added) == 0 {
		d.turned = len(now) > 2 && !rotated(matched, now)
	}
	return d
}

// joined returns words without the spaces between them; digits keep theirs.
func joined(words []string) string {
	var b strings.Builder
	digit := false
	for _, w := range words {
		r, _ := utf8.DecodeRuneInString(w)
		if digit && unicode.IsDigit(r) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
		digit = unicode.IsDigit(r)
	}
	return b.String()
}

// inflected reports whether two words are one word in two forms, of which one is
// the other with an ending of a plural or a case. Endings that make another word
// of a verb (-ed, -er, -ing) are none.
func inflected(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	ending, ok := strings.CutPrefix(b, a)
	if !ok || utf8.RuneCountInString(a) < 4 {
		return false
	}
	switch ending {
	case "s", "es", "e", "n", "en", "е", "и", "ы", "а", "я":
		return true
	}
	return false
}

// rotated reports whether two lists of the same words are in the same order, but for
// the first that became the last or the other way round.
func rotated(a, b []string) bool {
	n := len(a)
	return slices.Equal(a, b) || slices.Equal(a[1:], b[:n-1]) || slices.Equal(a[:n-1], b[1:])
}
