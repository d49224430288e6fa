package patch

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// repeated is the factor for what a loop composes: the new locator was counted for one of
// its rounds alone.
const repeated = 0.7

// addComposedEdit fills in the edit of a locator that the test composes of its own data and
// of texts that changed: `#row-${id}`, which was #row-42 and is #line-42. It is for a locator
// of which no literal was found, and needs a new one that was counted and that has the same
// data in it. The texts alone are edited; CSS on a test id becomes the call getByTestId.
func (p *Proposer) addComposedEdit(out *Proposal, s *scope, t *engine.TestResult) {
	for range s.computedChanges(out.Heal) {
		s.change.composed = true
		where, placement, err := s.findLiteral()
		if err != nil || where.composed == nil {
			continue
		}
		e, edited, err := p.editComposed(where, s, out.Heal)
		if err == nil {
			err = p.refuseUsedByPassed(where, s, out.Heal, t)
		}
		if err != nil {
			if placement == placementSite && !errors.Is(err, errUnverified) {
				out.Reason = err.Error()
			}
			if e.New != "" {
				return // the edit is known, and a test that passed stops it
			}
			continue
		}
		if isRepeated(where.callIn, where.Call) {
			placement *= repeated
			out.Note = "it is composed in a loop, and what else the loop looks for may not have changed"
		}
		out.edit(e, placement, edited, where.in)
		return
	}
}

// computedChanges sets the change to each of the counted locators in the scope, while the
// files have no literal of the old one: then code computes it.
func (s *scope) computedChanges(h engine.HealEvent) iter.Seq[locator.Selector] {
	return func(yield func(locator.Selector) bool) {
		for _, next := range countedAlone(h) {
			var ok bool
			if s.next, s.change, ok = composedChange(h, next); !ok {
				continue
			}
			s.noLiteral = ""
			_, _, err := s.findLiteral()
			isAbsent := errors.Is(err, errAbsent) || errors.Is(err, errNoLiteral) || errors.Is(err, errComputed)
			if !isAbsent || !yield(s.next) {
				return
			}
		}
	}
}

// edit fills in an edit, and the locator that the edited code of a file computes.
func (p *Proposal) edit(e Edit, placement float64, edited locator.Selector, in *source.File) {
	p.Edit, p.Place, p.Reason = &e, placement, ""
	p.Confidence *= placement
	p.Locator, p.Modern = edited.String(), ""
	p.Code = locator.Print(edited, in.Dialect.Print)
}

// composedChange returns the change to a counted locator, which it gives the author's form
// where that is CSS and the counted one an attribute's value.
func composedChange(h engine.HealEvent, next locator.Selector) (locator.Selector, change, bool) {
	c, err := changeOf(h, next)
	if err == nil && c.new.Kind != c.old.Kind {
		name, value, ok := locator.AttributeOf(c.new)
		if !ok || c.old.Kind != locator.KindCSS || c.around != nil {
			return next, c, false
		}
		next = next.WithPart(len(c.before), locator.ByAttribute(name, value).Last())
		c, err = changeOf(h, next)
	}
	alike := c.new.Role == c.old.Role && c.new.Rest == c.old.Rest && c.new.Regexp == c.old.Regexp && (c.new.Attr == c.old.Attr || c.new.Attr == "" || c.old.Attr == "")
	return next, c, err == nil && alike
}

// editComposed returns the edit of a composition and the new locator as the edited call makes
// it with the test's data.
func (p *Proposer) editComposed(x hit, s *scope, h engine.HealEvent) (Edit, locator.Selector, error) {
	if getters := p.gettersOf(x, s, h); len(getters) > 0 {
		part := getters[0].Parts[len(s.change.before)]
		if texts, ok := x.composed.Rewrite(x.Text, part.Value, false); ok && part.Kind == locator.KindTestID && s.proves(h, getters[0], true) {
			if e, err := replaceComposedCall(x.in, x.Call, *x.composed, texts); err == nil {
				return e, getters[0], nil
			}
		}
	}
	edited, err := x.asEdited(s.change, s.next)
	if err != nil || locator.ProofOf(h, edited) != locator.Unique {
		return Edit{}, edited, cmp.Or(err, errUnverified)
	}
	texts, ok := x.composed.Rewrite(x.Text, x.value, x.Kind == locator.KindCSS)
	if !ok {
		return Edit{}, edited, fmt.Errorf("%s is composed at line %d of %s, and the new locator does not have the same filled in", quoteOld(s.change), x.line(), x.in.Name())
	}
	with, err := writeComposed(x.in, *x.composed, texts)
	if err != nil {
		return Edit{}, edited, err
	}
	e, err := verifiedComposed(x.in, *x.composed, with)
	if err != nil {
		return Edit{}, edited, err
	}
	return e, edited, nil
}

