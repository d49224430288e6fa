package junit

import (
	"fmt"

	"github.com/breadcrumb/action/engine"
)

// entry is a test case that a reader of another format than JUnit XML found.
// Its suite, class, name and file are those that the JUnit report of the same
// runner has, so that both give the test the same identity.
type entry struct {
	suite       suite // its path, name, host and runner
	class, name string
	file        string // as reported, may be ""
	at          place  // relative to the checkout, zero where it is unknown
	attempts    []engine.Attempt
	attachments []string
	properties  map[string]string
	unrun       bool // it was not run, and nothing says that it should not
}

// feed takes the entries of one report.
type feed struct {
	c      *collector
	last   string // path of the last one
	budget *int64 // bytes of failure text still kept
}

func newFeed(c *collector) *feed {
	return &feed{c: c, budget: &c.doc.text}
}

// room returns how much of one failure text may be kept.
func (f *feed) room() int {
	return int(min(int64(f.c.options.Limits.FieldBytes), max(*f.budget, 0)))
}

// failureText reads a failure text within its bounds.
func (f *feed) failureText(r *jsonReader) string {
	dst := field{max: f.room()}
	r.textInto(&dst)
	f.spent(&dst)
	return string(dst.b)
}

// failureMessage reads what tells an error from a failure, within its bounds; a
// beginning of it even where no text is kept any more.
func (f *feed) failureMessage(r *jsonReader) string {
	dst := field{max: max(f.room(), messageMax)}
	r.textInto(&dst)
	f.spent(&dst)
	return string(dst.b)
}

func (f *feed) spent(dst *field) {
	*f.budget -= int64(len(dst.b))
	if dst.cut && *f.budget <= 0 {
		f.c.doc.noTexts(f.c.doc.scan.line)
	} else if dst.cut {
		f.c.notes.warn("cut", f.c.doc.scan.line, "a failure text was too long and was cut")
	}
}

// enter adds e, which begins at line of the report. An error is errStop when
// the report holds more than a limit allows.
func (f *feed) enter(line int, e entry) error {
	d := f.c.doc
	d.seen = true
	if d.rows >= d.limits.Cases {
		return d.stop(line, fmt.Sprintf("the file holds more than %d test cases; the rest was not read", d.limits.Cases))
	}
	if len(e.attempts) > d.limits.Attempts {
		f.c.notes.warnf("attempts", line, "a test case holds more than %d attempts; the last ones were kept", d.limits.Attempts)
		e.attempts = e.attempts[len(e.attempts)-d.limits.Attempts:]
	}
	if err := f.enterSuite(line, e.suite.path); err != nil {
		return err
	}
	r := f.c.builder.entry(d.rows, &e.suite, e)
	r.line = line
	d.rows++
	d.suites[0].count(r.result.Final().Status, r.result.Flaky())
	return f.c.keep(r)
}

// enterSuite keeps the path of a suite.
func (f *feed) enterSuite(line int, path string) error {
	if path == f.last {
		return nil
	}
	f.last = path
	if err := f.c.enterSuite(path); err != nil {
		return err
	}
	if d := f.c.doc; len(f.c.out.packed.suites) > d.limits.Suites {
		return d.stop(line, fmt.Sprintf("the file holds more than %d suites; the rest was not read", d.limits.Suites))
	}
	return nil
}

// finish tells what keeps a JSON report from being whole.
func (f *feed) finish(r *jsonReader) {
	switch {
	case r.halted:
	case r.cut:
		f.c.notes.block("truncated", r.line, "the report is truncated; only what is complete was read")
	case r.broken != "":
		f.c.notes.block("syntax", r.line, "the JSON is malformed: "+r.broken+"; the rest of the file was not read")
	default:
		if r.skipSpace(); r.have(1) {
			f.c.notes.block("behind", r.line, "something stands behind the end of the report and was not read")
		}
	}
}

// entry builds a row from e.
func (b *builder) entry(number int, s *suite, e entry) row {
	final := e.attempts[len(e.attempts)-1]
	r := row{number: number, runner: s.runnerOf(e.class, e.name, e.file), unrun: e.unrun}
	r.shared = Case{File: e.file, Status: final.Status, DurationMS: final.DurationMS}
	for _, a := range e.attempts[:len(e.attempts)-1] {
		switch {
		case !a.Status.Failing():
		case final.Status.Failing():
			r.shared.Reruns++
		default:
			r.shared.Flaky++
		}
	}
	r.result = engine.TestResult{
		Suite: s.path, Class: e.class, Name: e.name, Report: b.report,
		Attempts: e.attempts, Properties: e.properties, Attachments: e.attachments,
	}
	b.identify(&r, s, reportedPlace{})
	if e.at.file != "" && (r.result.Line == 0 || samePlace(r.result.File, e.at.file)) {
		r.result.File = e.at.file
		if r.result.Line == 0 {
			r.result.Line = e.at.line
		}
	}
	return r
}

// count adds one test case to what s holds.
func (s *suite) count(status engine.Status, flaky bool) {
	s.counted.tests++
	switch status {
	case engine.StatusFailed:
		s.counted.failures++
	case engine.StatusError:
		s.counted.errors++
	case engine.StatusSkipped:
		s.counted.skipped++
	}
	if flaky {
		s.flaky++
	}
}
