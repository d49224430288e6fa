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
	return Resolve(append(all, uses...)), nil
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
