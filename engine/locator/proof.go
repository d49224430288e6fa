package locator

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// Proof is what a heal event shows of a locator.
type Proof int

// An unproven locator may find any number of elements, a unique one found
// exactly one, an ambiguous one none or several.
const (
	Unproven Proof = iota
	Unique
	Ambiguous
)

// ProofOf returns what h shows of s: the count among h.Matches, or else that
// replay found the element with h.HealedLocator.
func ProofOf(h engine.HealEvent, s Selector) Proof {
	proof := Unproven
	for _, m := range h.Matches {
		other, err := Parse(m.Locator)
		switch {
		case err != nil || !s.means(other):
		case m.Count != 1:
			return Ambiguous
		default:
			proof = Unique
		}
	}
	if proof == Unique {
		return proof
	}
	if healed, err := Parse(h.HealedLocator); err == nil && (s.means(healed) || s.means(bare(healed, h.API))) {
		return Unique
	}
	return Unproven
}

// means reports whether two selectors find the same elements, as far as that
// can be told from their text.
func (s Selector) means(o Selector) bool {
	if len(s.Parts) != len(o.Parts) {
		return false
	}
	for i := range s.Parts {
		if !s.Parts[i].same(o.Parts[i]) && !sameAttribute(s.Parts[i], o.Parts[i]) {
			return false
		}
	}
	return true
}

// sameAttribute reports whether two parts ask for the same value of the same
// attribute, in whatever form.
func sameAttribute(a, b Part) bool {
	name, value, ok := a.attribute()
	other, otherValue, alike := b.attribute()
	return ok && alike && value == otherValue && (name == other || name == "" && testAttr.MatchString(other) || other == "" && testAttr.MatchString(name))
}

var xpathAttr = regexp.MustCompile(`^//\*\[@([\w-]+)=(?:"([^"]*)"|'([^']*)')\]$`)

// attribute returns the attribute that a part asks for; "" is the project's
// test id attribute.
func (p Part) attribute() (name, value string, ok bool) {
	switch p.Kind {
	case KindTestID:
		return p.Attr, p.Value, true
	case KindID:
		return "id", p.Value, true
	case KindCSS:
		return loneAttr(p.Value)
	case KindXPath:
		if m := xpathAttr.FindStringSubmatch(p.Value); m != nil {
			return m[1], m[2] + m[3], true
		}
	}
	return "", "", false
}

// fromMatches returns the best of the locators that the healer counted as
// unique and that the author's form can hold.
func (r replacer) fromMatches() (Selector, bool) {
	type option struct {
		rank int
		s    Selector
	}
	var options []option
	for _, m := range r.heal.Matches {
		tried, err := Parse(m.Locator)
		if err != nil || m.Count != 1 || writable(tried.engine()) != "" {
			continue
		}
		at, _ := Differing(r.old, tried)
		if at < 0 || unstable(tried.Parts[at], r.old.Parts[at]) != "" {
			continue
		}
		if p, why := r.convert(r.old.Parts[at], tried.Parts[at]); why == "" {
			options = append(options, option{rankOf(tried.Parts[at]), r.old.with(at, p)})
		}
	}
	if len(options) == 0 {
		return Selector{}, false
	}
	return slices.MinFunc(options, func(a, b option) int { return cmp.Compare(a.rank, b.rank) }).s, true
}

// allowed reports whether a derived locator may be proposed: where the event
// counts matches, only one that was counted as unique.
func (r replacer) allowed(s Selector) bool {
	return len(r.heal.Matches) == 0 || ProofOf(r.heal, s) == Unique
}
