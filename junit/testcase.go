package junit

import (
	"bytes"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/scan"
)

// kind is what an element means to the adapter.
type kind byte

const (
	kindOther kind = iota
	kindGroup
	kindSuite
	kindCase
	kindFailure
	kindError
	kindSkipped
	kindFlakyFailure
	kindFlakyError
	kindRerunFailure
	kindRerunError
	kindProperties
	kindProperty
	kindOutput
)

// kindOf returns what a local element name means. The switch over a converted
// byte slice allocates nothing.
func kindOf(name []byte) kind {
	switch string(name) {
	case "testsuites":
		return kindGroup
	case "testsuite":
		return kindSuite
	case "testcase":
		return kindCase
	case "failure":
		return kindFailure
	case "error":
		return kindError
	case "skipped", "ignored", "disabled":
		return kindSkipped
	case "flakyFailure":
		return kindFlakyFailure
	case "flakyError":
		return kindFlakyError
	case "rerunFailure":
		return kindRerunFailure
	case "rerunError":
		return kindRerunError
	case "properties":
		return kindProperties
	case "property":
		return kindProperty
	case "system-out", "system-err":
		return kindOutput
	}
	return kindOther
}

// structural reports whether a missing end tag of k can hide results.
func (k kind) structural() bool { return k == kindGroup || k == kindSuite || k == kindCase }

func (k kind) finding() bool { return k >= kindFailure && k <= kindRerunError }

// status is how an attempt with this finding ended.
func (k kind) status() engine.Status {
	switch k {
	case kindFailure, kindFlakyFailure, kindRerunFailure:
		return engine.StatusFailed
	case kindError, kindFlakyError, kindRerunError:
		return engine.StatusError
	case kindSkipped:
		return engine.StatusSkipped
	}
	return engine.StatusPassed
}

// finding is a failure, error or skip inside a test case.
type finding struct {
	kind                  kind
	message, typ, seconds scan.Field
	file, line            scan.Field
	text                  scan.Field
}

func (f *finding) want(name []byte) *scan.Field {
	switch string(name) {
	case "message":
		return &f.message
	case "type":
		return &f.typ
	case "time":
		return &f.seconds
	case "file":
		return &f.file
	case "line":
		return &f.line
	}
	return nil
}

type property struct{ name, value, text scan.Field }

func (p *property) want(name []byte) *scan.Field {
	switch string(name) {
	case "name":
		return &p.name
	case "value":
		return &p.value
	}
	return nil
}

// openCase is a test case while it is read.
type openCase struct {
	row, suite, line              int // row: its number in the file, from 0
	name, class, file, lineNo     scan.Field
	time, status, result, failure scan.Field
	findings                      []*finding
	properties                    []*property
	attached                      []string
	dropped                       int // findings beyond the limit
	worst                         engine.Status
	annotated                     bool // as skipped, by Playwright
}

// begin makes c the test case that starts at line. Its memory is used again.
func (c *openCase) begin(row, suite, line, limit int, pool *int) {
	clear(c.findings)
	clear(c.properties)
	*c = openCase{
		row: row, suite: suite, line: line, findings: c.findings[:0], properties: c.properties[:0],
		name: c.name, class: c.class, file: c.file, lineNo: c.lineNo,
		time: c.time, status: c.status, result: c.result, failure: c.failure,
	}
	for _, f := range [...]*scan.Field{&c.name, &c.class, &c.file, &c.lineNo, &c.time, &c.status, &c.result, &c.failure} {
		*f = scan.Field{Text: f.Text[:0], Max: limit, Spaces: true, Pool: pool}
		if cap(f.Text) > 1<<10 {
			f.Text = nil
		}
	}
}

// seconds is how long the test took.
func (c *openCase) seconds() float64 { return input.Seconds(string(c.time.Text)) }

func (c *openCase) want(name []byte) *scan.Field {
	dst := c.slot(string(name))
	if dst == nil || len(dst.Text) > 0 {
		return nil
	}
	return dst
}

func (c *openCase) slot(name string) *scan.Field {
	switch name {
	case "name":
		return &c.name
	case "classname":
		return &c.class
	case "file", "filepath", "filename":
		return &c.file
	case "line", "lineno", "lineNumber":
		return &c.lineNo
	case "time":
		return &c.time
	case "status":
		return &c.status
	case "result":
		return &c.result
	case "failure":
		return &c.failure
	}
	return nil
}

