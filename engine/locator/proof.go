package locator

import (
	"cmp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Proof is what a heal event shows about a locator.
type Proof int

// An unproven locator was not tried, a unique one found exactly one element, an
// ambiguous one none or several.
const (
	Unproven Proof = iota
	Unique
	Ambiguous
)

// ProofOf returns what h shows about s: the count in h.Matches, or else that replay
// found the element with h.HealedLocator.
func ProofOf(h engine.HealEvent, s Selector) Proof {
	proof := Unproven
	for _, m := range h.Matches {
		other, err := Parse(m.Locator)
		switch {
		case err != nil || !s.findsSame(other):
		case m.Count != 1:
			return Ambiguous
		default:
			proof = Unique
		}
	}
	if proof == Unique {
		return proof
	}
	if healed, err := Parse(h.HealedLocator); err == nil && (s.findsSame(healed) || s.findsSame(argumentOf(healed, h.API))) {
		return Unique
	}
	return Unproven
}

// findsSame reports whether two selectors find the same elements, going by their
// text.
func (s Selector) findsSame(o Selector) bool {
	if len(s.Parts) != len(o.Parts) {
		return false
	}
	for i := range s.Parts {
		if !s.Parts[i].matches(o.Parts[i]) && !sameAttribute(s.Parts[i], o.Parts[i]) && !sameName(s.Parts[i], o.Parts[i]) {
			return false
		}
	}
	return true
}

// sameName reports whether two parts look for the same name of a role, one of them by a
// regular expression.
func sameName(a, b Part) bool {
	if a.Regexp == b.Regexp {
		return false
	}
	x, plain := a.Plain()
	y, alike := b.Plain()
	if x.Match == MatchLoose && y.Match == MatchLoose { // of other letters, some have several small or capital ones
		x.Value, y.Value = lowerASCII(x.Value), lowerASCII(y.Value)
	}
	return plain && alike && x.Match == y.Match && x.matches(y)
}

func lowerASCII(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) >= 0 {
		return text
	}
	return strings.ToLower(text)
}

// sameAttribute reports whether two parts look for the same value of the same
// attribute, in any form.
func sameAttribute(a, b Part) bool {
	name, value, ok := a.attribute()
	other, otherValue, alike := b.attribute()
	return ok && alike && value == otherValue && (name == other || name == "" && testAttr.MatchString(other) || other == "" && testAttr.MatchString(name))
}

var xpathAttr = lazyregexp.New(`^//\*\[@([\w-]+)=(?:"([^"]*)"|'([^']*)')\]$`)

// AttributeOf returns the attribute whose whole value a CSS part, an XPath or an id
// looks for, false when it looks for anything else.
func AttributeOf(p Part) (name, value string, ok bool) {
	name, value, ok = p.attribute()
	return name, value, ok && name != ""
}

// attribute returns the attribute that a part looks for; "" is the project's test
// id attribute.
func (p Part) attribute() (name, value string, ok bool) {
	switch p.Kind {
	case KindTestID:
		return p.Attr, p.Value, true
	case KindID:
		return "id", p.Value, true
	case KindCSS:
		return onlyAttribute(p.Value)
	case KindXPath:
		if m := xpathAttr.FindStringSubmatch(p.Value); m != nil {
			return m[1], m[2] + m[3], true
		}
	}
	return "", "", false
}

var attrOnly = lazyregexp.New(`^\[\s*([\w-]+)\s*=\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\]$|^#([A-Za-z_][\w-]*)$`)

// onlyAttribute reads a CSS selector of one attribute's whole value.
func onlyAttribute(body string) (name, value string, ok bool) {
	m := attrOnly.FindStringSubmatch(body)
	switch {
	case m == nil:
		return "", "", false
	case m[4] != "":
		return "id", m[4], true
	}
	return m[1], m[2] + m[3], true
}

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
	if p, ok := getterForAttribute(next.Last()); ok {
		return Selector{Parts: next.WithPart(last, p).Parts}
	}
	var found []Selector
	for _, m := range h.Matches {
		s, err := Parse(m.Locator)
		if err == nil && m.Count == 1 && len(s.Parts) == len(next.Parts) && s.Last().isModern() && Writable(s.engineText()) == "" &&
			slices.EqualFunc(s.Parts[:last], next.Parts[:last], Part.matches) {
			found = append(found, Selector{Parts: s.Parts})
		}
	}
	if len(found) == 0 {
		return Selector{}
	}
	return slices.MinFunc(found, func(a, b Selector) int { return cmp.Compare(rankOf(a.Last()), rankOf(b.Last())) })
}

