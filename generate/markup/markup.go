// Package markup answers on a parsed document what Playwright's selector
// engines would find on the page. Start with Parse; Only proves a selector.
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
	Elements []*html.Node // in document order, those of templates left out
	Title    string

	byID   map[string]*html.Node
	labels map[*html.Node][]*html.Node // <label> elements by control
	facts  map[*html.Node]*facts
	work   int
}

// facts are what is known of an element once it was asked for.
type facts struct {
	text      *Text // as it is
	flat      *Text // collapsed
	name      *Text
	role      string
	roleKnown bool
	looked    bool
	hidden    bool
	gone      bool // hidden with all that is in it
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
	d := &Document{byID: map[string]*html.Node{}, labels: map[*html.Node][]*html.Node{}, facts: map[*html.Node]*facts{}, work: maxWork}
	d.gather(root)
	if len(d.Elements) > MaxElements {
		return nil, fmt.Errorf("the page has more than %d elements", MaxElements)
	}
	for _, n := range d.Elements {
		d.facts[n] = &facts{}
		if n.DataAtom == atom.Label {
			d.label(n)
		}
	}
	return d, nil
}

// gather lists the elements below n. Templates are no part of the page, except
// those that become a shadow root, which Playwright looks into.
func (d *Document) gather(n *html.Node) {
	if len(d.Elements) > MaxElements {
		return
	}
	if n.Type == html.ElementNode {
		d.Elements = append(d.Elements, n)
		if id := Attr(n, "id"); id != "" && d.byID[id] == nil {
			d.byID[id] = n
		}
		if n.DataAtom == atom.Title && n.Namespace == "" && d.Title == "" {
			d.Title = collapse(raw(n))
		}
		if n.DataAtom == atom.Template && !Has(n, "shadowrootmode") {
			return
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		d.gather(c)
	}
}

// label notes what control a label belongs to: the one that it names, or the
// first one inside (https://html.spec.whatwg.org/#labeled-control).
func (d *Document) label(n *html.Node) {
	if Has(n, "for") {
		if control := d.byID[Attr(n, "for")]; control != nil && labelable(control) {
			d.labels[control] = append(d.labels[control], n)
		}
		return
	}
	if control := find(n, labelable); control != nil {
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

// find returns the first element inside of n for which is holds.
func find(n *html.Node, is func(*html.Node) bool) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if is(c) {
			return c
		}
		if found := find(c, is); found != nil {
			return found
		}
	}
	return nil
}

// Labels returns the labels of a form control.
func (d *Document) Labels(n *html.Node) []*html.Node { return d.labels[n] }

// ByID returns the first element with an id, nil for none.
func (d *Document) ByID(id string) *html.Node { return d.byID[id] }

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
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return true
		}
	}
	return false
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

// Closest returns n or the nearest element around it with one of the tags.
func Closest(n *html.Node, tags ...atom.Atom) *html.Node {
	for ; n != nil; n = n.Parent {
		for _, tag := range tags {
			if n.Type == html.ElementNode && n.DataAtom == tag {
				return n
			}
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

// raw returns the text in n as it is, cut.
func raw(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil && b.Len() < maxText; c = c.NextSibling {
		if c.Type == html.TextNode {
			b.WriteString(c.Data[:min(len(c.Data), maxText)])
		}
	}
	return b.String()
}
