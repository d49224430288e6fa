package source

import (
	"slices"
	"strings"
	"unicode"
)

// Gives reports whether the composition gives a value in one way alone.
func (c Composition) Gives(value string) bool {
	_, ok := c.Template().onlyHoles(value)
	return ok && hasWord(c.Template())
}

// Rewrite returns the texts of the pieces with which the composition gives next where it
// gave old, with the same filled in. It returns false unless both can be read in one way
// alone, and where what is filled in would be looked for in another way: within a word, or
// in a selector no longer within quotes.
func (c Composition) Rewrite(old, next string, selector bool) ([]string, bool) {
	holes, ok := c.Template().onlyHoles(old)
	if !ok {
		return nil, false
	}
	var texts []string
	was, is := 0, 0
	for i, hole := range holes {
		if strings.Count(next, hole) != count(holes, hole) {
			return nil, false
		}
		was += len(c.Pieces[i].Text)
		at := strings.Index(next[is:], hole)
		if at < 0 || !standsAlike(old, was, next, is+at, len(hole)) || selector && quoteAround(old[:was]) != 0 && quoteAround(next[:is+at]) == 0 {
			return nil, false
		}
		texts = append(texts, next[is:is+at])
		was, is = was+len(hole), is+at+len(hole)
	}
	texts = append(texts, next[is:])
	changed := false
	for i, p := range c.Pieces {
		changed = changed || texts[i] != p.Text
		if p.Token < 0 && texts[i] != "" {
			return nil, false
		}
	}
	return texts, changed && hasWord(texts) && hasWord(c.Template())
}

// onlyHoles is Holes where there is one way alone to fill them.
func (p Template) onlyHoles(value string) ([]string, bool) {
	least, ok := p.fill(value, "(.+?)")
	most, _ := p.fill(value, "(.+)")
	return least, ok && slices.Equal(least, most)
}

// standsAlike reports whether what is filled in stands in two values alike: apart from words
// where it did before.
func standsAlike(old string, was int, next string, is, length int) bool {
	apart := func(text string, at int) (before, behind bool) {
		return at == 0 || !isWord(text[at-1]), at+length == len(text) || !isWord(text[at+length])
	}
	before, behind := apart(old, was)
	nowBefore, nowBehind := apart(next, is)
	return (nowBefore || !before) && (nowBehind || !behind)
}

func isWord(c byte) bool { return IsWordByte(c) && c != '_' || c >= 0x80 }

// quoteAround returns the quote that a text leaves open, 0 for none.
func quoteAround(text string) (open byte) {
	for i := range len(text) {
		switch c := text[i]; {
		case c != '"' && c != '\'':
		case open == 0:
			open = c
		case open == c:
			open = 0
		}
	}
	return open
}

// hasWord reports whether texts have two letters or more.
func hasWord(texts []string) bool {
	letters := 0
	for _, r := range strings.Join(texts, "") {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters > 1
}

func count(list []string, text string) (n int) {
	for _, other := range list {
		if other == text {
			n++
		}
	}
	return n
}
