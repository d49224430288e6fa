package testcode

import (
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// scriptTests finds test('title', …) and it('title', …) with their modifiers.
func scriptTests(s *source.File, id Identity) Bodies {
	var found Bodies
	var groups []source.Span
	for open := range s.Tokens {
		if s.Text(open) != "(" || s.End(open) == open {
			continue
		}
		at := s.SpanOf(open, s.End(open))
		if describeName(s, open) == "describe" {
			groups = append(groups, at)
		}
		if isTestCall(s, open) && id.Title() != "" {
			if title := titleTemplate(s, open+1); title.TextLen() > 0 {
				found.Add(title.Matches(id.Title()) && inSuites(s, open, id), at)
			}
		}
	}
	for _, at := range groups {
		found.addOtherGroup(at)
	}
	if stepCall.Match(s.Bytes) {
		found.addSteps(s, id)
	}
	return found
}

var testModifiers = scan.WordSet("only skip fixme fail slow concurrent sequential failing todo")

// isTestCall reports whether the call at open declares a test.
func isTestCall(s *source.File, open int) bool {
	c := open - 1
	if s.Text(c) == ")" { // test.each(…)('title', …)
		each := s.Callee(s.End(c))
		return each >= 0 && s.Text(each) == "each" && isTestName(s, each-2)
	}
	if s.Kind(c) == scan.String || s.Kind(c) == scan.Chunk { // test.each`…`('title', …)
		return false
	}
	if testModifiers[s.Text(c)] && s.IsMember(c) {
		c -= 2
	}
	return isTestName(s, c) && s.ArgumentCount(open) > 1
}

func isTestName(s *source.File, c int) bool {
	name := s.Text(c)
	return (name == "test" || name == "it" || name == "setup" || strings.HasSuffix(name, "Test")) && s.Kind(c) == scan.Ident && !s.IsMember(c)
}

// placeholder matches the holes in a title of test.each.
var placeholder = lazyregexp.New(`%[sdifjop#]|\$\{?[\w.]+\}?`)

// titleTemplate returns the template of the title at token i, nil when it is not a
// string.
func titleTemplate(s *source.File, i int) source.Template {
	var p source.Template
	if s.Text(s.End(i)+1) != "," {
		return nil
	}
	if value, ok := s.Literal(i); ok {
		return placeholder.Split(value, -1)
	}
	if s.Kind(i) == scan.Chunk {
		for j := i; j <= s.End(i); j++ {
			if s.Kind(j) != scan.Chunk || j != i && j != s.End(i) && s.Parent[j] != i {
				continue
			}
			text := strings.Trim(s.Text(j), "`")
			p = append(p, strings.TrimSuffix(strings.TrimPrefix(text, "}"), "${"))
		}
	}
	return p
}

// inSuites reports whether the describe blocks around a test have the titles of the
// path. Titles that are not literals match everything.
func inSuites(s *source.File, open int, id Identity) bool {
	n := len(id.Names) - 2
	for o := s.Parent[open]; o >= 0; o = s.Parent[o] {
		if s.Text(o) != "(" || !strings.HasPrefix(describeName(s, o), "describe") {
			continue
		}
		switch title, ok := s.Literal(o + 1); {
		case !ok:
			continue
		case n < 0:
			return true
		case id.Names[n] != title:
			return false
		}
		n--
	}
	return true
}

// describeName returns "describe" for a call like test.describe.only(…), and the
// first name of any other call.
func describeName(s *source.File, open int) string {
	c := s.Callee(open)
	for s.Text(c) != "describe" && s.IsMember(c) {
		c -= 2
	}
	return s.Text(c)
}

// DeclaresTest reports whether the call at open of a script declares a test, or a group of
// them.
func DeclaresTest(s *source.File, open int) bool {
	return isTestCall(s, open) || describeName(s, open) == "describe"
}
