package values

import (
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// defaultConstant reads the literal at i as what a parameter or an option is where none is
// given: ({ selector = "x" } = {}) => …, async (selector = "x") => …, def f(*, selector="x").
// What a function takes by its place is read as what is handed to it.
func defaultConstant(s *source.File, i int) (Constant, bool) {
	n := i - 2
	if s.Text(i-1) != "=" || s.Kind(n) != scan.Ident {
		return Constant{}, false
	}
	open := s.Parent[n]
	k := Constant{Name: s.Text(n), at: n, Traced: true}
	if s.Dialect.IsScript() && s.Text(open) == "{" {
		var ok bool
		k.scope, ok = patternScope(s, open)
		before := s.Text(n - 1)
		return k, ok && (before == "{" || before == "," || before == ":")
	}
	if s.Text(n-1) == ":" { // selector: string = "x"
		n -= 2
		k.Name, k.at = s.Text(n), n
	}
	f := Helper{in: s, open: open}
	if before := s.Text(n - 1); s.Text(open) != "(" || before != "(" && before != "," || s.Kind(n) != scan.Ident {
		return k, false
	}
	switch c := s.Callee(open); {
	case s.Dialect.IsScript():
		if body := f.body(); c >= 0 && s.Text(c) != "async" || body < 0 || s.Text(body) != "=>" || !f.findCode() {
			return k, false
		}
	case s.Dialect.Scan == scan.Python:
		var ok bool
		if f, ok = helperAt(s, c); !ok || !takesByName(f, n) {
			return k, false
		}
	default:
		return k, false
	}
	k.scope = f.code
	return k, true
}

// takesByName reports whether the parameter at n of a function of Python stands behind the
// star, so that it is given by its name alone.
func takesByName(f Helper, n int) bool {
	s := f.in
	for i := f.open + 1; i < n; i = s.Next(i) {
		if s.Text(i) == "*" {
			return true
		}
	}
	return false
}

// patternScope returns where the variables are visible that the pattern in the brace at open
// takes out of a parameter, or out of a value: const { selector = "x" } = options.
func patternScope(s *source.File, open int) (source.Span, bool) {
	around := s.Parent[open]
	if word := s.Text(open - 1); word == "const" || word == "let" {
		if s.Text(s.End(open)+1) != "=" || around < 0 || s.Text(around) != "{" {
			return source.Span{}, false
		}
		return s.SpanOf(around, s.End(around)), true
	}
	if before := s.Text(open - 1); s.Text(around) != "(" || before != "(" && before != "," {
		return source.Span{}, false
	}
	f := Helper{in: s, open: around}
	ok := f.findCode()
	return f.code, ok
}
