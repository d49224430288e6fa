package trace

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// maxRendered bounds a page for a browser, in bytes.
const maxRendered = 16 << 20

var errLargePage = errors.New("the page is too large for a browser")

// NodeAttribute numbers the elements of a page for a browser.
const NodeAttribute = "data-breadcrumb-node"

// What of a page is not for a browser: what runs, loads or leads elsewhere, and
// what has no part in how the page looks.
var (
	leftOutTags = []string{"script", "noscript", "link", "meta", "base", "title", "head", "html", "body", "object", "embed", "applet", "portal", "frameset", "frame", "plaintext", "xmp"}
	leftOutKeys = []string{"src", "srcset", "srcdoc", "data", "poster", "background", "ping", "manifest", "xlink:href", "formaction", "action", "nonce", "autofocus", "is"}
	emptyTags   = []string{"area", "br", "col", "hr", "img", "input", "source", "track", "wbr"}
	// Their texts are no markup, so none may end them early.
	rawTags = []string{"style", "iframe", "noembed", "noframes", "textarea"}

	tagName       = lazyregexp.New(`^[a-z][a-z0-9-]*$`)
	attributeName = lazyregexp.New(`^[A-Za-z_][\w:.-]*$`)
)

// renderer writes a page as markup that shows what the page showed, with styles
// and without everything that could run or load something. A browser that shows
// it must allow neither all the same.
type renderer struct {
	page *page
	b    strings.Builder
}

// renderMarkup returns the page for a browser. Its elements are numbered as the page's.
func (p *page) renderMarkup() (string, error) {
	r := renderer{page: p}
	head, body := p.root.findChild("head"), p.root.findChild("body")
	r.b.WriteString("<!doctype html><html")
	if p.root.name == "html" {
		r.writeAttributes(p.root)
	}
	r.b.WriteString(`><head><meta charset="utf-8">`)
	if head != nil {
		r.writeChildren(head, 1, false)
	}
	r.b.WriteString("</head><body")
	if body != nil {
		r.writeAttributes(body)
		r.b.WriteString(">")
		r.writeChildren(body, 1, false)
	} else {
		r.b.WriteString(">")
		r.writeNode(p.root, 0, false)
	}
	r.b.WriteString("</body></html>")
	if r.b.Len() > maxRendered {
		return "", errLargePage
	}
	return r.b.String(), nil
}

// findChild returns the first child of that name, nil for none.
func (n *node) findChild(name string) *node {
	for c := range n.resolved() {
		if c.name == name {
			return c
		}
	}
	return nil
}

// writeNode writes a node. Foreign is that it is inside SVG or MathML, where a style
// would be markup.
func (r *renderer) writeNode(n *node, depth int, foreign bool) {
	switch {
	case depth > maxDepth || r.b.Len() > maxRendered:
	case n.name == "":
		r.b.WriteString(html.EscapeString(n.text))
	case slices.Contains(leftOutTags, n.name) || !tagName.MatchString(n.name):
	case n.name == "template":
		r.writeShadow(n, depth, foreign)
	default:
		r.writeElement(n, depth, foreign)
	}
}

// writeShadow writes an open shadow tree, and no other template.
func (r *renderer) writeShadow(n *node, depth int, foreign bool) {
	if _, ok := n.attribute(shadowAttribute); !ok || foreign {
		return
	}
	r.b.WriteString(`<template shadowrootmode="open">`)
	r.writeChildren(n, depth, false)
	r.b.WriteString("</template>")
}

func (r *renderer) writeElement(n *node, depth int, foreign bool) {
	foreign = foreign || n.name == "svg" || n.name == "math"
	raw := slices.Contains(rawTags, n.name)
	if raw && foreign {
		return
	}
	r.b.WriteString("<" + n.name)
	r.writeAttributes(n)
	r.b.WriteString(">")
	switch {
	case slices.Contains(emptyTags, n.name):
		return
	case n.name == "style":
		r.writeStyle(n)
	case raw: // what is typed, and what a frame holds, is not for this page
	default:
		r.writeChildren(n, depth, foreign)
	}
	r.b.WriteString("</" + n.name + ">")
}

// writeStyle writes a style sheet, unless something in it would end it.
func (r *renderer) writeStyle(n *node) {
	for c := range n.resolved() {
		if c.name == "" && !strings.Contains(strings.ToLower(c.text), "</style") {
			r.b.WriteString(c.text)
		}
	}
}

func (r *renderer) writeChildren(n *node, depth int, foreign bool) {
	for c := range n.resolved() {
		r.writeNode(c, depth+1, foreign)
	}
}

func (r *renderer) writeAttributes(n *node) {
	if i, ok := r.page.of[n]; ok {
		r.b.WriteString(" " + NodeAttribute + `="` + strconv.Itoa(i) + `"`)
	}
	for _, a := range n.attributes {
		name := strings.ToLower(a.name)
		switch {
		case a.name == checkedAttribute && a.value == "true":
			r.b.WriteString(" checked")
		case isPlaywrights(a.name), name == NodeAttribute, name == "checked", strings.HasPrefix(name, "on"), slices.Contains(leftOutKeys, name),
			!attributeName.MatchString(a.name), name == "href" && n.name != "a" && n.name != "area":
		default:
			r.b.WriteString(" " + a.name + `="` + html.EscapeString(a.value) + `"`)
		}
	}
}

// checkedAttribute says whether a box is ticked at the time.
const checkedAttribute = "__playwright_checked_"
