// Package junitxml reads the elements of JUnit XML: suites, test cases, and the
// failures and properties in them. go-junit decides a test case by its child.
package junitxml

import (
	"cmp"
	"fmt"
	"html"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/scan"
)

// Document reads the elements of one report from the scanner's tokens and hands
// every closed test case to its sink.
type Document struct {
	*input.Report
	sink     Sink
	decided  map[engine.Status]engine.Status // what go-junit made of a child, by what it was taken for
	failed   error                           // of the sink; it is handed nothing after that
	spare    []*Case
	unused   []*Finding
	property scan.Field // name of the last property outside all test cases
	outer    *suite     // stands around the whole file
	suite    *suite     // innermost open suite
	suites   int
	Hidden   HiddenFailure
	stack    []element
	cases    []*Case // open test cases, innermost last
	Seen     bool    // an element of JUnit's was seen
	named    bool    // a test case has a name
	RootName string  // name of the first element
	pool     int     // bytes that the open test cases may still hold
}

// Sink takes what a document holds.
type Sink interface {
	// AddCase takes a test case and how it ended. What c and v hold is used again.
	AddCase(status engine.Status, c *Case, v Verdict) error
	AddSuite(path string) (int, error)
	Attach(list []string, name string) []string
}

// element is an open element. sink takes its character data. In a quiet element no
// element inside is a verdict; output holds what a test printed.
type element struct {
	kind    kind
	name    string
	sink    *scan.Field
	quiet   bool
	output  bool
	finding *Finding
	ofSuite bool // the finding stands outside all test cases
}

const (
	caseBytes       = 512 << 10 // bound of a test case while it is read, with those around it
	suiteFieldBytes = 8 << 10   // bound of an attribute of a suite
)

// New returns the document of a report, which hands what it holds to sink.
func New(r *input.Report, sink Sink) *Document {
	outer := &suite{group: true, declared: counts{-1, -1, -1}}
	return &Document{Report: r, sink: sink, decided: map[engine.Status]engine.Status{}, property: scan.Field{Max: scan.MaxName}, outer: outer, suite: outer}
}

// Read reads the whole report. An error other than input.ErrStop says what is wrong with
// the file.
func (d *Document) Read() error {
	for {
		d.Scan.Depth = len(d.stack)
		tok, err := d.Scan.Next()
		if err != nil {
			return err
		}
		switch tok {
		case scan.TokenEnd:
			return d.finishReport()
		case scan.TokenText:
			d.readText()
		case scan.TokenCDATA:
			d.readCDATA()
		case scan.TokenOpen:
			err = d.openElement()
		case scan.TokenClose:
			err = d.closeElement(kinds[string(d.Scan.Name)], d.Scan.Name)
		}
		if err != nil {
			return err
		}
	}
}

// OtherFormat reports whether what was read is another format. Some of those have
// an element testcase too, but without a name, and say in another way that the
// test failed.
func (d *Document) OtherFormat() bool {
	return !d.Seen || d.Rows > 0 && !d.named && kinds[d.RootName] == kindOther
}

// innermost returns the innermost open element, the zero element outside of all.
func (d *Document) innermost() element {
	if len(d.stack) == 0 {
		return element{}
	}
	return d.stack[len(d.stack)-1]
}

// readText reads text. Outside every element only white space is expected.
func (d *Document) readText() {
	if d.inOutput() {
		if d.Scan.Current() == '<' {
			d.Scan.Skip(1)
		}
		d.Scan.Output("<", d.addAttachment, func(line []byte) { d.noteWait(html.UnescapeString(string(line))) })
		return
	}
	if len(d.stack) > 0 {
		d.Scan.Text(d.innermost().sink)
		return
	}
	switch c := d.Scan.Current(); {
	case scan.IsSpace(c):
		d.Scan.SkipSpace()
		return
	case c != '<' && d.Seen:
		d.Notices.Warn("outside", d.Scan.Line(), "text outside the report was left out")
	}
	d.Scan.DropText()
}

