package patch

import (
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// loopedConstant reads the literal at i as one of the values that a variable has in turn:
// for (const name of ["x", "y"]). The variable is the constant.
func loopedConstant(s *source.File, i int) (constant, bool) {
	open := s.Parent[i]
	if before, after := s.Text(i-1), s.Text(i+1); open < 0 || before != "," && i-1 != open || after != "," && i+1 != s.End(open) {
		return constant{}, false
	}
	k := constant{}
	ok := false
	switch lang := s.Dialect.Scan; {
	case lang == scan.Python && s.Text(open-1) == "in" && s.Text(open-3) == "for":
		k.at, k.scope = open-2, s.Block(s.LineOf(open))
		ok = s.FirstToken(s.LineOf(open)) == open-3
	case s.Dialect.IsScript() && s.Text(open) == "[" && s.IsMember(s.End(open)+2):
		k.at, k.scope, ok = eachElement(s, s.End(open)+2)
	case s.Dialect.IsScript() && s.Text(open) == "[" && s.Text(open-1) == "of":
		k.at, k.scope, ok = loopVariable(s, open-1)
	case lang == scan.Java || lang == scan.CSharp:
		if sign := listStart(s, open) - 1; s.Text(sign) == ":" || s.Text(sign) == "in" {
			k.at, k.scope, ok = loopVariable(s, sign)
		}
	}
	k.name = s.Text(k.at)
	return k, ok && s.Kind(k.at) == scan.Ident
}

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

// eachElement returns the first parameter of the function that the method at token c calls
// with each element of a list, and where it is visible.
func eachElement(s *source.File, c int) (at int, scope source.Span, ok bool) {
	if name := s.Text(c); name != "forEach" && name != "map" {
		return 0, scope, false
	}
	open := c + 1
	at = open + 1
	if s.Text(at) == "async" {
		at++
	}
	if s.Text(at) == "(" {
		at++
	}
	next := s.Text(at + 1)
	return at, s.SpanOf(open, s.End(open)), s.Text(open) == "(" && (next == "=>" || next == ")" || next == "," || next == ":")
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
