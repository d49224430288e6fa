package calls

import (
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Pattern is a regular expression in source text.
type Pattern struct {
	Body        string // what it looks for, in the form /source/flags of JavaScript
	First, Last int    // the tokens of the whole expression
}

// PatternAt returns the regular expression whose text is token i: a literal of JavaScript, or
// the first argument of what compiles it in the other languages.
func PatternAt(s *source.File, i int) (Pattern, bool) {
	p := Pattern{First: i, Last: i}
	switch s.Kind(i) {
	case scan.Regex:
	case scan.String:
		open := s.Parent[i]
		c := s.Callee(open)
		if c < 0 || !compilers[s.Text(c)] || s.ArgumentIndex(open, i) > 0 || s.Text(i-1) != "(" {
			return p, false
		}
		p.First, p.Last = c, s.End(open)
		for s.IsMember(p.First) && p.First > 1 {
			p.First -= 2
		}
		if s.Text(p.First-1) == "new" {
			p.First--
		}
	default:
		return p, false
	}
	at := s.SpanOf(p.First, p.Last)
	ok := false
	p.Body, ok = locator.ReadPattern(string(s.Bytes[at.Start:at.End]), s.Dialect.Print)
	return p, ok
}

// compilers are the names of what makes a regular expression of a text, in Python and Java,
// in C# and in Go.
var compilers = scan.WordSet("compile Regex MustCompile")
