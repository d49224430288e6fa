package source

import (
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// Callee returns the name of the function that the parenthesis at open calls, or
// -1.
func (s *File) Callee(open int) int {
	if open < 1 || s.Text(open) != "(" {
		return -1
	}
	c := open - 1
	if s.Text(c) == "?." || s.Text(c) == "!" {
		c--
	}
	if s.Text(c) == ">" { // a generic call: locator<T>("x")
		depth := 0
		for ; c > 0 && open-c < 16; c-- {
			if s.Text(c) == ">" {
				depth++
			} else if s.Text(c) == "<" {
				if depth--; depth == 0 {
					c--
					break
				}
			}
		}
	}
	if s.Kind(c) != scan.Ident {
		return -1
	}
	return c
}

// IsMember reports whether the name at c is a member of something: x.name
func (s *File) IsMember(c int) bool { return s.Text(c-1) == "." || s.Text(c-1) == "?." }

// IsSpread reports whether the three dots of ...x begin at token i.
func (s *File) IsSpread(i int) bool {
	return s.Text(i) == "." && s.Text(i+1) == "." && s.Text(i+2) == "."
}

// ReceiverEnd returns the last token of what the name at c is a member of.
func (s *File) ReceiverEnd(c int) int {
	if s.Text(c-2) == "!" {
		return c - 3
	}
	return c - 2
}

// ArgumentIndex returns which argument of the call at open token i is in, from 0.
func (s *File) ArgumentIndex(open, i int) int {
	n := 0
	for j := open + 1; j < i; j = s.End(j) + 1 {
		if s.Text(j) == "," {
			n++
		}
	}
	return n
}

// ArgumentCount returns how many arguments the call at open has.
func (s *File) ArgumentCount(open int) int {
	end := s.End(open)
	n := s.ArgumentIndex(open, end)
	if end > open+1 && s.Text(end-1) != "," {
		n++
	}
	return n
}

// Key returns the folded name of the option or parameter that the literal at i
// is given for: name: "x", name="x", Name = "x"; "" for a plain argument.
func (s *File) Key(i int) string {
	sign := s.Text(i - 1)
	if sign != ":" && sign != "=" {
		return ""
	}
	if before := s.Text(i - 3); before != "{" && before != "," && before != "(" {
		return ""
	}
	if name, ok := s.Literal(i - 2); ok {
		return locator.Fold(name)
	}
	return locator.Fold(s.Text(i - 2))
}

// AssignedValues returns the first tokens of the values that are assigned to a name:
// name = v, name := v, name: T = v.
func (s *File) AssignedValues(name string) []int {
	var values []int
	for _, i := range s.Idents[name] {
		switch {
		case s.Text(i+1) == "=":
			values = append(values, i+2)
		case s.Text(i+1) == ":" && s.Text(i+2) == "=":
			values = append(values, i+3)
		case s.Text(i+1) == ":" && s.Kind(i+2) == scan.Ident && s.Text(i+3) == "=" && s.LineOf(i+2) == s.LineOf(i):
			values = append(values, i+4)
		}
	}
	return values
}

// ExpressionEnd returns the last token of the call chain that starts at i.
func (s *File) ExpressionEnd(i int) int {
	for s.Text(i) == "await" || s.Text(i) == "new" || s.Text(i) == "*" {
		i++
	}
	if s.Tokens[min(i, len(s.Tokens)-1)].Opens {
		i = s.End(i)
	}
	for i+1 < len(s.Tokens) {
		switch next := s.Text(i + 1); {
		case next == "(" || next == "[":
			i = s.End(i + 1)
		case s.IsMember(i+2) && s.Kind(i+2) == scan.Ident:
			i += 2
		case next == "!" && s.IsMember(i+3):
			i++
		default:
			return i
		}
	}
	return i
}

// Statement returns the whole chain of calls that the call at open is part of: from
// the first name to the last call.
func (s *File) Statement(open int) Span {
	c := max(s.Callee(open), 0)
	first := c
	for hops := 0; s.IsMember(first) && hops < 64; hops++ {
		r := s.ReceiverEnd(first)
		if s.Text(r) == ")" || s.Text(r) == "]" {
			r = s.End(r)
			if c := s.Callee(r); c >= 0 {
				r = c
			}
		}
		if r < 0 || r >= first {
			break
		}
		first = r
	}
	return s.SpanOf(first, s.ExpressionEnd(c))
}

// BeginsStatement reports whether token i is the if of a new statement, not one behind a
// value: it stands on a line of its own, outside of brackets.
func (s *File) BeginsStatement(i int) bool {
	return s.Text(i) == "if" && s.LineOf(i) > s.Line(s.Tokens[i-1].End-1) && (s.Parent[i] < 0 || s.Text(s.Parent[i]) == "{")
}
