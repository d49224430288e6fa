package trace

import (
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// Lesson is an element that a call acted on: its fingerprint, and the page's
// other elements as heal.Page.State keeps them, nil for a page too large.
type Lesson struct {
	Fingerprint engine.Fingerprint
	State       []byte
}

// Target returns what the trace tells of the element that the call acted on;
// false when it marks none, or several. Locator and Site of the fingerprint are
// set, TestID is the caller's.
func (c *Call) Target() (Lesson, bool) {
	s, at := c.target()
	if s == nil {
		return Lesson{}, false
	}
	if own, _, err := c.document(s.phase); err != nil || own.frame != s.frame {
		return Lesson{}, false // it could not be told where to look for it again
	}
	p := c.trace.pageWith(s, at)
	if p == nil {
		return Lesson{}, false
	}
	i := p.find(at)
	if i < 0 {
		return Lesson{}, false
	}
	learned := p.lesson(i)
	f := &learned.Fingerprint
	f.Locator, f.BBox, f.Page = engine.StoredLocator(c.Selector, c.Occurrence), c.box, c.pageName(s.phase)
	if c.Site != nil {
		site := *c.Site
		f.Site = &site
	}
	return learned, true
}

// pageWith returns a page that holds the element at a place of a snapshot. The
// page of an earlier call serves again while it has as many elements and this
// one at its place: a test that clicks about changes little on it.
func (t *Trace) pageWith(s *snapshot, at place) *page {
	root := s.tree()
	last := t.recent[s.frame]
	if last != nil && last.like(root, at) {
		return last
	}
	p := t.page(s)
	if p != nil {
		t.recent[s.frame] = p
	}
	return p
}

// like reports whether a page holds the element at a place of another document,
// inside the same elements.
func (p *page) like(root *node, at place) bool {
	_, have := p.root.weigh(0)
	if _, want := root.weigh(0); have != want {
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
	return alike(mine, other) && slices.Equal(mine.texts(), other.texts())
}

// texts returns the texts that are an element's own.
func (n *node) texts() []string {
	var texts []string
	for _, c := range n.children {
		if other := n.in.referred(c); other != nil && other.name == "" {
			texts = append(texts, other.text)
		}
	}
	return texts
}

// lesson makes a lesson of element i. The fingerprint is one that the state of
// the page knows again.
func (p *page) lesson(i int) Lesson {
	f := p.prepared().Fingerprint(i)
	if p.old == nil {
		state, err := p.prepared().State()
		if err != nil {
			return Lesson{f, nil} // a page too large to keep: the element alone
		}
		if p.old, err = heal.ReadState(state); err != nil {
			return Lesson{f, nil}
		}
		p.state = state
	}
	if found, ok := p.old.Find(f); !ok || found != i {
		if i >= p.old.Len() {
			return Lesson{f, nil}
		}
		f = p.old.Fingerprint(i)
	}
	return Lesson{f, p.state}
}
