package trace

import (
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/heal/htmlpage"
	"github.com/breadcrumb/action/engine/heal/match"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// page is the document of a snapshot with everything it refers to, without what
// was typed.
type page struct {
	elements []heal.Element
	nodes    []*html.Node  // by index of elements
	of       map[*node]int // index by node
	root     *node
	frames   map[int]string // by index of an iframe: the id of its frame
	engine   *heal.Page     // of elements, made when asked for
	learned  *heal.LearnedPage
}

// shadowAttribute marks the template that holds an element's shadow tree.
const shadowAttribute = "__playwright_shadow_root_"

// isPlaywrights reports whether an attribute is none of the page's own.
func isPlaywrights(name string) bool { return strings.HasPrefix(name, "__playwright_") }

// framePrefix begins the source of an iframe.
const framePrefix = "/snapshot/"

// page returns the page of a snapshot, nil when there is none. Snapshots that
// refer to the same document share it.
func (t *Trace) page(s *snapshot) *page {
	root := s.readTree()
	if root == nil || root.name == "" {
		return nil
	}
	if p := t.pages[root]; p != nil {
		return p
	}
	if nodes, _ := root.countNodes(0); nodes > maxNodes {
		t.addNote("a page of more than %d nodes was left out", maxNodes)
		return nil
	}
	b := assembly{trace: t, secrets: t.secrets(s), made: map[*node]*html.Node{}, sources: map[*html.Node]string{}}
	document := &html.Node{Type: html.DocumentNode}
	b.addNode(document, root, 0, false)
	parsed := htmlpage.Of(document)
	p := &page{elements: parsed.Elements, nodes: parsed.Nodes, root: root,
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
	dropStyles(p.elements)
	t.pages[root] = p
	return p
}

// find returns the indexes of the elements that a selector without frames finds.
func (p *page) find(parts []locator.Part, testID string) ([]int, error) {
	d := match.Document{Elements: p.elements, TestID: testID, CSS: func(selector string) (func(i int) bool, bool) {
		css, err := cascadia.Parse(selector)
		if err != nil || css.PseudoElement() != "" {
			return nil, false
		}
		return func(i int) bool { return css.Match(p.nodes[i]) }, true
	}}
	return d.Find(parts)
}

// assembly makes HTML nodes of a snapshot's.
type assembly struct {
	trace   *Trace
	secrets *strings.Replacer // drops the texts that may stand nowhere in a page
	made    map[*node]*html.Node
	sources map[*html.Node]string // of iframes: the ids of their frames
}

// addNode adds a node and all in it below parent. Texts that someone typed are left
// out.
func (b *assembly) addNode(parent *html.Node, n *node, depth int, typed bool) {
	if depth > maxDepth {
		return
	}
	if n.name == "" {
		if !typed {
			parent.AppendChild(&html.Node{Type: html.TextNode, Data: b.secrets.Replace(n.text)})
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
	e.Attr = b.ownAttributes(e, n)
	b.made[n] = e
	parent.AppendChild(e)
	b.addChildren(e, n, depth, typed || isTypedInto(n))
}

func (b *assembly) addChildren(parent *html.Node, n *node, depth int, typed bool) {
	for c := range n.resolved() {
		b.addNode(parent, c, depth+1, typed)
	}
}

// ownAttributes returns the attributes that are the page's own and no secret. An iframe's
// address is the id of its frame, another one in every run.
func (b *assembly) ownAttributes(e *html.Node, n *node) []html.Attribute {
	kept := make([]html.Attribute, 0, len(n.attributes))
	for _, a := range n.attributes {
		if isPlaywrights(a.name) {
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

// Lengths from which a text counts as a secret wherever it stands: what is
// shorter is an everyday word too often.
const (
	passwordLength = 4 // bytes, of what a password field held
	typedLength    = 8 // bytes, of what a test typed
)

// valueAttribute holds what is in a field at the time.
const valueAttribute = "__playwright_value_"

// secrets returns what drops the secrets of a snapshot: what its password fields
// hold, and what the test typed at any time.
func (t *Trace) secrets(s *snapshot) *strings.Replacer {
	var texts []string
	for _, text := range t.typed {
		if len(text) >= typedLength {
			texts = append(texts, text)
		}
	}
	if root := s.readTree(); root != nil {
		texts = passwords(root, texts, 0)
	}
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) }) // the longest first
	pairs := make([]string, 0, 2*len(texts))
	for _, text := range slices.Compact(texts) {
		pairs = append(pairs, text, "")
	}
	return strings.NewReplacer(pairs...)
}

// passwords appends what the password fields below n hold.
func passwords(n *node, texts []string, depth int) []string {
	if depth > maxDepth || len(texts) > 2*maxTyped {
		return texts
	}
	if kind, _ := n.attribute("type"); n.name == "input" && strings.EqualFold(kind, "password") {
		for _, name := range []string{valueAttribute, "value"} {
			if text, _ := n.attribute(name); len(text) >= passwordLength {
				texts = append(texts, text)
			}
		}
	}
	for c := range n.resolved() {
		if c.name != "" {
			texts = passwords(c, texts, depth+1)
		}
	}
	return texts
}

// isTypedInto reports whether the texts in an element are what someone types.
func isTypedInto(n *node) bool {
	editable, ok := n.attribute("contenteditable")
	return n.name == "textarea" || ok && !strings.EqualFold(editable, "false")
}

// secretName matches attributes that hold secrets by their name.
var secretName = lazyregexp.New(`(?i)token|csrf|xsrf|nonce|secret|passw|session|signature|api-?key|value`)

var (
	addressAttributes = []string{"href", "src", "action", "formaction", "poster", "cite", "xlink:href"}
	valuedTags        = []string{"button", "option", "li", "data", "meter", "progress"}
	valuedTypes       = []string{"button", "submit", "reset", "image", "checkbox", "radio"}

	inlineAddress = lazyregexp.New(`(?i)^\s*(data|blob|javascript):`)
	addressLogin  = lazyregexp.New(`(?i)^([a-z]+://)[^/?#]*@`)
	addressQuery  = lazyregexp.New(`\?[^#]*`)
	queryValue    = lazyregexp.New(`=[^&;]*`)
)

// attribute returns what may be kept of an attribute of the page.
func (b *assembly) attribute(n *html.Node, name, value string) (string, bool) {
	switch {
	case name == "srcdoc", name == "integrity", strings.HasPrefix(name, "on"), len(name) > 100:
		return "", false
	case name == "value":
		if !ownsValue(n) {
			return "", false
		}
	case secretName.MatchString(name) && name != b.trace.testID:
		return "", false
	}
	if slices.Contains(addressAttributes, name) {
		if m := inlineAddress.FindStringSubmatch(value); m != nil {
			return m[1] + ":", true
		}
		value = addressLogin.ReplaceAllString(value, "$1")
		value = addressQuery.ReplaceAllStringFunc(value, func(query string) string { return queryValue.ReplaceAllString(query, "=") })
	}
	return b.secrets.Replace(value), true
}

// ownsValue reports whether an element's value is the page's own, not what someone
// typed.
func ownsValue(n *html.Node) bool {
	if slices.Contains(valuedTags, n.Data) {
		return true
	}
	if n.DataAtom != atom.Input {
		return false
	}
	for _, a := range n.Attr {
		if a.Key == "type" {
			return slices.Contains(valuedTypes, strings.ToLower(a.Val))
		}
	}
	return false
}

// dropStyles takes away the styles, which were needed to see what is hidden.
func dropStyles(elements []heal.Element) {
	for i := range elements {
		e := &elements[i]
		e.Attributes = slices.DeleteFunc(e.Attributes, func(a engine.Attribute) bool { return a.Name == "style" })
	}
}

// preparePage returns the page for comparisons.
func (p *page) preparePage() *heal.Page {
	if p.engine == nil {
		p.engine = heal.NewPage(p.elements)
	}
	return p.engine
}
