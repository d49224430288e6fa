package values

import (
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// maxFunction bounds the tokens between a function's name and one of the texts that it returns.
const maxFunction = 400

// oneOfReturned reads the literal at i as one of the texts that a function returns: by a
// statement of its own, or as what a switch gives that the function returns.
func oneOfReturned(s *source.File, i int) (Constant, bool) {
	at := i
	if s.Text(i-1) != "return" {
		if at = switchAround(s, i); at < 0 {
			return Constant{}, false
		}
	}
	for n := i - 1; n >= 0 && i-n < maxFunction; n-- {
		f, ok := helperAt(s, n)
		if s.Kind(n) != scan.Ident || !ok || !f.code.Contains(s.Tokens[i].Start) {
			continue
		}
		for open := s.Parent[at]; open > f.open && f.code.Contains(s.Tokens[open].Start); open = s.Parent[open] {
			if s.Text(open) != "{" {
				return Constant{}, false // a function of its own returns it
			}
		}
		k := f.result(n)
		return k, k.called
	}
	return Constant{}, false
}

// switchAround returns the brace of the switch of Java or C# of which the literal at i is what
// one case gives, where a function returns what it gives: return switch (x) { case 1 -> "a"; },
// return x switch { 1 => "a" }. It is -1 for none.
func switchAround(s *source.File, i int) int {
	open := s.Parent[i]
	if s.Text(open) != "{" {
		return -1
	}
	switch head := open - 1; {
	case s.Dialect.Scan == scan.CSharp && s.Text(head) == "switch":
		if before := s.Text(s.Leftmost(head-1) - 1); before == "return" || before == "=>" {
			return open
		}
	case s.Dialect.Scan == scan.Java && s.Text(head) == ")":
		if word := s.End(head) - 1; s.Text(word) == "switch" && s.Text(word-1) == "return" {
			return open
		}
	}
	return -1
}
