package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/source"
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
			all = append(all, p.Propose(h, suite.Result(h.TestID)))
		}
	}
	proven := suite.provenRenamings(all)
	for i := range all {
		all[i] = suite.decide(all[i], proven)
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

// AddSuggestions returns the proposals of a run with those of more suggestions that have an
// edit which none of these has.
func (p *Proposer) AddSuggestions(all []Proposal, events []engine.HealEvent, suite Suite) []Proposal {
	var more []Proposal
	for _, h := range events {
		found := suite.decide(p.Propose(h, suite.Result(h.TestID)), nil)
		if found.Edit != nil && !slices.ContainsFunc(all, func(q Proposal) bool { return q.Edit != nil && sameEdit(*q.Edit, *found.Edit) }) {
			more = append(more, found)
		}
	}
	if len(more) == 0 {
		return all
	}
	return Resolve(append(slices.Clone(all), more...))
}

// settles reports whether the edit of another use is that of an event which proves none
// by itself: a heal without an edit or with one that is only suggested, or a suggestion. Uses
// that follow from either prove nothing themselves.
func (p Proposal) settles(event Proposal) bool {
	switch at := event.Heal.Site; {
	case p.Suggested(), p.Doubt != "":
		return false
	case event.Edit != nil:
		mayBe := event.Doubt != "" || event.Suggested() && event.Heal.Reason == engine.ReasonSuggestOnly
		return mayBe && sameEdit(*p.Edit, *event.Edit)
	case event.Heal.Outcome != engine.OutcomeHealed || event.Heal.Locator != p.Heal.Locator:
		return false
	case at == nil:
		return CauseOf(p.Heal) == CauseOf(event.Heal)
	default:
		return at.Line == p.Edit.Line && (at.File == p.Edit.File || strings.HasSuffix(at.File, "/"+p.Edit.File) || strings.HasSuffix(p.Edit.File, "/"+at.File))
	}
}

// decide takes an edit away that is not to be made, and says what to check of others. The
// edit of a heal in a test that failed all the same is only suggested, unless a test that
// passed proves that this part of its locator became the same.
func (s Suite) decide(p Proposal, proven map[renaming]engine.TestID) Proposal {
	check := ""
	switch {
	case p.Edit == nil:
	case !s.Editable(p.Edit.File):
		return p.WithoutEdit("the file is not among those that may be edited (edit-paths)")
	case p.Heal.Ahead:
		check = "found ahead on a page that changed; rerun to confirm"
	case p.Heal.Trace != "":
		check = "unverified: taken from the failed run's trace; rerun to confirm"
	case p.WouldHeal():
		check = "unverified: nothing was done with the element, because heal is suggest; rerun to confirm"
	case p.Suggested():
		check = "nothing was done with the element, and the test stays red until it passes with the edit"
	case s.Failed(p.Heal.TestID):
		r, known := renamingOf(p.Heal)
		if by := proven[r]; known && by != "" {
			check = "the test failed all the same; " + source.Printable(string(by)) + " passed with the same change"
			break
		}
		p.Doubt = "its test failed all the same"
		check = "the test failed all the same, so nothing shows yet that this is the right element"
	}
	p.Note = strings.Trim(p.Note+"; "+check, "; ")
	return p
}