// composedAlike returns the places of a file that compose the old locator of an event of the
// same source text as an edited one does, and that one.
func (s *spreader) composedAlike(src *source.File, h engine.HealEvent, edited func(hit) bool) []hit {
	for _, next := range countedAlone(h) {
		_, c, ok := composedChange(h, next)
		c.composed = true
		if hits, _ := findHits(src, s.tree, c); ok {
			if i := slices.IndexFunc(hits, edited); i >= 0 {
				own := textOf(src, *hits[i].composed)
				return filterPlaces(hits, func(x hit) bool { return textOf(src, *x.composed) == own })
			}
		}
	}
	return nil
}

// countedAlone returns the locators that found the healed element alone, the healer's own
// first.
func countedAlone(h engine.HealEvent) []locator.Selector {
	var out []locator.Selector
	for _, m := range append([]engine.Match{{Locator: h.HealedLocator, Count: 1}}, h.Matches...) {
		if next, err := locator.Parse(m.Locator); err == nil && m.Locator != "" && m.Count == 1 {
			out = append(out, next)
		}
	}
	return out
}

// findComposed returns the compositions of a file that could be the one to change.
func findComposed(s *source.File, t *checkout.Tree, c change) []hit {
	var hits []hit
	for i := 1; i < len(s.Tokens) && len(hits) <= maxHits; i++ {
		switch s.Text(i - 1) {
		case "(", ",", ":", "=", "=>", "return":
		default:
			continue
		}
		if h, ok := formatHit(s, t, i, c); ok {
			hits = append(hits, h)
			continue
		}
		if made, ok := source.CompositionOf(s, i); ok {
			if h, ok := composedHit(s, t, made, c); ok {
				hits = append(hits, h)
			}
		}
	}
	preferWhole(hits)
	return hits
}

// composedHit returns the hit of a composition that gave one of the old values.
func composedHit(s *source.File, t *checkout.Tree, made source.Composition, c change) (hit, bool) {
	for _, old := range []string{c.whole, c.old.Raw, c.old.Value} {
		if !made.Gives(old) {
			continue
		}
		found, why := calls.ArgumentAt(s, made.First, made.Last, old)
		if source.AnyContains(s.Conditional, s.Tokens[made.First].Start) {
			continue
		}
		if why == calls.OutsideCall {
			if h, ok := composedName(s, t, made, old, c); ok {
				return h, true
			}
		}
		if why != calls.NoObstacle {
			continue
		}
		if h, why := matchArgument(s, found, c); why == calls.NoObstacle {
			h.literal, h.composed = made.First, &made
			return h, true
		}
	}
	return hit{}, false
}

// composedName returns the hit of a composition that a local variable or a private field holds,
// or that a function returns, of which nothing is done but look for it: row = "#row-" + id.
func composedName(s *source.File, t *checkout.Tree, made source.Composition, old string, c change) (hit, bool) {
	named, ok := values.LocalOf(s, made.First, made.Last)
	if ok {
		t = nil // no other file has it
	} else if named, ok = values.KeptBy(s, made.First, made.Last); !ok {
		return hit{}, false
	}
	uses, ok := values.FindUses(s, t, named)
	if !ok {
		return hit{}, false
	}
	h, ok := asOne(hitsOfUses(uses, t, old, c, 0))
	h.in, h.literal, h.composed, h.constant = s, made.First, &made, named.Name
	return h, ok
}

// asOne returns one hit for the locator calls that are made of one value, false where there is
// none or they give it different new ones. It is as certain as the least certain of them, and
// used where each of them is, or a call on the way to it.
func asOne(found []hit) (hit, bool) {
	if len(found) == 0 || !agree(found) {
		return hit{}, false
	}
	h := found[0]
	for _, x := range found {
		h.receiver = min(h.receiver, x.receiver)
		at := append([]callAt{{x.callIn, x.Call}}, x.via...)
		h.uses, h.handed = append(h.uses, at...), append(h.handed, at...)
	}
	return h, true
}

// loops are the words and the folded names of what runs a block more than once.
var loops = scan.WordSet("for foreach while do map each flatmap")

// isRepeated reports whether a token stands in a loop.
func isRepeated(s *source.File, i int) bool {
	if s.Dialect.Scan == scan.Python {
		for block := range s.OuterBlocks(i) {
			if word := s.Text(block); loops[word] || word == "async" && loops[s.Text(block+1)] {
				return true
			}
		}
		return false
	}
	for open := s.Parent[i]; open >= 0; open = s.Parent[open] {
		head := open - 1
		if s.Text(head) == ")" {
			head = s.End(head) - 1
		}
		first := s.FirstToken(s.LineOf(open))
		if s.Text(open) == "{" && (loops[s.Text(head)] || loops[s.Text(first)]) ||
			s.Text(open) == "(" && s.Callee(open) >= 0 && loops[locator.Fold(s.Text(s.Callee(open)))] {
			return true
		}
	}
	return slices.Contains([]string{"for", "while"}, s.Text(s.TokenFrom(s.Statement(i).Start)))
}
