package locator

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
