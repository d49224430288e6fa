package values

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// pairedConstant reads the literal at i as one of several values that as many names get at
// once: SAVE, CANCEL = "x", "y", const [save, cancel] = ["x", "y"]. It returns false where
// the literal is no such value, and a constant without a name where none has it for certain.
func pairedConstant(s *source.File, i int) (k Constant, paired bool) {
	sign, n, count := valuesAround(s, i)
	if s.Text(sign) != "=" {
		return Constant{}, false
	}
	names, open := namesBefore(s, sign)
	if count < 2 && len(names) < 2 {
		return Constant{}, false
	}
	if len(names) != count || s.Text(names[n]) == "_" {
		return Constant{}, count > 1 && s.Parent[i] == s.Parent[sign] || len(names) > 1
	}
	k, ok := declaredConstant(s, names[n], open)
	if k.Traced = true; !ok {
		k = Constant{}
	}
	return k, true
}

// valuesAround returns the equals sign before the values among which the literal at i is, in
// brackets or, in Python and Go, without, which of them it is, and how many there are. The
// sign is -1 for none.
func valuesAround(s *source.File, i int) (sign, n, count int) {
	open := s.Parent[i]
	isList := s.Text(open) == "[" || s.Text(open) == "(" && s.Dialect.Scan == scan.Python
	if before := s.Text(i - 1); isList && s.Text(open-1) == "=" && (i-1 == open || before == ",") {
		if !EndsValue(s, s.End(open)) {
			return -1, 0, 0
		}
		return open - 1, s.ArgumentIndex(open, i), s.ArgumentCount(open)
	}
	if (s.Dialect.Scan != scan.Python || open >= 0) && s.Dialect.Scan != scan.Go {
		return -1, 0, 0
	}
	first, last := i, i
	for s.Text(first-1) == "," && s.Kind(first-2) == scan.String {
		first -= 2
	}
	for s.Text(last+1) == "," && s.Kind(last+2) == scan.String {
		last += 2
	}
	count = (last-first)/2 + 1
	if s.Text(last+1) == "," { // of another kind
		count++
	}
	return first - 1, (i - first) / 2, count
}

// namesBefore returns the names left of the equals sign at sign, of which there is more than
// one only where all get a value at once, and the bracket around the statement.
func namesBefore(s *source.File, sign int) (names []int, open int) {
	at, lang := sign-1, s.Dialect.Scan
	if s.Text(at) == ":" { // Go's :=
		at--
	}
	first := -1
	if s.Tokens[max(at, 0)].Closes && (s.Dialect.IsScript() || lang == scan.Python) {
		first = s.End(at)
		at--
	}
	for at > first && s.Kind(at) == scan.Ident {
		if names = append(names, at); s.Text(at-1) != "," || lang != scan.Python && lang != scan.Go && first < 0 {
			break
		}
		at -= 2
	}
	slices.Reverse(names)
	before := at - 1
	if open = s.Parent[sign]; first >= 0 {
		if before != first {
			return nil, open
		}
		before--
	}
	begins := before < 0 || s.Line(s.Tokens[before].End-1) < s.LineOf(before+1) || s.Text(before) == ";" || s.Text(before) == "{"
	if word := s.Text(before); !begins && word != "const" && word != "let" && word != "var" {
		return nil, open
	}
	return names, open
}
