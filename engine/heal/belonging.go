package heal

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
)

// Limits of what is looked at to tell equals apart.
const (
	maxEquals = 60  // elements of the same name
	maxLeaves = 60  // texts of a row
	maxRow    = 400 // elements of a row
	maxTitle  = 5   // words of a title; a text of more explains something
	maxItem   = 30  // elements of a card or a dialog, whose first text is its title
)

// rowOf returns the outermost element around i, at most so many steps above,
// that holds no other of the equals, and how many steps it is above.
func (p *Page) rowOf(i int32, equals []int32, most int) (row int32, steps int) {
	before, after := int32(-1), int32(len(p.nodes)) // the nearest equals that are not around i
	for _, j := range equals {
		switch {
		case j > i:
			after = min(after, j)
		case j < i && j > before && !p.contains(j, i):
			before = j
		}
	}
	row = i
	for up := p.nodes[i].parent; up >= 0 && steps < most && before < up && after >= p.nodes[up].end; up = p.nodes[up].parent {
		row = up
		steps++
	}
	return row, steps
}

// leavesOf returns the elements of a row, in order, that have a text of their own and
// are not element i or inside it.
func (p *Page) leavesOf(row, i int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		left := maxLeaves
		for j, end := row, min(p.nodes[row].end, row+maxRow); j < end && left > 0; j++ {
			if j == i {
				j = p.nodes[i].end - 1
				continue
			}
			if n := &p.nodes[j]; n.own == 0 || !n.visible {
				continue
			}
			if left--; !yield(j) {
				return
			}
		}
	}
}

// ownText returns the text that is element i's own.
func (p *Page) ownText(i int32) *phrase { return &p.phrases[p.nodes[i].own] }

func isHeading(tag, role string) bool {
	switch strings.ToLower(tag) {
	case "h1", "h2", "h3", "h4", "h5", "h6", "legend", "summary", "caption", "th":
		return true
	}
	return role == "heading" || role == "rowheader"
}

// equalsOf returns the candidates that have element i's kind and name, or, where
// it has neither text nor name, its kind and icon. Element i is one of them.
func (p *Page) equalsOf(i int32) []int32 {
	n := &p.nodes[i]
	looksSame := func(int32) bool { return true }
	if n.best == 0 {
		looksSame = p.iconMatcher(i)
	}
	var equals []int32
	for _, j := range p.ofKind[n.kind] {
		if j == i || p.nodes[j].nameKey == n.nameKey && !p.twins(i, j) && looksSame(j) {
			if equals = append(equals, j); len(equals) == maxEquals {
				break
			}
		}
	}
	if !slices.Contains(equals, i) {
		equals = append(equals, i)
	}
	return equals
}

// keyOf returns the text by which element i's row differs from those of its
// equals: a heading before another text, and words before numbers. A text of
// nothing but words that differ from run to run is none. It is "" when place alone
// tells them apart.
func (p *Page) keyOf(i int32, equals []int32, varies []string) (key string, steps int) {
	row, steps := p.rowOf(i, equals, len(p.nodes))
	leaves := slices.Collect(p.leavesOf(row, i))
	for _, j := range equals {
		if j == i || len(leaves) == 0 {
			continue
		}
		other, _ := p.rowOf(j, equals, len(p.nodes))
		for l := range p.leavesOf(other, j) {
			leaves = slices.DeleteFunc(leaves, func(k int32) bool { return p.ownText(k).equal(p.ownText(l)) })
		}
	}
	best := -1
	for _, l := range leaves {
		text := p.ownText(l).text
		if len(varies) > 0 && !slices.ContainsFunc(contentWords(text), func(w string) bool { return !slices.Contains(varies, w) }) {
			continue
		}
		rank := 0
		if strings.IndexFunc(text, unicode.IsLetter) >= 0 {
			rank = 1
			if isHeading(p.elements[l].Tag, p.elements[l].Role) {
				rank = 2
			}
		}
		if rank > best {
			key, best = text, rank
		}
	}
	return key, steps
}

