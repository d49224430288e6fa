package junitxml

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/scan"
)

// suitePathMax bounds a suite path in bytes.
const suitePathMax = 4 << 10

// counts are test cases by how they ended; those of nested suites are included.
type counts struct{ tests, failures, errors int }

// sumFailing returns the failures and errors; absent numbers count nothing.
func (c counts) sumFailing() int { return max(c.failures, 0) + max(c.errors, 0) }

// addOne counts one test case.
func (c *counts) addOne(status engine.Status) {
	c.tests++
	switch status {
	case engine.StatusFailed:
		c.failures++
	case engine.StatusError:
		c.errors++
	}
}

func (c *counts) addCounts(other counts) {
	c.tests += other.tests
	c.failures += other.failures
	c.errors += other.errors
}

// suite is one <testsuite>, or a <testsuites> around it (a group), which has no
// part in suite paths.
type suite struct {
	identity.Suite
	File     string
	parent   *suite
	group    bool
	line     int
	child    struct{ name, path string } // the last suite below it
	started  time.Time
	declared counts // -1 where an attribute is absent
	counted  counts
	shown    int    // failures and errors of its test cases, those of all attempts
	todo     int    // cases that failed and are still to be done
	broken   string // file that did not run, as a test case says
	faults   counts
	fault    string // first suite-level failure
}

// HiddenFailure is the first suite of a report whose attributes count more failures
// than its test cases show.
type HiddenFailure struct {
	Line, Failures, Shown int
	Name                  string
}

// checkSuite takes s if it is such a suite and the first.
func (h *HiddenFailure) checkSuite(s *suite) {
	if n := s.declared.sumFailing(); n > s.shown && h.Failures == 0 {
		*h = HiddenFailure{s.line, n, s.shown, text.Cut(s.Name, 80)}
	}
}

// suiteAttributes are the attributes of a suite that are read, each by its one name.
var suiteAttributes = map[string]string{
	"name": "name", "hostname": "hostname", "file": "file", "filepath": "file", "filename": "file",
	"timestamp": "timestamp", "tests": "tests", "failures": "failures", "errors": "errors", "id": "id",
}

// parseCount reads a number of test cases; -1 where there is none.
func parseCount(text string) int {
	v, err := strconv.Atoi(text)
	if err != nil || v < 0 {
		return -1
	}
	return v
}

// nestIn sets the path of s, which stands in parent, and what it inherits.
func (s *suite) nestIn(parent *suite) {
	s.parent = parent
	s.Path = parent.Path
	if !s.group && s.Name != "" {
		s.Path = parent.childPath(s.Name)
	}
	s.Host, s.File = cmp.Or(s.Host, parent.Host), cmp.Or(s.File, parent.File)
	s.HasID = s.HasID || parent.HasID
	s.Runner = cmp.Or(identity.RunnerOfSuite(s.Name, s.group), parent.Runner)
}

// childPath returns the path of a suite below s. It remembers the last one, because
// reporters write many suites with one name.
func (s *suite) childPath(name string) string {
	if s.child.name != name || s.child.path == "" {
		s.child.name, s.child.path = name, joinPath(s.Path, name)
	}
	return s.child.path
}

func joinPath(parent, name string) string {
	if parent == "" {
		return string(scan.WholeRunes([]byte(name[:min(len(name), suitePathMax)])))
	}
	if len(parent)+len(name) > suitePathMax {
		return parent
	}
	return parent + identity.Separator + name
}

// checkCounts notes where the attributes of a closed suite disagree with its cases.
func (s *suite) checkCounts(n *input.Notices) {
	name := text.Cut(s.Name, 80)
	switch declared := s.declared.sumFailing(); {
	case s.counted.tests == 0 && declared > 0:
		n.Block("faulty-suite", s.line, "suite %q names %d failures or errors and holds no test case", name, declared)
	case s.declared.tests > s.counted.tests, s.declared.tests >= 0 && s.declared.tests < s.counted.tests:
		n.Warn("counts", s.line, "suite %q says %d tests and holds %d; the test cases were counted", name, s.declared.tests, s.counted.tests)
	case s.declared.failures >= 0 && s.declared.errors >= 0 && declared != s.counted.sumFailing() && declared != s.counted.sumFailing()+s.todo:
		n.Warn("counts", s.line, "suite %q says %d failures and errors and holds %d; the test cases were counted", name, declared, s.counted.sumFailing())
	}
	if s.faults.sumFailing() > 0 {
		n.Block("suite-error", s.line, "suite %q failed outside its test cases: %s", name, s.fault)
	}
}

// addFault records a failure or error that stands outside the test cases.
func (s *suite) addFault(f *Finding) {
	if status := f.Kind.Status(); status.Failing() {
		s.faults.addOne(status)
		if s.fault == "" {
			s.fault = input.FirstLine(string(f.Message.Text), string(f.Text.Text))
		}
	}
}

func (d *Document) startSuite(group bool, line int) (bool, error) {
	d.Seen = true
	if d.suites >= d.Limits.Suites {
		return false, d.Stop(line, "the file holds more than %d suites; the rest was not read", d.Limits.Suites)
	}
	attributes := map[string]*scan.Field{}
	limit := min(d.Limits.FieldBytes, suiteFieldBytes)
	empty := d.Scan.Attributes(d.Limits.Attributes, func(name []byte) *scan.Field {
		known := suiteAttributes[string(name)]
		if known == "" || attributes[known] != nil {
			return nil
		}
		attributes[known] = &scan.Field{Max: limit, Spaces: true}
		return attributes[known]
	})
	trimmed := func(name string) string { return strings.TrimSpace(attributes[name].String()) }
	s := &suite{
		Suite:    identity.Suite{Name: trimmed("name"), Host: trimmed("hostname"), HasID: group && attributes["id"] != nil},
		File:     trimmed("file"),
		group:    group,
		line:     line,
		started:  input.Timestamp(trimmed("timestamp")),
		declared: counts{parseCount(trimmed("tests")), parseCount(trimmed("failures")), parseCount(trimmed("errors"))},
	}
	s.nestIn(d.suite)
	if d.Started.IsZero() || !s.started.IsZero() && s.started.Before(d.Started) {
		d.Started = s.started
	}
	d.suite = s
	d.suites++
	if s.group {
		return empty, nil
	}
	_, err := d.sink.AddSuite(s.Path)
	return empty, err
}

func (d *Document) closeSuite() {
	s := d.suite
	s.checkCounts(d.Notices)
	d.Hidden.checkSuite(s)
	s.parent.counted.addCounts(s.counted)
	s.parent.shown += s.shown
	s.parent.todo += s.todo
	d.suite = s.parent
}