func (d *Document) readCDATA() {
	if !d.inOutput() {
		d.Scan.CDATA(d.innermost().sink)
		return
	}
	const end = "]]>"
	d.Scan.Output(end, d.addAttachment, func(line []byte) { d.noteWait(string(line)) })
	d.Scan.Past(end)
}

// inOutput reports whether text here is what a test printed.
func (d *Document) inOutput() bool { return len(d.cases) > 0 && d.innermost().output }

func (d *Document) addAttachment(name string) {
	c := d.cases[len(d.cases)-1]
	c.Attached = d.sink.Attach(c.Attached, name)
}

// noteWait keeps the last line of what a test printed that may say what was waited for: of
// an attempt where it stands in that one's element.
func (d *Document) noteWait(line string) {
	for _, e := range slices.Backward(d.stack) {
		if e.finding != nil {
			e.finding.Waited = line
			return
		}
		if e.kind == kindCase {
			break
		}
	}
	d.cases[len(d.cases)-1].Waited = line
}

func (d *Document) openElement() error {
	line := d.Scan.Line()
	e, around := element{kind: kinds[string(d.Scan.Name)]}, d.innermost()
	if e.kind == kindOther {
		e.name = string(d.Scan.Name)
	}
	if d.RootName == "" {
		d.RootName = string(d.Scan.Name)
	}
	if len(d.stack) >= d.Limits.Depth {
		return d.Stop(line, "elements are nested deeper than %d; the rest of the file was not read", d.Limits.Depth)
	}
	e.sink, e.quiet, e.output = around.sink, around.quiet, around.output
	empty, err := d.startElement(&e, line)
	if err != nil {
		return err
	}
	if d.Scan.Broken {
		d.Notices.Warn("tag", line, "a malformed tag was repaired")
	}
	if d.Scan.Surplus {
		d.Notices.Warn("attributes", line, "an element has more than %d attributes; the rest were left out", d.Limits.Attributes)
	}
	d.stack = append(d.stack, e)
	if empty {
		return d.popElement()
	}
	return nil
}

// startElement reads the attributes of e and sets where its content goes.
func (d *Document) startElement(e *element, line int) (empty bool, err error) {
	switch {
	case e.quiet:
		if e.kind == kindOutput {
			e.sink, e.output = nil, true
		}
		if e.kind.isStructural() {
			d.Notices.Miss("hidden", line, "a suite or test case stands inside captured output or a failure text, where it is not counted")
		}
	case e.kind == kindGroup || e.kind == kindSuite:
		return d.startSuite(e.kind == kindGroup, line)
	case e.kind == kindCase:
		return d.startCase(line)
	case e.kind.isFinding():
		return d.startFinding(e), nil
	case e.kind == kindProperty:
		return d.startProperty(e), nil
	case e.kind == kindOutput:
		e.quiet, e.output = true, true
	}
	return d.Scan.Attributes(d.Limits.Attributes, nil), nil
}

// closeElement handles an end tag. One that leaves out open elements closes them, and one
// that fits none is dropped. Both give a notice, which blocks where a result may
// be missing.
func (d *Document) closeElement(k kind, name []byte) error {
	for i := len(d.stack) - 1; i >= 0; i-- {
		if d.stack[i].kind != k || k == kindOther && d.stack[i].name != string(name) {
			continue
		}
		d.noteUnclosed(d.stack[i+1:])
		for len(d.stack) > i {
			if err := d.popElement(); err != nil {
				return err
			}
		}
		return nil
	}
	if k.isStructural() && !d.innermost().quiet {
		d.Notices.Miss("structure", d.Scan.Line(), "the end tag </%s> has no beginning; part of the report is missing", name)
	} else {
		d.Notices.Warn("mismatch", d.Scan.Line(), "an end tag without its beginning was left out")
	}
	return nil
}