// sayAnywhere reports whether a text on the page has all the words.
func (p *Page) sayAnywhere(words []string) bool {
	for i := range p.phrases {
		if len(p.phrases[i].text) >= len(words) && hasWords(p.phrases[i].text, words) {
			return true
		}
	}
	return false
}

func hasWords(text string, words []string) bool {
	if len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
		return false
	}
	have := contentWords(text)
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(have, w) })
}

// inFrame reports whether an element stands in what all pages of a site share:
// its navigation, header, footer or sidebar. The header and the footer of a dialog are
// the dialog's, and those of the main part or an article are its own, as HTML has it.
func (p *Page) inFrame(i int32) bool {
	ends, named := false, false // by their tag; by their role alone
	for ; i >= 0; i = p.nodes[i].parent {
		e := &p.elements[i]
		tag, role := strings.ToLower(e.Tag), e.Role
		switch {
		case tag == "dialog", role == "dialog", role == "alertdialog":
			ends, named = false, false
		case tag == "main", tag == "article":
			ends = false
		case tag == "nav", tag == "aside", role == "navigation", role == "complementary":
			return true
		case tag == "header", tag == "footer":
			ends = true
		case role == "banner", role == "contentinfo":
			named = true
		}
	}
	return ends || named
}

// sectionOf returns what the part of the page that an element is in is called: the
// name of a dialog, form or region around it, the last heading before it there, or
// the first text there that is no control's; of the nearest part that has one and is
// not the whole page. It is "" for none.
func (p *Page) sectionOf(i int32) string {
	framed, from := p.inFrame(i), i
	for up := p.nodes[i].parent; up >= 0; up = p.nodes[up].parent {
		if n := &p.nodes[up]; n.tag == tagBody || n.tag == tagHTML || n.tag == tagMain || p.contains(up, p.mainHeading) {
			return p.regionName(up)
		}
		name := cmp.Or(p.regionName(up), p.headingBetween(up, from, i))
		if name == "" && !framed {
			name = p.firstTextIn(up, i)
		}
		if name != "" {
			return name
		}
		from = up
	}
	return ""
}

// regionName returns the accessible name of an element that holds others.
func (p *Page) regionName(i int32) string {
	switch p.elements[i].Tag {
	case "section", "form", "fieldset", "dialog", "article":
		return p.phrases[p.nodes[i].name].text
	}
	switch p.elements[i].Role {
	case "dialog", "alertdialog", "region", "form", "group", "radiogroup", "article", "listitem", "row", "tabpanel", "toolbar", "navigation", "complementary":
		return p.phrases[p.nodes[i].name].text
	}
	return ""
}

// headingBetween returns the last heading between two elements that is not around
// element i.
func (p *Page) headingBetween(after, before, i int32) string {
	for j := before - 1; j > after; j-- {
		if p.nodes[j].visible && isHeading(p.elements[j].Tag, p.elements[j].Role) && p.nodes[j].text != 0 && !p.contains(j, i) {
			return p.phrases[p.nodes[j].text].text
		}
	}
	return ""
}

// firstTextIn returns the first text in a small part of the page, a card or a
// dialog, that is neither a control's nor element i's own.
func (p *Page) firstTextIn(up, i int32) string {
	if tag := p.elements[up].Tag; tag == "p" || tag == "label" || p.nodes[up].size > maxItem {
		return ""
	}
	own := p.phrases[p.nodes[i].best].text
	for j := up + 1; j < min(p.nodes[up].end, up+maxRow); j++ {
		n := &p.nodes[j]
		if j == i || n.kind == kindButton || n.kind == kindLink || !n.visible {
			j = n.end - 1
			continue
		}
		if text := p.phrases[n.own].text; text != "" && text != own && text[0] != '(' && len(contentWords(text)) <= maxTitle && p.elements[j].Tag != "label" && p.elements[j].Tag != "option" &&
			strings.IndexFunc(text, unicode.IsLetter) >= 0 {
			return text
		}
	}
	return ""
}
