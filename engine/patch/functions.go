package patch

import (
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// pythonTests finds the def blocks by indentation.
func (s *source) pythonTests(id identity) bodies {
	var found bodies
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
			case f.name == name && s.inClass(f.start, id):
				found.add(true, span{f.start, at})
			case strings.HasPrefix(f.name, "test"):
				found.add(false, span{f.start, at})
			}
		}
	}
	last := 0
	for i, t := range s.tokens {
		line := s.lineOf(i)
		if line == last || s.parent[i] >= 0 || t.Closes {
			continue
		}
		last = line
		if i > 0 && s.line(s.tokens[i-1].End-1) == line {
			continue // the line starts inside a string or bracket
		}
		indent := s.indent(line)
		leave(indent, s.lines[line-1])
		def := i
		if s.at(def) == "async" {
			def++
		}
		if s.at(def) == "def" {
			open = append(open, function{s.at(def + 1), indent, t.Start})
		}
	}
	leave(0, len(s.text))
	s.otherClasses(&found)
	return found
}

// otherClasses adds the test classes that hold none of the healed test's
// bodies and that no other class inherits from.
func (s *source) otherClasses(found *bodies) {
	if len(found.own) == 0 {
		return
	}
	for _, i := range s.idents["class"] {
		name := s.at(i + 1)
		if !strings.HasPrefix(name, "Test") || len(s.idents[name]) > 1 || s.firstOf(s.lineOf(i)) != i {
			continue
		}
		if at := s.block(s.lineOf(i)); !at.holdsAny(found.own) {
			found.add(false, at)
		}
	}
}

// inClass reports whether the class around a Python function agrees with the
// test id; without a class in either it agrees.
func (s *source) inClass(start int, id identity) bool {
	if len(id.names) < 2 {
		return true
	}
	want := id.names[len(id.names)-2]
	class, indented := "", s.indent(s.line(start)) > 0
	for _, i := range s.idents["class"] {
		if s.tokens[i].Start < start && s.indent(s.lineOf(i)) == 0 {
			class = s.at(i + 1)
		}
	}
	return !indented || class == "" || class == want
}

// goTests finds the Test functions, and the t.Run of a subtest inside one.
func (s *source) goTests(id identity) bodies {
	var found bodies
	path := goPath(id)
	if len(path) == 0 {
		return found
	}
	for _, i := range s.idents["func"] {
		name, body := s.function(i)
		if name == "" {
			continue
		}
		whole := span{s.tokens[i].Start, s.tokens[s.end(body)].End}
		switch {
		case name == path[0]:
			inner := s.subtest(body, path[1:])
			found.add(true, inner)
			if inner != whole && inner.start != s.tokens[body].Start {
				s.otherSubtests(&found, body, inner)
			}
		case strings.HasPrefix(name, "Test"):
			found.add(false, whole)
		}
	}
	return found
}

// goPath returns TestX, sub, sub… of a Go test's name.
func goPath(id identity) []string {
	name := id.own()
	if i := strings.LastIndex(name, ".Test"); i >= 0 {
		name = name[i+1:]
	}
	if name == "" {
		return nil
	}
	return strings.Split(name, "/")
}

// function returns the name and the opening brace of the Go function declared
// at i. Methods (suites) count by their method name.
func (s *source) function(i int) (string, int) {
	at := i + 1
	if s.at(at) == "(" {
		at = s.end(at) + 1
	}
	if s.kind(at) != scan.Ident || s.parent[i] >= 0 {
		return "", 0
	}
	name := s.at(at)
	for at++; at < len(s.tokens); at = s.end(at) + 1 {
		if s.at(at) == "{" && s.at(at-1) != "interface" && s.at(at-1) != "struct" {
			return name, at
		}
		if s.at(at) == "func" {
			break
		}
	}
	return "", 0
}

// subtest narrows a test's body to the t.Run calls that path names, as far as
// they are literals.
func (s *source) subtest(body int, path []string) span {
	at := span{s.tokens[body].Start, s.tokens[s.end(body)].End}
	from, to := body, s.end(body)
	for _, name := range path {
		next := -1
		for i := from; i < to; i++ {
			title, ok := s.literal(i + 2)
			if s.at(i) == "Run" && s.at(i+1) == "(" && ok && strings.ReplaceAll(title, " ", "_") == name {
				if next >= 0 {
					return at
				}
				next = i + 1
			}
		}
		if next < 0 {
			return at
		}
		from, to = next, s.end(next)
		at = span{s.tokens[from].Start, s.tokens[to].End}
	}
	return at
}

// otherSubtests adds the t.Run calls beside the healed one.
func (s *source) otherSubtests(found *bodies, body int, own span) {
	for i := body; i < s.end(body); i++ {
		if s.at(i) != "Run" || s.at(i+1) != "(" {
			continue
		}
		at := span{s.tokens[i+1].Start, s.tokens[s.end(i+1)].End}
		if !at.contains(own.start) && !own.contains(at.start) {
			found.add(false, at)
		}
	}
}

var testAnnotations = names("test parameterizedtest repeatedtest testfactory fact theory testmethod datatestmethod testcase testcasesource playwrighttest")

// methodTests finds the methods of Java and C# classes.
func (s *source) methodTests(id identity) bodies {
	var found bodies
	name := id.functionName()
	if name == "" {
		return found
	}
	for open := range s.tokens {
		if s.at(open) != "(" || !s.declares(open-1) {
			continue
		}
		at, ok := s.methodBody(open)
		if !ok {
			continue
		}
		switch {
		case s.at(open-1) == name:
			found.add(true, at)
		case s.annotated(open - 1):
			found.add(false, at)
		}
	}
	return found
}

// declares reports whether the name at c is declared as a method, not called.
func (s *source) declares(c int) bool {
	if s.kind(c) != scan.Ident || s.member(c) {
		return false
	}
	switch before := s.at(c - 1); before {
	case "new", "return", "await", "throw", "else", "in", "is", "as", "case", "yield":
		return false
	case ">", "]":
		return true
	}
	return s.kind(c-1) == scan.Ident
}

// methodBody returns the body of the method whose parameters open at open.
func (s *source) methodBody(open int) (span, bool) {
	end := s.end(open)
	for i := end + 1; i < len(s.tokens) && i < end+60; i++ {
		switch s.at(i) {
		case "{":
			return span{s.tokens[open].Start, s.tokens[s.end(i)].End}, true
		case "=>":
			for i < len(s.tokens) && s.at(i) != ";" {
				i = s.end(i) + 1
			}
			return span{s.tokens[open].Start, s.tokens[min(i, len(s.tokens)-1)].End}, true
		case ";", "=", ")", "}", "(", ".", ",":
			if s.at(i) != "," && s.at(i) != "." && s.at(i) != "(" {
				return span{}, false
			}
		}
	}
	return span{}, false
}

// annotated reports whether the method named at c is marked as a test.
func (s *source) annotated(c int) bool {
	for i := c - 1; i >= 0 && c-i < 80; i-- {
		if s.match[i] >= 0 && s.tokens[i].Closes {
			if s.at(i) == "}" {
				return false
			}
			if s.at(i) == "]" { // C# attributes
				for j := s.match[i]; j < i; j++ {
					if testAnnotations[strings.ToLower(s.at(j))] {
						return true
					}
				}
			}
			i = s.match[i]
			continue
		}
		switch {
		case s.at(i) == ";", s.at(i) == "{":
			return false
		case s.at(i-1) == "@" && testAnnotations[strings.ToLower(s.at(i))]:
			return true
		}
	}
	return false
}
