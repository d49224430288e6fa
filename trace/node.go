package trace

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// node is a node of a snapshot. One of another snapshot of the same frame is
// referred to, not repeated.
type node struct {
	in         *snapshot
	name       string // of an element, lower case; "" for a text
	text       string
	attributes []attribute
	children   []child
	size       int  // nodes in the subtree with those referred to, 0: not counted yet
	elements   int  // of those, the elements
	cut        bool // something in it could not be read
	verdict    verdict
}

type attribute struct{ name, value string }

// child is a node, or a reference: the node with the number at of the snapshot
// back earlier in the frame's list.
type child struct {
	own      *node
	back, at int
}

// targetAttribute marks the element of a call. Versions before 10 give it the
// call's id, 10 leaves it empty.
const targetAttribute = "__playwright_target__"

// readTree returns the root of the document, nil when it cannot be read.
func (s *snapshot) readTree() *node {
	if !s.read {
		s.read = true
		var value any
		if len(s.raw) > 0 && json.Unmarshal(s.raw, &value) == nil {
			s.root = s.buildNode(value, 0)
		}
	}
	return s.root
}

// buildNode makes a node of a JSON value: "text", ["NAME",{attributes},children…] or
// the reference [[back,at]]; nil for anything else. Elements and texts are numbered
// as they end, so an inner one before the outer one; references have no number.
func (s *snapshot) buildNode(value any, depth int) *node {
	c, ok := s.buildChild(value, depth)
	if !ok {
		return nil
	}
	return s.resolve(c)
}

func (s *snapshot) buildChild(value any, depth int) (child, bool) {
	if text, ok := value.(string); ok {
		return child{own: s.numberNode(&node{in: s, text: text})}, true
	}
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		return child{}, false
	}
	if pair, ok := list[0].([]any); ok {
		if len(pair) != 2 {
			return child{}, false
		}
		back, at := number(pair[0]), number(pair[1])
		return child{back: back, at: at}, back > 0 && at >= 0
	}
	name, ok := list[0].(string)
	if !ok || depth > maxDepth {
		return child{}, false
	}
	n := &node{in: s, name: strings.ToLower(name)}
	if len(list) > 1 {
		n.attributes = attributesOf(list[1])
		for _, v := range list[2:] {
			if c, ok := s.buildChild(v, depth+1); ok {
				n.children = append(n.children, c)
			} else {
				n.cut = true
			}
		}
	}
	return child{own: s.numberNode(n)}, true
}

func (s *snapshot) numberNode(n *node) *node {
	s.nodes = append(s.nodes, n)
	return n
}

func attributesOf(value any) []attribute {
	object, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	list := make([]attribute, 0, len(object))
	for name, v := range object {
		if text, ok := v.(string); ok {
			list = append(list, attribute{name, text})
		}
	}
	slices.SortFunc(list, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
	return list
}

// resolve returns the node that a child is, nil when it leads nowhere.
func (s *snapshot) resolve(c child) *node {
	if c.own != nil {
		return c.own
	}
	at := s.index - c.back
	if c.back < 1 || at < 0 {
		return nil
	}
	other := s.frame.snapshots[at]
	other.readTree()
	if c.at >= len(other.nodes) {
		return nil
	}
	return other.nodes[c.at]
}

// resolved returns the nodes that the children of n are, without those that lead
// nowhere.
func (n *node) resolved() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for _, c := range n.children {
			if other := n.in.resolve(c); other != nil && !yield(other) {
				return
			}
		}
	}
}

// attribute returns the value of an attribute.
func (n *node) attribute(name string) (string, bool) {
	for _, a := range n.attributes {
		if a.name == name {
			return a.value, true
		}
	}
	return "", false
}

// countNodes returns how many nodes a subtree has with everything referred to, at most
// maxNodes+1, and how many of them are elements: a few bytes can refer to one
// node over and over.
func (n *node) countNodes(depth int) (nodes, elements int) {
	switch {
	case n.name == "":
		return 1, 0
	case n.size > 0:
		return n.size, n.elements
	case depth > maxDepth:
		return maxNodes + 1, 1
	}
	nodes, elements = 1, 1
	for c := range n.resolved() {
		more, those := c.countNodes(depth + 1)
		nodes, elements = min(maxNodes+1, nodes+more), min(maxNodes+1, elements+those)
	}
	n.size, n.elements = nodes, elements
	return nodes, elements
}
