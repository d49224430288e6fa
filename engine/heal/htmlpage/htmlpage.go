// Package htmlpage makes element records for package heal from HTML, for when
// there is no browser. Roles and names follow HTML-AAM and accname in the cases
// that matter for finding elements; nothing is laid out, so there are no boxes,
// and only what the markup itself hides counts as invisible.
package htmlpage

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// maxDepth is how deep elements are read; deeper ones are left out.
const maxDepth = 400

// Page is a parsed document.
type Page struct {
	Root     *html.Node     // the document
	Elements []heal.Element // in document order, for heal.NewPage
	Nodes    []*html.Node   // by index in Elements
	Notes    []string       // what was left out
}

// Parse reads an HTML document. HTML parsing never fails on content; the error
// is of the reader's limits only.
func Parse(source []byte) (*Page, error) {
	root, err := html.Parse(bytes.NewReader(source))
	if err != nil {
		return nil, fmt.Errorf("parse html: %w", err)
	}
	return Of(root), nil
}

// Of returns the page of a document that is parsed already.
func Of(root *html.Node) *Page {
	p := &Page{Root: root}
	r := reader{page: p, labels: map[string]string{}, byID: map[string]*html.Node{}}
	r.index(root, 0)
	r.walk(root, -1, true, 0)
	return p
}

// Index returns the index in Elements of a node, -1 when it is not there.
func (p *Page) Index(n *html.Node) int {
	for i, m := range p.Nodes {
		if m == n {
			return i
		}
	}
	return -1
}

// reader walks a document.
type reader struct {
	page   *Page
	labels map[string]string // text of <label for> by id
	byID   map[string]*html.Node
	noted  bool
}

// index finds ids and labels.
func (r *reader) index(n *html.Node, depth int) {
	if depth > maxDepth {
		return
	}
	if n.Type == html.ElementNode {
		if id := attribute(n, "id"); id != "" && r.byID[id] == nil {
			r.byID[id] = n
		}
		if target := attribute(n, "for"); n.DataAtom == atom.Label && target != "" && r.labels[target] == "" {
			r.labels[target] = text(n)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.index(c, depth+1)
	}
}

// walk adds the elements of a subtree.
func (r *reader) walk(n *html.Node, parent int, visible bool, depth int) {
	if depth > maxDepth || len(r.page.Elements) >= heal.MaxElements {
		if !r.noted {
			r.noted = true
			r.page.Notes = append(r.page.Notes, fmt.Sprintf("only the first %d elements, %d deep, were looked at", heal.MaxElements, maxDepth))
		}
		return
	}
	if n.Type == html.ElementNode {
		if skipped(n.DataAtom) {
			return
		}
		visible = visible && !hidden(n)
		e := r.element(n, parent, visible)
		parent = len(r.page.Elements)
		r.page.Elements = append(r.page.Elements, e)
		r.page.Nodes = append(r.page.Nodes, n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.walk(c, parent, visible, depth+1)
	}
}

func (r *reader) element(n *html.Node, parent int, visible bool) heal.Element {
	e := heal.Element{Parent: parent, Tag: n.Data, Text: text(n), OwnText: ownText(n), Visible: visible && n.DataAtom != atom.Html}
	for i, a := range n.Attr {
		if i == engine.MaxAttributes {
			break
		}
		e.Attributes = append(e.Attributes, engine.Attribute{Name: a.Key, Value: a.Val})
	}
	e.Role, e.Value = Role(n), attribute(n, "value")
	e.Label = r.label(n)
	e.Name = r.name(n, &e)
	return e
}

// label returns the text of the label of a form control.
func (r *reader) label(n *html.Node) string {
	switch n.DataAtom {
	case atom.Input, atom.Select, atom.Textarea, atom.Button, atom.Meter, atom.Progress, atom.Output:
	default:
		return ""
	}
	if id := attribute(n, "id"); id != "" && r.labels[id] != "" {
		return r.labels[id]
	}
	for up, d := n.Parent, 0; up != nil && d < 6; up, d = up.Parent, d+1 {
		if up.DataAtom == atom.Label {
			return text(up)
		}
	}
	return ""
}

// name returns the accessible name, after accname 1.2 without CSS content.
func (r *reader) name(n *html.Node, e *heal.Element) string {
	var parts []string
	for _, id := range strings.Fields(attribute(n, "aria-labelledby")) {
		if m := r.byID[id]; m != nil && len(parts) < 8 {
			parts = append(parts, text(m))
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, " ")
	}
	candidates := []string{attribute(n, "aria-label"), e.Label}
	if n.DataAtom == atom.Input && isButton(n) {
		candidates = append(candidates, attribute(n, "value"))
	}
	candidates = append(candidates, attribute(n, "alt"))
	if namedByContent(e.Role) {
		candidates = append(candidates, e.Text, imageText(n))
	}
	candidates = append(candidates, attribute(n, "title"), attribute(n, "placeholder"))
	for _, c := range candidates {
		if strings.TrimSpace(c) != "" {
			return c
		}
	}
	return ""
}

// imageText returns the alternative text of the first image inside n.
func imageText(n *html.Node) string {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Img {
			return attribute(c, "alt")
		}
	}
	return ""
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// text returns the text in n, white space collapsed, cut.
func text(n *html.Node) string {
	var b strings.Builder
	collect(&b, n, true, 0)
	return strings.Join(strings.Fields(b.String()), " ")
}

// ownText returns the text that is n's own.
func ownText(n *html.Node) string {
	var b strings.Builder
	collect(&b, n, false, 0)
	return strings.Join(strings.Fields(b.String()), " ")
}

func collect(b *strings.Builder, n *html.Node, deep bool, depth int) {
	for c := n.FirstChild; c != nil && b.Len() < engine.MaxTextBytes && depth < maxDepth; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(cut(c.Data, engine.MaxTextBytes))
		case c.Type == html.ElementNode && deep && !skipped(c.DataAtom) && !hidden(c):
			b.WriteByte(' ')
			collect(b, c, deep, depth+1)
			b.WriteByte(' ')
		}
	}
}

func cut(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
