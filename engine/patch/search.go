package patch

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
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
	slot
	in       *source
	literal  int    // token of the literal
	value    string // what the literal has to say instead
	hangs    answer
	constant string // name of the constant that the literal is the value of
	nested   bool   // it narrows another locator and is not looked for by itself
}

func (h hit) line() int   { return h.in.lineOf(h.literal) }
func (h hit) offset() int { return h.in.tokens[h.literal].Start }

// miss is an equal literal that is not in a place that can be edited.
type miss struct {
	in    *source
	token int
	why   misfit
}

// maxHits bounds how many equal literals of one file are looked at. Far fewer
// are too many to choose from.
const maxHits = 100

// search finds the literals of s that the change could mean. Constants are
// followed to their uses in the files of t.
func (s *source) search(t *tree, c change) ([]hit, []miss) {
	var hits []hit
	var misses []miss
	for i, tok := range s.tokens {
		if len(hits)+len(misses) > maxHits {
			break
		}
		if tok.Kind != scan.String || !tok.Lit.Decoded || !c.mentions(tok.Lit.Value) {
			continue
		}
		found, why := s.slotOf(i)
		if why == elsewhere {
			if h, misfit := s.constantHit(t, i, c); misfit == fits {
				hits = append(hits, h)
				continue
			} else if misfit != elsewhere {
				why = misfit
			}
		}
		if why != fits {
			misses = append(misses, miss{s, i, why})
			continue
		}
		if h, ok := s.aim(found, c); ok {
			h.literal = i
			hits = append(hits, h)
		} else {
			misses = append(misses, miss{s, i, elsewhere})
		}
	}
	return hits, misses
}

// mentions reports whether a literal says a value the change looks for.
// Playwright does not heed white space around a selector.
func (c change) mentions(value string) bool {
	value = strings.TrimSpace(value)
	return value == c.old.Value || value == c.old.Raw || c.whole != "" && value == c.whole
}

// aim decides whether a slot is one the change is about, and what the literal
// has to say then.
func (s *source) aim(found slot, c change) (hit, bool) {
	h := hit{slot: found, in: s, literal: found.token}
	before := c.before
	selector := found.kind == locator.KindCSS
	if selector {
		found.text = strings.TrimSpace(found.text)
	}
	switch {
	case selector && s.isFrame(found) != c.frame:
		return h, false
	case selector && c.whole != "" && found.text == c.whole:
		h.value, before = c.wholeNew, nil
	case selector && found.text == c.old.Raw:
		h.value = c.new.Raw
	case selector && c.old.Kind == locator.KindCSS && found.text == c.old.Value:
		h.value = c.new.Value
	case !selector && found.kind == c.old.Kind && found.text == c.old.Value && c.old.Kind == c.new.Kind && s.agrees(found, c.old):
		h.value = c.new.Value
	default:
		return h, false
	}
	h.hangs = s.around(found).hangsOn(before)
	h.nested = s.isArgument(found.call)
	return h, true
}

// isArgument reports whether the locator that the call at open is a link of is
// given to another locator: filter({ has: page.getByText('x') }), a.or(b).
func (s *source) isArgument(open int) bool {
	at := s.statement(open)
	first := sort.Search(len(s.tokens), func(i int) bool { return s.tokens[i].Start >= at.start })
	around := s.parent[first]
	if key := s.key(first); key != "" && key != "has" && key != "hasnot" && key != "locator" {
		return false
	}
	if around >= 0 && s.at(around) == "{" {
		around = s.optionsCall(around)
	}
	if around < 0 || s.at(around) != "(" {
		return false
	}
	switch name := locator.Fold(s.at(s.callee(around))); name {
	case "filter", "locator", "or", "and", "has", "hasnot", "sethas", "sethasnot":
		c := s.callee(around)
		return s.member(c) && !expects.MatchString(locator.Fold(s.at(c-2)))
	}
	return false
}

// expects matches what assertions are made with: Go's expect.Locator(l).
var expects = regexp.MustCompile(`expect|assert`)

// around returns what a slot hangs on. The text of a locator's option hangs on
// the locator itself.
func (s *source) around(found slot) chain {
	c := s.callee(found.call)
	before := s.receiver(c, 0)
	option := found.kind == locator.KindHasText || found.kind == locator.KindHasNotText
	if value, ok := s.literal(found.call + 1); option && locator.CallKind(s.at(c)) == locator.KindCSS {
		before.links = append(before.links, selectorLinks(value, ok)...)
	}
	return before
}

// isFrame reports whether a selector is for the frame to step into.
func (s *source) isFrame(found slot) bool {
	next := s.end(found.call) + 1
	return locator.CallKind(s.at(s.callee(found.call))) == locator.KindFrame ||
		s.at(next) == "." && locator.Fold(s.at(next+1)) == "contentframe"
}

// agrees compares the other arguments of a getBy… call with the part of the
// selector that it would have made.
func (s *source) agrees(found slot, p locator.Part) bool {
	exact, conditions := s.options(found.call)
	switch {
	case p.Match == locator.MatchExact && exact == no, p.Match == locator.MatchLoose && exact == yes:
		return false
	case found.kind == locator.KindRole:
		return found.role == p.Role && conditions == (p.Rest != "")
	}
	return true
}

var roleConditions = names(`checked disabled expanded includehidden level pressed selected
	setchecked setdisabled setexpanded setincludehidden setlevel setpressed setselected`)

// options reads the options of a getBy… call: whether it is exact, and whether
// it has conditions beside the name.
func (s *source) options(open int) (exact answer, conditions bool) {
	exact = no
	for i := open + 1; i < s.end(open); i++ {
		next := s.at(i + 1)
		option := locator.Fold(s.at(i))
		if next != ":" && next != "=" && next != "(" || s.kind(i) != scan.Ident {
			continue
		}
		switch {
		case option == "exact" || option == "setexact":
			exact = s.boolean(i+2, s.end(open))
		case roleConditions[option]:
			conditions = true
		}
	}
	return exact, conditions
}

// boolean returns what the value at token i says: yes for true, no for false,
// unsure for anything else. Go wraps it: playwright.Bool(true).
func (s *source) boolean(i, end int) answer {
	for ; i < end && s.at(i) != ","; i++ {
		switch s.at(i) {
		case "true", "True":
			return yes
		case "false", "False":
			return no
		}
	}
	return unsure
}

// lineList lists the places of hits for a reason: "lines 12 and 40".
func lineList(hits []hit) string {
	var at []string
	for i, h := range hits {
		if i == 5 {
			at = append(at, "…")
			break
		}
		at = append(at, fmt.Sprint(h.line()))
	}
	if len(at) == 1 {
		return "line " + at[0]
	}
	return "lines " + strings.Join(at[:len(at)-1], ", ") + " and " + at[len(at)-1]
}

// placeList lists at most five places with their files.
func placeList(hits []hit) string {
	var at []string
	for i, h := range hits {
		if i == 5 {
			at = append(at, "…")
			break
		}
		at = append(at, fmt.Sprintf("%s line %d", shown(h.in.path), h.line()))
	}
	return strings.Join(at, ", ")
}

func printableOnly(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}
