package locator

import (
	"slices"

	"github.com/breadcrumb/action/engine"
)

// Ways returns the selectors in Playwright's notation that may find the element
// of a fingerprint, the stablest first. A text or name is there twice: to be
// found within a longer one, and to be the whole. None was tried. TestIDAttr is
// the attribute that getByTestId reads.
func Ways(f engine.Fingerprint, testIDAttr string) []Selector {
	var ways []Selector
	for _, c := range candidates(f, testIDAttr) {
		ways = append(ways, Selector{Parts: []Part{c.part.named(testIDAttr)}})
		if exact, ok := c.part.exact(); ok {
			ways = append(ways, Selector{Parts: []Part{exact}})
		}
	}
	return ways
}

// named returns a test id's part with the attribute that holds it.
func (p Part) named(testIDAttr string) Part {
	if p.Kind == KindTestID {
		p.Attr = testIDAttr
		p.Raw = `internal:testid=[` + testIDAttr + `=` + attrString(p.Value) + `s]`
	}
	return p
}

// exact returns a part that wants its whole text, where it has one.
func (p Part) exact() (Part, bool) {
	switch p.Kind {
	case KindRole:
		return rolePart(p.Role, p.Value, p.Named, MatchExact), p.Named
	case KindLabel, KindText, KindPlaceholder, KindTitle, KindAlt:
		return newPart(p.Kind, p.Value, MatchExact), true
	}
	return Part{}, false
}

// Frames returns the parts of a selector up to the last that steps into a frame.
func (s Selector) Frames() []Part {
	for i, p := range slices.Backward(s.Parts) {
		if p.Kind == KindFrame {
			return s.Parts[:i+1]
		}
	}
	return nil
}

// Within returns the selector whose last part is that of way and whose others
// are s's own.
func (s Selector) Within(way Selector) Selector {
	if s.IsZero() || way.IsZero() {
		return way
	}
	out := s.with(len(s.Parts)-1, way.Last())
	out.notation = notationEngine
	return out
}
