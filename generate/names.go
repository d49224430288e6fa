package generate

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Limits of an identifier, so that it stays one that a person would write.
const (
	maxNameWords = 5
	maxWordBytes = 24
)

// eMail is one word.
var eMail = lazyregexp.New(`(?i)\b(e)-mail`)

// splitWords returns the words of any text: runs of ASCII letters and digits
// after accents are taken off, camel case taken apart, in lower case.
func splitWords(s string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word[:min(len(word), maxWordBytes)])))
		}
		word = nil
	}
	runes := []rune(norm.NFKD.String(eMail.ReplaceAllString(text.First(s, 200), "${1}mail")))
	for i, r := range runes {
		switch {
		case r == '\'' || r == '’' || unicode.Is(unicode.Mn, r):
			continue // don't, café
		case r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && unicode.IsLower(runes[i-1]):
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}

// identOf returns an identifier of the first words of a text, nil when the text
// has none.
func identOf(text string) ident {
	words := splitWords(text)
	return ident(words[:min(len(words), maxNameWords)])
}

// startWithLetter puts a word before a name that begins with a digit.
func startWithLetter(name ident, word string) ident {
	if name[0][0] < 'a' {
		return append(ident{word}, name...)
	}
	return name
}

// ident is an identifier as its words: plain lower-case letters and digits, the
// first beginning with a letter.
type ident []string

func (i ident) camel() string { return i[0] + i[1:].pascal() }

func (i ident) pascal() string {
	var b strings.Builder
	for _, w := range i {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

func (i ident) snake() string { return strings.Join(i, "_") }

func (i ident) kebab() string { return strings.Join(i, "-") }

func (i ident) words() string { return strings.Join(i, " ") }
