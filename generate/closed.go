package generate

import (
	"fmt"
)

// Limits of the nodes that are asked for to count closed shadow roots: a script
// may nest more than JSON is read.
const (
	maxNodes = 300_000
	maxDepth = 1_000
)

// uncounted stands for how many there are on a larger page.
const uncounted = -1

// countClosed counts the closed shadow roots of a page or frame, which only the
// browser sees.
func (v *rendered) countClosed() (int, error) {
	if v.tree == nil {
		if err := v.askTree(); err != nil {
			return 0, fmt.Errorf("look for closed shadow roots: %w", err)
		}
	}
	if v.tree == nil {
		return uncounted, nil
	}
	return v.tree.closed(), nil
}

// askTree asks the browser for the nodes of the page, or of a frame that is in a
// process of its own, unless they are too many.
func (v *rendered) askTree() error {
	var of any = v.frame
	if v.frame == v.page.MainFrame() {
		of = v.page
	}
	session, err := v.context.NewCDPSession(of)
	switch {
	case err != nil && v.frame != v.page.MainFrame():
		return nil // it is one of a page too large
	case err != nil:
		return err
	}
	defer func() { _ = session.Detach() }()
	counters, err := session.Send("Memory.getDOMCounters", nil)
	if err != nil {
		return err
	}
	numbers, _ := counters.(map[string]any)
	if quantity(numbers["nodes"]) > maxNodes {
		return nil
	}
	answer, err := session.Send("DOM.getDocument", map[string]any{"depth": maxDepth, "pierce": true})
	if err != nil {
		return err
	}
	nodes, _ := answer.(map[string]any)
	v.tree = child(nodes["root"])
	return nil
}

func quantity(v any) float64 {
	switch n := v.(type) {
	case float64:
		return n
	case int:
		return float64(n)
	}
	return 0
}

// domNode is what the browser says of a node
// (https://chromedevtools.github.io/devtools-protocol/tot/DOM/#type-Node).
type domNode map[string]any

func child(v any) domNode {
	n, _ := v.(map[string]any)
	return n
}

func (n domNode) list(name string) []domNode {
	all, _ := n[name].([]any)
	nodes := make([]domNode, len(all))
	for i, v := range all {
		nodes[i] = child(v)
	}
	return nodes
}

// closed counts the closed shadow roots in a node, those of frames left out.
func (n domNode) closed() int {
	count := 0
	for _, root := range n.list("shadowRoots") {
		if root["shadowRootType"] == "closed" {
			count++
		}
		count += root.closed()
	}
	for _, c := range n.list("children") {
		count += c.closed()
	}
	return count
}

// document returns the document of the frame whose element is at a path, nil for
// one that another process has.
func (n domNode) document(path []int) domNode {
	for _, at := range path {
		if n = n.step(at); n == nil {
			return nil
		}
	}
	return child(n["contentDocument"])
}

// step returns an element in a node, or with -1 its open shadow root.
func (n domNode) step(at int) domNode {
	if at < 0 {
		for _, root := range n.list("shadowRoots") {
			if root["shadowRootType"] == "open" {
				return root
			}
		}
		return nil
	}
	for _, c := range n.list("children") {
		if quantity(c["nodeType"]) != 1 { // no element
			continue
		}
		if at == 0 {
			return c
		}
		at--
	}
	return nil
}
