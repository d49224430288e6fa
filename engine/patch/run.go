package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// ProposeAll returns what to do about the heals and suggestions of a run, with the edits
// of the other uses of their elements: the one list that everybody shows. SetPassed comes
// first. The error is that of suite.Known.
func (p *Proposer) ProposeAll(heals []engine.HealEvent, suite Suite) ([]Proposal, error) {
	var all []Proposal
	var ahead []engine.HealEvent
	for _, h := range heals {
		switch {
		case h.Ahead:
			ahead = append(ahead, h)
		case h.Outcome != engine.OutcomeRefused:
			all = append(all, suite.decide(p.Propose(h, suite.Result(h.TestID))))
		}
	}
	all = Resolve(all)
	if suite.Known != nil {
		locators := LocatorsOf(all)
		for _, h := range ahead {
			locators = append(locators, h.Locator)
		}
		slices.Sort(locators)
		var err error
		if suite.Learned, err = suite.Known(slices.Compact(locators)); err != nil {
			return nil, fmt.Errorf("read what is known of elements: %w", err)
		}
	}
	all = Resolve(append(all, p.proposeAhead(all, ahead, suite)...))
	uses := p.Spread(all, suite)
	for i := range uses {
		uses[i].Note = "another use of the element that " + string(uses[i].Cause.Test) + " lost: take both edits or none"
	}
	uses = slices.DeleteFunc(uses, func(use Proposal) bool { return !suite.Editable(use.Edit.File) })
	all = slices.DeleteFunc(all, func(p Proposal) bool {
		return slices.ContainsFunc(uses, func(use Proposal) bool { return use.settles(p) })
	})
	return Resolve(append(all, uses...)), nil
}

// settles reports whether the edit of another use is that of an event which proves none
// by itself: a heal without an edit, or a suggestion.
func (p Proposal) settles(event Proposal) bool {
	switch at := event.Heal.Site; {
	case event.Edit != nil:
		return event.Suggested() && event.Heal.Reason == engine.ReasonSuggestOnly && sameEdit(*p.Edit, *event.Edit)
	case event.Heal.Outcome != engine.OutcomeHealed || event.Heal.Locator != p.Heal.Locator:
		return false
	case at == nil:
		return CauseOf(p.Heal) == CauseOf(event.Heal)
	default:
		return at.Line == p.Edit.Line && (at.File == p.Edit.File || strings.HasSuffix(at.File, "/"+p.Edit.File) || strings.HasSuffix(p.Edit.File, "/"+at.File))
	}
}

// decide takes an edit away that is not to be made, and says what to check of others.
func (s Suite) decide(p Proposal) Proposal {
	check := ""
	switch {
	case p.Edit == nil:
	case !s.Editable(p.Edit.File):
		return p.WithoutEdit("the file is not among those that may be edited (edit-paths)")
	case p.Heal.Ahead:
		check = "found ahead: no test has met this loss yet; rerun to confirm"
	case p.Heal.Trace != "":
		check = "unverified: taken from the failed run's trace; rerun to confirm"
	case p.Suggested():
		check = "nothing was done with the element, and the test stays red until it passes with the edit"
	case s.Failed(p.Heal.TestID):
		return p.WithoutEdit("the test failed all the same, so nothing shows that this is the right element")
	}
	p.Note = strings.Trim(p.Note+"; "+check, "; ")
	return p
}