// verdict is what a test case came to: its status, and the findings of its
// attempts in the order they were executed. decider is the attempt that holds
// the status, -1 when the test passed.
type verdict struct {
	status   engine.Status
	attempts []*finding
	decider  int
	flaky    int
	reruns   int
}

// bare drops the texts of a verdict.
func (v *verdict) bare() {
	for _, f := range v.attempts {
		f.message.Text, f.typ.Text, f.text.Text, f.file.Text, f.line.Text = nil, nil, nil, nil, nil
	}
}

// judge applies error > failure > skipped, whatever the order of the elements,
// and Surefire's reading of retries: flaky findings are attempts that failed
// before the last one passed, rerun findings are attempts that failed again
// after the failure itself.
func (c *openCase) judge() verdict {
	var flaky, reruns, main []*finding
	var skipped *finding
	for _, f := range c.findings {
		switch f.kind {
		case kindFlakyFailure, kindFlakyError:
			flaky = append(flaky, f)
		case kindRerunFailure, kindRerunError:
			reruns = append(reruns, f)
		case kindSkipped:
			skipped = f
		default:
			main = append(main, f)
		}
	}
	v := verdict{attempts: flaky, decider: -1, flaky: len(flaky), reruns: len(reruns)}
	if failing := c.failingAttempt(main, reruns); failing != nil {
		v.decider = len(v.attempts)
		v.status = failing.kind.status()
		v.attempts = append(v.attempts, failing)
		if len(reruns) > 0 && reruns[0] == failing {
			reruns = reruns[1:]
		}
		v.attempts = append(v.attempts, reruns...)
		return v
	}
	v.status = engine.StatusPassed
	if skipped == nil && c.notRun() {
		skipped = &finding{kind: kindSkipped}
	}
	if skipped != nil {
		v.status, v.decider = engine.StatusSkipped, len(v.attempts)
		v.attempts = append(v.attempts, skipped)
	}
	return v
}

// failingAttempt returns the attempt that fails the case: its failures and
// errors joined into one, else what its status attribute says, else its first
// rerun; nil when nothing does.
func (c *openCase) failingAttempt(main, reruns []*finding) *finding {
	switch status := c.statusWord(); {
	case len(main) > 0:
		return joined(main)
	case c.worst.Failing():
		return &finding{kind: kindOfStatus(c.worst)}
	case len(reruns) > 0:
		return reruns[0]
	case status.Failing() && !c.has(kindSkipped):
		return &finding{kind: kindOfStatus(status), message: c.failure}
	}
	return nil
}

func (c *openCase) has(k kind) bool {
	for _, f := range c.findings {
		if f.kind == k {
			return true
		}
	}
	return false
}

func kindOfStatus(s engine.Status) kind {
	if s == engine.StatusError {
		return kindError
	}
	return kindFailure
}

// joined returns the strongest finding with the texts of the others behind its
// own, so that no failure of a test is lost.
func joined(all []*finding) *finding {
	best := all[0]
	for _, f := range all[1:] {
		if f.kind == kindError && best.kind == kindFailure {
			best = f
		}
	}
	for _, f := range all {
		if f == best {
			continue
		}
		body := f.text.Text
		if len(body) == 0 {
			body = f.message.Text
		}
		if len(body) > 0 {
			best.text.Write([]byte("\n\n"))
			best.text.Write(body)
		}
	}
	return best
}

// statusWord returns the worse of what the status and result attributes say.
func (c *openCase) statusWord() engine.Status {
	worst := engine.StatusPassed
	for _, f := range []*scan.Field{&c.status, &c.result} {
		word := strings.ToLower(strings.TrimSpace(string(f.Text)))
		if s, known := input.StatusWords[word]; known && input.Severity(s) > input.Severity(worst) {
			worst = s
		}
	}
	return worst
}

// unfound reports whether ctest could not run the test for want of a program or
// file: ctest itself fails then, though its report calls the test skipped.
func (c *openCase) unfound() bool {
	for _, f := range c.findings {
		if f.kind == kindSkipped && (bytes.HasPrefix(f.message.Text, []byte("Unable to find executable")) || bytes.HasPrefix(f.message.Text, []byte("Unable to find required file"))) {
			return strings.EqualFold(string(c.status.Text), "notrun")
		}
	}
	return false
}

func (c *openCase) notRun() bool { return c.statusWord() == engine.StatusSkipped }
