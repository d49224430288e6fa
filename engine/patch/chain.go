package patch

import (
	"errors"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// chainGetter returns the getBy… call by which a healer found the element of a chain of
// locators alone on the whole page. It returns false where there is none, and for a chain
// that steps into a frame.
func (p *Proposer) chainGetter(h engine.HealEvent) (locator.Selector, bool) {
	old, err := locator.Of(h)
	healed, unread := locator.Parse(h.HealedLocator)
	if err != nil || unread != nil || len(old.Parts) < 2 || len(healed.Parts) != 1 || len(old.Frames()) > 0 || locator.ProofOf(h, healed) != locator.Unique {
		return locator.Selector{}, false
	}
	if name, value, ok := locator.AttributeOf(healed.Last()); ok && name == p.testIDAttribute(h) && !locator.Generated(value) {
		return locator.ByTestID(name, value), true
	}
	_, writes := locator.WriteCall(healed.Last(), locator.CallStyle{Language: locator.TypeScript})
	return healed, writes && healed.Last().Kind != locator.KindTestID
}

var errNoChain = errors.New("the locator is a chain, and the healed one stands for the whole of it: only a chain in one line that begins at the page is written anew")

// addChainEdit fills in the edit that writes a getBy… call in the place of a whole chain of
// locators, or returns the reason why there is none. The chain is found by the last of its
// values.
func (p *Proposer) addChainEdit(out *Proposal, s *scope, t *engine.TestResult, getter locator.Selector) error {
	old, err := locator.Of(out.Heal)
	if err != nil {
		return err
	}
	at := len(old.Parts) - 1
	for at > 0 && old.Parts[at].Kind == locator.KindNth {
		at--
	}
	s.next, s.change = getter, change{before: old.Parts[:at], after: old.Parts[at+1:], old: old.Parts[at], new: getter.Last(), whole: old.String(), wholeNew: getter.String()}
	if s.change.old.Value == "" || s.change.old.Regexp {
		return errNoChain
	}
	where, placement, err := s.findLiteral()
	if err == nil {
		err = p.refuseUsedByPassed(where, s, out.Heal, t)
	}
	if err != nil {
		return err
	}
	first, last, ok := calls.WrittenChain(where.in, where.in.Callee(where.Call))
	if !ok || !isPlain(where.in, first, last) || where.constant != "" || where.receiver != calls.Yes || where.narrowed {
		return errNoChain
	}
	e, err := replaceCalls(where.in, first, last, getter.Last())
	if err != nil {
		return err
	}
	out.Edit, out.Place = &e, placement
	out.Confidence *= placement
	out.Locator, out.Modern = getter.String(), ""
	out.Code = locator.Print(getter, where.in.Dialect.Print)
	return nil
}

// chainAt returns the names of the first and the last call of the chain of locators at byte
// start whose source text is old.
func chainAt(s *source.File, start int, old string) (first, last int, ok bool) {
	c := s.TokenFrom(start)
	first, last, ok = calls.WrittenChain(s, c)
	return first, last, ok && first == c && isPlain(s, first, last) && s.Tokens[c].Start == start &&
		s.Tokens[s.End(last+1)].End == start+len(old) && string(s.Bytes[start:start+len(old)]) == old
}

// isPlain reports whether the calls of a chain stand on one line that is always compiled.
func isPlain(s *source.File, first, last int) bool {
	at := s.SpanOf(first, s.End(last+1))
	return s.Line(at.Start) == s.Line(at.End) && !slices.ContainsFunc(s.Conditional, func(c source.Span) bool { return c.Contains(at.Start) })
}
