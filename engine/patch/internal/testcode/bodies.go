// Package testcode finds the code of a test: which file it is in, and which
// part of the file is its own and which belongs to other tests.
package testcode

import (
	"regexp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Bodies are the stretches of a file that belong to tests.
type Bodies struct {
	Own    []source.Span // of the test that was healed
	Others []source.Span // of tests that are surely other ones
}

// FindBodies finds the test bodies in s.
func FindBodies(s *source.File, id Identity) Bodies {
	switch s.Dialect.Scan {
	case scan.Python:
		return pythonTests(s, id)
	case scan.Go:
		return goTests(s, id)
	case scan.Java, scan.CSharp:
		return methodTests(s, id)
	}
	return scriptTests(s, id)
}

func (b *Bodies) Add(own bool, at source.Span) {
	if own {
		b.Own = append(b.Own, at)
	} else {
		b.Others = append(b.Others, at)
	}
}

// InOwn reports whether an offset lies in a body of the healed test.
func (b Bodies) InOwn(offset int) bool { return source.AnyContains(b.Own, offset) }

// InOther reports whether an offset lies in another test's body only.
func (b Bodies) InOther(offset int) bool {
	return source.AnyContains(b.Others, offset) && !b.InOwn(offset)
}

// scriptTests finds test('title', …) and it('title', …) with their modifiers.
func scriptTests(s *source.File, id Identity) Bodies {
	var found Bodies
	for open := range s.Tokens {
		if s.Text(open) != "(" || s.Match[open] < 0 || !isTestCall(s, open) {
			continue
		}
		at := s.SpanOf(open, s.Match[open])
		title := titleTemplate(s, open+1)
		if id.Title() == "" || title == nil {
			continue
		}
		found.Add(title.Matches(id.Title()) && inSuites(s, open, id), at)
	}
	addOtherSuites(s, &found)
	return found
}

// addOtherSuites adds the describe blocks that hold none of the healed test's
// bodies: nothing in them, be it a hook or a helper, runs for it.
func addOtherSuites(s *source.File, found *Bodies) {
	if len(found.Own) == 0 {
		return
	}
	for open := range s.Tokens {
		if s.Text(open) != "(" || s.Match[open] < 0 || describeName(s, open) != "describe" {
			continue
		}
		if at := (s.SpanOf(open, s.Match[open])); !containsStart(at, found.Own) {
			found.Add(false, at)
		}
	}
}

// containsStart reports whether one of the spans begins in a.
func containsStart(a source.Span, spans []source.Span) bool {
	return slices.ContainsFunc(spans, func(b source.Span) bool { return a.Contains(b.Start) })
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
var placeholder = regexp.MustCompile(`%[sdifjop#]|\$\{?[\w.]+\}?`)

// titleTemplate returns the template of the title at token i, nil for one that tells
// nothing.
func titleTemplate(s *source.File, i int) source.Template {
	var p source.Template
	switch value, ok := s.Literal(i); {
	case ok && s.Text(i+1) == ",":
		p = placeholder.Split(value, -1)
	case s.Kind(i) == scan.Chunk && s.Text(s.End(i)+1) == ",":
		for j := i; j <= s.End(i); j++ {
			if s.Kind(j) != scan.Chunk || j != i && j != s.End(i) && s.Parent[j] != i {
				continue
			}
			text := strings.Trim(s.Text(j), "`")
			p = append(p, strings.TrimSuffix(strings.TrimPrefix(text, "}"), "${"))
		}
	}
	if !p.HasText() {
		return nil
	}
	return p
}

// inSuites reports whether the describe blocks around a test agree with the
// title path. Titles that are not literals agree with everything.
func inSuites(s *source.File, open int, id Identity) bool {
	n := len(id.Names) - 2
	for o := s.Parent[open]; o >= 0; o = s.Parent[o] {
		if s.Text(o) != "(" || !strings.HasPrefix(describeName(s, o), "describe") {
			continue
		}
		title, ok := s.Literal(o + 1)
		if !ok {
			continue
		}
		if n < 0 {
			return true
		}
		if id.Names[n] != title {
			return false
		}
		n--
	}
	return true
}

// describeName returns the first name of the call at open: describe of
// test.describe.only(…).
func describeName(s *source.File, open int) string {
	c := s.Callee(open)
	for c >= 0 {
		if s.Text(c) == "describe" {
			return "describe"
		}
		if !s.IsMember(c) {
			break
		}
		c -= 2
	}
	return s.Text(c)
}
