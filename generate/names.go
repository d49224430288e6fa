package generate

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/text"
)

// Limits of an identifier, so that it stays one that a person would write.
const (
	maxNameWords = 5
	maxWordBytes = 24
)

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

// eMail is one word.
var eMail = regexp.MustCompile(`(?i)\b(e)-mail`)

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

// suffixes say what an element is at the end of its name.
var suffixes = map[Class]string{
	ClassLogin: "input", ClassPassword: "input", ClassEmail: "input", ClassSearch: "input", ClassText: "input", ClassNumber: "input",
	ClassDate: "input", ClassColor: "input", ClassFile: "input", ClassCheckbox: "checkbox", ClassRadio: "radio",
	ClassDropdown: "select", ClassSubmit: "button", ClassButton: "button", ClassNavigation: "link", ClassLink: "link", ClassHeading: "heading",
}

// fieldName returns what an element is called in code.
func fieldName(e Element) ident {
	name := identOf(e.Name)
	if len(name) > 0 {
		if where := whereabouts(e.Locator); len(where) > 0 && !slices.Contains(name, where[0]) {
			name = append(where, name...)
		}
	} else {
		name = identOf(e.hint)
	}
	if len(name) == 0 && suffixes[e.Class] != string(e.Class) {
		name = ident{string(e.Class)}
	}
	if frame := identOf(e.frame); len(frame) > 0 && !slices.Contains(name, frame[0]) {
		name = append(frame[:min(len(frame), 2)], name...)
	}
	suffix := suffixes[e.Class]
	if len(name) == 0 || name[len(name)-1] != suffix {
		name = append(slices.Clone(name), suffix)
	}
	return startWithLetter(name, string(e.Class))
}

// parts are the parts of a page by the role that stands for them.
var parts = map[string]string{
	"banner": "header", "contentinfo": "footer", "navigation": "nav", "complementary": "aside", "dialog": "dialog", "alertdialog": "dialog",
	"main": "main", "search": "search", "form": "form",
}

// whereabouts returns what tells an element apart from others of its name: the row,
// the item or the part of the page that its locator looks in.
func whereabouts(s locator.Selector) ident {
	var words ident
	for _, p := range s.Parts[:max(len(s.Parts)-1, 0)] {
		switch {
		case p.Kind == locator.KindHasText || p.Kind == locator.KindRole && p.Named:
			words = identOf(p.Value)
		case parts[p.Role] != "":
			words = ident{parts[p.Role]}
		}
	}
	return words[:min(len(words), 3)]
}

// startWithLetter puts a word before a name that begins with a digit.
func startWithLetter(name ident, word string) ident {
	if name[0][0] < 'a' {
		return append(ident{word}, name...)
	}
	return name
}

// naming makes names unique, in the order they are asked for.
type uniqueNames map[string]bool

// take returns name, with a number behind it when it is taken. keys returns
// what must be free for a name.
func (u uniqueNames) take(name ident, keys func(ident) []string) ident {
	for n := 1; ; n++ {
		tried := slices.Clone(name)
		if n > 1 {
			tried[len(tried)-1] += strconv.Itoa(n)
		}
		if !slices.ContainsFunc(keys(tried), func(k string) bool { return u[k] }) {
			for _, k := range keys(tried) {
				u[k] = true
			}
			return tried
		}
	}
}

// reserved are names that a file cannot have on Windows.
var reserved = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true}

// pageName returns what a page is called in code and as a file: its path
// without the ending. Nothing but plain letters and digits is in it.
func pageName(p Page) ident {
	path := p.Path
	if u, err := url.Parse(p.URL); err == nil {
		path = u.Path
		for _, ending := range []string{".html", ".htm", ".php", ".aspx", ".jsp"} {
			path = strings.TrimSuffix(path, ending)
		}
		path = strings.TrimSuffix(path, "/index") + " " + u.RawQuery
	}
	name := identOf(path)
	if len(name) == 0 {
		name = ident{"home"}
	}
	if len(name) == 1 && (reserved[name[0]] || len(name[0]) == 4 && (name[0][:3] == "com" || name[0][:3] == "lpt")) {
		name = ident{"the", name[0]}
	}
	return startWithLetter(name, "page")
}

// pageKeys are what a page's name needs to have for itself: its file and type,
// and in Go the function that makes it.
func pageKeys(name ident) []string { return []string{name.pascal(), "New" + name.pascal()} }

// fieldKeys are what an element's name needs to have for itself on its page.
func fieldKeys(name ident) []string { return []string{name.pascal(), name.snake()} }
