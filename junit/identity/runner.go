package identity

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/location"
)

// Runner names the test runner that wrote a report, where it can be recognised
// and changes how the report is read. The zero value is any other runner.
type Runner string

// The runners that are recognised.
const (
	RunnerPlaywright Runner = "playwright"
	RunnerVitest     Runner = "vitest"
	RunnerPytest     Runner = "pytest"
	RunnerGo         Runner = "go"
)

// Suite is what a report says of the suite that a test stands in.
type Suite struct {
	Path   string // names of the suite and of those around it, joined by Separator
	Name   string
	Host   string
	Runner Runner // named by this suite or one around it
	HasID  bool   // a suite around it has an id attribute, as Playwright writes it
}

// RunnerOfSuite recognises a runner by the name of a suite or group.
func RunnerOfSuite(name string, group bool) Runner {
	switch {
	case name == "pytest", name == "pytest tests":
		return RunnerPytest
	case group && name == "vitest tests":
		return RunnerVitest
	}
	return ""
}

var goTestPattern = lazyregexp.New(`^(?:Test|Example|Fuzz|Benchmark)(?:[^a-z].*)?$`)

// RunnerOf recognises the runner of one test case of s.
//
// Playwright writes the spec file as suite and classname, the project as the
// suite's hostname, and always an id attribute on <testsuites>. Vitest writes
// the same without the id and with the machine's host name. Go reporters write
// the package as suite, and all or the end of it as classname.
//
// pytest is recognised by its suite's name, or by a classname that begins with
// the file's path, dotted. unittest-xml-reporting writes such a classname too,
// but there the suite has the name of the class.
func (s *Suite) RunnerOf(class, name, file string) Runner {
	switch {
	case s.Runner != "":
		return s.Runner
	case s.HasID && class != "" && class == s.Name && location.IsScript(class):
		return RunnerPlaywright
	case class != "" && s.goPackage(class) && goTestPattern.MatchString(name):
		return RunnerGo
	case path.Ext(file) == ".py" && class != "" && class != s.Name && !stampPattern.MatchString(s.Name):
		if module := location.Dotted(location.TrimExt(location.Slashed(file))); class == module || strings.HasPrefix(class, module+".") {
			return RunnerPytest
		}
	}
	return ""
}

// goPackage reports whether suite and class can be a Go package: the suite is
// its path, the class too or only its last segment.
func (s *Suite) goPackage(class string) bool {
	if s.Name == class {
		return strings.Contains(class, "/")
	}
	return path.Base(s.Name) == class
}

// pytestIdentity returns the node id of a pytest case: "tests/test_login.py::TestLogin::test_ok".
// classname holds the module, dotted, and the classes. The file attribute helps
// only where it names that module: for an inherited test it names the file of
// the base class.
func (n *Names) pytestIdentity() string {
	name := n.cleanName()
	if n.Class == "" {
		if moduleName.MatchString(name) {
			return strings.ReplaceAll(name, ".", "/") + ".py" // a module that could not be collected
		}
		return joinSegments(n.File, name)
	}
	return n.pytestPrefix() + name
}

// pytestPrefix is the node id of a case with a class, up to its name.
func (n *Names) pytestPrefix() string {
	module, classes := splitClass(Clean(n.Class), n.File)
	parts := append([]string{strings.ReplaceAll(module, ".", "/") + ".py"}, classes...)
	return strings.Join(parts, "::") + "::"
}

var moduleName = lazyregexp.New(`^[\w-]+(?:\.[\w-]+)*$`)

// splitClass cuts "tests.test_login.TestLogin" into the module and its
// classes. Where the file does not show the module, trailing segments that begin
// with an upper-case letter are classes.
func splitClass(class, file string) (module string, classes []string) {
	if m := location.Dotted(location.TrimExt(file)); m != "" && (class == m || strings.HasPrefix(class, m+".")) {
		rest := strings.TrimPrefix(strings.TrimPrefix(class, m), ".")
		if rest == "" {
			return m, nil
		}
		return m, strings.Split(rest, ".")
	}
	parts := strings.Split(class, ".")
	cut := len(parts)
	for cut > 1 {
		if first, _ := utf8.DecodeRuneInString(strings.TrimLeft(parts[cut-1], "_")); !unicode.IsUpper(first) {
			break
		}
		cut--
	}
	return strings.Join(parts[:cut], "."), parts[cut:]
}
