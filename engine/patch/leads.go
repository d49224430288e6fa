package patch

import (
	"bytes"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// leadsTo returns the name under which the code at token i is called: the
// function around it or the field it is assigned to. hook is true for what
// runs before or after every test that reaches it, and for what runs when the
// file is loaded.
func (s *source) leadsTo(i int) (found []string, hook bool) {
	if s.lang.scan == scan.Python {
		return s.pythonLeads(i)
	}
	local, called := "", s.kind(i) == scan.String
	for k := i; k >= 0; k = s.parent[k] {
		called = called || s.at(k) == "("
		if s.at(k) == "{" && s.typeName(k) != "" {
			break
		}
		name, kind := s.leftOf(k)
		switch kind {
		case namesField:
			return []string{name}, s.isAuto(k)
		case namesFunction:
			if hookName(name) || s.hasHook(k) {
				return []string{name}, true
			}
			return []string{s.orClass(name, i)}, false
		case namesHook:
			return nil, true
		case namesLocal:
			local = name
		}
	}
	if local != "" {
		return []string{local}, false
	}
	return nil, called
}

// isAuto reports whether token k stands in a fixture of Playwright's that every
// test gets without naming it: name: [async …, { auto: true }].
func (s *source) isAuto(k int) bool {
	for ; k >= 0; k = s.parent[k] {
		if s.at(k) != "[" || s.at(k-1) != ":" {
			continue
		}
		for i := k; i < s.end(k); i++ {
			if s.at(i) == "auto" && s.at(i+1) == ":" && s.at(i+2) == "true" {
				return true
			}
		}
	}
	return false
}

// orClass returns the name that a function around token i is called by: that of
// its class when it is a constructor or one of Python's special methods.
func (s *source) orClass(name string, i int) string {
	if name == "constructor" || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		if class := s.classAround(i); class != "" {
			return class
		}
	}
	return name
}

// naming is what the code left of a place says of it.
type naming int

const (
	namesNothing  naming = iota
	namesLocal           // a variable
	namesField           // a field, property or entry of an object
	namesFunction        // the body of a function or method
	namesHook            // an argument of beforeEach and the like
)

var (
	noFunction = names("if for while switch catch func function async with using lock foreach return await new else do try synchronized when match")
	hookCalls  = names("beforeeach beforeall aftereach afterall before after")
	hookWords  = names("beforeeach beforeall aftereach afterall before after beforeclass afterclass beforemethod aftermethod setup teardown onetimesetup onetimeteardown testinitialize testcleanup classinitialize")
)

// leftOf reads backwards from token k to the start of its statement, argument
// or entry and says what name stands there.
func (s *source) leftOf(k int) (string, naming) {
	brace := s.at(k) == "{"
	if s.at(k) == "(" && hookCalls[locator.Fold(s.at(s.callee(k)))] {
		return "", namesHook
	}
	method := ""
	for i := k - 1; i >= 0 && i > s.parent[k]; i-- {
		if s.tokens[i].Closes {
			open := s.end(i)
			if s.at(i) == "}" {
				break
			}
			if before := s.at(open - 1); s.at(i) == ")" && s.kind(open-1) == scan.Ident && !noFunction[before] && !s.member(open-1) {
				method = before
			}
			i = open
			continue
		}
		switch s.at(i) {
		case ";", ",":
			return functionNamed(method, brace)
		case "=>":
			if s.kind(i-1) == scan.Ident && (s.kind(i-2) == scan.Ident || s.at(i-2) == ">" || s.at(i-2) == "?") && s.lang.scan == scan.CSharp {
				return s.at(i - 1), namesField
			}
			brace = true
		case "=":
			return s.assignee(i)
		case ":":
			if s.kind(i-1) == scan.Ident && (s.at(i-2) == "{" || s.at(i-2) == ",") && s.parent[i] >= 0 && s.at(s.parent[i]) == "{" {
				return s.at(i - 1), namesField
			}
		}
	}
	return functionNamed(method, brace)
}

func functionNamed(method string, brace bool) (string, naming) {
	if method != "" && brace {
		return method, namesFunction
	}
	return "", namesNothing
}

