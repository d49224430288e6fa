package patch

import (
	"regexp"
	"sort"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// change is the one value of a locator that has to change.
type change struct {
	before   []locator.Part // parts that the call must hang on
	old, new locator.Part
	whole    string // the whole old selector, when it has several parts
	wholeNew string
	frame    bool // the next part steps into a frame
}

// hit is a literal that says what the change looks for.
type hit struct {
	calls.Argument
	in       *source.File
	literal  int    // token of the literal
	value    string // what the literal has to say instead
	receiver calls.Certainty
	constant string // name of the constant that the literal is the value of
	nested   bool   // it narrows another locator and is not looked for by itself
}

func (h hit) line() int   { return h.in.LineOf(h.literal) }
func (h hit) offset() int { return h.in.Tokens[h.literal].Start }

// miss is an equal literal that is not in a place that can be edited.
type miss struct {
	in    *source.File
	token int
	why   calls.Obstacle
}

// maxHits bounds how many equal literals of one file are looked at. Far fewer
// are too many to choose from.
const maxHits = 100

// searchFile_ finds the literals of s that the change could mean. Constants are
// followed to their uses in the files of t.
func searchFile_(s *source.File, t *checkout.Tree, c change) ([]hit, []miss) {
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
		if why == calls.OutsideCall {
			if h, misfit := constantHit(s, t, i, c); misfit == calls.NoObstacle {
				hits = append(hits, h)
				continue
			} else if misfit != calls.OutsideCall {
				why = misfit
			}
		}
		if why != calls.NoObstacle {
			misses = append(misses, miss{s, i, why})
			continue
		}
		if h, ok := matchArgument(s, found, c); ok {
			h.literal = i
			hits = append(hits, h)
		} else {
			misses = append(misses, miss{s, i, calls.OutsideCall})
		}
	}
	return hits, misses
}

// isIn reports whether a literal says a value the change looks for.
// Playwright does not heed white space around a selector.
func (c change) isIn(value string) bool {
	value = strings.TrimSpace(value)
	return value == c.old.Value || value == c.old.Raw || c.whole != "" && value == c.whole
}

// matchArgument decides whether a slot is one the change is about, and what the literal
// has to say then.
func matchArgument(s *source.File, found calls.Argument, c change) (hit, bool) {
	h := hit{Argument: found, in: s, literal: found.Token}
	before := c.before
	selector := found.Kind == locator.KindCSS
	if selector {
		found.Text = strings.TrimSpace(found.Text)
	}
	switch {
	case selector && isFrameSelector(s, found) != c.frame:
		return h, false
	case selector && c.whole != "" && found.Text == c.whole:
		h.value, before = c.wholeNew, nil
	case selector && found.Text == c.old.Raw:
		h.value = c.new.Raw
	case selector && c.old.Kind == locator.KindCSS && found.Text == c.old.Value:
		h.value = c.new.Value
	case !selector && found.Kind == c.old.Kind && found.Text == c.old.Value && c.old.Kind == c.new.Kind && optionsAgree(s, found, c.old):
		h.value = c.new.Value
	default:
		return h, false
	}
	h.receiver = receiverOf(s, found).Matches(before)
	h.nested = isArgument(s, found.Call)
	return h, true
}

// isArgument reports whether the locator that the call at open is a link of is
// given to another locator: filter({ has: page.getByText('x') }), a.or(b).
func isArgument(s *source.File, open int) bool {
	at := s.Statement(open)
	first := sort.Search(len(s.Tokens), func(i int) bool { return s.Tokens[i].Start >= at.Start })
	around := s.Parent[first]
	if key := s.Key(first); key != "" && key != "has" && key != "hasnot" && key != "locator" {
		return false
	}
	if around >= 0 && s.Text(around) == "{" {
		around = calls.OptionsCall(s, around)
	}
	if around < 0 || s.Text(around) != "(" {
		return false
	}
	switch name := locator.Fold(s.Text(s.Callee(around))); name {
	case "filter", "locator", "or", "and", "has", "hasnot", "sethas", "sethasnot":
		c := s.Callee(around)
		return s.IsMember(c) && !expects.MatchString(locator.Fold(s.Text(c-2)))
	}
	return false
}

// expects matches what assertions are made with: Go's expect.Locator(l).
var expects = regexp.MustCompile(`expect|assert`)

// receiverOf returns what a slot hangs on. The text of a locator's option hangs on
// the locator itself.
func receiverOf(s *source.File, found calls.Argument) calls.Chain {
	c := s.Callee(found.Call)
	before := calls.Receiver(s, c, 0)
	option := found.Kind == locator.KindHasText || found.Kind == locator.KindHasNotText
	if value, ok := s.Literal(found.Call + 1); option && locator.CallKind(s.Text(c)) == locator.KindCSS {
		before.Links = append(before.Links, calls.SelectorLinks(value, ok)...)
	}
	return before
}

// isFrameSelector reports whether a selector is for the frame to step into.
func isFrameSelector(s *source.File, found calls.Argument) bool {
	next := s.End(found.Call) + 1
	return locator.CallKind(s.Text(s.Callee(found.Call))) == locator.KindFrame ||
		s.Text(next) == "." && locator.Fold(s.Text(next+1)) == "contentframe"
}

// optionsAgree compares the other arguments of a getBy… call with the part of the
// selector that it would have made.
func optionsAgree(s *source.File, found calls.Argument, p locator.Part) bool {
	exact, conditions := calls.Options(s, found.Call)
	switch {
	case p.Match == locator.MatchExact && exact == calls.No, p.Match == locator.MatchLoose && exact == calls.Yes:
		return false
	case found.Kind == locator.KindRole:
		return found.Role == p.Role && conditions == (p.Rest != "")
	}
	return true
}
