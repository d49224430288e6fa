package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// change is the one value of a locator that has to change.
type change struct {
	before          []locator.Part // the parts before it, on which the call must be made
	old, new        locator.Part
	whole, wholeNew string // the whole selectors, when they have several parts
	frame           bool   // the next part steps into a frame
}

// hit is a literal with the old value in a place that can be edited.
type hit struct {
	calls.Argument
	in       *source.File
	literal  int             // token of the literal
	value    string          // the value that replaces it
	receiver calls.Certainty // that the call is made on the locator before the change
	constant string          // name of the constant whose value the literal is
	nested   bool            // the locator only narrows another one
	uses     []callAt        // the locator calls that the constant is an argument of
}

// callAt is the parenthesis of a locator call.
type callAt struct {
	in   *source.File
	open int
}

func (h hit) line() int   { return h.in.LineOf(h.literal) }
func (h hit) offset() int { return h.in.Tokens[h.literal].Start }

// miss is a place that cannot be edited: a literal with the old value, or a
// locator call that may compute it.
type miss struct {
	in    *source.File
	token int
	why   calls.Obstacle
}

func (m miss) line() int { return m.in.LineOf(m.token) }

// maxHits bounds the equal literals of one file that are looked at.
const maxHits = 100

// findHits returns the literals of s that could be the one to change. Constants
// are followed to their uses in the files of t.
func findHits(s *source.File, t *checkout.Tree, c change) ([]hit, []miss) {
	var hits []hit
	var misses []miss
	for i, tok := range s.Tokens {
		if len(hits)+len(misses) > maxHits {
			break
		}
		if tok.Kind != scan.String || !tok.Lit.Decoded || !c.isIn(tok.Lit.Value) {
			continue
		}
		found, why := calls.ArgumentOf(s, i)
		var h hit
		switch why {
		case calls.OutsideCall:
			h, why = constantHit(s, t, i, c)
		case calls.NoObstacle:
			h, why = matchArgument(s, found, c)
		}
		if why == calls.NoObstacle {
			hits = append(hits, h)
		} else {
			misses = append(misses, miss{s, i, why})
		}
	}
	return hits, misses
}

// isIn reports whether a literal is one of the old values. Playwright ignores
// white space around a selector.
func (c change) isIn(value string) bool {
	value = strings.TrimSpace(value)
	return value == c.old.Value || value == c.old.Raw || c.whole != "" && value == c.whole
}

// matchArgument returns the hit of a locator call's argument, when that is the
// value to change.
func matchArgument(s *source.File, found calls.Argument, c change) (hit, calls.Obstacle) {
	h := hit{Argument: found, in: s, literal: found.Token}
	before := c.before
	selector := found.Kind == locator.KindCSS
	if selector {
		found.Text = strings.TrimSpace(found.Text)
	}
	switch {
	case selector && isFrameSelector(s, found) != c.frame:
		return h, calls.OutsideCall
	case selector && c.whole != "" && found.Text == c.whole:
		h.value, before = c.wholeNew, nil
	case selector && found.Text == c.old.Raw:
		h.value = c.new.Raw
	case selector && c.old.Kind == locator.KindCSS && found.Text == c.old.Value:
		h.value = c.new.Value
	case !selector && found.Kind == c.old.Kind && found.Text == c.old.Value && optionsAgree(s, found, c.old):
		h.value = c.new.Value
	default:
		return h, calls.OutsideCall
	}
	h.receiver = receiverOf(s, found).Matches(before)
	h.nested = isArgument(s, found.Call)
	return h, calls.NoObstacle
}

// isArgument reports whether the locator with the call at open is an argument of
// another locator: filter({ has: page.getByText('x') }), a.or(b).
func isArgument(s *source.File, open int) bool {
	first := s.TokenFrom(s.Statement(open).Start)
	around := s.Parent[first]
	if key := s.Key(first); key != "" && key != "has" && key != "hasnot" && key != "locator" {
		return false
	}
	if s.Text(around) == "{" {
		around = s.Parent[around]
	}
	c := s.Callee(around)
	switch locator.Fold(s.Text(c)) {
	case "filter", "locator", "or", "and", "has", "hasnot", "sethas", "sethasnot":
		return s.IsMember(c) && !expects.MatchString(locator.Fold(s.Text(c-2)))
	}
	return false
}

// expects matches the receivers of assertions: Go's expect.Locator(l).
var expects = lazyregexp.New(`expect|assert`)

// receiverOf returns the locator that the call of an argument is made on. For a
// text in the options of a locator call this includes the call's own selector.
func receiverOf(s *source.File, found calls.Argument) calls.Chain {
	c := s.Callee(found.Call)
	before := calls.Receiver(s, c, 0)
	option := found.Kind == locator.KindHasText || found.Kind == locator.KindHasNotText
	if value, ok := s.Literal(found.Call + 1); option && locator.CallKind(s.Text(c)) == locator.KindCSS {
		before.Links = append(before.Links, calls.SelectorLinks(value, ok)...)
	}
	return before
}

// isFrameSelector reports whether a selector selects a frame to step into.
func isFrameSelector(s *source.File, found calls.Argument) bool {
	next := s.End(found.Call) + 1
	return locator.CallKind(s.Text(s.Callee(found.Call))) == locator.KindFrame ||
		s.Text(next) == "." && locator.Fold(s.Text(next+1)) == "contentframe"
}

// optionsAgree reports whether the other arguments of a getBy… call agree with a
// part of a selector.
func optionsAgree(s *source.File, found calls.Argument, p locator.Part) bool {
	exact, conditions := calls.Options(s, found.Call)
	if p.SaysHowStrict() && (p.Match == locator.MatchExact && exact == calls.No || p.Match == locator.MatchLoose && exact == calls.Yes) {
		return false
	}
	return found.Kind != locator.KindRole || found.Role == p.Role && conditions == (p.Rest != "")
}

// asEdited returns the new locator as the edited call makes it: what its literal is
// read as, or the value with the strictness that the call's options say.
func (x hit) asEdited(c change, next locator.Selector) (locator.Selector, error) {
	if x.Kind != locator.KindCSS {
		exact, _ := calls.Options(x.in, x.Call)
		match := map[calls.Certainty]locator.Match{calls.Yes: locator.MatchExact, calls.No: locator.MatchLoose}[exact]
		return next.WithMatch(len(c.before), match), nil
	}
	read, err := locator.Parse(x.value)
	switch {
	case err != nil:
		return next, fmt.Errorf("read the new locator again: %w", err)
	case x.value != c.wholeNew && len(read.Parts) != 1:
		return next, errors.New("the new locator would be read as another one")
	case x.value != c.wholeNew:
		read = next.WithPart(len(c.before), read.Parts[0])
	}
	return read, nil
}
