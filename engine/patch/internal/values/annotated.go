package values

import (
	"bytes"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// rowAnnotations are the attributes of C# with the values of one case of a test.
var rowAnnotations = []string{"TestCase", "InlineData", "DataRow"}

// annotatedCell reads the literal at i as the value of a test's parameter:
// @ValueSource(strings = {"x", "y"}) in Java, [TestCase("x")] in C#.
func annotatedCell(s *source.File, i int) (Cell, bool) {
	c := Cell{in: s, token: i, row: i, list: s.Parent[i]}
	call, place := c.list, 0
	switch s.Dialect.Scan {
	case scan.Java:
		if s.Text(call) == "{" {
			call = s.Parent[call]
		}
		if name := s.Callee(call); s.Text(name) != "ValueSource" || s.Text(name-1) != "@" || s.Text(call+1) != "strings" || s.Text(call+2) != "=" {
			return c, false
		}
		if c.rows = []int{i}; c.list != call {
			if c.rows = nil; !isItem(s, c.list, i, i) {
				return c, false
			}
		}
	case scan.CSharp:
		if call < 0 || s.Text(s.Parent[call]) != "[" || !slices.Contains(rowAnnotations, s.Text(s.Callee(call))) || !isItem(s, call, i, i) {
			return c, false
		}
		c.row, place = call, s.ArgumentIndex(call, i)
		c.column = placed(place)
	default:
		return c, false
	}
	f, ok := methodBehind(s, call)
	if !ok {
		return c, false
	}
	if s.Dialect.Scan == scan.CSharp {
		c.rows = annotationsOf(s, f)
	}
	p, ok := f.ParameterOf(place, "")
	c.taker = &taker{in: s, row: -1, parts: map[column]int{c.column: p.at}, scope: f.code, open: call}
	return c, ok && !p.odd && stringTypes[p.kind] && !hasOtherData(s, f)
}

// methodBehind returns the method that the annotation whose arguments open at call is of.
func methodBehind(s *source.File, call int) (Helper, bool) {
	i := s.End(call) + 1
	if around := s.Parent[call]; s.Text(around) == "[" {
		i = s.End(around) + 1
	}
	for n := 0; i < len(s.Tokens) && n < maxReturnedHeader; n++ {
		switch text := s.Text(i); {
		case text == "@":
			i = s.Leftmost(i+1) + 1
			for s.Text(i) == "." {
				i += 2
			}
			if s.Text(i) == "(" {
				i = s.End(i) + 1
			}
			continue
		case text == "{" || text == ";" || s.Tokens[i].Closes:
			return Helper{}, false
		case s.Kind(i) == scan.Ident && s.Text(i+1) == "(":
			return helperAt(s, i)
		}
		i = s.Next(i)
	}
	return Helper{}, false
}

// annotationsOf returns the parentheses of the attributes with the cases of a method.
func annotationsOf(s *source.File, f Helper) []int {
	var out []int
	for _, name := range rowAnnotations {
		for _, i := range s.Idents[name] {
			if s.Text(i+1) != "(" || s.Text(s.Parent[i]) != "[" {
				continue
			}
			if other, ok := methodBehind(s, i+1); ok && other.open == f.open {
				out = append(out, i+1)
			}
		}
	}
	slices.Sort(out)
	return out
}

// hasOtherData reports whether a method has an annotation beside the ones of its cases that
// may bring more of them.
func hasOtherData(s *source.File, f Helper) bool {
	sources := 0
	for i, n := f.open-1, 0; i > 0 && n < 400; i, n = i-1, n+1 {
		if text := s.Text(i); text == ";" || text == "}" && !s.IsTypeBody(s.End(i)) && s.Parent[i] == s.Parent[f.open] || s.IsTypeBody(i) {
			break
		}
		isAnnotation := s.Text(i-1) == "@" || s.Text(s.Parent[i]) == "[" && (s.Text(i-1) == "[" || s.Text(i-1) == ",")
		name := locator.Fold(strings.TrimSuffix(s.Text(i), "Attribute"))
		isData := strings.HasSuffix(name, "source") || strings.HasSuffix(name, "data") || strings.HasSuffix(name, "values") || strings.HasSuffix(name, "provider")
		if isAnnotation && isData && name != "inlinedata" {
			sources++
		}
	}
	return sources > 1 || sources == 1 && s.Dialect.Scan == scan.CSharp
}

// sourcedCell reads the literal at i as a value that a method of Java gives a test's
// parameter: return Stream.of(Arguments.of("x"), …) behind @MethodSource("cases").
func sourcedCell(s *source.File, i int) (Cell, bool) {
	c := Cell{in: s, token: i, row: s.Parent[i]}
	if s.Dialect.Scan != scan.Java || !isArguments(s, c.row) || !isItem(s, c.row, i, i) {
		return c, false
	}
	c.list = s.Parent[s.Leftmost(s.Callee(c.row))]
	stream := s.Leftmost(s.Callee(c.list))
	before := stream - 3 // ) { return
	if c.list < 0 || s.Text(s.Callee(c.list)) != "of" || s.Text(stream) != "Stream" || s.Text(stream-1) != "return" || s.Text(stream-2) != "{" || s.Text(before) != ")" || s.Text(s.End(c.list)+1) != ";" {
		return c, false
	}
	for _, e := range itemsOf(s, c.list) {
		row := s.End(e.last)
		if row == e.last || !isArguments(s, row) || s.Leftmost(s.Callee(row)) != e.first {
			return c, false
		}
		c.rows = append(c.rows, row)
	}
	f, call, ok := testWithSource(s, s.End(before)-1)
	if !ok || hasOtherData(s, f) {
		return c, false
	}
	place := s.ArgumentIndex(c.row, i)
	p, ok := f.ParameterOf(place, "")
	c.column = placed(place)
	c.taker, c.method = &taker{in: s, row: -1, parts: map[column]int{c.column: p.at}, scope: f.code, open: call}, s.Text(s.End(before)-1)
	return c, ok && !p.odd && stringTypes[p.kind]
}

// isSourceElsewhere reports whether another file may name the method that gives the values:
// @MethodSource("shop.ATest#cases").
func (c Cell) isSourceElsewhere(t *checkout.Tree) bool {
	if t == nil || c.method == "" {
		return false
	}
	return slices.ContainsFunc(t.FilesReaching(c.in, c.method), func(in *source.File) bool {
		return in != c.in && bytes.Contains(in.Bytes, []byte("#"+c.method))
	})
}

// isArguments reports whether the parenthesis at open is that of a row for JUnit:
// Arguments.of(…) or arguments(…).
func isArguments(s *source.File, open int) bool {
	c := s.Callee(open)
	return s.Text(c) == "arguments" && !s.IsMember(c) || s.Text(c) == "of" && s.Text(c-1) == "." && s.Text(c-2) == "Arguments"
}

// testWithSource returns the only test whose parameters the method that is declared at the name
// at n gives, and the parenthesis of what says so. It returns false where the method may be
// used in another way.
func testWithSource(s *source.File, n int) (f Helper, call int, ok bool) {
	texts := s.Saying(s.Text(n))
	if len(texts) != 1 || len(s.Idents[s.Text(n)]) != 1 {
		return f, 0, false
	}
	call = s.Parent[texts[0]]
	if c := s.Callee(call); s.Text(c) != "MethodSource" || s.Text(c-1) != "@" {
		return f, 0, false
	}
	f, ok = methodBehind(s, call)
	return f, call, ok
}
