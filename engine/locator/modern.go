package locator

import (
	"cmp"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// Modern returns next, the replacement of h's locator, in the form that
// Playwright recommends today: a getBy… call in the place of a CSS or XPath
// selector. It is a form that means the same, or one that the run counted as
// unique; the zero Selector when there is none, or next is modern already.
func Modern(h engine.HealEvent, next Selector) Selector {
	switch next.Last().Kind {
	case KindCSS, KindXPath, KindID:
	default:
		return Selector{}
	}
	last := len(next.Parts) - 1
	if p, ok := modernAttribute(next.Last()); ok {
		return Selector{Parts: next.with(last, p).Parts}
	}
	var found []Selector
	for _, m := range h.Matches {
		s, err := Parse(m.Locator)
		if err == nil && m.Count == 1 && len(s.Parts) == len(next.Parts) && s.Last().modern() && writable(s.engine()) == "" &&
			slices.EqualFunc(s.Parts[:last], next.Parts[:last], Part.same) {
			found = append(found, Selector{Parts: s.Parts})
		}
	}
	if len(found) == 0 {
		return Selector{}
	}
	return slices.MinFunc(found, func(a, b Selector) int { return cmp.Compare(rankOf(a.Last()), rankOf(b.Last())) })
}

// modernAttribute returns the getBy… part that asks for the same attribute's
// whole value.
func modernAttribute(p Part) (Part, bool) {
	name, value, ok := p.attribute()
	if !ok {
		return Part{}, false
	}
	if name == "data-testid" {
		return newPart(KindTestID, value, MatchUnset), true
	}
	kind, ok := attrKinds[name]
	return newPart(kind, value, MatchExact), ok
}

// modern reports whether p is a getBy… call of plain text.
func (p Part) modern() bool {
	_, getter := getters[p.Kind]
	return !p.Regexp && (getter && !p.literalText() && !Generated(p.Value) || p.Kind == KindRole && p.Named)
}
