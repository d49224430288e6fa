package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// shadowRoot is the tag that stands for an open shadow root: the last child of
// its host, so that the place of no other changes. No element has such a tag.
const shadowRoot = "#shadow-root"

// hosts are the elements besides custom ones that can have a shadow root
// (https://dom.spec.whatwg.org/#valid-shadow-host-name).
var hosts = words(`article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span`)

// IsShadowRoot reports whether a node stands for an open shadow root.
func IsShadowRoot(n *html.Node) bool { return n.Type == html.ElementNode && n.Data == shadowRoot }

// Scope returns the open shadow root that n is in, nil for the document. Ids and
// labels count only in there, and so do forms.
func Scope(n *html.Node) *html.Node {
	for ; n != nil; n = n.Parent {
		if IsShadowRoot(n) {
			return n
		}
	}
	return nil
}

// attachShadowRoots makes shadow roots of the templates below n that a browser
// makes them of: the first in a host with the attribute shadowrootmode. Closed ones, which no locator looks
// into, are counted.
func (d *Document) attachShadowRoots(n *html.Node) {
	var root *html.Node
	closed := false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		if c.DataAtom != atom.Template {
			d.attachShadowRoots(c)
			continue
		}
		if root != nil || closed || n.Namespace != "" || !hosts[n.Data] && !strings.Contains(n.Data, "-") {
			continue
		}
		switch strings.ToLower(Attr(c, "shadowrootmode")) {
		case "open":
			root = c
		case "closed":
			closed = true
			d.Closed++
		}
	}
	if root == nil {
		return
	}
	n.RemoveChild(root)
	n.AppendChild(root)
	root.Data, root.DataAtom, root.Attr = shadowRoot, 0, nil
	d.attachShadowRoots(root)
	d.roots = append(d.roots, root)
	d.shadows[n] = root
	d.fillSlots(n, root)
}

// fillSlots assigns the children of a host to the slots of its shadow root by
// name (https://dom.spec.whatwg.org/#find-a-slot).
func (d *Document) fillSlots(host, root *html.Node) {
	slots := map[string]*html.Node{}
	collectSlots(root, slots)
	for c := host.FirstChild; c != nil && c != root; c = c.NextSibling {
		name := ""
		switch c.Type {
		case html.ElementNode:
			name = Attr(c, "slot")
		case html.TextNode:
		default:
			continue
		}
		if slot := slots[name]; slot != nil {
			d.slots[c] = slot
			d.assigned[slot] = append(d.assigned[slot], c)
		}
	}
}

// collectSlots finds the first slot of each name below n, in the same tree.
func collectSlots(n *html.Node, slots map[string]*html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || c.DataAtom == atom.Template || IsShadowRoot(c) {
			continue
		}
		if name := Attr(c, "name"); isSlot(c) && slots[name] == nil {
			slots[name] = c
		}
		collectSlots(c, slots)
	}
}

func isSlot(n *html.Node) bool { return n.Data == "slot" && n.Namespace == "" }

// nameNodes returns the nodes whose texts make up the name of n: those in its slot
// instead of its own, and those of its shadow root behind its own.
func (d *Document) nameNodes(n *html.Node) []*html.Node {
	if nodes := d.assigned[n]; len(nodes) > 0 {
		return nodes
	}
	var nodes []*html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case IsShadowRoot(c):
			nodes = append(nodes, d.nameNodes(c)...)
		case d.slots[c] == nil:
			nodes = append(nodes, c)
		}
	}
	return nodes
}
