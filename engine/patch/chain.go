package patch

import (
	"errors"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
)

// chainGetter returns the call by which a healer found the element of a chain of locators
// alone on the whole page: getBy…, or locator('#pay') of one attribute that stays. It returns
// false where there is none, and for a chain that steps into a frame.
func (p *Proposer) chainGetter(h engine.HealEvent) (locator.Selector, bool) {
	old, err := locator.Of(h)
	if err != nil || len(old.Parts) < 2 || len(old.Frames()) > 0 {
		return locator.Selector{}, false
	}
	found := []string{h.HealedLocator}
	if h.HealedLocator == "" { // ahead of its test: what finds it alone was counted on the page as it was
		found = nil
		for _, m := range h.Matches {
			found = append(found, m.Locator)
		}
	}
	for _, text := range found {
		healed, err := locator.Parse(text)
		if err != nil || len(healed.Parts) != 1 || locator.ProofOf(h, healed) != locator.Unique {
			continue
		}
		if getter, ok := p.byTestID(h, healed); ok {
			return getter, true
		}
		_, writes := locator.WriteCall(healed.Last(), locator.CallStyle{Language: locator.TypeScript})
		if writes && healed.Last().Kind != locator.KindTestID {
			return healed, true
		}
	}
	return locator.Selector{}, false
}

var errNoChain = errors.New("the locator is a chain, and the healed one stands for the whole of it: only a chain in one line that begins at the page is written anew")

// addChainEdit fills in the edit that writes one call in the place of a whole chain of
// locators, or returns the reason why there is none. The chain is found by the last of its
// values.
func (p *Proposer) addChainEdit(out *Proposal, s *scope, t *engine.TestResult, getter locator.Selector) error {
	old, err := locator.Of(out.Heal)
	if err != nil {
		return err
	}
	s.next, s.change = getter, chainChange(old, getter)
	if s.change.old.Value == "" {
		return errNoChain
	}
	where, placement, err := s.findLiteral()
	if err == nil {
		err = p.refuseUsedByPassed(where, s, out.Heal, t)
	}
	if err != nil {
		return err
	}
	if value := getter.Last(); value.Kind == locator.KindCSS && strings.TrimSpace(where.Text) == s.change.whole && where.value == s.change.wholeNew {
		e, err := replaceHit(where)
		if err != nil {
			return err
		}
		out.edit(e, placement, getter, where.in)
		return nil
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

// chainChange returns the change by which a call takes the place of a whole chain of locators:
// that of the last of its values, by which the chain is found.
func chainChange(old, getter locator.Selector) change {
	at := len(old.Parts) - 1
	for at > 0 && old.Parts[at].Kind == locator.KindNth {
		at--
	}
	return change{before: old.Parts[:at], after: old.Parts[at+1:], old: old.Parts[at], new: getter.Last(), whole: old.String(), wholeNew: getter.String()}
}
