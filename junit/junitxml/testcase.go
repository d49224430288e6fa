package junitxml

import (
	"bytes"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/scan"
)

// Property is a property of a test case.
type Property struct{ Name, Value, Text scan.Field }

func (p *Property) attributeField(name []byte) *scan.Field {
	switch string(name) {
	case "name":
		return &p.Name
	case "value":
		return &p.Value
	}
	return nil
}

// Case is a test case while it is read.
type Case struct {
	Suite                         *suite
	Row                           int // number in the file, from 0
	Line                          int // of the report
	Name, Class, File, LineNo     scan.Field
	time, status, result, failure scan.Field
	Findings                      []*Finding
	Properties                    []*Property
	Attached                      []string
	Waited                        string                        // the last line of its output that may say what was waited for
	Annotated                     bool                          // Playwright's annotations say that it is to be skipped
	want                          func(name []byte) *scan.Field // attributeField
	dropped                       int                           // findings beyond the limit
	worst                         engine.Status                 // the worst of those
}

// beginCase makes c the test case that starts at line, with the memory that c has.
func (c *Case) beginCase(row int, s *suite, line, limit int, pool *int) {
	clear(c.Findings)
	clear(c.Properties)
	*c = Case{
		Row: row, Suite: s, Line: line, Findings: c.Findings[:0], Properties: c.Properties[:0],
		Name: c.Name, Class: c.Class, File: c.File, LineNo: c.LineNo,
		time: c.time, status: c.status, result: c.result, failure: c.failure, want: c.want,
	}
	for _, f := range c.fields() {
		*f = scan.Field{Text: f.Text[:0], Max: limit, Spaces: true, Pool: pool}
		if cap(f.Text) > 1<<10 {
			f.Text = nil
		}
	}
}

// Seconds returns how long the test took.
func (c *Case) Seconds() float64 { return input.SecondsOf(c.time.Text) }

// caseAttributes are the attributes that are read, with their index in Case.fields.
var caseAttributes = map[string]int{
	"name": 0, "classname": 1, "file": 2, "filepath": 2, "filename": 2,
	"line": 3, "lineno": 3, "lineNumber": 3, "time": 4, "status": 5, "result": 6, "failure": 7,
}

func (c *Case) fields() [8]*scan.Field {
	return [...]*scan.Field{&c.Name, &c.Class, &c.File, &c.LineNo, &c.time, &c.status, &c.result, &c.failure}
}

// attributeField returns the field of an attribute, nil where it is not read or was before.
func (c *Case) attributeField(name []byte) *scan.Field {
	i, known := caseAttributes[string(name)]
	if !known || len(c.fields()[i].Text) > 0 {
		return nil
	}
	return c.fields()[i]
}

func (d *Document) startCase(line int) (bool, error) {
	d.Seen = true
	if d.Rows >= d.Limits.Cases {
		return false, d.Stop(line, "the file holds more than %d test cases; the rest was not read", d.Limits.Cases)
	}
	if len(d.cases) == 0 {
		d.pool = caseBytes
	}
	c := d.openCase()
	c.beginCase(d.Rows, d.suite, line, d.Limits.FieldBytes, &d.pool)
	empty := d.Scan.Attributes(d.Limits.Attributes, c.want)
	d.named = d.named || len(c.Name.Text) > 0
	d.Rows++
	d.cases = append(d.cases, c)
	return empty, nil
}

// openCase returns an empty test case.
func (d *Document) openCase() *Case {
	if len(d.spare) == 0 {
		c := &Case{}
		c.want = c.attributeField
		return c
	}
	last := len(d.spare) - 1
	c := d.spare[last]
	d.spare = d.spare[:last]
	return c
}

func (d *Document) startProperty(e *element) (empty bool) {
	if len(d.cases) == 0 {
		return d.startSuiteProperty(e)
	}
	p := &Property{}
	for _, part := range []*scan.Field{&p.Name, &p.Value, &p.Text} {
		part.Max, part.Pool = d.Limits.FieldBytes, &d.pool
	}
	empty = d.Scan.Attributes(d.Limits.Attributes, p.attributeField)
	e.quiet, e.sink = true, &p.Text
	c := d.cases[len(d.cases)-1]
	switch string(p.Name.Text) {
	case "skip", "fixme":
		c.Annotated = true
	}
	if len(c.Properties) < d.Limits.Properties {
		c.Properties = append(c.Properties, p)
	} else {
		d.Notices.Warn("properties", c.Line, "a test case holds more than %d properties; the rest were left out", d.Limits.Properties)
	}
	return empty
}

