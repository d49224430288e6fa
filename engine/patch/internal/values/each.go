package values

import (
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// eachTaker returns what takes the texts of a list one after the other, the list being the
// tokens from first to last: a loop, a comprehension, or a function that is called with each.
func eachTaker(s *source.File, first, last int) (*taker, bool) {
	if s.Dialect.Scan == scan.Python {
		return pythonTaker(s, first, last)
	}
	for s.IsMember(last+2) && sameValues[s.Text(last+2)] && s.Text(last+3) == "(" && s.Text(last+4) == ")" {
		last += 4
	}
	if !s.IsMember(last + 2) {
		k, ok := takerAt(s, Cell{in: s, first: -1, row: -1, token: -1}, first, last)
		return k, ok && k.row >= 0
	}
	k, open := &taker{in: s, row: -1}, last+3
	if !callsWithValue[s.Text(last+2)] || s.Text(open) != "(" {
		return nil, false
	}
	if !s.Dialect.IsScript() {
		return k, k.bindLambda(open)
	}
	parameters, ok := k.function(open)
	return k, ok && s.Kind(parameters[0].first) == scan.Ident && k.bind(parameters[0].first, parameters[0].last)
}

// sameValues are the methods without arguments that give the values of a list as they are.
var sameValues = scan.WordSet("stream parallelStream iterator asList AsEnumerable ToList ToArray slice")

// callsWithValue are the methods that call a function with each value of a list, and give back
// none of the values.
var callsWithValue = scan.WordSet("forEach ForEach map Select some every anyMatch allMatch noneMatch Any All")

// bindLambda reads the only argument of a call of Java or C# as a function of one parameter:
// selector -> …, (String selector) -> …, async selector => ….
func (k *taker) bindLambda(open int) bool {
	s, at := k.in, open+1
	k.scope = s.SpanOf(open, s.End(open))
	if s.Text(at) == "async" {
		at++
	}
	end := at
	if k.row = at; s.Text(at) == "(" {
		end = s.End(at)
		if k.row = end - 1; s.ArgumentCount(at) != 1 {
			return false
		}
	}
	isArrow := s.Text(end+1) == "=>" || s.Text(end+1) == "-" && s.Text(end+2) == ">"
	return s.Kind(k.row) == scan.Ident && isArrow && s.ArgumentCount(open) == 1
}

// pythonTaker is eachTaker for Python: for x in list, for n, x in enumerate(list), and both in
// a comprehension.
func pythonTaker(s *source.File, first, last int) (*taker, bool) {
	k := &taker{in: s, row: first - 2}
	if c := s.Callee(first - 1); c >= 0 && s.Text(c) == "enumerate" && !s.IsMember(c) && s.End(first-1) == last+1 {
		first, last = c, last+1
		if k.row = first - 2; s.Text(first-3) != "," || s.Text(first-5) != "for" {
			return nil, false
		}
	} else if s.Text(first-3) != "for" {
		return nil, false
	}
	if s.Text(first-1) != "in" || s.Kind(k.row) != scan.Ident {
		return nil, false
	}
	if around := s.Parent[first]; around >= 0 && s.Text(last+1) != ":" {
		k.scope = s.SpanOf(around, s.End(around))
		return k, true
	}
	k.scope = s.Block(s.LineOf(first))
	return k, s.Text(s.FirstToken(s.LineOf(first))) == "for" && s.Text(last+1) == ":"
}
