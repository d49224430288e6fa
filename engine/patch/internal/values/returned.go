package values

import (
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// maxReturnedHeader bounds the tokens between a method's name and what it returns.
const maxReturnedHeader = 40

// returnedConstant reads the literal at i as all that a method without parameters does:
// return "x". It is used by a call of the method, or by its name where it is a property.
func returnedConstant(s *source.File, i int) (Constant, bool) { return returnedName(s, i, i) }

// returnedName is returnedConstant for the tokens from first to last.
func returnedName(s *source.File, first, last int) (Constant, bool) {
	k, ok := ReturnedBy(s, first, last)
	return k, ok && !k.takes
}

// ReturnedBy returns the function that gives the tokens from first to last and does nothing
// else, with parameters or without.
func ReturnedBy(s *source.File, first, last int) (Constant, bool) {
	f, n, ok := functionAround(s, first)
	if !ok || !f.onlyReturns(first, last) {
		return Constant{}, false
	}
	return f.result(n), true
}

// functionAround returns the function whose code has a token, and the token of its name.
func functionAround(s *source.File, i int) (f Helper, name int, ok bool) {
	for n := i - 1; n >= 0 && i-n < maxReturnedHeader; n-- {
		if s.Kind(n) != scan.Ident {
			continue
		}
		if f, ok := helperAt(s, n); ok && f.code.Contains(s.Tokens[i].Start) {
			return f, n, true
		}
	}
	return Helper{}, 0, false
}

// result returns what calls of the function, whose name is token n, give.
func (f Helper) result(n int) Constant {
	s := f.in
	parameters := s.ArgumentCount(f.open)
	if f.receives {
		parameters--
	}
	k := Constant{Name: s.Text(n), at: n, scope: s.Whole(), called: true, takes: parameters > 0, owner: f.class, member: f.class != ""}
	switch s.Dialect.Scan {
	case scan.Python:
		k.called = !isProperty(s, n)
	case scan.TypeScript, scan.TSX:
		k.called = s.Text(n-1) != "get"
		k.private = strings.HasPrefix(k.Name, "#")
	case scan.Java, scan.CSharp:
		k.private, k.static = isPrivate(s, n), isStatic(s, n)
	}
	return k
}

// givenName returns the method, or the property of C#, that gives the tokens from first to last
// and does nothing else.
func givenName(s *source.File, first, last int) (Constant, bool) {
	if name := first - 2; s.Dialect.Scan == scan.CSharp && s.Text(first-1) == "=>" && s.Kind(name) == scan.Ident {
		k, ok := declaredConstant(s, name, s.Parent[name])
		return k, ok && k.member && EndsValue(s, last)
	}
	return returnedName(s, first, last)
}

// onlyReturns reports whether the code of the function is nothing but the return of the
// tokens from i to last.
func (f Helper) onlyReturns(i, last int) bool {
	s := f.in
	first := s.TokenFrom(f.code.Start)
	for s.Dialect.Scan == scan.Python && first < i && s.Text(first) != ":" { // -> str
		first = s.Next(first)
	}
	if s.Text(first) == "{" || s.Text(first) == "=>" || s.Text(first) == ":" {
		first++
	}
	if s.Text(first) == "return" {
		first++
	}
	for s.Text(last+1) == ";" || s.Text(last+1) == "}" && s.Tokens[last+1].Start < f.code.End {
		last++
	}
	return first == i && (last+1 >= len(s.Tokens) || !f.code.Contains(s.Tokens[last+1].Start))
}

// isProperty reports whether the method of Python that is declared at n is one that is
// used as a value.
func isProperty(s *source.File, n int) bool {
	for line := s.LineOf(n) - 1; line > 0; line-- {
		text := strings.TrimSpace(s.LineText(line))
		if !strings.HasPrefix(text, "@") {
			return false
		}
		if name := strings.TrimPrefix(text, "@"); name == "property" || strings.HasSuffix(name, "cached_property") {
			return true
		}
	}
	return false
}
