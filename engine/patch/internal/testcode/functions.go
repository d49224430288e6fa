package testcode

import (
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// pythonTests finds the def blocks by indentation.
func pythonTests(s *source.File, id Identity) Bodies {
	var found Bodies
	type function struct {
		name   string
		indent int
		start  int
	}
	var open []function
	name := id.functionName()
	leave := func(indent, at int) {
		for len(open) > 0 && open[len(open)-1].indent >= indent {
			f := open[len(open)-1]
			open = open[:len(open)-1]
			switch {
			case name == "":
			case f.name == name && inClass(s, f.start, id):
				found.Add(true, source.Span{Start: f.start, End: at})
			case strings.HasPrefix(f.name, "test"):
				found.Add(false, source.Span{Start: f.start, End: at})
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
		leave(indent, s.Lines[line-1])
		def := i
		if s.Text(def) == "async" {
			def++
		}
		if s.Text(def) == "def" {
			open = append(open, function{s.Text(def + 1), indent, t.Start})
		}
	}
	leave(0, len(s.Bytes))
	addOtherClasses(s, &found)
	return found
}

// addOtherClasses adds the test classes that hold none of the healed test's
// bodies and that no other class inherits from.
func addOtherClasses(s *source.File, found *Bodies) {
	if len(found.Own) == 0 {
		return
	}
	for _, i := range s.Idents["class"] {
		name := s.Text(i + 1)
		if !strings.HasPrefix(name, "Test") || len(s.Idents[name]) > 1 || s.FirstToken(s.LineOf(i)) != i {
			continue
		}
		if at := s.Block(s.LineOf(i)); !containsStart(at, found.Own) {
			found.Add(false, at)
		}
	}
}

// inClass reports whether the class around a Python function agrees with the
// test id; without a class in either it agrees.
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
			found.Add(false, whole)
		}
	}
	return found
}

// goPath returns TestX, sub, sub… of a Go test's name.
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

// goFunction returns the name and the opening brace of the Go function declared
// at i. Methods (suites) count by their method name.
func goFunction(s *source.File, i int) (string, int) {
	at := i + 1
	if s.Text(at) == "(" {
		at = s.End(at) + 1
	}
	if s.Kind(at) != scan.Ident || s.Parent[i] >= 0 {
		return "", 0
	}
	name := s.Text(at)
	for at++; at < len(s.Tokens); at = s.End(at) + 1 {
		if s.Text(at) == "{" && s.Text(at-1) != "interface" && s.Text(at-1) != "struct" {
			return name, at
		}
		if s.Text(at) == "func" {
			break
		}
	}
	return "", 0
}

// subtestBody narrows a test's body to the t.Run calls that path names, as far as
// they are literals.
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

// addOtherSubtests adds the t.Run calls beside the healed one.
func addOtherSubtests(s *source.File, found *Bodies, body int, own source.Span) {
	for i := body; i < s.End(body); i++ {
		if s.Text(i) != "Run" || s.Text(i+1) != "(" {
			continue
		}
		at := s.SpanOf(i+1, s.End(i+1))
		if !at.Contains(own.Start) && !own.Contains(at.Start) {
			found.Add(false, at)
		}
	}
}

var testAnnotations = scan.WordSet("test parameterizedtest repeatedtest testfactory fact theory testmethod datatestmethod testcase testcasesource playwrighttest")

// methodTests finds the methods of Java and C# classes.
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
		at, ok := methodBody(s, open)
		if !ok {
			continue
		}
		switch {
		case s.Text(open-1) == name:
			found.Add(true, at)
		case isAnnotatedTest(s, open-1):
			found.Add(false, at)
		}
	}
	return found
}

// declaresMethod reports whether the name at c is declared as a method, not called.
func declaresMethod(s *source.File, c int) bool {
	if s.Kind(c) != scan.Ident || s.IsMember(c) {
		return false
	}
	switch before := s.Text(c - 1); before {
	case "new", "return", "await", "throw", "else", "in", "is", "as", "case", "yield":
		return false
	case ">", "]":
		return true
	}
	return s.Kind(c-1) == scan.Ident
}

// methodBody returns the body of the method whose parameters open at open.
func methodBody(s *source.File, open int) (source.Span, bool) {
	end := s.End(open)
	for i := end + 1; i < len(s.Tokens) && i < end+60; i++ {
		switch s.Text(i) {
		case "{":
			return s.SpanOf(open, s.End(i)), true
		case "=>":
			for i < len(s.Tokens) && s.Text(i) != ";" {
				i = s.End(i) + 1
			}
			return s.SpanOf(open, min(i, len(s.Tokens)-1)), true
		case ";", "=", ")", "}", "(", ".", ",":
			if s.Text(i) != "," && s.Text(i) != "." && s.Text(i) != "(" {
				return source.Span{}, false
			}
		}
	}
	return source.Span{}, false
}

// isAnnotatedTest reports whether the method named at c is marked as a test.
func isAnnotatedTest(s *source.File, c int) bool {
	for i := c - 1; i >= 0 && c-i < 80; i-- {
		if s.Match[i] >= 0 && s.Tokens[i].Closes {
			if s.Text(i) == "}" {
				return false
			}
			if s.Text(i) == "]" { // C# attributes
				for j := s.Match[i]; j < i; j++ {
					if testAnnotations[strings.ToLower(s.Text(j))] {
						return true
					}
				}
			}
			i = s.Match[i]
			continue
		}
		switch {
		case s.Text(i) == ";", s.Text(i) == "{":
			return false
		case s.Text(i-1) == "@" && testAnnotations[strings.ToLower(s.Text(i))]:
			return true
		}
	}
	return false
}