func (d *Document) noteUnclosed(open []element) {
	switch {
	case slices.ContainsFunc(open, func(e element) bool { return e.kind.isStructural() && !e.quiet }):
		d.Notices.Miss("structure", d.Scan.Line(), "a suite or test case is not closed; part of the report is missing")
	case len(open) > 0:
		d.Notices.Warn("mismatch", d.Scan.Line(), "an element that is not closed was closed")
	}
}

// popElement closes the innermost element.
func (d *Document) popElement() error {
	e := d.innermost()
	d.stack = d.stack[:len(d.stack)-1]
	switch {
	case e.finding != nil:
		d.TextLeft -= int64(len(e.finding.Text.Text))
		if e.ofSuite {
			d.suite.addFault(e.finding)
		}
		if d.TextLeft > 0 && (e.finding.Text.Cut || e.finding.Message.Cut) {
			d.Notices.Warn("cut", d.Scan.Line(), "a failure text was too long and was cut")
		}
	case d.innermost().quiet:
	case e.kind == kindCase:
		c := d.cases[len(d.cases)-1]
		d.cases = d.cases[:len(d.cases)-1]
		return d.closeCase(c)
	case e.kind == kindSuite || e.kind == kindGroup:
		d.closeSuite()
	}
	return nil
}

// finishReport closes what a truncated file left open. A test case that ends early
// counts only where it already failed: nothing proves that the others passed.
func (d *Document) finishReport() error {
	if d.outer.faults.sumFailing() > 0 {
		d.Notices.Block("suite-error", d.Scan.Line(), "a failure stands outside every suite: %s", d.outer.fault)
	}
	if len(d.stack) == 0 && !d.Scan.Cut {
		return nil
	}
	reason := "the report is truncated"
	if n := len(d.cases); n > 0 {
		reason += fmt.Sprintf(" inside test case %q", text.Cut(string(d.cases[n-1].Name.Text), 80))
	}
	d.Notices.Miss("truncated", d.Scan.Line(), "%s; only what is complete was read", reason)
	return d.AbandonOpen()
}

// AbandonOpen hands on the open test cases that already failed and closes the rest, where
// the rest of the report could not be read.
func (d *Document) AbandonOpen() error {
	for len(d.stack) > 0 {
		if e := d.innermost(); e.kind == kindCase && !e.quiet {
			if c := d.cases[len(d.cases)-1]; !c.judge().status.Failing() {
				d.cases = d.cases[:len(d.cases)-1]
				d.stack = d.stack[:len(d.stack)-1]
				d.Rows--
				continue
			}
		}
		if err := d.popElement(); err != nil {
			return err
		}
	}
	return nil
}

// kind is what an element means.
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

// kinds are the kinds of elements by their local name; others are kindOther.
var kinds = map[string]kind{
	"testsuites": kindGroup, "testsuite": kindSuite, "testcase": kindCase,
	"failure": kindFailure, "error": kindError,
	"skipped": kindSkipped, "ignored": kindSkipped, "disabled": kindSkipped,
	"flakyFailure": kindFlakyFailure, "flakyError": kindFlakyError,
	"rerunFailure": kindRerunFailure, "rerunError": kindRerunError,
	"properties": kindProperties, "property": kindProperty,
	"system-out": kindOutput, "system-err": kindOutput,
}

// isStructural reports whether a missing end tag of k can hide results.
func (k kind) isStructural() bool { return k == kindGroup || k == kindSuite || k == kindCase }

func (k kind) isFinding() bool { return k >= kindFailure && k <= kindRerunError }

var findingStatuses = map[kind]engine.Status{
	kindFailure: engine.StatusFailed, kindFlakyFailure: engine.StatusFailed, kindRerunFailure: engine.StatusFailed,
	kindError: engine.StatusError, kindFlakyError: engine.StatusError, kindRerunError: engine.StatusError,
	kindSkipped: engine.StatusSkipped,
}

// Status is how an attempt with this finding ended.
func (k kind) Status() engine.Status { return cmp.Or(findingStatuses[k], engine.StatusPassed) }
