package patch

import (
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// loopVariable returns the variable of the loop whose "of", "in" or colon is token sign,
// and where it is visible: in the braces behind.
func loopVariable(s *source.File, sign int) (at int, scope source.Span, ok bool) {
	head := s.Parent[sign]
	if s.Text(head) != "(" || s.Text(head-1) != "for" && s.Text(head-1) != "foreach" {
		return 0, scope, false
	}
	body := s.End(head) + 1
	if s.Text(body) != "{" {
		return 0, scope, false
	}
	return sign - 1, s.SpanOf(body, s.End(body)), true
}

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
