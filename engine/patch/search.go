package patch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/callers"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// change is the one value of a locator that has to change.
type change struct {
	before, after   []locator.Part // the parts before it, on which the call must be made, and those behind it
	old, new        locator.Part
	whole, wholeNew string       // the whole selectors, when they have several parts
	frame           bool         // the next part steps into a frame
	around          *surrounding // the locator that has the changed one inside, nil for none
	composed        bool         // no literal has it: what code composes is looked for
	filled          bool         // no literal has it: a text is looked for that functions fill it with
	format          bool         // the text is made of a format, whose uses are looked at

	// roles are the ARIA roles that the call of a function gives its parameters, by their
	// names, while its code is looked at.
	roles map[string]string
	texts map[string]string // the same of texts

	following []following // the functions whose code is looked at, each called by the one before it

	runner func() *callers.Runner // knows the classes of what is called, nil where nothing does
}

// surrounding is a locator that has another one inside, as filter({ has: … }) does.
type surrounding struct {
	before, after []locator.Part // the parts around that of the inner locator
	kind          locator.Kind
	inner         locator.Selector // the new inner locator
}

// hit is a literal with the old value in a place that can be edited.
type hit struct {
	calls.Argument
	in       *source.File
	literal  int                 // token of the literal
	value    string              // the value that replaces it
	receiver calls.Certainty     // that the call is made on the locator before the change
	constant string              // name of the constant whose value the literal is, or of the function that it is handed to
	narrowed bool                // conditions or a position follow that the healed locator does not tell
	uses     []callAt            // the calls that the constant is an argument of
	callIn   *source.File        // the file of Call
	computed []values.Use        // the uses of the constant by a name that is computed
	handed   []callAt            // the locator calls that functions of the project make of it
	cell     *values.Cell        // that the literal is of a table, nil for none
	composed *source.Composition // what is in the place of a literal, nil for one
	via      []callAt            // the calls by which a text is handed to the locator call
	made     string              // what the locator call looks for then, "" where that is value
	traced   []values.Use        // the uses of the constant by which tests are known that look for the literal, none for the literal's own place
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
	switch {
	case c.composed:
		return findComposed(s, t, c), nil
	case c.filled:
		return findFilled(s, t, c)
	}
	var hits []hit
	var misses []miss
	for i, tok := range s.Tokens {
		if len(hits)+len(misses) > maxHits {
			break
		}
		if joined, ok := c.joinedAt(s, i); ok {
			if h, why := joinedHit(s, t, joined, c); why == calls.NoObstacle {
				hits = append(hits, h)
			} else {
				misses = append(misses, miss{s, i, why})
			}
			continue
		}
		if tok.Kind != scan.Regex && (tok.Kind != scan.String || !tok.Lit.Decoded) || !c.isAt(s, i) {
			continue
		}
		found, why := calls.ArgumentOf(s, i)
		var h hit
		switch why {
		case calls.OutsideCall:
			if h, why = constantHit(s, t, i, c); why == calls.OutsideCall {
				h, why = handedHit(s, t, i, c)
			}
		case calls.NoObstacle:
			h, why = matchArgument(s, found, c)
			h.literal = i // of a regular expression found is the whole
			if why == calls.OutsideCall && !isPlaywright(s, s.Callee(s.Parent[i])) {
				h, why = handedHit(s, t, i, c)
			} else if why == calls.NoObstacle && isNamedLikeAction(s, h.Call) {
				if handed, unknown := handedHit(s, t, i, c); unknown != calls.OutsideCall {
					h, why = handed, unknown
				}
			}
		}
		if why == calls.NoObstacle {
			hits = append(hits, h)
		} else {
			misses = append(misses, miss{s, i, why})
		}
	}
	preferWhole(hits)
	return hits, misses
}

