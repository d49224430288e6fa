package patch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// addFilledEdit fills in the edit of a text that the test hands to a function which composes
// the lost locator of it: button("Save"), which looked for //button[text()='Save'] and is
// //button[text()='Store']. It is for a locator of which no literal was found, and needs a
// new one that was counted and that is the same but for this text.
func (p *Proposer) addFilledEdit(out *Proposal, s *scope, t *engine.TestResult) {
	for range s.computedChanges(out.Heal) {
		s.change.filled = true
		where, placement, err := s.findArgument()
		if errors.Is(err, errNoArgument) {
			continue
		}
		var e Edit
		var edited locator.Selector
		if err == nil {
			e, edited, err = p.editFilled(where, s, out.Heal)
		}
		if err == nil {
			err = p.refuseUsedByPassed(where, s, out.Heal, t)
		}
		if err != nil {
			out.Reason = err.Error()
			return
		}
		out.edit(e, placement, edited, where.in)
		return
	}
}

// editFilled returns the edit of a text that fills the old locator, and the new locator as
// the function composes it then.
func (p *Proposer) editFilled(x hit, s *scope, h engine.HealEvent) (Edit, locator.Selector, error) {
	if unwritable := locator.Writable(x.value); unwritable != "" {
		return Edit{}, s.next, errors.New(unwritable)
	}
	edited, err := x.asEdited(s.change, s.next)
	if err != nil || locator.ProofOf(h, edited) != locator.Unique {
		return Edit{}, edited, cmp.Or(err, errUnverified)
	}
	e, err := replaceLiteral(x.in, x.literal, x.value)
	if err == nil {
		err = s.verifyFilled(x, e)
	}
	return e, edited, err
}

// verifyFilled makes an edit and reads the file again: what the text fills must be the new
// locator, and the old text must be what makes the old one of it.
func (s *scope) verifyFilled(x hit, e Edit) error {
	patched, err := Apply(x.in.Bytes, []Edit{e})
	if err != nil {
		return err
	}
	after, err := source.New(x.in.Path, x.in.Dialect, patched)
	if err != nil {
		return errUnverified
	}
	back := s.change
	back.old, back.new, back.whole, back.wholeNew = back.new, back.old, back.wholeNew, back.whole
	again, why := filledHit(after, s.tree, x.literal, back)
	was, _ := x.in.Literal(x.literal)
	if len(x.via) > 0 && (why != calls.NoObstacle || again.value != was) {
		return errUnverified
	}
	return nil
}

// errNoArgument says that no text which a function is handed makes the old locator.
var errNoArgument = errors.New("no function is handed what makes the locator")

// findArgument returns the one literal that a function is handed and makes the old locator
// of, and its placement.
func (s *scope) findArgument() (hit, float64, error) {
	all, err := s.searchFiles()
	if err != nil {
		return hit{}, 0, err
	}
	x, placement, err := s.pickArgument(&all)
	if err == nil {
		err = cmp.Or(s.refuseRivals(x, placement, all), s.refuseTwin(x))
	}
	return x, placement, err
}

// pickArgument picks it among what was found, going by the line of the site: that of the call
// which hands it, or one on the way to the locator call.
func (s *scope) pickArgument(all *searchResult) (hit, float64, error) {
	if s.site != nil && s.siteFile != nil {
		switch at := hitsOnSite(s.siteFile, slices.Concat(all.own, all.shared, all.others), *s.site); {
		case len(at) == 1:
			return at[0], placementSite, s.refuseOtherTest(at[0])
		case len(at) > 1:
			return hit{}, 0, s.tooManyError(at)
		}
		if !all.keepHandedTo(s.siteFile, s.site.Line) {
			return hit{}, 0, errNoArgument
		}
	}
	if len(all.own) > 0 { // what runs before the test may hand it, too
		all.own = append(all.own, filterPlaces(all.shared, func(x hit) bool { return s.mayRun(x.uses[0].in, x.uses[0].open) })...)
	}
	switch {
	case len(all.own) > 1:
		return hit{}, 0, s.tooManyError(all.own)
	case len(all.own) == 1:
		return all.own[0], placementTest, nil
	case all.unreadable != "":
		return hit{}, 0, fmt.Errorf("%s may also stand in %s, which cannot be read for sure", quoteOld(s.change), source.Printable(all.unreadable))
	}
	if len(all.shared) > 1 {
		s.dropUnused(all)
	}
	switch {
	case len(all.shared) > 1:
		return hit{}, 0, s.tooManyError(all.shared)
	case len(all.shared) == 1:
		return all.shared[0], placementShared, nil
	}
	return hit{}, 0, errNoArgument
}
