package markup

import (
	"slices"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/breadcrumb/action/engine/locator"
)

// answer says whether a part of a selector finds an element.
type answer int

const (
	no answer = iota
	perhaps
	yes
)

// FindsOnly reports whether s finds n and nothing else, for sure. A selector with a
// part that cannot be followed here finds nothing for sure.
func (d *Document) FindsOnly(s locator.Selector, n *html.Node) bool {
	found := d.Find(s)
	return len(found) == 1 && found[0].Node == n && found[0].Sure
}

// Found is an element that a selector finds, or may find.
type Found struct {
	Node *html.Node
	Sure bool
}

// Find returns the elements that s finds or may find, in document order.
func (d *Document) Find(s locator.Selector) []Found {
	var scope map[*html.Node]bool // sure or not; nil is the whole page
	var found []Found
	for _, p := range s.Parts {
		switch p.Kind {
		case locator.KindHasText:
			found = d.filterByText(found, p)
		case locator.KindNth:
			found = pickNth(found, p.Value)
		default:
			found = d.findBelow(scope, p)
		}
		scope = make(map[*html.Node]bool, len(found))
		for _, f := range found {
			scope[f.Node] = f.Sure
		}
	}
	return found
}

// findBelow returns what a part finds inside of the elements of scope.
func (d *Document) findBelow(scope map[*html.Node]bool, p locator.Part) []Found {
	match := d.partMatcher(p)
	var found []Found
	for _, n := range d.Elements {
		answer := match(n)
		if answer == no {
			continue
		}
		if within := insideOf(scope, n); within != no {
			found = append(found, Found{n, min(answer, within) == yes})
		}
	}
	return found
}

func insideOf(scope map[*html.Node]bool, n *html.Node) answer {
	if scope == nil {
		return yes
	}
	best := no
	for up := n.Parent; up != nil && best != yes; up = up.Parent {
		if sure, in := scope[up]; in && sure {
			best = yes
		} else if in {
			best = perhaps
		}
	}
	return best
}

func (d *Document) filterByText(found []Found, p locator.Part) []Found {
	p.Value = collapse(p.Value)
	var kept []Found
	for _, f := range found {
		if a := compareText(d.Text(f.Node), p); a != no {
			kept = append(kept, Found{f.Node, f.Sure && a == yes})
		}
	}
	return kept
}

// pickNth returns the element at an index, which counts only where all are sure.
func pickNth(found []Found, index string) []Found {
	at, err := strconv.Atoi(index)
	unsure := slices.ContainsFunc(found, func(f Found) bool { return !f.Sure })
	if err != nil || at < 0 || at >= len(found) || unsure {
		return found
	}
	return found[at : at+1]
}

// attributeOf is the attribute that a kind of locator reads.
var attributeOf = map[locator.Kind]string{locator.KindPlaceholder: "placeholder", locator.KindAlt: "alt", locator.KindTitle: "title"}

// partMatcher returns whether a part finds an element of the page.
func (d *Document) partMatcher(p locator.Part) func(*html.Node) answer {
	if p.Regexp || p.Rest != "" {
		return func(*html.Node) answer { return perhaps }
	}
	flat := p
	flat.Value = collapse(p.Value)
	switch p.Kind {
	case locator.KindRole:
		return func(n *html.Node) answer { return d.hasRole(n, flat) }
	case locator.KindLabel:
		return func(n *html.Node) answer { return bestAnswer(d.labelTexts(n), flat) }
	case locator.KindText:
		return func(n *html.Node) answer { return d.hasText(n, flat) }
	case locator.KindPlaceholder, locator.KindAlt, locator.KindTitle:
		return byAttribute(attributeOf[p.Kind], p)
	case locator.KindTestID:
		return func(n *html.Node) answer { return sure(Has(n, p.Attr) && Attr(n, p.Attr) == p.Value) }
	case locator.KindCSS:
		if css, err := cascadia.Compile(p.Value); err == nil {
			return d.matchCSS(css, p.Value)
		}
	}
	return func(*html.Node) answer { return perhaps }
}

// matchCSS returns whether CSS finds an element. Where it may step out of a shadow
// root the answer is not known.
func (d *Document) matchCSS(css cascadia.Selector, text string) func(*html.Node) answer {
	loose := css
	if wider, err := cascadia.Compile(descending(text)); err == nil && len(d.roots) > 0 {
		loose = wider
	}
	return func(n *html.Node) answer {
		switch {
		case css.Match(n):
			return yes
		case len(d.roots) > 0 && loose.Match(n) && Scope(n) != nil:
			return perhaps
		}
		return no
	}
}

func sure(is bool) answer {
	if is {
		return yes
	}
	return no
}

func (d *Document) hasRole(n *html.Node, p locator.Part) answer {
	if d.Role(n) != p.Role {
		return no
	}
	if d.Hidden(n) {
		return min(perhaps, sure(d.slotted(n)))
	}
	if !p.Named {
		return yes
	}
	name := d.Name(n)
	if name.Sure {
		return compareText(name, p)
	}
	for _, piece := range name.Pieces {
		if p.Match != locator.MatchExact && compareText(Text{Value: piece, Sure: true}, p) == yes {
			return yes
		}
	}
	if name.Open {
		return perhaps // what is not known may be it
	}
	p.Value = squash(p.Value)
	return min(perhaps, compareText(Text{Value: squash(name.Value), Sure: true}, p))
}

// hasText finds the innermost elements with a text.
func (d *Document) hasText(n *html.Node, p locator.Part) answer {
	if unmatched(n) {
		return no
	}
	own := compareText(d.Text(n), p)
	if own == no {
		return no
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && compareText(d.Text(c), p) != no {
			return no
		}
	}
	return own
}

func byAttribute(name string, p locator.Part) func(*html.Node) answer {
	return func(n *html.Node) answer {
		if !Has(n, name) {
			return no
		}
		return compareText(Text{Value: Attr(n, name), Sure: true}, p)
	}
}

func bestAnswer(texts []Text, p locator.Part) answer {
	found := no
	for _, t := range texts {
		found = max(found, compareText(t, p))
	}
	return found
}

// compareText returns whether a text is what a part with a collapsed value looks
// for. One that is cut may be it.
func compareText(t Text, p locator.Part) answer {
	switch {
	case !t.Sure:
		return perhaps
	case p.Match == locator.MatchExact:
		return sure(t.Value == p.Value)
	}
	return sure(strings.Contains(strings.ToLower(t.Value), strings.ToLower(p.Value)))
}

func squash(s string) string { return strings.Join(strings.Fields(s), "") }

// slotted reports whether n, or what is around it, is shown in a slot: whether
// it is hidden there is not the same to a browser and to its roles.
func (d *Document) slotted(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if d.slots[n] != nil {
			return true
		}
	}
	return false
}

// descending returns CSS with every > outside of quotes made the looser way
// down. Playwright steps with > out of a shadow root, which cannot be followed
// here.
func descending(css string) string {
	text := []byte(css)
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			text[i] = ' '
		}
	}
	return string(text)
}
