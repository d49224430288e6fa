package values

import (
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// ListAround returns the first and the last token of the list that has the tokens from first
// to last as one of its values: List.of("x"), new[] { "x" }, ["x"], []string{"x"}.
func ListAround(s *source.File, first, last int) (begin, end int, ok bool) {
	open := s.Parent[first]
	if open < 0 || !isItem(s, open, first, last) || s.Text(first-1) == ":" {
		return 0, 0, false
	}
	begin, end = -1, s.End(open)
	switch lang := s.Dialect.Scan; {
	case s.Dialect.IsScript() && s.Text(open) == "[":
		begin = open
	case lang == scan.Python && (s.Text(open) == "[" || s.Text(open) == "(" && s.Callee(open) < 0 && s.ArgumentCount(open) > 1):
		begin = open
	case lang == scan.Go && s.Text(open) == "{" && s.Text(open-1) == "string" && s.Text(open-2) == "]" && s.End(open-2) == open-3:
		begin = open - 3
	case lang == scan.Java && s.Text(s.ReceiverEnd(s.Callee(open))) == "Map": // keys stand between its values
	case lang == scan.Java || lang == scan.CSharp:
		begin = listStart(s, open)
	}
	return begin, end, begin >= 0
}

// UsesOfList returns the places that use the values of the list which a parameter takes: each
// by the variable of a loop or of a function that is called with it, or by a counted number.
// Where the list is handed on, the place is that of the list. It returns false when the
// function may do anything else with the list.
func (f Helper) UsesOfList(p Parameter, t *checkout.Tree) ([]Use, bool) {
	lists, ok := f.UsesOf(p, t)
	if !ok {
		return nil, false
	}
	var out []Use
	for _, u := range lists {
		found, ok := usesInList(u)
		if !ok {
			return nil, false
		}
		out = append(out, found...)
	}
	return out, true
}

// usesInList returns the places that use the values of the list that is used at a place.
func usesInList(u Use) ([]Use, bool) {
	s := u.In
	if asksList(u) {
		return nil, true
	}
	if k, ok := eachTaker(s, u.First, u.Last); ok {
		found, ok := Cell{}.usesBy(k)
		for i := range found {
			found[i].by = nil // the function takes every list so: no test is told by it
		}
		return found, ok
	}
	if last, ok := countedValue(u); ok {
		return valueUses(Use{In: s, First: u.First, Last: last})
	}
	if _, ok := ArgumentKey(s, u.First, u.Last); ok && s.Callee(s.Parent[u.First]) >= 0 {
		u.List = true
		return []Use{u}, true
	}
	return nil, false
}

// valueUses returns a place that takes a value, or those of the local variable that keeps it.
func valueUses(u Use) ([]Use, bool) {
	if local, ok := LocalOf(u.In, u.First, u.Last); ok {
		return FindUses(u.In, nil, local)
	}
	return []Use{u}, true
}

// countedValue returns the last token of the value that is taken out of a list by the variable
// that counts: selectors[i], selectors.get(i).
func countedValue(u Use) (last int, ok bool) {
	s, open := u.In, u.Last+1
	if s.Text(open) == "." && s.Text(open+1) == "get" && s.Text(open+2) == "(" && s.Dialect.Scan == scan.Java {
		open += 2
	} else if s.Text(open) != "[" {
		return 0, false
	}
	last = s.End(open)
	number := s.Text(open + 1)
	isSet := s.Text(last+1) == "=" && s.Text(last+2) != "="
	return last, last == open+2 && s.Kind(open+1) == scan.Ident && strings.Trim(number, "0123456789") != "" && !isSet
}

// asksList reports whether a place only asks how many values a list has, whether it is there,
// or tells of it.
func asksList(u Use) bool {
	s, before, after := u.In, u.First-1, u.Last+1
	name, call := s.Text(after+1), s.Text(after+2) == "(" && s.End(after+2) == after+3
	isSign := func(i int) bool {
		return s.Text(i) == "=" || s.Text(i) == "==" || s.Text(i) == "!" || s.Text(i) == "is" || s.Text(i) == "not"
	}
	switch {
	case s.IsMember(after+1) && (asksTable[name] || call && (name == "isEmpty" || name == "Any")):
		return true
	case s.Text(s.Callee(before)) == "len", s.Text(before) == "range" && s.Kind(before-3) == scan.Ident && s.Text(before-4) == "for", calls.IsLogged(s, s.Parent[u.First]):
		return true
	case isSign(after):
		for isSign(after) {
			after++
		}
		return isNothing[s.Text(after)]
	}
	isNegated := s.Text(before) == "!" || s.Text(before) == "not" || s.Text(before) == "if"
	return isNegated && (s.Text(after) == ")" || s.Text(after) == ":")
}