// startSuiteProperty begins a property outside all test cases, of which only the name
// counts.
func (d *Document) startSuiteProperty(e *element) (empty bool) {
	d.property.Text, d.property.Cut = d.property.Text[:0], false
	empty = d.Scan.Attributes(d.Limits.Attributes, d.suiteProperty)
	e.quiet, e.sink = true, nil
	if string(d.property.Text) == "go.version" {
		d.suite.Runner = identity.RunnerGo
	}
	return empty
}

func (d *Document) suiteProperty(name []byte) *scan.Field {
	if string(name) != "name" || len(d.property.Text) > 0 {
		return nil
	}
	return &d.property
}

// closeCase counts a closed test case and hands it on.
func (d *Document) closeCase(c *Case) error {
	v := c.judge()
	defer d.reuseCase(c)
	c.Suite.shown += c.countFailures(v)
	if c.repeatsBrokenFile(v) {
		return nil
	}
	if d.Mute && len(v.Attempts)+len(c.Properties)+len(c.Attached) > 0 {
		d.DropTexts(c.Line)
		for _, f := range v.Attempts {
			f.Message.Text, f.Type.Text, f.Text.Text, f.File.Text, f.Line.Text = nil, nil, nil, nil, nil
		}
		c.Properties, c.Attached = nil, nil
	}
	c.Suite.counted.addOne(v.status)
	if v.todo {
		c.Suite.todo++
	}
	if c.isUnfound() {
		d.Notices.Block("unfound", c.Line, "test %q could not run: its program or a file it needs is missing", text.Cut(string(c.Name.Text), 80))
	}
	if c.dropped > 0 {
		d.Notices.Warn("attempts", c.Line, "a test case holds more than %d failures; the rest were left out", d.Limits.Attempts)
	}
	if d.failed != nil {
		return d.failed
	}
	status, err := d.decide(v)
	if err == nil {
		err = d.sink.AddCase(status, c, v)
	}
	d.failed = err
	return err
}

// countFailures returns how many failures and errors c shows, at one attempt or several.
func (c *Case) countFailures(v Verdict) int {
	n := c.dropped
	for _, f := range c.Findings {
		if f.Kind.Status().Failing() {
			n++
		}
	}
	if n == 0 && v.status.Failing() { // an attribute says so
		n = 1
	}
	return n
}

// reuseCase keeps the memory of a test case that was handed on for those that follow.
func (d *Document) reuseCase(c *Case) {
	for _, f := range c.Findings {
		if len(d.unused) < maxUnused && cap(f.Text.Text)+cap(f.Message.Text) < maxUnusedText {
			d.unused = append(d.unused, f)
		}
	}
	d.spare = append(d.spare, c)
}

// What is kept to be used again of findings.
const (
	maxUnused     = 16
	maxUnusedText = 32 << 10 // bytes of one
)

// repeatsBrokenFile reports whether c tells once more that a test file did not run:
// jest-junit writes an error for it and behind that a failure of the same name.
func (c *Case) repeatsBrokenFile(v Verdict) bool {
	const class = "Test suite failed to run"
	if string(c.Class.Text) != class {
		return false
	}
	if v.status == engine.StatusError {
		c.Suite.broken = string(c.Name.Text)
	}
	return v.status == engine.StatusFailed && c.Suite.broken != "" && c.Suite.broken == string(c.Name.Text)
}

// isUnfound reports whether ctest could not run the test because a program or file is
// missing: then ctest itself fails, though its report calls the test skipped.
func (c *Case) isUnfound() bool {
	return strings.EqualFold(string(c.status.Text), "notrun") && slices.ContainsFunc(c.Findings, func(f *Finding) bool {
		return f.Kind == kindSkipped && (bytes.HasPrefix(f.Message.Text, []byte("Unable to find executable")) ||
			bytes.HasPrefix(f.Message.Text, []byte("Unable to find required file")))
	})
}
