// Package htmlpage makes element records for package heal from HTML, for when
// there is no browser. Roles and names follow HTML-AAM and accname in the cases
// that matter for finding elements; nothing is laid out, so there are no boxes,
// and only what the markup itself hides counts as invisible.
package htmlpage

import (
	"bytes"
	"fmt"
	"slices"
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
	if r.title != nil && len(p.Elements) < heal.MaxElements {
		p.Elements = append(p.Elements, heal.Element{Parent: -1, Tag: heal.TitleTag, Text: text(r.title, true)})
		p.Nodes = append(p.Nodes, r.title)
	}
	return p
}

// Index returns the index in Elements of a node, -1 when it is not there.
func (p *Page) Index(n *html.Node) int {
	return slices.Index(p.Nodes, n)
}

// reader walks a document.
type reader struct {
	page   *Page
	labels map[string]string // text of <label for> by id
	byID   map[string]*html.Node
	title  *html.Node // nil for none
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
		if n.DataAtom == atom.Title && n.Namespace == "" && r.title == nil {
			r.title = n
		}
		if target := attribute(n, "for"); n.DataAtom == atom.Label && target != "" && r.labels[target] == "" {
			r.labels[target] = text(n, true)
		}
	}
	for c := range n.ChildNodes() {
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
		if skipped(n) {
			return
		}
		visible = visible && !hidden(n)
		e := r.element(n, parent, visible)
		parent = len(r.page.Elements)
		r.page.Elements = append(r.page.Elements, e)
		r.page.Nodes = append(r.page.Nodes, n)
	}
	for c := range n.ChildNodes() {
		r.walk(c, parent, visible, depth+1)
	}
}

func (r *reader) element(n *html.Node, parent int, visible bool) heal.Element {
	e := heal.Element{Parent: parent, Tag: n.Data, Text: text(n, true), OwnText: text(n, false), Visible: visible && n.DataAtom != atom.Html}
	for _, a := range n.Attr[:min(len(n.Attr), engine.MaxAttributes)] {
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
			return text(up, true)
		}
	}
	return ""
}

// name returns the accessible name, after accname 1.2 without CSS content.
func (r *reader) name(n *html.Node, e *heal.Element) string {
	var parts []string
	for _, id := range strings.Fields(attribute(n, "aria-labelledby")) {
		if m := r.byID[id]; m != nil && len(parts) < 8 {
			parts = append(parts, text(m, true))
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, " ")
	}
	candidates := []string{attribute(n, "aria-label"), e.Label}
	if n.DataAtom == atom.Input && Role(n) == "button" {
		candidates = append(candidates, attribute(n, "value"))
	}
	candidates = append(candidates, attribute(n, "alt"))
	switch e.Role {
	case "button", "link", "heading", "option", "tab", "menuitem", "checkbox", "radio", "switch", "cell", "columnheader", "rowheader", "treeitem", "tooltip": // they take their names from what is inside
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

// imageText returns the alternative text of the first image or drawing inside n.
func imageText(n *html.Node) string {
	for c := range n.ChildNodes() {
		switch c.DataAtom {
		case atom.Img:
			return attribute(c, "alt")
		case atom.Svg:
			return attribute(c, "aria-label")
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

// text returns the text in n, with deep also that of the elements inside, white
// space collapsed, cut.
func text(n *html.Node, deep bool) string {
	var b strings.Builder
	collect(&b, n, deep, 0)
	return strings.Join(strings.Fields(b.String()), " ")
}

func collect(b *strings.Builder, n *html.Node, deep bool, depth int) {
	for c := n.FirstChild; c != nil && b.Len() < engine.MaxTextBytes && depth < maxDepth; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data[:min(len(c.Data), engine.MaxTextBytes)])
		case c.Type == html.ElementNode && deep && !skipped(c) && !hidden(c):
			b.WriteByte(' ')
			collect(b, c, deep, depth+1)
			b.WriteByte(' ')
		}
	}
}

// roles are the roles elements have by themselves (HTML-AAM 1.0), named as
// Chromium's accessibility tree names them.
var roles = map[atom.Atom]string{
	atom.Button: "button", atom.Select: "combobox", atom.Textarea: "textbox", atom.Option: "option", atom.Summary: "button",
	atom.H1: "heading", atom.H2: "heading", atom.H3: "heading", atom.H4: "heading", atom.H5: "heading", atom.H6: "heading",
	atom.Nav: "navigation", atom.Main: "main", atom.Header: "banner", atom.Footer: "contentinfo", atom.Aside: "complementary",
	atom.Form: "form", atom.Ul: "list", atom.Ol: "list", atom.Li: "listitem", atom.Table: "table", atom.Tr: "row", atom.Td: "cell",
	atom.Th: "columnheader", atom.Thead: "rowgroup", atom.Tbody: "rowgroup", atom.Img: "image", atom.P: "paragraph", atom.Hr: "separator",
	atom.Dialog: "dialog", atom.Progress: "progressbar", atom.Article: "article", atom.Fieldset: "group", atom.Label: "LabelText",
	atom.Code: "code", atom.Strong: "strong", atom.Em: "emphasis", atom.Blockquote: "blockquote",
}

// inputRoles are the roles of <input> by type; the rest are text boxes.
var inputRoles = map[string]string{
	"button": "button", "submit": "button", "reset": "button", "image": "button", "file": "button", "checkbox": "checkbox",
	"radio": "radio", "range": "slider", "number": "spinbutton", "search": "searchbox", "hidden": "",
}

// Role returns the explicit role of an element, or the one its tag implies; ""
// for none.
func Role(n *html.Node) string {
	if fields := strings.Fields(attribute(n, "role")); len(fields) > 0 {
		return fields[0]
	}
	switch n.DataAtom {
	case atom.A, atom.Area:
		if attribute(n, "href") != "" {
			return "link"
		}
		return "generic"
	case atom.Input:
		typ := strings.ToLower(attribute(n, "type"))
		if role, ok := inputRoles[typ]; ok {
			return role
		}
		return "textbox"
	}
	return roles[n.DataAtom]
}

// skipped reports whether an element and what is inside is no part of the page
// a person sees. The title of a drawing is one.
func skipped(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Title:
		return n.Namespace == ""
	case atom.Head, atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Meta, atom.Link, atom.Base:
		return true
	}
	return false
}

// hidden reports whether markup alone hides an element.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "type":
			if n.DataAtom == atom.Input && strings.EqualFold(a.Val, "hidden") {
				return true
			}
		case "style":
			style := strings.ToLower(strings.ReplaceAll(a.Val[:min(len(a.Val), 2000)], " ", ""))
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}
