package callers

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// pythonCallersOf is callersOf for Python, whose blocks are told by indentation.
func pythonCallersOf(s *source.File, i int) (found []string, hook bool) {
	first := pythonStatement(s, i)
	if s.Text(first) == "@" { // what a decorator does with it is not known, but for @name.setter
		return nil, i != first+1 || s.Text(i+1) != "." || !accessors[s.Text(i+2)]
	}
	eager := actsInPython(s, first, i)
	targets, ofSelf := pythonTargets(s, first, i)
	if ofSelf && !eager {
		return targets, false
	}
	for at := pythonLine(s, first); at >= 0; at = pythonOuterLine(s, at) {
		word := at
		if s.Text(word) == "async" {
			word++
		}
		switch name := s.Text(word + 1); s.Text(word) {
		case "def":
			found = append(found, targetsOf(targets, ofSelf)...)
			found = append(found, constructedClass(s, name, at))
			decorated := at > 0 && s.Text(pythonLine(s, at-1)) == "@"
			if isPythonHook(s, name, at) {
				return found, true
			}
			if !decorated && name != "_" || pythonOuterLine(s, at) < 0 {
				return found, false
			}
		case "class":
			switch {
			case at == pythonLine(s, i): // class Name(i):
				return append(found, name), false
			case len(found) > 0:
				return found, false
			}
			return targets, len(targets) == 0 || eager
		}
	}
	if len(found) > 0 {
		return found, false
	}
	return targets, len(targets) == 0
}

// accessors make a property of the function that they decorate and an earlier one of
// the same name.
var accessors = scan.WordSet("setter getter deleter")

// targetsOf returns the targets of an assignment when they are fields.
func targetsOf(targets []string, fields bool) []string {
	if fields {
		return targets
	}
	return nil
}

// pythonHooks are the folded names of the functions that a test runner calls by itself:
// those of pytest, nose and unittest. Any other setup_shop() is called like a helper.
var pythonHooks = scan.WordSet("setup setupclass setupmodule setupmethod setupfunction setuppackage setupall setuptestdata asyncsetup " +
	"teardown teardownclass teardownmodule teardownmethod teardownfunction teardownpackage teardownall asyncteardown")

// isPythonHook reports whether the function whose def stands at a line's first token
// is run for every test, by its name or by its decorators. A test gets a fixture, whatever
// it is called, by naming it, or by autouse.
func isPythonHook(s *source.File, name string, at int) bool {
	isFixture, autouse := fixtureAt(s, at)
	return autouse || strings.HasPrefix(name, "pytest_") || !isFixture && name[0] != '_' && pythonHooks[locator.Fold(name)]
}

// fixtureAt reports whether a decorator above the line that begins with token at makes
// the function a fixture, and one that every test gets.
func fixtureAt(s *source.File, at int) (isFixture, autouse bool) {
	for at > 0 {
		first := pythonLine(s, at-1)
		if s.Text(first) != "@" {
			break
		}
		for j := first; j < at; j++ {
			isFixture = isFixture || s.Text(j) == "fixture"
			autouse = autouse || s.Text(j) == "autouse" && s.Text(j+1) == "=" && s.Text(j+2) != "False"
		}
		at = first
	}
	return isFixture, autouse
}

// isPythonModule reports whether token i is the name of a module that the file imports, and
// of nothing else there: what is called on it, as in re.match(…), is no member of a class.
func isPythonModule(s *source.File, i int) bool {
	if s.Dialect.Scan != scan.Python || s.IsMember(i) {
		return false
	}
	imported := false
	for _, j := range s.Idents[s.Text(i)] {
		switch before := s.Text(j - 1); {
		case s.Text(pythonLine(s, j)) == "import" && (before == "import" || before == "," || before == "as"):
			imported = true
		case !s.IsMember(j) && s.Text(j+1) != ".":
			return false
		}
	}
	return imported
}

// constructedClass returns the name by which the function whose line begins at a token
// is called: that of its class for special methods.
func constructedClass(s *source.File, name string, at int) string {
	if !strings.HasPrefix(name, "__") || !strings.HasSuffix(name, "__") {
		return name
	}
	for at = pythonOuterLine(s, at); at >= 0; at = pythonOuterLine(s, at) {
		if s.Text(at) == "class" {
			return s.Text(at + 1)
		}
	}
	return name
}

// pythonLine returns the first token of the logical line that token i is in.
func pythonLine(s *source.File, i int) int {
	for s.Parent[i] >= 0 {
		i = s.Parent[i]
	}
	for i = min(i, s.End(i)); i > 0 && !beginsPythonLine(s, i); i-- {
		if s.Tokens[i-1].Closes {
			i = s.End(i-1) + 1
		}
	}
	return i
}

// beginsPythonLine reports whether a logical line begins at a token outside brackets.
func beginsPythonLine(s *source.File, i int) bool {
	return i == 0 || s.BreaksLine(i-1) && s.Text(i-1) != `\`
}

// pythonOuterLine returns the first token of the line that begins the block around
// the line that begins at a token, -1 for none.
func pythonOuterLine(s *source.File, at int) int {
	indent := s.Indent(s.LineOf(at))
	for at > 0 && indent > 0 {
		at = pythonLine(s, at-1)
		if s.Indent(s.LineOf(at)) < indent {
			return at
		}
	}
	return -1
}

// pythonStatement returns the first token of the simple statement that token i is in:
// behind a semicolon, or behind the colon of a block on one line.
func pythonStatement(s *source.File, i int) int {
	first := pythonLine(s, i)
	for s.Parent[i] >= 0 {
		i = s.Parent[i]
	}
	for j := i - 1; j >= first; j-- {
		if s.Tokens[j].Closes {
			j = s.End(j)
		} else if s.Text(j) == ";" {
			return j + 1
		}
	}
	return first
}

// pythonTargets returns the names that the statement from first assigns what is at
// token i to, and whether they are fields of self.
func pythonTargets(s *source.File, first, i int) (names []string, ofSelf bool) {
	last := -1
	for j := first; j < i; j = s.Next(j) {
		if s.Text(j) == "=" {
			last = j
		}
	}
	for j := first; j < last; j++ {
		if s.Text(j) == ":" && s.Parent[j] < 0 { // a type
			break
		}
		switch s.Text(j + 1) {
		case "=", ",", ":", ")", "]":
			if isName(s, j) && (s.Parent[j] < 0 || s.Text(s.Parent[j]) != "[") {
				names = append(names, s.Text(j))
			}
		}
	}
	return names, s.Text(first) == "self" || s.Text(first) == "cls"
}

// isName reports whether token j is a name.
func isName(s *source.File, j int) bool { return s.Kind(j) == scan.Ident }

// actsInPython reports whether the value at token i, in the statement from first, may
// come from a call that does more than make a locator or an object.
func actsInPython(s *source.File, first, i int) bool {
	for j := first; j < i; j++ {
		if s.Text(j) == "lambda" {
			return false
		}
	}
	for k := i; k >= 0; k = s.Parent[k] {
		at := k
		if s.Text(k) == "(" {
			at = s.Callee(k)
		}
		if callsMore(s, at) {
			return true
		}
	}
	return false
}
