// Package markup answers on a parsed document what Playwright's selector
// engines would find on the page. Start with Parse; FindsOnly proves a selector.
//
// It follows packages/injected/src of Playwright 1.60 (roleUtils.ts,
// selectorUtils.ts), which are HTML-AAM and accname with a few departures.
// What depends on style sheets or scripts is not in a document: where the
// answer could be another one with them, it is given as not sure, and what is
// not sure proves nothing.
package markup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// HiddenAttribute marks elements that a browser does not show, in the HTML that
// a browser was asked for. Its value is "size" for one that only takes no room,
// which roles find.
const HiddenAttribute = "data-breadcrumb-hidden"

// Limits of what is looked at, so that a hostile page costs no more.
const (
	MaxElements = 20_000
	maxText     = 2_048   // bytes of a name or text
	maxWork     = 500_000 // nodes visited for names
)

// Document is a parsed page.
type Document struct {
	// Elements are in the order that Playwright counts them in, those of
	// templates left out: document order, then what is in open shadow roots.
	Elements []*html.Node
	Title    string
	Closed   int // shadow roots that are closed

	byID     map[*html.Node]map[string]*html.Node // by shadow root, nil for the document
	labels   map[*html.Node][]*html.Node          // <label> elements by control
	facts    map[*html.Node]*facts
	roots    []*html.Node                // open shadow roots
	shadows  map[*html.Node]*html.Node   // them by host
	slots    map[*html.Node]*html.Node   // where a host's child is shown
	assigned map[*html.Node][]*html.Node // what a slot shows
	work     int
}

// facts are what is known of an element once it was asked for.
type facts struct {
	text          *Text // as it is
	collapsed     *Text
	name          *Text
	role          *string
	hiddenKnown   bool
	hidden        bool
	subtreeHidden bool // hidden with all that is in it
}

// Text is a text of the page, white space collapsed. Sure is false when a style
// sheet or a script could make it another one: with spaces where it has none,
// or, where it is Open, with other words. Pieces are then what is in it for
// sure.
type Text struct {
	Value  string
	Sure   bool
	Open   bool
	Pieces []string
}

// Piece returns the text, or the longest piece of one that is not sure.
func (t Text) Piece() string {
	if t.Sure {
		return t.Value
	}
	longest := ""
	for _, p := range t.Pieces {
		if len(p) > len(longest) {
			longest = p
		}
	}
	return longest
}

// Parse reads an HTML document. The error says that it is nested too deeply or
// has too many elements.
func Parse(source []byte) (*Document, error) {
	root, err := html.Parse(bytes.NewReader(source))
	if err != nil {
		return nil, fmt.Errorf("parse html: %w", err)
	}
	d := &Document{
		byID: map[*html.Node]map[string]*html.Node{}, labels: map[*html.Node][]*html.Node{}, facts: map[*html.Node]*facts{},
		shadows: map[*html.Node]*html.Node{}, slots: map[*html.Node]*html.Node{}, assigned: map[*html.Node][]*html.Node{}, work: maxWork,
	}
	d.attachShadowRoots(root)
	d.listTree(root, nil)
	if len(d.Elements) > MaxElements {
		return nil, fmt.Errorf("the page has more than %d elements", MaxElements)
	}
	for _, n := range d.roots {
		d.facts[n] = &facts{}
	}
	for _, n := range d.Elements {
		d.facts[n] = &facts{}
		if n.DataAtom == atom.Label {
			d.assignLabel(n)
		}
	}
	return d, nil
}

// listTree lists the elements of the document or of a shadow root, then those
// of the shadow roots in it.
func (d *Document) listTree(root, scope *html.Node) {
	d.byID[scope] = map[string]*html.Node{}
	var shadows []*html.Node
	for c := root.FirstChild; c != nil; c = c.NextSibling {
		d.listElements(c, scope, &shadows)
	}
	for _, s := range shadows {
		d.listTree(s, s)
	}
}

// listElements lists the elements below n in the same tree. Templates are no part of
// the page.
func (d *Document) listElements(n, scope *html.Node, shadows *[]*html.Node) {
	if len(d.Elements) > MaxElements {
		return
	}
	if n.Type == html.ElementNode {
		d.Elements = append(d.Elements, n)
		if id := Attr(n, "id"); id != "" && d.byID[scope][id] == nil {
			d.byID[scope][id] = n
		}
		if n.DataAtom == atom.Title && n.Namespace == "" && d.Title == "" && scope == nil {
			d.Title = collapse(rawText(n))
		}
		if n.DataAtom == atom.Template {
			return
		}
	}
	if own := d.shadows[n]; own != nil { // before those of elements inside
		*shadows = append(*shadows, own)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if !IsShadowRoot(c) {
			d.listElements(c, scope, shadows)
		}
	}
}

// assignLabel notes what control a label belongs to: the one that it names, or the
// first one inside (https://html.spec.whatwg.org/#labeled-control).
func (d *Document) assignLabel(n *html.Node) {
	control := d.ByID(n, Attr(n, "for"))
	if !Has(n, "for") {
		control = findInside(n, labelable)
	}
	if control != nil && labelable(control) {
		d.labels[control] = append(d.labels[control], n)
	}
}

func labelable(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Button, atom.Meter, atom.Output, atom.Progress, atom.Select, atom.Textarea:
		return true
	case atom.Input:
		return InputType(n) != "hidden"
	}
	return false
}

// findInside returns the first element inside of n, in the same tree, for which is
// holds.
func findInside(n *html.Node, is func(*html.Node) bool) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || IsShadowRoot(c) {
			continue
		}
		if is(c) {
			return c
		}
		if found := findInside(c, is); found != nil {
			return found
		}
	}
	return nil
}

// ByID returns the first element with an id in the tree that n is in, nil for
// none.
func (d *Document) ByID(n *html.Node, id string) *html.Node { return d.byID[Scope(n)][id] }

// Attr returns the value of an attribute, "" for none.
func Attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// Has reports whether an element has an attribute.
func Has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name && a.Namespace == "" })
}

// inputTypes are the states of an <input>; every other type is text.
var inputTypes = words(`button checkbox color date datetime-local email file hidden image month number password
	radio range reset search submit tel text time url week`)

// InputType returns the type of an <input> as the browser understands it.
func InputType(n *html.Node) string {
	if t := strings.ToLower(Attr(n, "type")); inputTypes[t] {
		return t
	}
	return "text"
}

// Closest returns n or the nearest element around it, in the same tree, with one
// of the tags.
func Closest(n *html.Node, tags ...atom.Atom) *html.Node {
	for ; n != nil && !IsShadowRoot(n); n = n.Parent {
		if n.Type == html.ElementNode && slices.Contains(tags, n.DataAtom) {
			return n
		}
	}
	return nil
}

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// collapse makes every run of white space one space and drops what does not
// show, as Playwright does before it compares.
func collapse(s string) string {
	return strings.Join(strings.Fields(unseen.Replace(s)), " ")
}

var unseen = strings.NewReplacer("\u200b", "", "\u00ad", "")

// rawText returns the text in n as it is, cut.
func rawText(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil && b.Len() < maxText; c = c.NextSibling {
		if c.Type == html.TextNode {
			b.WriteString(c.Data[:min(len(c.Data), maxText)])
		}
	}
	return b.String()
}
