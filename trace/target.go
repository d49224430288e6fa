package trace

// place leads from the root of a document to a node: the number of the child at
// every step.
type place []int

// target returns the snapshot that marks the call's element best, and the place
// of the element in it: where it was acted on, else as it was before, else
// after. It is nil when none does.
func (c *Call) target() (*snapshot, place) {
	for _, phase := range []string{phaseAction, phaseBefore, phaseAfter} {
		for _, s := range c.snapshots {
			if s.phase != phase || !s.marked() {
				continue
			}
			if at, several := s.find(s.tree(), c.ID, 0); at != nil && !several {
				return s, at
			}
		}
	}
	return nil, nil
}

// find returns the place of the marked element among the nodes that are the
// snapshot's own: the mark is new, so what holds it is written anew. There is
// none where several are marked.
func (s *snapshot) find(n *node, call string, depth int) (at place, several bool) {
	if n == nil || n.in != s || depth > maxDepth {
		return nil, false
	}
	if mark, ok := n.attribute(targetAttribute); ok && (mark == "" || mark == call) {
		at = make(place, 0, depth)
	}
	for i, c := range n.children {
		if c.own == nil {
			continue
		}
		inside, more := s.find(c.own, call, depth+1)
		if more || inside != nil && at != nil {
			return nil, true
		}
		if inside != nil {
			at = append(inside, i) // from the innermost out
		}
	}
	return at, false
}

// at returns the node at a place, nil when there is none.
func (n *node) at(p place) *node {
	for i := len(p) - 1; i >= 0 && n != nil; i-- {
		if p[i] >= len(n.children) {
			return nil
		}
		n = n.in.referred(n.children[p[i]])
	}
	return n
}

// alike reports whether two nodes are one element at two moments: what
// Playwright adds to it does not count.
func alike(a, b *node) bool {
	if a == nil || b == nil || a.name != b.name || a.name == "" {
		return false
	}
	mine, others := a.kept(), b.kept()
	if len(mine) != len(others) {
		return false
	}
	for i := range mine {
		if mine[i] != others[i] {
			return false
		}
	}
	return true
}

// kept returns the attributes that are the page's own.
func (n *node) kept() []attribute {
	kept := n.attributes[:0:0]
	for _, a := range n.attributes {
		if !playwrights(a.name) {
			kept = append(kept, a)
		}
	}
	return kept
}
