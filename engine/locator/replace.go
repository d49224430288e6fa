package locator

import (
	"cmp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// Replacement returns the locator to write in the place of h.Locator, in the form of
// the author: CSS stays CSS, a test id stays a test id, a role stays and gets the new
// name. It is the one that replay proved (h.HealedLocator) if there is one, else the
// best hook of the healed fingerprint.
//
// When it cannot be written in that form, the second result says why. The Selector is
// then the best locator in another form, for display only, and may be zero.
func Replacement(h engine.HealEvent) (Selector, string) {
	old, err := Of(h)
	if err != nil {
		return Selector{}, err.Error()
	}
	r := replacer{heal: h, old: old, attr: testIDAttribute(h, old)}
	find := r.fromFingerprint
	if strings.TrimSpace(h.HealedLocator) != "" {
		find = r.fromHealed
	}
	found, why := find()
	if why == "" {
		if at, same := Differing(old, found); at < 0 {
			why = same // a proven locator can say in another form what is written
		}
	}
	return found, why
}

// replacer finds the replacement for one heal.
type replacer struct {
	heal engine.HealEvent
	old  Selector
	attr string // the attribute that getByTestId reads in this project
}

// testIDAttribute returns the attribute of the project's test ids: the one that the locator
// names, in any of its parts, else the one with the value that it looks for.
func testIDAttribute(h engine.HealEvent, old Selector) string {
	for _, p := range slices.Backward(old.Parts) {
		if p.Kind == KindTestID && p.Attr != "" {
			return p.Attr
		}
	}
	if last := old.Last(); last.Kind == KindTestID {
		for _, a := range h.Original.Attributes {
			if a.Value == last.Value && strings.HasPrefix(a.Name, "data-") {
				return a.Name
			}
		}
	}
	return "data-testid"
}

// fromHealed writes the proven locator in the author's form.
func (r replacer) fromHealed() (Selector, string) {
	healed, err := Parse(r.heal.HealedLocator)
	if err != nil {
		return Selector{}, "the healed locator cannot be read: " + err.Error()
	}
	healed = r.readArgument(healed)
	if why := Writable(healed.engineText()); why != "" {
		return Selector{}, why
	}
	at, why := Differing(r.old, healed)
	if at < 0 {
		if s, ok := r.fromMatches(); ok {
			return s, ""
		}
		return healed, why
	}
	written, proven := r.old.Parts[at], healed.Parts[at]
	unstableWhy := historyOf(r.heal.Original).unstableReason(proven, written)
	if unstableWhy == "" {
		var p Part
		p, why = r.convertPart(written, proven)
		if s := r.old.WithPart(at, p); why == "" && ProofOf(r.heal, s) != Ambiguous {
			return s, ""
		} else if why == "" {
			why = "the healed locator finds more than one element"
		}
	} else {
		why = unstableWhy
	}
	if s, ok := r.fromMatches(); ok {
		return s, ""
	}
	if len(r.old.Parts) != 1 {
		return healed, why
	}
	after := rankOf(proven)
	if after == rankPath {
		after = 0 // a path says nothing about the hooks of the element
	}
	if s, ok := r.deriveHook(after); ok {
		return s, ""
	}
	if unstableWhy != "" {
		healed, _ = r.bestHook()
	}
	return healed, why
}

// readArgument reads a healed locator that is only the argument of the author's
// call, when the healed element has such a value.
func (r replacer) readArgument(healed Selector) Selector {
	if r.old.notation != notationArgument || len(healed.Parts) != 1 || healed.Parts[0].Kind != KindCSS {
		return healed
	}
	value := healed.Parts[0].Raw
	if strings.EqualFold(value, r.heal.Healed.Tag) {
		return healed
	}
	for _, c := range rankedHooks(r.heal, r.attr) {
		if c.part.Kind == r.old.Last().Kind && c.value == value {
			return argumentOf(healed, r.heal.API)
		}
	}
	return healed
}

// fromFingerprint derives the replacement from the healed element alone.
func (r replacer) fromFingerprint() (Selector, string) {
	best, any := r.bestHook()
	if s, ok := r.fromMatches(); ok {
		return s, ""
	}
	switch {
	case len(r.old.Parts) != 1:
		return best, "the healed element is known, but not which part of the chain has to change"
	case !any:
		return best, "the healed element has no stable test id, role, text, id or name to find it by"
	}
	if s, ok := r.deriveHook(0); ok {
		if at, why := Differing(r.old, s); at < 0 {
			return best, why
		}
		return s, ""
	}
	return best, "the healed element has no stable " + r.missingHook() + " to find it by"
}

// missingHook names what the healed element needs for the author's form.
func (r replacer) missingHook() string {
	switch last := r.old.Last(); last.Kind {
	case KindCSS, KindXPath:
		return "test id, id, name or other attribute"
	case KindRole:
		return last.Role + " name"
	default:
		return string(last.Kind)
	}
}

// bestHook returns the best hook of the healed element in any form, and whether it
// has a hook at all. When the event counts matches, the hook must be unique.
func (r replacer) bestHook() (Selector, bool) {
	hooks := rankedHooks(r.heal, r.attr)
	if len(r.heal.Matches) == 0 && len(hooks) > 0 {
		return Selector{Parts: []Part{hooks[0].part}}, true
	}
	for _, candidate := range Candidates(r.heal, r.attr) {
		if s := (Selector{Parts: slices.Concat(r.old.Frames(), candidate.Parts)}); ProofOf(r.heal, s) == Unique {
			return s, true
		}
	}
	return Selector{}, len(hooks) > 0
}

// deriveHook returns the best hook of the healed element that can be written in the
// author's only part and has the given rank or a later one: replay tried the better
// ones and found that they were not unique. When the event counts matches, the hook
// must be unique.
func (r replacer) deriveHook(after int) (Selector, bool) {
	for _, c := range rankedHooks(r.heal, r.attr) {
		if c.rank < after {
			continue
		}
		if p, ok := r.fitCandidate(r.old.Last(), c); ok {
			s := r.old.WithPart(0, p)
			if at, _ := Differing(r.old, s); at >= 0 && (len(r.heal.Matches) == 0 || ProofOf(r.heal, s) == Unique) {
				return s, true
			}
		}
	}
	return Selector{}, false
}

// fitCandidate writes a hook in the form of the author's part.
func (r replacer) fitCandidate(written Part, c hook) (Part, bool) {
	switch {
	case written.Regexp:
		return fitPattern(written, c)
	case c.start && written.Match != MatchLoose:
		return Part{}, false
	case written.Kind == KindCSS:
		if c.attr == "" {
			return Part{}, false
		}
		return written.withValue(cssAttr(c.attr, c.value, quoteOf(written.Value)))
	case written.Kind == KindXPath:
		quoted, ok := xpathString(c.value)
		if !ok || c.attr == "" {
			return Part{}, false
		}
		return written.withValue("//*[@" + c.attr + "=" + quoted + "]")
	case written.Kind == KindID && c.attr == "id":
		return written.withValue(c.value)
	case written.Kind == KindRole:
		fits := c.part.Kind == KindRole && c.part.Role == written.Role && written.Named &&
			(written.Match != MatchExact || r.heal.Healed.Name != "")
		if !fits {
			return Part{}, false
		}
		return written.withValue(c.value)
	case c.part.Kind == written.Kind && (written.Match != MatchExact || written.Kind != KindText || r.heal.Healed.Name == c.value):
		return written.withValue(c.value)
	}
	return Part{}, false
}

// fitPattern is fitCandidate for a regular expression that looks for one text.
func fitPattern(written Part, c hook) (Part, bool) {
	old, ok := written.pattern()
	if !ok || c.part.Kind != written.Kind || c.part.Role != written.Role || c.start && old.end {
		return Part{}, false
	}
	return written.withPatternText(c.value)
}

// quoteOf returns the quote that the author uses in CSS.
func quoteOf(body string) byte {
	if strings.Contains(body, "'") && !strings.Contains(body, `"`) {
		return '\''
	}
	return '"'
}

// convertPart writes the proven part in the form of the written one, or says why that
// would not mean the same element.
func (r replacer) convertPart(written, proven Part) (Part, string) {
	if written.Regexp || proven.Regexp {
		return convertPattern(written, proven)
	}
	if written.Kind != proven.Kind {
		return r.translatePart(written, proven)
	}
	if old, next, ok := Nested(written, proven); ok {
		return r.convertNested(written.Kind, old, next)
	}
	switch {
	case valueless[written.Kind]:
		return Part{}, "the part of the locator that changed is not a value that can be rewritten"
	case written.Role != proven.Role:
		return Part{}, "the role changed from " + written.Role + " to " + proven.Role + ", and a new name alone does not say that"
	case written.Rest != proven.Rest || written.Named != proven.Named:
		return Part{}, "the role's conditions changed, and a new name alone does not say that"
	case written.Kind == KindTestID && proven.Attr != "" && proven.Attr != r.attr:
		return Part{}, "the healed element is found by " + proven.Attr + ", and test ids are read from " + r.attr
	case (written.Kind == KindTestID || written.Kind == KindID) && Generated(proven.Value):
		return Part{}, "the healed locator rests on the generated name " + quoteShort(proven.Value)
	case written.asksTextNode() && proven.Match == MatchExact && !proven.asksTextNode(), proven.asksTextNode() && !written.asksTextNode():
		return Part{}, "one of the locators looks for an element with the text and the other for a text node"
	case proven.stricter(written):
		return Part{}, "the healed locator matches exactly and the written one does not"
	case written.stricter(proven) && !r.wholeValue(proven):
		return Part{}, "the written locator matches exactly and the healed one does not"
	}
	return rewriteValue(written, proven.Value)
}

// convertPattern is convertPart where one of them is a regular expression.
func convertPattern(written, proven Part) (Part, string) {
	const why = "the locator matches by a regular expression"
	old, ok := written.pattern()
	if !ok || written.Kind != proven.Kind || written.Role != proven.Role || written.Rest != proven.Rest {
		return Part{}, why
	}
	next, plain := pattern{old.withText(proven.Value).text, old.start, old.end, old.flags}, true
	if proven.Regexp {
		next, plain = proven.pattern()
	}
	p, ok := written.withPatternText(next.text)
	if !plain || !ok || proven.Regexp && p.Value != proven.Value {
		return Part{}, why
	}
	return p, ""
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

// stricter reports whether p finds less than another part of the same value.
func (p Part) stricter(than Part) bool {
	order := map[Match]int{MatchLoose: 1, MatchWhole: 2, MatchExact: 3}
	return order[p.Match] > order[than.Match] && order[than.Match] > 0
}

// valueless are the kinds of parts without a value that can be replaced.
var valueless = map[Kind]bool{
	KindNth: true, KindOther: true, KindFrame: true, KindHas: true, KindHasNot: true, KindAnd: true, KindOr: true, KindVisible: true,
}

// wholeValue reports whether the value of p is the whole name or label of the healed
// element.
func (r replacer) wholeValue(p Part) bool {
	return p.Kind == KindRole && r.heal.Healed.Name == p.Value ||
		p.Kind == KindLabel && r.heal.Healed.Label == p.Value
}

// translatePart writes a value in another form that means exactly the same.
func (r replacer) translatePart(written, proven Part) (Part, string) {
	attr, value := "", ""
	switch proven.Kind {
	case KindTestID:
		attr, value = cmp.Or(proven.Attr, r.attr), proven.Value
	case KindID, KindCSS:
		attr, value, _ = proven.attribute()
	}
	switch {
	case attr == "" || value == "":
	case Generated(value):
		return Part{}, "the healed locator rests on the generated name " + quoteShort(value)
	case written.Kind == KindCSS:
		return rewriteValue(written, cssAttr(attr, value, quoteOf(written.Value)))
	case written.Kind == KindTestID && attr == r.attr, written.Kind == KindID && attr == "id":
		return rewriteValue(written, value)
	case written.Kind == KindXPath:
		if quoted, ok := xpathString(value); ok {
			return rewriteValue(written, "//*[@"+attr+"="+quoted+"]")
		}
	}
	return Part{}, "the element is now found by " + string(proven.Kind) + ", and the test looks for it by " + string(written.Kind)
}

func rewriteValue(written Part, value string) (Part, string) {
	if p, ok := written.withValue(value); ok {
		return p, ""
	}
	return Part{}, "the new value cannot be written in the form of the old locator"
}

// fromMatches returns the best of the locators that the healer counted as unique and
// that can be written in the author's form.
func (r replacer) fromMatches() (Selector, bool) {
	type option struct {
		rank int
		s    Selector
	}
	var options []option
	for _, m := range r.heal.Matches {
		tried, err := Parse(m.Locator)
		if err != nil || m.Count != 1 || Writable(tried.engineText()) != "" {
			continue
		}
		at, _ := Differing(r.old, tried)
		if at < 0 || historyOf(r.heal.Original).unstableReason(tried.Parts[at], r.old.Parts[at]) != "" {
			continue
		}
		if p, why := r.convertPart(r.old.Parts[at], tried.Parts[at]); why == "" {
			options = append(options, option{rankOf(tried.Parts[at]), r.old.WithPart(at, p)})
		}
	}
	if len(options) == 0 {
		return Selector{}, false
	}
	return slices.MinFunc(options, func(a, b option) int { return cmp.Compare(a.rank, b.rank) }).s, true
}
