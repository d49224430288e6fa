package trace

import (
	"bytes"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// pageWith returns a page that holds the element at a place of a snapshot. The
// page of an earlier call is used again while it has as many elements and the
// same one at that place: most actions of a test change little on a page.
func (t *Trace) pageWith(s *snapshot, at place) *page {
	root := s.readTree()
	last := t.recent[s.frame]
	if last != nil && last.holdsSame(root, at) {
		return last
	}
	p := t.page(s)
	if p != nil {
		t.recent[s.frame] = p
	}
	return p
}

// holdsSame reports whether a page holds the element at a place of another document,
// inside the same elements.
func (p *page) holdsSame(root *node, at place) bool {
	_, have := p.root.countNodes(0)
	if _, want := root.countNodes(0); have != want {
		return false
	}
	for depth := range len(at) + 1 {
		inner := at[depth:]
		a, b := p.root.at(inner), root.at(inner)
		if a == nil || b == nil || a.name != b.name {
			return false
		}
	}
	mine, other := p.root.at(at), root.at(at)
	return sameElement(mine, other) && slices.Equal(mine.texts(), other.texts())
}

// texts returns the texts directly inside an element.
func (n *node) texts() []string {
	var texts []string
	for c := range n.resolved() {
		if c.name == "" {
			texts = append(texts, c.text)
		}
	}
	return texts
}

// place says where a node is in a document: the index of the child at every step,
// the innermost first.
type place []int

// Target returns the element that the call acted on, as it is to be learned;
// false when the trace marks none, or several. The caller sets the TestID of the
// fingerprint.
func (c *Call) Target() (heal.Learned, bool) {
	s, at := c.markedTarget()
	if s == nil {
		return heal.Learned{}, false
	}
	if own, _, err := c.document(s.phase); err != nil || own.frame != s.frame {
		return heal.Learned{}, false // it could not be told where to look for it again
	}
	p := c.trace.pageWith(s, at)
	if p == nil {
		return heal.Learned{}, false
	}
	i, shown := p.of[p.root.at(at)]
	if !shown {
		return heal.Learned{}, false
	}
	if p.learned == nil {
		p.learned = heal.LearnPage(p.preparePage())
	}
	learned := p.learned.Learn(i)
	f := &learned.Fingerprint
	f.Locator, f.BBox = engine.StoredLocator(c.Selector, c.Occurrence), c.box
	learned.SetPage(c.pageAddress(s.phase))
	if c.Site != nil {
		f.Site = new(*c.Site)
	}
	return learned, true
}

// markedTarget returns the snapshot that marks the call's element best, and the place
// of the element in it: where it was acted on, else as it was before, else
// after. It is nil when none does.
func (c *Call) markedTarget() (*snapshot, place) {
	for _, phase := range []string{phaseAction, phaseBefore, phaseAfter} {
		for _, s := range c.snapshots {
			if s.phase != phase || !s.mayMarkTarget() {
				continue
			}
			if at, several := s.findTarget(s.readTree(), c.ID, 0); at != nil && !several {
				return s, at
			}
		}
	}
	return nil, nil
}

// findTarget returns the place of the marked element. It looks only at nodes that this
// snapshot writes itself: the mark is new, so no reference to an older node leads
// to it. There is no place where several are marked.
func (s *snapshot) findTarget(n *node, call string, depth int) (at place, several bool) {
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
		inside, more := s.findTarget(c.own, call, depth+1)
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
		n = n.in.resolve(n.children[p[i]])
	}
	return n
}

// sameElement reports whether two nodes are one element at two moments. The
// attributes that Playwright adds do not count.
func sameElement(a, b *node) bool {
	return a != nil && b != nil && a.name == b.name && a.name != "" && slices.Equal(a.ownAttributes(), b.ownAttributes())
}

// ownAttributes returns the attributes that are the page's own.
func (n *node) ownAttributes() []attribute {
	return slices.DeleteFunc(slices.Clone(n.attributes), func(a attribute) bool { return isPlaywrights(a.name) })
}

// mayMarkTarget reports whether a snapshot may mark the element of its call.
func (s *snapshot) mayMarkTarget() bool { return bytes.Contains(s.raw, []byte(targetAttribute)) }
