// Package testcode finds the code of a test: which file it is in, and which
// part of the file is its own and which belongs to other tests.
package testcode

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Bodies are the parts of a file that belong to tests.
type Bodies struct {
	Own    []source.Span // of the test that was healed
	Others []source.Span // of other tests, for certain
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

// Add adds a body of the healed test, or of another one.
func (b *Bodies) Add(own bool, at source.Span) {
	if own {
		b.Own = append(b.Own, at)
	} else {
		b.Others = append(b.Others, at)
	}
}

// addOtherGroup adds a group of tests when the healed test was found outside of
// it: nothing in the group, be it a hook or a helper, runs for that test.
func (b *Bodies) addOtherGroup(at source.Span) {
	inside := func(own source.Span) bool { return at.Contains(own.Start) }
	if len(b.Own) > 0 && !slices.ContainsFunc(b.Own, inside) {
		b.Add(false, at)
	}
}

// InOwn reports whether an offset is in a body of the healed test.
func (b Bodies) InOwn(offset int) bool { return source.AnyContains(b.Own, offset) }

// InOther reports whether an offset is only in the body of another test.
func (b Bodies) InOther(offset int) bool {
	return source.AnyContains(b.Others, offset) && !b.InOwn(offset)
}

// pythonTests finds the test functions, going by indentation.
func pythonTests(s *source.File, id Identity) Bodies {
	var found Bodies
	type function struct {
		name   string
		indent int
		start  int
	}
	var open []function
	name := id.functionName()
	closeFrom := func(indent, at int) {
		for len(open) > 0 && open[len(open)-1].indent >= indent {
			f := open[len(open)-1]
			open = open[:len(open)-1]
			own := f.name == name && inClass(s, f.start, id)
			if name != "" && (own || strings.HasPrefix(f.name, "test")) {
				found.Add(own, source.Span{Start: f.start, End: at})
			}
		}
	}
	last := 0
	for i, t := range s.Tokens {
		line := s.LineOf(i)
		if line == last || s.Parent[i] >= 0 || t.Closes {
			continue
		}
		last = line
		if i > 0 && s.Line(s.Tokens[i-1].End-1) == line {
			continue // the line starts inside a string or bracket
		}
		indent := s.Indent(line)
		closeFrom(indent, s.Lines[line-1])
		def := i
		if s.Text(def) == "async" {
			def++
		}
		if s.Text(def) == "def" {
			open = append(open, function{s.Text(def + 1), indent, t.Start})
		}
	}
	closeFrom(0, len(s.Bytes))
	for _, i := range s.Idents["class"] {
		name, line := s.Text(i+1), s.LineOf(i)
		inherited := len(s.Idents[name]) > 1
		if strings.HasPrefix(name, "Test") && !inherited && s.FirstToken(line) == i {
			found.addOtherGroup(s.Block(line))
		}
	}
	return found
}

// inClass reports whether a Python function is in the class of the test id, or one
// of them has no class.
func inClass(s *source.File, start int, id Identity) bool {
	if len(id.Names) < 2 {
		return true
	}
	want := id.Names[len(id.Names)-2]
	class, indented := "", s.Indent(s.Line(start)) > 0
	for _, i := range s.Idents["class"] {
		if s.Tokens[i].Start < start && s.Indent(s.LineOf(i)) == 0 {
			class = s.Text(i + 1)
		}
	}
	return !indented || class == "" || class == want
}

// goTests finds the Test functions, and the t.Run of a subtest inside one.
func goTests(s *source.File, id Identity) Bodies {
	var found Bodies
	path := goPath(id)
	if len(path) == 0 {
		return found
	}
	for _, i := range s.Idents["func"] {
		name, body := goFunction(s, i)
		if name == "" {
			continue
		}
		whole := s.SpanOf(i, s.End(body))
		switch {
		case name == path[0]:
			inner := subtestBody(s, body, path[1:])
			found.Add(true, inner)
			if inner != whole && inner.Start != s.Tokens[body].Start {
				addOtherSubtests(s, &found, body, inner)
			}
		case strings.HasPrefix(name, "Test"):
			found.Add(len(path) > 1 && name == path[1] && isSuiteMethod(s, i, path[0]), whole)
		}
	}
	return found
}

// isSuiteMethod reports whether the function at i is a method of the type that a Go test
// of the file runs as a suite: suite.Run(t, new(Type)).
func isSuiteMethod(s *source.File, i int, test string) bool {
	if s.Text(i+1) != "(" {
		return false
	}
	receiver := s.Text(s.End(i+1) - 1)
	for _, j := range s.Idents["func"] {
		if name, body := goFunction(s, j); name == test {
			return slices.ContainsFunc(s.Idents[receiver], func(k int) bool { return k > body && k < s.End(body) })
		}
	}
	return false
}

// goPath returns the parts of a Go test's name: TestX, subtest, subtest…
func goPath(id Identity) []string {
	name := id.Title()
	if i := strings.LastIndex(name, ".Test"); i >= 0 {
		name = name[i+1:]
	}
	if name == "" {
		return nil
	}
	return strings.Split(name, "/")
}

// goFunction returns the name and the opening brace of the function or method
// declared at i.
func goFunction(s *source.File, i int) (string, int) {
	at := i + 1
	if s.Text(at) == "(" {
		at = s.End(at) + 1
	}
	if s.Kind(at) != scan.Ident || s.Parent[i] >= 0 {
		return "", 0
	}
	name := s.Text(at)
	for at++; at < len(s.Tokens); at = s.Next(at) {
		if s.Text(at) == "{" && s.Text(at-1) != "interface" && s.Text(at-1) != "struct" {
			return name, at
		}
		if s.Text(at) == "func" {
			break
		}
	}
	return "", 0
}

// subtestBody returns the t.Run call inside a test's body that path names, as far
// as the names are literals.
func subtestBody(s *source.File, body int, path []string) source.Span {
	at := s.SpanOf(body, s.End(body))
	from, to := body, s.End(body)
	for _, name := range path {
		next := -1
		for i := from; i < to; i++ {
			title, ok := s.Literal(i + 2)
			if s.Text(i) == "Run" && s.Text(i+1) == "(" && ok && strings.ReplaceAll(title, " ", "_") == name {
				if next >= 0 {
					return at
				}
				next = i + 1
			}
		}
		if next < 0 {
			return at
		}
		from, to = next, s.End(next)
		at = s.SpanOf(from, to)
	}
	return at
}

// addOtherSubtests adds the t.Run calls next to the healed one.
func addOtherSubtests(s *source.File, found *Bodies, body int, own source.Span) {
	for i := body; i < s.End(body); i++ {
		if s.Text(i) == "Run" && s.Text(i+1) == "(" {
			if at := s.SpanOf(i+1, s.End(i+1)); !at.Contains(own.Start) && !own.Contains(at.Start) {
				found.Add(false, at)
			}
		}
	}
}

var testAnnotations = scan.WordSet("test parameterizedtest repeatedtest testfactory fact theory testmethod datatestmethod testcase testcasesource playwrighttest")

// methodTests finds the test methods of Java and C# classes.
func methodTests(s *source.File, id Identity) Bodies {
	var found Bodies
	name := id.functionName()
	if name == "" {
		return found
	}
	for open := range s.Tokens {
		if s.Text(open) != "(" || !declaresMethod(s, open-1) {
			continue
		}
		own := s.Text(open-1) == name
		if at, ok := methodBody(s, open); ok && (own || isAnnotatedTest(s, open-1)) {
			found.Add(own, at)
		}
	}
	return found
}

// declaresMethod reports whether the name at c is declared as a method, not called.
func declaresMethod(s *source.File, c int) bool {
	if s.Kind(c) != scan.Ident || s.IsMember(c) {
		return false
	}
	before := s.Text(c - 1)
	return before == ">" || before == "]" || s.Kind(c-1) == scan.Ident && !beforeCall[before]
}

// beforeCall are the words that stand before a call, not a declaration.
var beforeCall = scan.WordSet("new return await throw else in is as case yield")

// methodBody returns the body of the method whose parameters open at open.
func methodBody(s *source.File, open int) (source.Span, bool) {
	end := s.End(open)
	for i := end + 1; i < len(s.Tokens) && i < end+60; i++ {
		switch s.Text(i) {
		case "{":
			return s.SpanOf(open, s.End(i)), true
		case "=>":
			for i < len(s.Tokens) && s.Text(i) != ";" {
				if s.Tokens[i].Closes { // what is around the arrow, which no method's body is
					return source.Span{}, false
				}
				i = s.Next(i)
			}
			return s.SpanOf(open, min(i, len(s.Tokens)-1)), true
		case ";", "=", ")", "}":
			return source.Span{}, false
		}
	}
	return source.Span{}, false
}

// isAnnotatedTest reports whether an annotation marks the method named at c as a
// test.
func isAnnotatedTest(s *source.File, c int) bool {
	for i := c - 1; i >= 0 && c-i < 80; i-- {
		switch open := s.End(i); {
		case s.Text(i) == ";", s.Text(i) == "{", s.Text(i) == "}":
			return false
		case s.Tokens[i].Closes:
			for j := open; j < i && s.Text(i) == "]"; j++ { // C# attributes
				if testAnnotations[strings.ToLower(s.Text(j))] {
					return true
				}
			}
			i = open
		case s.Text(i-1) == "@" && testAnnotations[strings.ToLower(s.Text(i))]:
			return true
		}
	}
	return false
}
