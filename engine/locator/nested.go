package locator

import "github.com/breadcrumb/action/engine"

// Nested returns the selectors that two parts of one kind have inside: those of has, has
// not, and, or. It returns false for other parts.
func Nested(a, b Part) (Selector, Selector, bool) {
	if a.Kind != b.Kind {
		return Selector{}, Selector{}, false
	}
	switch a.Kind {
	case KindHas, KindHasNot, KindAnd, KindOr:
	default:
		return Selector{}, Selector{}, false
	}
	inA, errA := Parse(a.Value)
	inB, errB := Parse(b.Value)
	return inA, inB, errA == nil && errB == nil
}

// NestedIn returns the part of a kind that has a selector inside.
func NestedIn(kind Kind, inner Selector) Part {
	return nestedPart(kind, argument{locator: inner.Parts})
}

// nestsSame reports whether two parts have selectors inside that find the same.
func (p Part) nestsSame(o Part) bool {
	a, b, ok := Nested(p, o)
	return ok && a.findsSame(b)
}

// convertNested writes the proven selector inside of a part in the form of the written
// one, or says why that would not mean the same.
func (r replacer) convertNested(kind Kind, written, proven Selector) (Part, string) {
	at, why := Differing(written, proven)
	if at < 0 {
		return Part{}, why
	}
	if why := historyOf(engine.Fingerprint{}).unstableReason(proven.Parts[at], written.Parts[at]); why != "" {
		return Part{}, why
	}
	inside := replacer{old: written, attr: r.attr}
	p, why := inside.convertPart(written.Parts[at], proven.Parts[at])
	if why != "" {
		return Part{}, why
	}
	return NestedIn(kind, written.WithPart(at, p)), ""
}
