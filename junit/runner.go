package junit

import (
	"path"
	"regexp"
	"strings"
)

// Runner names the test runner that wrote a report, where that is recognisable
// and changes how the report is read. The zero value is any other runner.
type Runner string

// The runners that are told apart.
const (
	RunnerPlaywright Runner = "playwright"
	RunnerVitest     Runner = "vitest"
	RunnerPytest     Runner = "pytest"
	RunnerGo         Runner = "go"
)

// runnerOfSuite recognises a runner by the name of a suite or group.
func runnerOfSuite(name string, group bool) Runner {
	switch {
	case name == "pytest", name == "pytest tests":
		return RunnerPytest
	case group && name == "vitest tests":
		return RunnerVitest
	}
	return ""
}

var goTestPattern = regexp.MustCompile(`^(?:Test|Example|Fuzz|Benchmark)(?:[^a-z].*)?$`)

// runnerOf recognises the runner of one test case.
//
// Playwright puts the spec file into suite and classname, the project into the
// suite's hostname, and always writes an id attribute on <testsuites>; Vitest
// writes the same without id and with the machine's host name. The Go
// reporters put the package into the suite and all or the end of it into
// classname.
//
// pytest is known by its suite's name, or by a classname that begins with the
// file's path, dotted; unittest-xml-reporting writes that too, with the class
// as the suite.
func (s *suite) runnerOf(class, name, file string) Runner {
	switch {
	case s.runner != "":
		return s.runner
	case s.hasID && class != "" && class == s.name && scriptFile(class):
		return RunnerPlaywright
	case class != "" && s.goPackage(class) && goTestPattern.MatchString(name):
		return RunnerGo
	case path.Ext(file) == ".py" && class != "" && class != s.name && !stampPattern.MatchString(s.name):
		if module := dotted(trimExt(slashed(file))); class == module || strings.HasPrefix(class, module+".") {
			return RunnerPytest
		}
	}
	return ""
}

// goPackage reports whether suite and class can be a Go package: its path, or in
// class its last segment alone.
func (s *suite) goPackage(class string) bool {
	if s.name == class {
		return strings.Contains(class, "/")
	}
	return path.Base(s.name) == class
}

// testFile matches the names of test files, so that a suite called "Node.js"
// is not taken for one.
var testFile = regexp.MustCompile(`^[^\s]*(?:/|[._-](?:test|spec|cy|e2e|it)\.)[^\s]*$`)

// scriptFile reports whether name is a JavaScript or TypeScript file.
func scriptFile(name string) bool {
	switch path.Ext(name) {
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts":
		return true
	}
	return false
}