// Getters returns the locators that the run proved to find the healed element alone, with
// a getBy… call in the place of one part of h's locator: those of the author's own kind
// first, then in the order of Playwright's own choice.
func Getters(h engine.HealEvent) []Selector {
	old, err := Of(h)
	if err != nil {
		return nil
	}
	type option struct{ other, rank int }
	var found []Selector
	options := map[string]option{}
	for _, text := range append(matched(h), h.HealedLocator) {
		s, err := Parse(text)
		if err != nil {
			continue
		}
		at, _ := Differing(old, s)
		if at < 0 || s.findsSame(old) || old.Parts[at].Value == "" || !s.Parts[at].isModern() || s.Parts[at].Match == MatchWhole ||
			saysItself(h, old.Parts[at], s.Parts[at]) || Writable(s.engineText()) != "" || historyOf(h.Original).unstableReason(s.Parts[at], old.Parts[at]) != "" || ProofOf(h, s) != Unique {
			continue
		}
		s = Selector{Parts: s.Parts}
		o := option{1, rankOf(s.Parts[at])}
		if s.Parts[at].Kind == old.Parts[at].Kind && s.Parts[at].Role == old.Parts[at].Role {
			o.other = 0
		}
		found, options[s.engineText()] = append(found, s), o
	}
	slices.SortStableFunc(found, func(a, b Selector) int {
		x, y := options[a.engineText()], options[b.engineText()]
		return cmp.Or(cmp.Compare(x.other, y.other), cmp.Compare(x.rank, y.rank))
	})
	return found
}

// saysItself reports whether a locator finds by its text what a test asks the text of, which
// then says nothing: getByText('3') has the text 3, whatever the page should show.
func saysItself(h engine.HealEvent, written, proven Part) bool {
	return asking[strings.ToLower(h.Action)] && proven.Kind == KindText && written.Kind != KindText
}

// asking are the actions, in lower case, that may ask for a text.
var asking = map[string]bool{"expect": true, "textcontent": true, "innertext": true, "innerhtml": true}

// matched returns the locators that an event counted.
func matched(h engine.HealEvent) []string {
	var list []string
	for _, m := range h.Matches {
		list = append(list, m.Locator)
	}
	return list
}

// Improves reports whether a getBy… call is to be preferred to a new value in the form
// of h's locator, the written one: Playwright itself would rather write the call, and the
// old selector describes the layout of the page by several steps, or the new one has nothing but
// classes, or an attribute that the old one did not look for and that a call reads.
//
// All three are the part at one place of the locator.
func Improves(h engine.HealEvent, getter, next, written Part) bool {
	if rankOf(getter) >= rankOf(next) && rankOf(next) >= rankPath || getter.Kind == KindText && cuts(h.Healed, getter) {
		return false
	}
	was, _, attribute := written.attribute()
	is, _, _ := next.attribute()
	steps := combinators.Split(strings.TrimSpace(quotedRun.ReplaceAllString(written.Value, `""`)), -1)
	chain := written.Kind == KindCSS && len(steps) > 1 || written.Kind == KindXPath && !attribute
	switch {
	case next.Kind == KindCSS && is != was && (attrKinds[is] != "" || is == "aria-label"):
		return true
	case written.Kind == KindCSS && is == "" && rankOf(next) == rankPath:
		return true
	}
	return chain && rankOf(getter) < rankOf(next)
}

// cuts reports whether a part looks for the start of what the healed element says, which
// ends in what varies.
func cuts(healed engine.Fingerprint, p Part) bool {
	for _, a := range healed.Attributes {
		if strings.EqualFold(a.Value, p.Value) {
			return false
		}
	}
	return p.Value != "" && !strings.EqualFold(p.Value, accessibleName(healed)) && !strings.EqualFold(p.Value, healed.Text) && !strings.EqualFold(p.Value, healed.Label)
}

// getterForAttribute returns the getBy… part that looks for the whole value of the
// same attribute.
func getterForAttribute(p Part) (Part, bool) {
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

// isModern reports whether p is a getBy… call of plain text.
func (p Part) isModern() bool {
	_, getter := getters[p.Kind]
	return !p.Regexp && (getter && !p.isLiteralText() && !Generated(p.Value) || p.Kind == KindRole && p.Named)
}
