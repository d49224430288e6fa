package calls

import (
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// HostOf returns the locator call that has the locator which starts at token first as an
// argument, and what for: filter({ has: page.getByText('x') }), a.or(b). The kind is ""
// for no such call. A locator that is kept in a variable is where the variable is.
func HostOf(s *source.File, first int) (open int, kind locator.Kind) {
	around, key := s.Parent[first], s.Key(first)
	if name, _ := s.Assignee(first - 1); name != "" && s.Text(first-1) == "=" && key != "has" && key != "hasnot" {
		return hostOfVariable(s, name, first)
	}
	if s.Text(around) == "{" {
		around = s.Parent[around]
	}
	c := s.Callee(around)
	called := locator.Fold(s.Text(c))
	if called == "sethas" || called == "sethasnot" { // Java's options
		key, around = called[3:], s.Parent[around]
		c = s.Callee(around)
		called = locator.Fold(s.Text(c))
	}
	if !s.IsMember(c) || expects.MatchString(locator.Fold(s.Text(c-2))) {
		return 0, ""
	}
	switch {
	case (called == "filter" || called == "locator") && key == "has":
		return around, locator.KindHas
	case (called == "filter" || called == "locator") && key == "hasnot":
		return around, locator.KindHasNot
	case (called == "and" || called == "or") && key == "":
		return around, locator.Kind(called)
	case called == "locator" && (key == "" || key == "locator"): // a.locator(b)
		return around, locator.KindOther
	}
	return 0, ""
}

// hostOfVariable is HostOf for a locator that is the only value of a variable, of which
// every use is an argument of the same kind. It takes the first.
func hostOfVariable(s *source.File, name string, value int) (open int, kind locator.Kind) {
	if len(s.AssignedValues(name)) != 1 {
		return 0, ""
	}
	for _, i := range s.Idents[name] {
		if i >= value-4 && i < value {
			continue
		}
		host, what := 0, locator.Kind("")
		if end := s.Text(i + 1); !s.IsMember(i) && (end == "," || end == "}" || end == ")") {
			host, what = HostOf(s, i)
		}
		if what == "" || kind != "" && kind != what {
			return 0, ""
		}
		if kind == "" {
			open, kind = host, what
		}
	}
	return open, kind
}

// IsFrame reports whether a selector selects a frame to step into.
func IsFrame(s *source.File, found Argument) bool {
	next := s.End(found.Call) + 1
	return locator.CallKind(s.Text(s.Callee(found.Call))) == locator.KindFrame ||
		s.Text(next) == "." && locator.Fold(s.Text(next+1)) == "contentframe"
}

// IsExpectation reports whether an opening parenthesis is that of an assertion's call.
func IsExpectation(s *source.File, open int) bool {
	c := s.Callee(open)
	return c >= 0 && (expects.MatchString(locator.Fold(s.Text(c))) || s.IsMember(c) && expects.MatchString(locator.Fold(s.Text(c-2))))
}

// expects matches the receivers of assertions: Go's expect.Locator(l).
var expects = lazyregexp.New(`expect|assert`)

// reads are the folded names of the calls that wait for an element and return what it says,
// has or is.
var reads = scan.WordSet("innertext innerhtml textcontent inputvalue getattribute ischecked isdisabled iseditable isenabled")

// IsRead reports whether the call whose name is token c, or one behind it, reads what the
// element says: locator('#x').first().textContent().
func IsRead(s *source.File, c int) bool {
	for s.Kind(c) == scan.Ident {
		end := c
		if s.Text(c+1) == "(" {
			if reads[locator.Fold(s.Text(c))] {
				return true
			}
			end = s.End(c + 1)
		}
		if c = end + 2; !s.IsMember(c) {
			return false
		}
	}
	return false
}
