package patch

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// slot is the place of a string literal in a locator call.
type slot struct {
	token int          // the literal, or the first token of the name that stands for it
	kind  locator.Kind // KindCSS: a selector; else what the value is looked for in
	role  string       // KindRole: the role argument beside it, "" if unknown
	call  int          // the parenthesis of the locator call
	text  string       // decoded literal
}

// misfit says why a literal is not in a locator call that can be edited.
type misfit string

const (
	fits      misfit = ""
	elsewhere misfit = "outside a locator call"
	joined    misfit = "joined with other text"
	chosen    misfit = "as one branch of a condition"
	formatted misfit = "changed by a method call"
	compiled  misfit = "between #if and #endif"
)

// slotOf returns the locator call that the literal at i is an argument or an
// option of.
func (s *source) slotOf(i int) (slot, misfit) {
	value, _ := s.literal(i)
	if anyContains(s.conditional, s.tokens[i].Start) {
		return slot{token: i, text: value}, compiled
	}
	return s.slotAt(i, i, value)
}

// slotAt returns the locator call that tokens first to last, which say text,
// are an argument or an option of.
func (s *source) slotAt(first, last int, text string) (slot, misfit) {
	found := slot{token: first, text: text}
	if why := s.computed(first, last); why != fits {
		return found, why
	}
	key, bracket := s.key(first), s.parent[first]
	switch {
	case bracket < 0:
		return found, elsewhere
	case s.at(bracket) == "(":
		return s.argumentSlot(found, key, bracket)
	case s.at(bracket) == "{" && key != "":
		return s.optionSlot(found, key, s.optionsCall(bracket))
	}
	return found, elsewhere
}

// optionsCall returns the call that the options object at brace is an argument
// of, or -1.
func (s *source) optionsCall(brace int) int {
	call := s.parent[brace]
	if call < 0 || s.at(call) != "(" {
		return -1
	}
	return call
}

// argumentSlot places a literal directly inside the parentheses of a call.
func (s *source) argumentSlot(found slot, key string, open int) (slot, misfit) {
	c := s.callee(open)
	if c < 0 {
		return found, elsewhere
	}
	if option, ok := strings.CutPrefix(locator.Fold(s.at(c)), "set"); ok && key == "" && s.lang.print == locator.Java {
		if outer := s.parent[open]; outer >= 0 && s.at(outer) == "(" {
			return s.optionSlot(found, option, outer)
		}
	}
	position := s.argument(open, found.token)
	if key != "" && key != "selector" && key != "testid" && key != "text" {
		return s.optionSlot(found, key, open)
	}
	found.kind, found.call = s.takes(open, position), open
	if found.kind == "" {
		return found, elsewhere
	}
	return found, fits
}

// optionSlot places a literal that is the value of a named option of call.
func (s *source) optionSlot(found slot, key string, call int) (slot, misfit) {
	c := s.callee(call)
	if c < 0 {
		return found, elsewhere
	}
	found.call = call
	switch method := locator.Fold(s.at(c)); {
	case key == "name" && method == "getbyrole":
		found.kind, found.role = locator.KindRole, s.roleArgument(call)
	case key == "hastext" && (method == "filter" || method == "locator"):
		found.kind = locator.KindHasText
	case key == "hasnottext" && (method == "filter" || method == "locator"):
		found.kind = locator.KindHasNotText
	default:
		return found, elsewhere
	}
	return found, fits
}

// key returns the folded name of the option or parameter that the literal at i
// is given for: name: "x", name="x", Name = "x"; "" for a plain argument.
func (s *source) key(i int) string {
	sign := s.at(i - 1)
	if sign != ":" && sign != "=" {
		return ""
	}
	if before := s.at(i - 3); before != "{" && before != "," && before != "(" {
		return ""
	}
	if name, ok := s.literal(i - 2); ok {
		return locator.Fold(name)
	}
	return locator.Fold(s.at(i - 2))
}

// computed says whether tokens first to last are only a piece of the value
// that the call gets.
func (s *source) computed(first, last int) misfit {
	i := first
	before, after := s.at(first-1), s.at(last+1)
	switch {
	case s.kind(first-1) == scan.String, s.kind(last+1) == scan.String,
		before == "+", after == "+", after == "%":
		return joined
	case after == "." || after == "?.":
		return formatted
	case after == "?" || after == "if" || before == "?" || before == "else" || after == "else",
		before == ":" && s.key(i) == "", before == "|" || after == "|", before == "&" || before == "or" || after == "or":
		return chosen
	case before != "(" && before != "," && s.key(i) == "":
		return elsewhere
	case after != ")" && after != "," && after != "}":
		return elsewhere
	}
	return fits
}
