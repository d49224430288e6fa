package heal

import (
	"cmp"
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

// leaf is a text in a row, and whether it is a heading there.
type leaf struct {
	text    string
	heading bool
}

// rowOf returns the outermost element around i, at most so many steps above,
// that holds no other of the equals, and how many steps it is above.
func (p *Page) rowOf(i int32, equals []int32, most int) (row int32, steps int) {
	row = i
	for up := p.nodes[i].parent; up >= 0 && steps < most; up = p.nodes[up].parent {
		if slices.ContainsFunc(equals, func(j int32) bool { return j != i && (j == up || p.contains(up, j)) && !p.contains(j, i) }) {
			break
		}
		row = up
		steps++
	}
	return row, steps
}

// leavesOf returns the texts of a row that are not element i's own, in order.
func (p *Page) leavesOf(row, i int32) []leaf {
	var leaves []leaf
	for j := row; j < min(p.nodes[row].end, row+maxRow) && len(leaves) < maxLeaves; j++ {
		if j == i {
			j = p.nodes[i].end - 1
			continue
		}
		n := &p.nodes[j]
		if n.own == 0 || !n.visible {
			continue
		}
		leaves = append(leaves, leaf{p.phrases[n.own].text, isHeading(p.elements[j].Tag, p.elements[j].Role)})
	}
	return leaves
}

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
	var icon []string
	if n.best == 0 {
		icon = p.iconOf(i)
	}
	var equals []int32
	for _, j := range p.ofKind[n.kind] {
		if j == i || p.nodes[j].nameKey == n.nameKey && !p.twins(i, j) && (n.best != 0 || slices.Equal(icon, p.iconOf(j))) {
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
	others := map[string]bool{}
	for _, j := range equals {
		if j != i {
			r, _ := p.rowOf(j, equals, len(p.nodes))
			for _, l := range p.leavesOf(r, j) {
				others[l.text] = true
			}
		}
	}
	best := -1
	for _, l := range p.leavesOf(row, i) {
		if others[l.text] || len(varies) > 0 && !slices.ContainsFunc(contentWords(l.text), func(w string) bool { return !slices.Contains(varies, w) }) {
			continue
		}
		rank := 0
		if strings.IndexFunc(l.text, unicode.IsLetter) >= 0 {
			rank = 1
			if l.heading {
				rank = 2
			}
		}
		if rank > best {
			key, best = l.text, rank
		}
	}
	return key, steps
}

// says reports whether a text with the same words stands in a row.
func (p *Page) says(row, except int32, text string) bool {
	words := contentWords(text)
	return slices.ContainsFunc(p.leavesOf(row, except), func(l leaf) bool { return diffWords(words, contentWords(l.text)).same() })
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

// mainHeading returns the index of the first visible heading of the highest level,
// -1 for none.
func (p *Page) mainHeading() int32 {
	main := int32(-1)
	for i := range p.nodes {
		tag := p.elements[i].Tag
		if len(tag) == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '3' && p.nodes[i].visible && p.nodes[i].text != 0 &&
			(main < 0 || tag[1] < p.elements[main].Tag[1]) {
			main = int32(i)
		}
	}
	return main
}

// Headline returns what tells the page from others: its title and its main heading,
// as far as it has them.
func (p *Page) Headline() string {
	headline := p.title()
	if i := p.mainHeading(); i >= 0 {
		headline += " " + p.elements[i].Text
	}
	return headline
}

// title returns the title of the page, "" where it is not known; see TitleTag.
func (p *Page) title() string {
	i := slices.IndexFunc(p.elements, func(e Element) bool { return e.Tag == TitleTag && e.Parent < 0 && !e.Visible })
	if i < 0 {
		return ""
	}
	return p.elements[i].Text
}

// inFrame reports whether an element stands in what all pages of a site share:
// its navigation, header, footer or sidebar.
func (p *Page) inFrame(i int32) bool {
	for ; i >= 0; i = p.nodes[i].parent {
		switch e := &p.elements[i]; strings.ToLower(e.Tag) {
		case "nav", "header", "footer", "aside":
			return true
		default:
			switch e.Role {
			case "navigation", "banner", "contentinfo", "complementary":
				return true
			}
		}
	}
	return false
}

// sectionOf returns what the part of the page that an element is in is called: the
// name of a dialog, form or region around it, the last heading before it there, or
// the first text there that is no control's; of the nearest part that has one and is
// not the whole page. It is "" for none.
func (p *Page) sectionOf(i int32) string {
	main := p.mainHeading()
	framed := p.inFrame(i)
	for up := p.nodes[i].parent; up >= 0; up = p.nodes[up].parent {
		if n := &p.nodes[up]; n.tag == tagBody || n.tag == tagHTML || n.tag == tagMain || main >= 0 && p.contains(up, main) {
			return p.regionName(up)
		}
		name := cmp.Or(p.regionName(up), p.headingBefore(up, i))
		if name == "" && !framed {
			name = p.firstTextIn(up, i)
		}
		if name != "" {
			return name
		}
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

// headingBefore returns the last heading in up before element i.
func (p *Page) headingBefore(up, i int32) string {
	for j := i - 1; j > up; j-- {
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

// ancestor returns the element so many steps above i.
func (p *Page) ancestor(i int32, steps int) int32 {
	for ; steps > 0 && p.nodes[i].parent >= 0; steps-- {
		i = p.nodes[i].parent
	}
	return i
}

// passwordIn reports whether a password field is visible among elements.
func (p *Page) passwordIn(from, end int32) bool {
	for i := from; i < end; i++ {
		if typ, _ := p.elements[i].Attributes.Get("type"); p.nodes[i].visible && strings.EqualFold(typ, "password") {
			return true
		}
	}
	return false
}
