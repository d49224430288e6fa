package heal

import "strings"

// landmarks are what a page is known by. They are read once, because every heal
// asks for them.
type landmarks struct {
	mainHeading int32  // the first visible heading of the highest level, -1 for none
	title       string // of the page, "" where it is not known; see TitleTag
	password    bool   // a password field is visible
}

// readLandmarks finds the landmarks of a page.
func (p *Page) readLandmarks() {
	titled := false
	p.mainHeading = -1
	for i := range p.elements {
		e, n := &p.elements[i], &p.nodes[i]
		switch {
		case n.visible && n.text != 0 && isMainHeading(e.Tag) && (p.mainHeading < 0 || e.Tag[1] < p.elements[p.mainHeading].Tag[1]):
			p.mainHeading = int32(i)
		case !titled && !n.visible && e.Parent < 0 && e.Tag == TitleTag:
			p.title, titled = e.Text, true
		}
		p.password = p.password || p.isPassword(int32(i))
	}
}

// Headline returns what tells the page from others: its title and its main heading,
// as far as it has them.
func (p *Page) Headline() string {
	headline := p.title
	if p.mainHeading >= 0 {
		headline += " " + p.elements[p.mainHeading].Text
	}
	return headline
}

func isMainHeading(tag string) bool {
	return len(tag) == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '3'
}

// isPassword reports whether an element is a visible password field.
func (p *Page) isPassword(i int32) bool {
	if !p.nodes[i].visible {
		return false
	}
	typ, _ := p.elements[i].Attributes.Get("type")
	return strings.EqualFold(typ, "password")
}
