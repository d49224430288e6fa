package calls

import (
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// PatternAt returns the regular expression whose text is token i, in the form
// /source/flags of JavaScript, and the tokens of the whole expression: a literal
// of JavaScript, or the first argument of what compiles it in the other languages.
func PatternAt(s *source.File, i int) (body string, first, last int, ok bool) {
	first, last = i, i
	switch s.Kind(i) {
	case scan.Regex:
	case scan.String:
		open := s.Parent[i]
		c := s.Callee(open)
		if c < 0 || !compilers[s.Text(c)] || s.ArgumentIndex(open, i) > 0 || s.Text(i-1) != "(" {
			return "", i, i, false
		}
		first, last = c, s.End(open)
		for s.IsMember(first) && first > 1 {
			first -= 2
		}
		if s.Text(first-1) == "new" {
			first--
		}
	default:
		return "", i, i, false
	}
	at := s.SpanOf(first, last)
	body, ok = locator.ReadPattern(string(s.Bytes[at.Start:at.End]), s.Dialect.Print)
	return body, first, last, ok
}

// compilers are the names of what makes a regular expression of a text, in Python and Java,
// in C# and in Go.
var compilers = scan.WordSet("compile Regex MustCompile")
