package callers

import (
	"cmp"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// callersOf returns the name by which the code at token i is used: the function
// around it, or the field or variable it is assigned to. hook says that every test
// of the file runs the code: before or after the test, or when the file is loaded.
func callersOf(s *source.File, i int) (found []string, hook bool) {
	if s.Dialect.Scan == scan.Python {
		return pythonCallersOf(s, i)
	}
	local, called := "", s.Kind(i) == scan.String
	for k := i; k >= 0; k = s.Parent[k] {
		called = called || s.Text(k) == "("
		if s.Text(k) == "{" && s.TypeName(k) != "" {
			break
		}
		name, kind := declarationAround(s, k)
		switch kind {
		case declaresField:
			return []string{name}, isAutoFixture(s, k)
		case declaresFunction:
			if hookNames[name] || hasHookAnnotation(s, k) {
				return []string{name}, true
			}
			return []string{constructedClass(s, name, i)}, false
		case declaresHook:
			return nil, true
		case declaresLocal:
			local = cmp.Or(name, local)
		}
	}
	if local != "" {
		return []string{local}, false
	}
	return nil, called
}

// isAutoFixture reports whether token k is in a fixture of Playwright that every
// test gets without naming it: name: [async …, { auto: true }].
func isAutoFixture(s *source.File, k int) bool {
	for ; k >= 0; k = s.Parent[k] {
		if s.Text(k) != "[" || s.Text(k-1) != ":" {
			continue
		}
		for i := k; i < s.End(k); i++ {
			if s.Text(i) == "auto" && s.Text(i+1) == ":" && s.Text(i+2) == "true" {
				return true
			}
		}
	}
	return false
}

// constructedClass returns the name by which a function around token i is called:
// that of its class for constructors and Python's special methods.
func constructedClass(s *source.File, name string, i int) string {
	if name == "constructor" || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		if class := s.ClassAround(i); class != "" {
			return class
		}
	}
	return name
}

// declaration is what the code to the left declares.
type declaration int

const (
	declaresNothing  declaration = iota
	declaresLocal                // a variable
	declaresField                // a field, property or entry of an object
	declaresFunction             // the body of a function or method
	declaresHook                 // an argument of beforeEach and the like
)

var (
	noFunction = scan.WordSet("if for while switch catch func function async with using lock foreach return await new else do try synchronized when match")
	hookCalls  = scan.WordSet("beforeeach beforeall aftereach afterall before after")
	hookNames  = scan.WordSet("beforeEach beforeAll afterEach afterAll SetupTest SetupSuite TearDownTest TearDownSuite BeforeTest AfterTest TestMain InitializeAsync DisposeAsync")
	hookWords  = scan.WordSet("beforeeach beforeall aftereach afterall before after beforeclass afterclass beforemethod aftermethod setup teardown onetimesetup onetimeteardown testinitialize testcleanup classinitialize")
)

// declarationAround reads backwards from token k to the start of its statement,
// argument or entry, and returns the name that is declared there.
func declarationAround(s *source.File, k int) (string, declaration) {
	brace := s.Text(k) == "{"
	if s.Text(k) == "(" && hookCalls[locator.Fold(s.Text(s.Callee(k)))] {
		return "", declaresHook
	}
	method := ""
	for i := k - 1; i >= 0 && i > s.Parent[k]; i-- {
		if s.Tokens[i].Closes {
			open := s.End(i)
			if s.Text(i) == "}" {
				break
			}
			if before := s.Text(open - 1); s.Text(i) == ")" && s.Kind(open-1) == scan.Ident && !noFunction[before] && !s.IsMember(open-1) {
				method = before
			}
			i = open
			continue
		}
		switch s.Text(i) {
		case ";", ",":
			return functionDeclaration(method, brace)
		case "=>":
			if s.Kind(i-1) == scan.Ident && (s.Kind(i-2) == scan.Ident || s.Text(i-2) == ">" || s.Text(i-2) == "?") && s.Dialect.Scan == scan.CSharp {
				return s.Text(i - 1), declaresField
			}
			brace = true
		case "=":
			name, isField := s.Assignee(i)
			if isField {
				return name, declaresField
			}
			return name, declaresLocal
		case ":":
			if s.Kind(i-1) == scan.Ident && (s.Text(i-2) == "{" || s.Text(i-2) == ",") && s.Text(s.Parent[i]) == "{" {
				return s.Text(i - 1), declaresField
			}
		}
	}
	return functionDeclaration(method, brace)
}

func functionDeclaration(method string, brace bool) (string, declaration) {
	if method != "" && brace {
		return method, declaresFunction
	}
	return "", declaresNothing
}

// hasHookAnnotation reports whether an annotation makes the method whose body opens
// at brace k run before or after tests.
func hasHookAnnotation(s *source.File, k int) bool {
	if s.Dialect.Scan != scan.Java && s.Dialect.Scan != scan.CSharp {
		return false
	}
	for i := k - 1; i >= 0 && k-i < 80; i-- {
		switch text := s.Text(i); {
		case text == ";" || text == "{" || text == "}":
			return false
		case hookWords[strings.ToLower(text)] && (s.Text(i-1) == "@" || s.Text(i-1) == "[" || s.Text(i-1) == ","):
			return true
		}
	}
	return false
}

// pythonCallersOf is callersOf for Python, which goes by indentation.
func pythonCallersOf(s *source.File, i int) (found []string, hook bool) {
	line := s.LineOf(i)
	if first := s.FirstToken(line); s.Text(first) == "self" && s.Text(first+1) == "." && (s.Text(first+3) == "=" || s.Text(first+3) == ":") {
		return []string{s.Text(first + 2)}, false
	}
scan:
	for l, text := range s.OuterLines(line) {
		text = strings.TrimPrefix(text, "async ")
		switch {
		case strings.HasPrefix(text, "def "):
			name, _, _ := strings.Cut(text[len("def "):], "(")
			name = constructedClass(s, strings.TrimSpace(name), i)
			return []string{name}, strings.HasPrefix(name, "setup") || strings.HasPrefix(name, "teardown") || isAutouse(s, l)
		case strings.HasPrefix(text, "class "):
			break scan
		}
	}
	if first := s.FirstToken(line); s.Kind(first) == scan.Ident && (s.Text(first+1) == "=" || s.Text(first+1) == ":") {
		return []string{s.Text(first)}, false
	}
	return nil, true
}

// isAutouse reports whether the decorators above a def make it a fixture that
// every test gets.
func isAutouse(s *source.File, line int) bool {
	for l := line - 1; l > 0 && line-l < 8; l-- {
		text := strings.TrimSpace(s.LineText(l))
		if text == "" || strings.HasPrefix(text, "def ") {
			return false
		}
		if strings.Contains(strings.ReplaceAll(text, " ", ""), "autouse=True") {
			return true
		}
	}
	return false
}
