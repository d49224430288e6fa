package patch

import (
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// loopVariable returns the variable of the loop whose "of", "in" or colon is token sign,
// and where it is visible: in the braces behind, or the one statement.
func loopVariable(s *source.File, sign int) (at int, scope source.Span, ok bool) {
	head := s.Parent[sign]
	if s.Text(head) != "(" || s.Text(head-1) != "for" && s.Text(head-1) != "foreach" {
		return 0, scope, false
	}
	body := s.End(head) + 1
	if s.Text(body) == "{" {
		return sign - 1, s.SpanOf(body, s.End(body)), true
	}
	for last, n := body, 0; last < len(s.Tokens) && n < maxStatement; last, n = s.Next(last), n+1 {
		if s.Text(last) == ";" {
			return sign - 1, s.SpanOf(body, last), s.Text(last+1) != "else"
		}
	}
	return 0, scope, false
}

// maxStatement bounds the tokens of the one statement of a loop.
const maxStatement = 60

// listStart returns the first token of the list of Java or C# whose bracket is at open:
// List.of(…), new[] {…}, new String[] {…}, […].
func listStart(s *source.File, open int) int {
	switch s.Text(open) {
	case "(":
		c := s.Callee(open)
		if name := s.Text(c); s.Dialect.Scan == scan.Java && (name == "of" || name == "asList") && s.IsMember(c) {
			return s.Leftmost(c)
		}
	case "{":
		if n := open - 1; s.Text(n) == "]" && s.End(n) == n-1 {
			for n -= 2; s.Kind(n) == scan.Ident; n-- {
				if s.Text(n) == "new" {
					return n
				}
			}
		}
	case "[":
		return open
	}
	return -1
}
