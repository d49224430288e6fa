package generate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/generate/markup"
)

// maxAlike is how many elements of one name are told apart by their order.
const maxAlike = 6

// maxName bounds the names and texts that make a locator, in characters.
const maxName = 80

// landmarks are the roles that say in which part of the page something is.
var landmarks = map[string]bool{
	"banner": true, "navigation": true, "main": true, "contentinfo": true, "complementary": true, "search": true,
	"form": true, "region": true, "dialog": true, "alertdialog": true, "table": true, "toolbar": true, "menu": true, "tablist": true,
	"row": true, "listitem": true, "article": true, "group": true, "radiogroup": true,
}

// repeated are those that a page has many of, so that only what they say tells
// one from the others.
var repeated = map[string]bool{"row": true, "listitem": true, "article": true}

// proveFirst returns the first way that finds n alone.
func (r *reading) proveFirst(n *html.Node, ways []locator.Selector) (locator.Selector, bool) {
	path := pathTo(n)
	for _, s := range ways {
		if r.doc.FindsOnly(s, n) && r.view.Finds(s.Inside(r.frame), path) {
			return s, true
		}
	}
	return locator.Selector{}, false
}

func (r *reading) candidates(n *html.Node, class Class) []locator.Selector {
	seen := r.byRole(n)
	labels := r.byText(locator.KindLabel, r.doc.Label(n))
	ways := append(seen, labels...)
	if isField(class) && len(labels) > 0 {
		ways = append(labels, seen...)
	}
	ways = append(ways, r.byAttributeText(n, "placeholder", locator.KindPlaceholder)...)
	if id := markup.Attr(n, r.testID); id != "" && fitsLocator(id) {
		ways = append(ways, locator.ByTestID(r.testID, id))
	}
	ways = append(ways, r.inParts(n, seen)...)
	ways = append(ways, r.byAttributeText(n, "alt", locator.KindAlt)...)
	ways = append(ways, r.byAttributeText(n, "title", locator.KindTitle)...)
	if class != ClassDropdown {
		ways = append(ways, r.byText(locator.KindText, r.doc.Text(n))...)
	}
	if role := r.doc.Role(n); isField(class) && role != "" {
		ways = append(ways, locator.ByRole(role, "", locator.MatchLoose)) // the only one of its kind
	}
	ways = append(ways, r.byCSS(n)...)
	return append(ways, r.waysByPlace(n, seen)...)
}

// waysByPlace returns the place of n among the elements that a way finds, where
// those are few.
func (r *reading) waysByPlace(n *html.Node, ways []locator.Selector) []locator.Selector {
	for i := len(ways) - 1; i >= 0; i-- { // the exact one first
		found := r.doc.Find(ways[i])
		at := slices.IndexFunc(found, func(f markup.Found) bool { return f.Node == n })
		if at >= 0 && len(found) <= maxAlike {
			return []locator.Selector{ways[i].Nth(at)}
		}
	}
	return nil
}

// isField reports whether a label is the usual way to a class.
func isField(class Class) bool {
	return !slices.Contains([]Class{ClassSubmit, ClassButton, ClassNavigation, ClassLink, ClassHeading}, class)
}

func (r *reading) byRole(n *html.Node) []locator.Selector {
	role, name := r.doc.Role(n), r.doc.Name(n)
	piece := name.Piece()
	if role == "" || piece == "" || !fitsLocator(piece) {
		return nil
	}
	ways := []locator.Selector{locator.ByRole(role, piece, locator.MatchLoose)}
	if name.Sure {
		ways = append(ways, locator.ByRole(role, piece, locator.MatchExact))
	}
	return ways
}

func (r *reading) byText(kind locator.Kind, text markup.Text) []locator.Selector {
	if text.Value == "" || !text.Sure || !fitsLocator(text.Value) {
		return nil
	}
	return []locator.Selector{locator.ByText(kind, text.Value, locator.MatchLoose), locator.ByText(kind, text.Value, locator.MatchExact)}
}

func (r *reading) byAttributeText(n *html.Node, name string, kind locator.Kind) []locator.Selector {
	value := markup.Attr(n, name)
	if strings.TrimSpace(value) == "" || !fitsLocator(value) {
		return nil
	}
	return r.byText(kind, markup.Text{Value: value, Sure: true})
}

// inParts returns ways inside of the parts of the page around n, the nearest
// first: a link of the footer, the button of a row.
func (r *reading) inParts(n *html.Node, ways []locator.Selector) []locator.Selector {
	var out []locator.Selector
	if role := r.doc.Role(n); role != "" && len(ways) == 0 {
		ways = []locator.Selector{locator.ByRole(role, "", locator.MatchLoose)}
	}
	nameless := len(ways) == 1 && !ways[0].Parts[0].Named
	for up := n.Parent; up != nil && len(out) < 24; up = up.Parent {
		if up.Type != html.ElementNode {
			continue
		}
		for _, part := range r.partWays(up, r.doc.Text(n).Value) {
			if len(part.Parts) == 1 && !part.Parts[0].Named && nameless {
				continue // a role in a part of the page says too little
			}
			for _, w := range ways {
				out = append(out, w.Inside(part))
			}
		}
	}
	return out
}

// partWays returns ways to a part of the page, by other words than those of what is
// looked for in it. They need not be proven: the whole locator is.
func (r *reading) partWays(n *html.Node, words string) []locator.Selector {
	var ways []locator.Selector
	if id := markup.Attr(n, "id"); id != "" && fitsLocator(id) && !locator.Generated(id) {
		ways = append(ways, locator.ByAttribute("id", id))
	}
	role := r.doc.Role(n)
	if !landmarks[role] {
		return ways
	}
	every := locator.ByRole(role, "", locator.MatchLoose)
	if !repeated[role] {
		ways = append([]locator.Selector{every}, ways...)
	}
	if name := r.doc.Name(n); name.Sure && name.Value != "" && fitsLocator(name.Value) && role != "row" {
		ways = append(ways, locator.ByRole(role, name.Value, locator.MatchLoose))
	}
	if text := r.leadingText(n); repeated[role] && text != "" && !strings.Contains(words, text) {
		ways = append(ways, locator.ByText(locator.KindHasText, text, locator.MatchLoose).Inside(every))
	}
	return ways
}

// leadingText returns the first text in a row or an item of a list, which mostly
// is what it is called.
func (r *reading) leadingText(n *html.Node) string {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		text := ""
		switch {
		case c.Type == html.TextNode:
			text = strings.Join(strings.Fields(c.Data), " ")
		case c.Type == html.ElementNode && !r.doc.Hidden(c):
			text = r.leadingText(c)
		}
		if len(text) > 1 && fitsLocator(text) {
			return text
		}
	}
	return ""
}

// pathTo returns the index of n and of what is around it among the elements of
// its parent, from <html> down, with -1 for a step into a shadow root.
func pathTo(n *html.Node) []int {
	var path []int
	for ; n != nil && n.Type == html.ElementNode; n = n.Parent {
		at := -1
		if !markup.IsShadowRoot(n) {
			at = siblingIndex(n)
		}
		path = append([]int{at}, path...)
	}
	return path
}

func siblingIndex(n *html.Node) int {
	at := 0
	for s := n.PrevSibling; s != nil; s = s.PrevSibling {
		if s.Type == html.ElementNode {
			at++
		}
	}
	return at
}

// fitsLocator reports whether a text may stand in a locator.
func fitsLocator(text string) bool {
	return utf8.RuneCountInString(text) <= maxName && locator.Writable(text) == ""
}
