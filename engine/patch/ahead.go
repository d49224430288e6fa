package patch

import (
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// proposeAhead returns the edits for elements that were found ahead, because their page was
// seen changed: nobody waited for a test to lose them. Of the uses of one element the first
// with a sure edit is returned; Spread finds the others. A locator that a test passed with
// is not lost, and of one that a test lost the test's own event says more. What only an
// assertion looks for is left out, as it may be what is wrong, unless the assertion itself
// lost it, in a trial: that is a suggestion.
func (p *Proposer) proposeAhead(own []Proposal, events []engine.HealEvent, suite Suite) []Proposal {
	s := p.newSpreader(own, suite)
	var leads []Proposal
	for _, h := range events {
		again := func(q Proposal) bool { return q.Heal.Locator == h.Locator && suite.Same(q.Heal.Original, h.Original) }
		if slices.ContainsFunc(leads, again) || slices.ContainsFunc(own, again) || !s.mayBeLost(h) {
			continue
		}
		if h.Site = s.currentSite(h, h); h.Site == nil && !s.allSame(h.Original, h) {
			continue
		}
		found := suite.decide(s.Propose(h, suite.Result(h.TestID)), nil)
		if found.Edit == nil || !found.Sure() || s.isTaken(*found.Edit) || h.Action != "expect" && s.isAsserted(*found.Edit) {
			continue
		}
		leads = append(leads, found)
		s.edits[found.Edit.File] = append(s.edits[found.Edit.File], *found.Edit)
	}
	return leads
}

// mayBeLost reports whether nothing in the run says that the locator of an event is still
// found, or what became of its element. A test that passed came to the end, so what it did
// not lose on the way it found; one that passed by a heal of the same locator shows nothing
// of another use of it.
func (s *spreader) mayBeLost(h engine.HealEvent) bool {
	at := s.causeOf(h)
	_, lost := s.lost[at]
	broken, passed := s.passed[at.Test]
	if lost || passed && !slices.Contains(broken, h.Locator) {
		return false
	}
	for _, other := range s.lost {
		if other.Locator == h.Locator && !mayFollow(other) && s.suite.Same(other.Original, h.Original) {
			return false
		}
	}
	_, everywhere := s.usesOf(h)
	return everywhere
}

// isTaken reports whether an edit is in the place of one that is proposed already.
func (s *spreader) isTaken(e Edit) bool {
	return slices.ContainsFunc(s.edits[e.File], func(other Edit) bool { return other.Start < e.End && e.Start < other.End })
}

// isAsserted reports whether an edit is of a locator that only assertions wait for. One whose
// text or value is read first is not: the read is lost, as an action would be.
func (s *spreader) isAsserted(e Edit) bool {
	src, err := s.tree.Load(e.File)
	if err != nil {
		return true
	}
	first := src.TokenFrom(e.Start)
	isRead, open := calls.IsRead(src, first), -1
	for i := src.Parent[first]; i >= 0 && src.Text(i) != "{"; i = src.Parent[i] {
		if calls.IsExpectation(src, i) {
			return !isRead
		}
		isRead = isRead || calls.IsRead(src, src.Callee(i))
		open = i
	}
	for i := first; open < 0 && i < src.TokenFrom(e.End); i++ { // the edit is of the whole call
		if src.Text(i) == "(" {
			open = i
		}
	}
	uses := usesOfVariable(src, hit{Argument: calls.Argument{Call: open}, in: src})
	return !isRead && len(uses) > 0 && !slices.ContainsFunc(uses, func(at source.Span) bool {
		i := src.TokenFrom(at.Start)
		return !calls.IsExpectation(src, src.Parent[i]) || calls.IsRead(src, i)
	})
}
