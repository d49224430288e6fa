package junit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine/text"
)

// pathSeparator joins the segments of suite paths and identities.
const pathSeparator = " › "

// suitePathMax bounds a suite path in bytes.
const suitePathMax = 4 * kilobyte

// counts are test cases by how they ended; in a suite, those of nested suites
// included.
type counts struct{ tests, failures, errors, skipped int }

func (c counts) failing() int { return c.failures + c.errors }

func (c *counts) addAll(other counts) {
	c.tests += other.tests
	c.failures += other.failures
	c.errors += other.errors
	c.skipped += other.skipped
}

// suite is one <testsuite>, or a <testsuites> around it (group), which has no
// part in suite paths.
type suite struct {
	parent   int
	group    bool
	line     int
	name     string
	host     string
	file     string
	path     string
	child    struct{ name, path string } // the last suite below it
	started  time.Time
	runner   Runner // what this suite or one around it says of its runner
	hasID    bool   // a group with an id attribute, as Playwright writes it
	declared counts // -1 where an attribute is absent
	counted  counts
	flaky    int // cases that passed after failing
	faults   counts
	fault    string // first suite-level failure
}

// hiddenFailure is the first suite of a report whose attributes name failures
// that none of its test cases shows.
type hiddenFailure struct {
	line, failures int
	name           string
}

func (h *hiddenFailure) see(s *suite) {
	if n := max(s.declared.failures, 0) + max(s.declared.errors, 0); n > 0 && h.failures == 0 && s.counted.failing() == 0 && s.flaky == 0 {
		*h = hiddenFailure{s.line, n, text.Cut(s.name, 80)}
	}
}

// suiteAttributes are the fields of a suite's start tag while it is read.
type suiteAttributes struct {
	name, host, file, stamp, tests, failures, errors, skipped, id *field
}

func (a *suiteAttributes) want(limit int) func([]byte) *field {
	return func(name []byte) *field {
		dst := a.slot(string(name))
		if dst == nil || *dst != nil {
			return nil
		}
		*dst = &field{max: limit, spaces: true}
		return *dst
	}
}

func (a *suiteAttributes) slot(name string) **field {
	switch name {
	case "name":
		return &a.name
	case "hostname":
		return &a.host
	case "file", "filepath", "filename":
		return &a.file
	case "timestamp":
		return &a.stamp
	case "tests":
		return &a.tests
	case "failures":
		return &a.failures
	case "errors":
		return &a.errors
	case "skipped", "skip", "disabled":
		return &a.skipped
	case "id":
		return &a.id
	}
	return nil
}

func (f *field) string() string {
	if f == nil {
		return ""
	}
	return string(f.b)
}

func (a *suiteAttributes) suite(group bool, line int) suite {
	return suite{
		group:   group,
		line:    line,
		name:    strings.TrimSpace(a.name.string()),
		host:    strings.TrimSpace(a.host.string()),
		file:    strings.TrimSpace(a.file.string()),
		started: timestamp(a.stamp.string()),
		hasID:   group && a.id != nil,
		declared: counts{
			number(a.tests), number(a.failures), number(a.errors), number(a.skipped),
		},
	}
}

// bytes returns what f holds; nothing where it is nil.
func (f *field) bytes() []byte {
	if f == nil {
		return nil
	}
	return f.b
}

// number reads a count; -1 where there is none.
func number(f *field) int {
	v, err := strconv.Atoi(strings.TrimSpace(f.string()))
	if err != nil || v < 0 {
		return -1
	}
	return v
}

// nest places s under parent: its path, and what it inherits.
func (s *suite) nest(parent *suite) {
	s.path = parent.path
	if !s.group && s.name != "" {
		s.path = parent.childPath(s.name)
	}
	if s.host == "" {
		s.host = parent.host
	}
	if s.file == "" {
		s.file = parent.file
	}
	s.hasID = s.hasID || parent.hasID
	s.runner = parent.runner
	if named := runnerOfSuite(s.name, s.group); named != "" {
		s.runner = named
	}
}

// childPath returns the path of a suite below s. The last one is remembered:
// reporters write many suites of one name.
func (s *suite) childPath(name string) string {
	if s.child.name != name || s.child.path == "" {
		s.child.name, s.child.path = name, joinPath(s.path, name)
	}
	return s.child.path
}

// suiteLabel names a suite in a notice, where it is needed.
type suiteLabel string

func (l suiteLabel) String() string { return fmt.Sprintf("suite %q", text.Cut(string(l), 80)) }

func joinPath(parent, name string) string {
	if parent == "" {
		return string(wholeRunes([]byte(name[:min(len(name), suitePathMax)])))
	}
	if len(parent)+len(name) > suitePathMax {
		return parent
	}
	return parent + pathSeparator + name
}

// check tells where the attributes of a closed suite disagree with its cases.
func (s *suite) check(n *notes) {
	label := suiteLabel(s.name)
	switch declared := max(s.declared.failures, 0) + max(s.declared.errors, 0); {
	case s.counted.tests == 0 && declared > 0:
		n.blockf("faulty-suite", s.line, "%s names %d failures or errors and holds no test case", label, declared)
	case s.declared.tests > s.counted.tests, s.declared.tests >= 0 && s.declared.tests < s.counted.tests:
		n.warnf("counts", s.line, "%s says %d tests and holds %d; the test cases were counted", label, s.declared.tests, s.counted.tests)
	case s.declared.failures >= 0 && s.declared.errors >= 0 && declared != s.counted.failing():
		n.warnf("counts", s.line, "%s says %d failures and errors and holds %d; the test cases were counted", label, declared, s.counted.failing())
	}
	if s.faults.errors+s.faults.failures > 0 {
		n.blockf("suite-error", s.line, "%s failed outside its test cases: %s", label, s.fault)
	}
}

// failed records a failure or error that stands outside the test cases.
func (s *suite) failed(f *finding) {
	switch f.kind.status() {
	case "error":
		s.faults.errors++
	case "failed":
		s.faults.failures++
	default:
		return
	}
	if s.fault == "" {
		s.fault = firstLine(string(f.message.b), string(f.text.b))
	}
}

// property takes what a suite's property tells about its runner.
func (s *suite) property(name string) {
	if name == "go.version" {
		s.runner = RunnerGo
	}
}
