package formats

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/location"
	"github.com/breadcrumb/action/junit/scan"
)

// Test is a test that a report of another format than JUnit XML holds. Its
// suite, class, name and file are those that the JUnit report of the same runner
// has, so that both give the test the same identity.
type Test struct {
	Suite       identity.Suite
	Class, Name string
	File        string         // as reported, may be ""
	At          location.Place // relative to the checkout, zero where it is unknown
	Status      engine.Status  // how the runner's own report tells the end, "" as the last attempt
	Attempts    []engine.Attempt
	Attachments []string
	Unrun       bool // it was not run, and nothing says that it should not
}

// Sink takes what a reader finds in a report.
type Sink interface {
	// AddTest adds the test with a number, counted from 0, that begins at line.
	AddTest(number, line int, t Test) error
	// AddSuite adds a suite path and returns how many there are.
	AddSuite(path string) (int, error)
	// Attach appends the attachment name to list where it may be opened.
	Attach(list []string, name string) []string
}

// Feed hands the tests of one report to a sink, within the report's limits.
type Feed struct {
	*input.Report
	sink           Sink
	suite          string // path of the last suite
	tests, failing int    // added so far
}

// NewFeed returns a feed of report r that hands its tests to sink.
func NewFeed(r *input.Report, sink Sink) *Feed { return &Feed{Report: r, sink: sink} }

// textRoom returns how many bytes of one failure text may be kept.
func (f *Feed) textRoom() int {
	return int(min(int64(f.Limits.FieldBytes), max(f.TextLeft, 0)))
}

// readText reads a failure text within its bounds.
func (f *Feed) readText(r *scan.JSONReader) string { return f.readBounded(r, f.textRoom()) }

// readMessage reads the message that tells an error from a failure. Its beginning
// is kept even where no text may be kept any more.
func (f *Feed) readMessage(r *scan.JSONReader) string {
	return f.readBounded(r, max(f.textRoom(), input.MaxMessage))
}

func (f *Feed) readBounded(r *scan.JSONReader, limit int) string {
	dst := scan.Field{Max: limit}
	r.TextInto(&dst)
	f.TextLeft -= int64(len(dst.Text))
	if dst.Cut && f.TextLeft <= 0 {
		f.DropTexts(f.Scan.Line())
	} else if dst.Cut {
		f.Notices.Warn("cut", f.Scan.Line(), "a failure text was too long and was cut")
	}
	return string(dst.Text)
}

// readAttachments appends the paths of a list of attachments to those in list.
func (f *Feed) readAttachments(r *scan.JSONReader, list []string) []string {
	r.Array(func() {
		r.Object(func(key string) {
			if key == "path" {
				list = f.sink.Attach(list, r.Text(4<<10))
			}
		})
	})
	return list
}

// joinError returns the text of an error in full: the message, unless the stack has it,
// the stack and the code around the place.
func joinError(message, stack, snippet string) string {
	if stack != "" && strings.Contains(stack, message) {
		message = ""
	}
	return joinTexts(message, stack, snippet)
}

// joinTexts joins the texts that are not empty.
func joinTexts(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "\n\n")
}

// growField lets dst take as much more as the report's failure texts may.
func (f *Feed) growField(dst *scan.Field) {
	dst.Max = max(dst.Max, min(len(dst.Text)+f.textRoom(), f.Limits.FieldBytes))
}

// appendText writes text to dst and counts it as failure text.
func (f *Feed) appendText(dst *scan.Field, text string) {
	before := len(dst.Text)
	dst.Write([]byte(text))
	f.TextLeft -= int64(len(dst.Text) - before)
}

// addTest hands on the test t, which begins at line. The error is errStop where the
// report holds more than a limit allows.
func (f *Feed) addTest(line int, t Test) error {
	if f.Rows >= f.Limits.Cases {
		return f.Stop(line, "the file holds more than %d test cases; the rest was not read", f.Limits.Cases)
	}
	if surplus := len(t.Attempts) - f.Limits.Attempts; surplus > 0 {
		f.Notices.Warn("attempts", line, "a test case holds more than %d attempts; the last ones were kept", f.Limits.Attempts)
		t.Attempts = t.Attempts[surplus:]
	}
	if err := f.addSuite(line, t.Suite.Path); err != nil {
		return err
	}
	number := f.Rows
	f.Rows++
	f.tests++
	if t.Attempts[len(t.Attempts)-1].Status.Failing() {
		f.failing++
	}
	return f.sink.AddTest(number, line, t)
}

func (f *Feed) addSuite(line int, path string) error {
	if path == f.suite {
		return nil
	}
	f.suite = path
	known, err := f.sink.AddSuite(path)
	if err == nil && known > f.Limits.Suites {
		err = f.Stop(line, "the file holds more than %d suites; the rest was not read", f.Limits.Suites)
	}
	return err
}

// checkEnd says what keeps a JSON report from being whole.
func (f *Feed) checkEnd(r *scan.JSONReader) {
	switch {
	case r.Halted:
	case r.Cut:
		f.Notices.Miss("truncated", r.Line(), "the report is truncated; only what is complete was read")
	case r.Broken != "":
		f.Notices.Miss("syntax", r.Line(), "the JSON is malformed: %s; the rest of the file was not read", r.Broken)
	default:
		if r.SkipSpace(); r.Have(1) {
			f.Notices.Miss("behind", r.Line(), "something stands behind the end of the report and was not read")
		}
	}
}