// assignee returns the name left of the equals sign at i.
func (s *source) assignee(i int) (string, naming) {
	n := i - 1
	if s.at(n) == ":" {
		n-- // Go's :=
	} else if s.kind(n) == scan.Ident && s.at(n-1) == ":" && s.lineOf(n-1) == s.lineOf(n) {
		n -= 2 // name: type =
	}
	if s.kind(n) != scan.Ident {
		return "", namesNothing
	}
	if s.member(n) {
		return s.at(n), namesField
	}
	if open := s.parent[n]; open >= 0 && s.at(open) == "{" && s.typeName(open) != "" {
		return s.at(n), namesField
	}
	return s.at(n), namesLocal
}

// hookName reports whether a method runs around tests because of its name.
func hookName(name string) bool {
	switch name {
	case "beforeEach", "beforeAll", "afterEach", "afterAll": // of a JUnit extension
		return true
	case "SetupTest", "SetupSuite", "TearDownTest", "TearDownSuite", "BeforeTest", "AfterTest", "TestMain", "InitializeAsync", "DisposeAsync":
		return true
	}
	return false
}

// hasHook reports whether the method whose body opens at brace k is annotated
// to run around tests.
func (s *source) hasHook(k int) bool {
	if s.lang.scan != scan.Java && s.lang.scan != scan.CSharp {
		return false
	}
	for i := k - 1; i >= 0 && k-i < 80; i-- {
		switch text := s.at(i); {
		case text == ";" || text == "{" || text == "}":
			return false
		case hookWords[strings.ToLower(text)] && (s.at(i-1) == "@" || s.at(i-1) == "[" || s.at(i-1) == ","):
			return true
		}
	}
	return false
}

// onlyDeclares reports whether the name at i is given a value or a type there,
// or is a key.
func (s *source) onlyDeclares(i int) bool {
	next := s.at(i + 1)
	return next == "=" || next == ":" && (s.at(i+2) == "=" || s.at(i-1) == "{" || s.at(i-1) == "," || s.at(i-1) == ";")
}

// pythonLeads is leadsTo for Python, by indentation.
func (s *source) pythonLeads(i int) (found []string, hook bool) {
	line := s.lineOf(i)
	if first := s.firstOf(line); s.at(first) == "self" && s.at(first+1) == "." && (s.at(first+3) == "=" || s.at(first+3) == ":") {
		return []string{s.at(first + 2)}, false
	}
	for indent, l := s.indent(line), line; l > 0; l-- {
		text := bytes.TrimSpace([]byte(s.code(l)))
		at := s.indent(l)
		if len(text) == 0 || l != line && at >= indent {
			continue
		}
		indent = at
		text = bytes.TrimPrefix(text, []byte("async "))
		switch {
		case bytes.HasPrefix(text, []byte("def ")):
			name, _, _ := strings.Cut(string(text[len("def "):]), "(")
			name = s.orClass(strings.TrimSpace(name), i)
			return []string{name}, strings.HasPrefix(name, "setup") || strings.HasPrefix(name, "teardown") || s.autouse(l)
		case bytes.HasPrefix(text, []byte("class ")):
			l = 0
		}
	}
	if first := s.firstOf(line); s.kind(first) == scan.Ident && (s.at(first+1) == "=" || s.at(first+1) == ":") {
		return []string{s.at(first)}, false
	}
	return nil, true
}

// firstOf returns the first token that starts on a line, or the length of the
// tokens.
func (s *source) firstOf(line int) int {
	start := s.lines[line-1]
	lo, hi := 0, len(s.tokens)
	for lo < hi {
		if mid := (lo + hi) / 2; s.tokens[mid].Start < start {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// autouse reports whether the decorators above a def make it a fixture that
// every test gets.
func (s *source) autouse(line int) bool {
	for l := line - 1; l > 0 && line-l < 8; l-- {
		text := strings.TrimSpace(s.lineText(l))
		if text == "" || strings.HasPrefix(text, "def ") {
			return false
		}
		if strings.Contains(strings.ReplaceAll(text, " ", ""), "autouse=True") {
			return true
		}
	}
	return false
}
