package trace

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/heal/htmlpage"
)

// page is a document put together, without what was typed.
type page struct {
	elements []heal.Element
	nodes    []*html.Node  // by index of elements
	of       map[*node]int // index by node
	root     *node
	frames   map[int]string // by index of an iframe: the id of its frame
	engine   *heal.Page     // of elements, made when asked for
	state    []byte
	old      *heal.Page // of state
	notes    []string
}

// shadowAttribute marks the template that holds an element's shadow tree.
const shadowAttribute = "__playwright_shadow_root_"

// playwrights reports whether an attribute is none of the page's own.
func playwrights(name string) bool { return strings.HasPrefix(name, "__playwright_") }

// framePrefix begins the source of an iframe.
const framePrefix = "/snapshot/"

// page puts a snapshot's document together, nil when there is none. Documents
// that are the same node are put together once.
func (t *Trace) page(s *snapshot) *page {
	root := s.tree()
	if root == nil || root.name == "" {
		return nil
	}
	if p := t.pages[root]; p != nil {
		return p
	}
	if nodes, _ := root.weigh(0); nodes > maxNodes {
		t.note("a page of more than %d nodes was left out", maxNodes)
		return nil
	}
	b := assembly{trace: t, secrets: t.secrets(s), made: map[*node]*html.Node{}, sources: map[*html.Node]string{}}
	document := &html.Node{Type: html.DocumentNode}
	b.add(document, root, 0, false)
	parsed := htmlpage.Of(document)
	p := &page{elements: parsed.Elements, nodes: parsed.Nodes, notes: parsed.Notes, root: root,
		of: make(map[*node]int, len(parsed.Nodes)), frames: map[int]string{}}
	index := make(map[*html.Node]int, len(parsed.Nodes))
	for i, n := range parsed.Nodes {
		index[n] = i
		if id := b.sources[n]; id != "" {
			p.frames[i] = id
		}
	}
	for n, e := range b.made {
		if i, ok := index[e]; ok {
			p.of[n] = i
		}
	}
	strip(p.elements)
	t.pages[root] = p
	return p
}

// assembly makes HTML nodes of a snapshot's.
type assembly struct {
	trace   *Trace
	secrets *secrets
	made    map[*node]*html.Node
	sources map[*html.Node]string // of iframes: the ids of their frames
}

// add adds a node and all in it below parent. Typed is that the texts in it were
// typed by someone.
func (b *assembly) add(parent *html.Node, n *node, depth int, typed bool) {
	if depth > maxDepth {
		return
	}
	if n.name == "" {
		if !typed {
			parent.AppendChild(&html.Node{Type: html.TextNode, Data: b.secrets.clean(n.text)})
		}
		return
	}
	if _, shadow := n.attribute(shadowAttribute); n.name == "template" && shadow {
		b.addChildren(parent, n, depth, typed) // a person sees it as part of its host
		return
	}
	e := &html.Node{Type: html.ElementNode, Data: n.name, DataAtom: atom.Lookup([]byte(n.name))}
	for _, a := range n.attributes {
		e.Attr = append(e.Attr, html.Attribute{Key: a.name, Val: a.value})
	}
	e.Attr = b.keep(e, n)
	b.made[n] = e
	parent.AppendChild(e)
	b.addChildren(e, n, depth, typed || typedInto(n))
}

func (b *assembly) addChildren(parent *html.Node, n *node, depth int, typed bool) {
	for _, c := range n.children {
		if other := n.in.referred(c); other != nil {
			b.add(parent, other, depth+1, typed)
		}
	}
}

// keep returns the attributes that are the page's own and no secret. An iframe's
// address is the id of its frame, another one in every run.
func (b *assembly) keep(e *html.Node, n *node) []html.Attribute {
	kept := make([]html.Attribute, 0, len(n.attributes))
	for _, a := range n.attributes {
		if playwrights(a.name) {
			continue
		}
		if id, ok := strings.CutPrefix(a.value, framePrefix); ok && a.name == "src" && (e.DataAtom == atom.Iframe || e.DataAtom == atom.Frame) {
			b.sources[e] = id
			continue
		}
		if value, ok := b.attribute(e, a.name, a.value); ok {
			kept = append(kept, html.Attribute{Key: a.name, Val: value})
		}
	}
	return kept
}

// find returns the index of the element at a place of the document, -1 when
// there is none that a person sees.
func (p *page) find(at place) int {
	if n := p.root.at(at); n != nil {
		if i, ok := p.of[n]; ok {
			return i
		}
	}
	return -1
}

// prepared returns the page for comparisons.
func (p *page) prepared() *heal.Page {
	if p.engine == nil {
		p.engine = heal.NewPage(p.elements)
	}
	return p.engine
}