// constantHit returns the hit of a literal that is the value of a constant, when
// every use of the constant is an argument of a locator call, or only told in a log.
func constantHit(s *source.File, t *checkout.Tree, i int, c change) (hit, calls.Obstacle) {
	k, ok := values.ConstantOf(s, t, i)
	if !ok {
		return hit{}, calls.OutsideCall
	}
	value, _ := s.Literal(i)
	found, ok := values.FindUses(s, t, k)
	if !ok {
		return hit{}, whyNotHit(k, found, t, value, c)
	}
	best := hit{}
	for _, u := range found {
		if calls.IsLogged(u.In, u.In.Parent[u.First]) || c.isWithin(u) {
			continue
		}
		h, ok := hitOfUse(u, t, value, c)
		if !ok {
			return hit{}, whyNotHit(k, found, t, value, c)
		}
		uses, handed, computed := append(best.uses, h.uses...), append(best.handed, h.handed...), best.computed
		if u.Computed {
			computed = append(computed, u)
		}
		if len(best.uses) == 0 || h.receiver > best.receiver {
			best = h
		}
		best.uses, best.handed, best.computed = uses, handed, computed
	}
	switch {
	case len(best.uses) == 0 && k.Cell != nil:
		return hit{}, calls.OutsideCall
	case len(best.uses) == 0:
		return hit{}, values.UnusedConstant
	}
	best.in, best.literal, best.constant = s, i, k.Name
	if best.cell = k.Cell; k.Traced {
		best.traced = found
	}
	return best, calls.NoObstacle
}

// whyNotHit says why a constant has no hit of which more is done than to look for its value.
// A list's may be any text: it is one of a locator where one of the uses looks for it. Of an
// object others may take one entry.
func whyNotHit(k values.Constant, found []values.Use, t *checkout.Tree, value string, c change) calls.Obstacle {
	looksFor := func(u values.Use) bool {
		_, ok := hitOfUse(u, t, value, c)
		return ok
	}
	if k.Cell != nil && !k.Cell.IsObject() && !slices.ContainsFunc(found, looksFor) {
		return calls.OutsideCall
	}
	return values.UsedElsewhere
}

// hitOfUse returns the hit of one use of a constant: an argument of a locator call, or of
// functions of the project that look for it.
func hitOfUse(u values.Use, t *checkout.Tree, value string, c change) (hit, bool) {
	found := hitsOfUse(u, t, value, c, 0)
	if len(found) == 0 || !agree(found) {
		return hit{}, false
	}
	if h := found[0]; h.in == u.In && h.Token == u.First {
		h.uses = []callAt{{u.In, h.Call}}
		return h, true
	}
	return joinHanded(found, callAt{u.In, callAround(u)}, c), true
}

// handedHit returns the hit of a literal that is handed to a function of the project
// which does nothing with it but look for it.
func handedHit(s *source.File, t *checkout.Tree, i int, c change) (hit, calls.Obstacle) {
	text, _ := s.Literal(i)
	handed, isOwn := handedHits(s, t, i, i, text, c, 0)
	at := s.Parent[i]
	if h, ok := handingAt(s, i, i); ok {
		at = h.open
	}
	switch {
	case len(handed) > 0 && agree(handed):
	case isOwn && isNamedLikeAction(s, at):
		return hit{}, doesMore
	default:
		return hit{}, calls.OutsideCall
	}
	h := joinHanded(handed, callAt{s, at}, c)
	h.in, h.literal, h.constant = s, i, s.Text(s.Callee(at))
	return h, calls.NoObstacle
}

// doesMore is the obstacle of a text that a function of the project gets which does more with
// it than look for it.
const doesMore calls.Obstacle = "as an argument of a function that does more than look for it"

// joinHanded returns one hit for what the call at a place looks for by functions. Where
// another locator is looked for in what they give back, the healed one does not end there.
func joinHanded(handed []hit, at callAt, c change) hit {
	best := slices.MaxFunc(handed, func(a, b hit) int { return cmp.Compare(a.receiver, b.receiver) })
	if behind := at.in.End(at.open) + 2; at.in.IsMember(behind) && locator.CallKind(at.in.Text(behind)) != "" && len(c.after) == 0 {
		best.receiver = calls.No
	}
	for _, h := range handed {
		best.handed = append(append(best.handed, callAt{h.callIn, h.Call}), h.via...)
	}
	best.uses = []callAt{at}
	return best
}

