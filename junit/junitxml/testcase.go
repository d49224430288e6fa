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
	Annotated                     bool          // Playwright's annotations say that it is to be skipped
	dropped                       int           // findings beyond the limit
	worst                         engine.Status // the worst of those
}

// beginCase makes c the test case that starts at line, with the memory that c has.
func (c *Case) beginCase(row int, s *suite, line, limit int, pool *int) {
	clear(c.Findings)
	clear(c.Properties)
	*c = Case{
		Row: row, Suite: s, Line: line, Findings: c.Findings[:0], Properties: c.Properties[:0],
		Name: c.Name, Class: c.Class, File: c.File, LineNo: c.LineNo,
		time: c.time, status: c.status, result: c.result, failure: c.failure,
	}
	for _, f := range c.fields() {
		*f = scan.Field{Text: f.Text[:0], Max: limit, Spaces: true, Pool: pool}
		if cap(f.Text) > 1<<10 {
			f.Text = nil
		}
	}
}

// Seconds returns how long the test took.
func (c *Case) Seconds() float64 { return input.Seconds(string(c.time.Text)) }

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
	c := d.batch.openCase()
	c.beginCase(d.Rows, d.suite, line, d.Limits.FieldBytes, &d.pool)
	empty := d.Scan.Attributes(d.Limits.Attributes, c.attributeField)
	d.named = d.named || len(c.Name.Text) > 0
	d.Rows++
	d.cases = append(d.cases, c)
	return empty, nil
}

// openCase returns an empty test case.
func (b *batch) openCase() *Case {
	if len(b.spare) == 0 {
		return &Case{}
	}
	last := len(b.spare) - 1
	c := b.spare[last]
	b.spare = b.spare[:last]
	return c
}

func (d *Document) startProperty(e *element) (empty bool) {
	p := &Property{}
	for _, part := range []*scan.Field{&p.Name, &p.Value, &p.Text} {
		part.Max, part.Pool = d.Limits.FieldBytes, &d.pool
	}
	empty = d.Scan.Attributes(d.Limits.Attributes, p.attributeField)
	e.quiet, e.sink = true, &p.Text
	if len(d.cases) == 0 {
		if string(p.Name.Text) == "go.version" {
			d.suite.Runner = identity.RunnerGo
		}
		return empty
	}
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

// closeCase counts a closed test case and hands it on.
func (d *Document) closeCase(c *Case) error {
	v := c.judge()
	if c.repeatsBrokenFile(v) {
		d.batch.spare = append(d.batch.spare, c)
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
	if v.status == engine.StatusPassed && v.Flaky > 0 {
		c.Suite.flaky++
	}
	if v.todo {
		c.Suite.todo++
	}
	if c.isUnfound() {
		d.Notices.Block("unfound", c.Line, "test %q could not run: its program or a file it needs is missing", text.Cut(string(c.Name.Text), 80))
	}
	if c.dropped > 0 {
		d.Notices.Warn("attempts", c.Line, "a test case holds more than %d failures; the rest were left out", d.Limits.Attempts)
	}
	return d.batch.addCase(c, v)
}

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

// addCase takes a closed test case, and hands the group on when it is full.
func (b *batch) addCase(c *Case, v Verdict) error {
	if b.failed != nil {
		return b.failed
	}
	g := &b.filling
	g.addCase(c, v)
	if len(g.xml)+g.held < batchBytes && len(g.cases) < BatchCases {
		return nil
	}
	return b.handGroupOn()
}

// isUnfound reports whether ctest could not run the test because a program or file is
// missing: then ctest itself fails, though its report calls the test skipped.
func (c *Case) isUnfound() bool {
	return strings.EqualFold(string(c.status.Text), "notrun") && slices.ContainsFunc(c.Findings, func(f *Finding) bool {
		return f.Kind == kindSkipped && (bytes.HasPrefix(f.Message.Text, []byte("Unable to find executable")) ||
			bytes.HasPrefix(f.Message.Text, []byte("Unable to find required file")))
	})
}
