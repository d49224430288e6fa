package patch

import (
	"regexp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// bodies are the stretches of a file that belong to tests.
type bodies struct {
	own    []span // of the test that was healed
	others []span // of tests that are surely other ones
}

// tests finds the test bodies in s.
func (s *source) tests(id identity) bodies {
	switch s.lang.scan {
	case scan.Python:
		return s.pythonTests(id)
	case scan.Go:
		return s.goTests(id)
	case scan.Java, scan.CSharp:
		return s.methodTests(id)
	}
	return s.scriptTests(id)
}

func (b *bodies) add(own bool, at span) {
	if own {
		b.own = append(b.own, at)
	} else {
		b.others = append(b.others, at)
	}
}

// inOwn reports whether an offset lies in a body of the healed test.
func (b bodies) inOwn(offset int) bool { return anyContains(b.own, offset) }

// inOther reports whether an offset lies in another test's body only.
func (b bodies) inOther(offset int) bool {
	return anyContains(b.others, offset) && !b.inOwn(offset)
}

func anyContains(spans []span, offset int) bool {
	for _, at := range spans {
		if at.contains(offset) {
			return true
		}
	}
	return false
}

// scriptTests finds test('title', …) and it('title', …) with their modifiers.
func (s *source) scriptTests(id identity) bodies {
	var found bodies
	for open := range s.tokens {
		if s.at(open) != "(" || s.match[open] < 0 || !s.isTestCall(open) {
			continue
		}
		at := span{s.tokens[open].Start, s.tokens[s.match[open]].End}
		title := s.title(open + 1)
		if id.own() == "" || title == nil {
			continue
		}
		found.add(title.Matches(id.own()) && s.inSuites(open, id), at)
	}
	s.otherSuites(&found)
	return found
}

// otherSuites adds the describe blocks that hold none of the healed test's
// bodies: nothing in them, be it a hook or a helper, runs for it.
func (s *source) otherSuites(found *bodies) {
	if len(found.own) == 0 {
		return
	}
	for open := range s.tokens {
		if s.at(open) != "(" || s.match[open] < 0 || s.describeName(open) != "describe" {
			continue
		}
		if at := (span{s.tokens[open].Start, s.tokens[s.match[open]].End}); !at.holdsAny(found.own) {
			found.add(false, at)
		}
	}
}

// holdsAny reports whether one of the spans begins in a.
func (a span) holdsAny(spans []span) bool {
	return slices.ContainsFunc(spans, func(b span) bool { return a.contains(b.start) })
}

var testModifiers = names("only skip fixme fail slow concurrent sequential failing todo")

// isTestCall reports whether the call at open declares a test.
func (s *source) isTestCall(open int) bool {
	c := open - 1
	if s.at(c) == ")" { // test.each(…)('title', …)
		each := s.callee(s.end(c))
		return each >= 0 && s.at(each) == "each" && s.isTestName(each-2)
	}
	if s.kind(c) == scan.String || s.kind(c) == scan.Chunk { // test.each`…`('title', …)
		return false
	}
	if testModifiers[s.at(c)] && s.member(c) {
		c -= 2
	}
	return s.isTestName(c) && s.arguments(open) > 1
}

func (s *source) isTestName(c int) bool {
	name := s.at(c)
	return (name == "test" || name == "it" || name == "setup" || strings.HasSuffix(name, "Test")) && s.kind(c) == scan.Ident && !s.member(c)
}

// Template is a title with holes: what stands before, between and after them.
type Template []string

// Matches reports whether title is the template with something in its holes.
func (p Template) Matches(title string) bool {
	if len(p) == 1 {
		return title == p[0]
	}
	rest, ok := strings.CutPrefix(title, p[0])
	if !ok {
		return false
	}
	for _, piece := range p[1 : len(p)-1] {
		if _, rest, ok = strings.Cut(rest, piece); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, p[len(p)-1])
}

// says reports whether the template has any text of its own.
func (p Template) says() bool { return strings.TrimSpace(strings.Join(p, "")) != "" }

// placeholder matches the holes in a title of test.each.
var placeholder = regexp.MustCompile(`%[sdifjop#]|\$\{?[\w.]+\}?`)

// title returns the template of the title at token i, nil for one that tells
// nothing.
func (s *source) title(i int) Template {
	var p Template
	switch value, ok := s.literal(i); {
	case ok && s.at(i+1) == ",":
		p = placeholder.Split(value, -1)
	case s.kind(i) == scan.Chunk && s.at(s.end(i)+1) == ",":
		for j := i; j <= s.end(i); j++ {
			if s.kind(j) != scan.Chunk || j != i && j != s.end(i) && s.parent[j] != i {
				continue
			}
			text := strings.Trim(s.at(j), "`")
			p = append(p, strings.TrimSuffix(strings.TrimPrefix(text, "}"), "${"))
		}
	}
	if !p.says() {
		return nil
	}
	return p
}

// inSuites reports whether the describe blocks around a test agree with the
// title path. Titles that are not literals agree with everything.
func (s *source) inSuites(open int, id identity) bool {
	n := len(id.names) - 2
	for o := s.parent[open]; o >= 0; o = s.parent[o] {
		if s.at(o) != "(" || !strings.HasPrefix(s.describeName(o), "describe") {
			continue
		}
		title, ok := s.literal(o + 1)
		if !ok {
			continue
		}
		if n < 0 {
			return true
		}
		if id.names[n] != title {
			return false
		}
		n--
	}
	return true
}

// describeName returns the first name of the call at open: describe of
// test.describe.only(…).
func (s *source) describeName(open int) string {
	c := s.callee(open)
	for c >= 0 {
		if s.at(c) == "describe" {
			return "describe"
		}
		if !s.member(c) {
			break
		}
		c -= 2
	}
	return s.at(c)
}