// preferWhole rules out the narrowed ones of several hits where another one is all that
// was healed.
func preferWhole(hits []hit) {
	if !slices.ContainsFunc(hits, func(x hit) bool { return x.receiver != calls.No && !x.narrowed }) {
		return
	}
	for i := range hits {
		if hits[i].narrowed {
			hits[i].receiver = calls.No
		}
	}
}

// isAt reports whether the literal at token i is one of the old values, or a regular
// expression that is.
func (c change) isAt(s *source.File, i int) bool {
	if pattern, ok := calls.PatternAt(s, i); ok {
		return c.old.Regexp && pattern.Body == c.old.Value
	}
	value, ok := s.Literal(i)
	return ok && c.isIn(value)
}

// isIn reports whether a literal is one of the old values. Playwright ignores
// white space around a selector, and keeps that around a text.
func (c change) isIn(value string) bool {
	text := value
	value = strings.TrimSpace(value)
	return text == c.old.Value || value == c.old.Value || value == c.old.Raw || c.whole != "" && value == c.whole
}

// matchArgument returns the hit of a locator call's argument, when that is the
// value to change.
func matchArgument(s *source.File, found calls.Argument, c change) (hit, calls.Obstacle) {
	h := hit{Argument: found, in: s, literal: found.Token, callIn: s}
	before := c.before
	selector := found.Kind == locator.KindCSS
	if selector {
		found.Text = strings.TrimSpace(found.Text)
	}
	switch {
	case selector && calls.IsFrame(s, found) != c.frame:
		return h, calls.OutsideCall
	case selector && c.whole != "" && found.Text == c.whole:
		h.value, before = c.wholeNew, nil
	case selector && found.Text == c.old.Raw:
		h.value = c.new.Raw
	case selector && c.old.Kind == locator.KindCSS && found.Text == c.old.Value:
		h.value = c.new.Value
	case !selector && found.Kind == c.old.Kind && found.Text == c.old.Value && found.Regexp == c.old.Regexp && optionsAgree(s, found, c.old):
		h.value = c.new.Value
	default:
		return h, calls.OutsideCall
	}
	after := c.after
	if selector && c.whole != "" && found.Text == c.whole {
		after = nil
	}
	h.receiver = calls.ReceiverOf(s, found).Matches(before)
	tail := calls.TailOf(s, found).Allows(after)
	if h.narrowed = tail == calls.Unsure; tail == calls.No {
		h.receiver = calls.No
	}
	h.receiver = min(h.receiver, c.matchesAround(s, found.Call))
	return h, calls.NoObstacle
}

// matchesAround returns whether the locator with the call at open stands inside of
// another one as the changed one does: nowhere, or in the surrounding.
func (c change) matchesAround(s *source.File, open int) calls.Certainty {
	host, kind := calls.HostOf(s, s.TokenFrom(s.Statement(open).Start))
	if kind == "" && c.around != nil {
		host, kind = hostOfField(s, open)
	}
	switch {
	case c.around == nil && kind == "":
		return calls.Yes
	case c.around == nil || kind != c.around.kind || calls.TailOf(s, calls.Argument{Call: host, Kind: kind}).Allows(c.around.after) == calls.No:
		return calls.No
	}
	return calls.ReceiverOf(s, calls.Argument{Call: host, Kind: kind}).Matches(c.around.before)
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
	if c.around != nil {
		inner, at := c.around.inner, len(c.around.before)
		c.around = nil
		edited, err := x.asEdited(c, inner)
		return next.WithPart(at, locator.NestedIn(next.Parts[at].Kind, edited)), err
	}
	if x.Kind != locator.KindCSS {
		exact, _ := calls.Options(x.callIn, x.Call)
		match := map[calls.Certainty]locator.Match{calls.Yes: locator.MatchExact, calls.No: locator.MatchLoose}[exact]
		return next.WithMatch(len(c.before), match), nil
	}
	value := cmp.Or(x.made, x.value)
	read, err := locator.Parse(value)
	switch {
	case err != nil:
		return next, fmt.Errorf("read the new locator again: %w", err)
	case value != c.wholeNew && len(read.Parts) != 1:
		return next, errors.New("the new locator would be read as another one")
	case value != c.wholeNew:
		read = next.WithPart(len(c.before), read.Parts[0])
	}
	return read, nil
}
