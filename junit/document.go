package junit

import (
	"fmt"

	gojunit "github.com/joshdk/go-junit"

	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/scan"
)

// document reads the elements of one report from the scanner's tokens and hands
// every closed test case to its batch.
type document struct {
	*input.Report
	batch    *batch
	sink     documentSink
	suites   []*suite // [0] stands around the whole file; nil once it is closed and its cases are built
	hidden   hiddenFailure
	stack    []element
	cases    []*openCase // open test cases, innermost last
	current  int         // innermost open suite
	seen     bool        // an element of JUnit's was seen
	named    bool        // a test case has a name
	rootName string      // name of the first element
	pool     int         // bytes that the open test cases may still hold
}

// documentSink takes what a document holds.
type documentSink interface {
	addCase(t gojunit.Test, c *openCase, v verdict) error
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
	fault   *finding // of a suite
	finding *finding
}

// caseBytes bounds what a test case holds while it is read, together with those
// around it; suiteFieldBytes an attribute of a suite.
const (
	caseBytes       = 512 << 10
	suiteFieldBytes = 8 << 10
)

func newDocument(r *input.Report, sink documentSink) *document {
	d := &document{Report: r, sink: sink, suites: []*suite{{group: true, declared: counts{-1, -1, -1}}}}
	d.batch = newBatch(sink.addCase, func(closed []int) {
		for _, i := range closed {
			d.suites[i] = nil
		}
	})
	return d
}

// read consumes the whole input. An error other than errStop is one of the
// file itself.
func (d *document) read() error {
	for {
		d.Scan.Depth = len(d.stack)
		tok, err := d.Scan.Next()
		if err != nil {
			return err
		}
		switch tok {
		case scan.TokenEnd:
			return d.finish()
		case scan.TokenText:
			d.characters()
		case scan.TokenCDATA:
			d.cdata()
		case scan.TokenOpen:
			err = d.open()
		case scan.TokenClose:
			err = d.close(kindOf(d.Scan.Name), d.Scan.Name)
		}
		if err != nil {
			return err
		}
	}
}

// otherFormat reports whether what was read is another format. Some of those have
// an element testcase too, but without a name, and say in another way that the
// test failed.
func (d *document) otherFormat() bool {
	return !d.seen || d.Rows > 0 && !d.named && kindOf([]byte(d.rootName)) == kindOther
}

func (d *document) textSink() *scan.Field {
	if len(d.stack) == 0 {
		return nil
	}
	return d.stack[len(d.stack)-1].sink
}

// characters reads text. Outside every element only white space is expected.
func (d *document) characters() {
	if d.inOutput() {
		if d.Scan.Current() == '<' {
			d.Scan.Skip(1)
		}
		d.Scan.Attachments("<", d.attachment)
		return
	}
	if len(d.stack) > 0 {
		d.Scan.Text(d.textSink())
		return
	}
	switch c := d.Scan.Current(); {
	case scan.IsSpace(c):
		d.Scan.SkipSpace()
		return
	case c != '<' && d.seen:
		d.Notices.Warn("outside", d.Scan.Line, "text outside the report was left out")
	}
	d.Scan.DropText()
}

func (d *document) cdata() {
	if !d.inOutput() {
		d.Scan.CDATA(d.textSink())
		return
	}
	const end = "]]>"
	d.Scan.Attachments(end, d.attachment)
	d.Scan.Past(end)
}

// inOutput reports whether text here is what a test printed.
func (d *document) inOutput() bool {
	return len(d.cases) > 0 && len(d.stack) > 0 && d.stack[len(d.stack)-1].output
}

func (d *document) attachment(name string) {
	c := d.cases[len(d.cases)-1]
	c.attached = d.sink.Attach(c.attached, name)
}

func (d *document) open() error {
	line := d.Scan.Line
	k := kindOf(d.Scan.Name)
	e := element{kind: k}
	if k == kindOther {
		e.name = string(d.Scan.Name)
	}
	if d.rootName == "" {
		d.rootName = string(d.Scan.Name)
	}
	if len(d.stack) >= d.Limits.Depth {
		return d.Stop(line, fmt.Sprintf("elements are nested deeper than %d; the rest of the file was not read", d.Limits.Depth))
	}
	if len(d.stack) > 0 {
		parent := d.stack[len(d.stack)-1]
		e.sink, e.quiet, e.output = parent.sink, parent.quiet, parent.output
	}
	empty, err := d.start(&e, line)
	if err != nil {
		return err
	}
	if d.Scan.Broken {
		d.Notices.Warn("tag", line, "a malformed tag was repaired")
	}
	if d.Scan.Surplus {
		d.Notices.Warnf("attributes", line, "an element has more than %d attributes; the rest were left out", d.Limits.Attributes)
	}
	d.stack = append(d.stack, e)
	if empty {
		return d.pop()
	}
	return nil
}

// start reads the attributes of e and prepares what its content goes to.
func (d *document) start(e *element, line int) (empty bool, err error) {
	limit := d.Limits.Attributes
	switch {
	case e.quiet:
		if e.kind == kindOutput {
			e.sink, e.output = nil, true
		}
		if e.kind.structural() {
			d.Notices.Block("hidden", line, "a suite or test case stands inside captured output or a failure text, where it is not counted")
		}
	case e.kind == kindGroup || e.kind == kindSuite:
		return d.startSuite(e.kind == kindGroup, line)
	case e.kind == kindCase:
		return d.startCase(line)
	case e.kind.finding():
		return d.startFinding(e), nil
	case e.kind == kindProperty:
		return d.startProperty(e), nil
	case e.kind == kindOutput:
		e.quiet, e.output = true, true
	}
	return d.Scan.Attributes(limit, nil), nil
}

func (d *document) startSuite(group bool, line int) (bool, error) {
	d.seen = true
	if len(d.suites) > d.Limits.Suites {
		return false, d.Stop(line, fmt.Sprintf("the file holds more than %d suites; the rest was not read", d.Limits.Suites))
	}
	var a suiteAttributes
	empty := d.Scan.Attributes(d.Limits.Attributes, a.want(min(d.Limits.FieldBytes, suiteFieldBytes)))
	s := a.suite(group, line)
	s.parent = d.current
	s.nest(d.suites[d.current])
	if d.Started.IsZero() || !s.started.IsZero() && s.started.Before(d.Started) {
		d.Started = s.started
	}
	d.suites = append(d.suites, &s)
	d.current = len(d.suites) - 1
	if s.group {
		return empty, nil
	}
	_, err := d.sink.AddSuite(s.Path)
	return empty, err
}

func (d *document) startCase(line int) (bool, error) {
	d.seen = true
	if d.Rows >= d.Limits.Cases {
		return false, d.Stop(line, fmt.Sprintf("the file holds more than %d test cases; the rest was not read", d.Limits.Cases))
	}
	if len(d.cases) == 0 {
		d.pool = caseBytes
	}
	c := d.batch.open()
	c.begin(d.Rows, d.current, line, d.Limits.FieldBytes, &d.pool)
	empty := d.Scan.Attributes(d.Limits.Attributes, c.want)
	d.named = d.named || len(c.name.Text) > 0
	d.Rows++
	d.cases = append(d.cases, c)
	return empty, nil
}

// startFinding begins a failure, error or skip: of the innermost test case,
// else of the suite.
func (d *document) startFinding(e *element) (empty bool) {
	if len(d.cases) == 0 {
		d.pool = caseBytes
	}
	f := &finding{kind: e.kind}
	limit := d.Limits.FieldBytes
	if d.TextLeft <= 0 {
		limit = input.MaxMessage
	}
	for _, part := range []*scan.Field{&f.message, &f.typ, &f.seconds, &f.file, &f.line} {
		part.Max, part.Pool = limit, &d.pool
	}
	f.text.Max, f.text.Pool = int(min(int64(limit), max(d.TextLeft, 0))), &d.pool
	empty = d.Scan.Attributes(d.Limits.Attributes, f.want)
	e.quiet, e.sink, e.finding = true, &f.text, f
	if d.TextLeft <= 0 {
		e.sink = nil
		d.DropTexts(d.Scan.Line)
	}
	if len(d.cases) == 0 {
		e.fault = f
		return empty
	}
	c := d.cases[len(d.cases)-1]
	if len(c.findings) < d.Limits.Attempts {
		c.findings = append(c.findings, f)
		return empty
	}
	c.dropped++
	e.sink = nil
	if e.kind <= kindSkipped && input.Severity(e.kind.status()) > input.Severity(c.worst) {
		c.worst = e.kind.status()
	}
	return empty
}

func (d *document) startProperty(e *element) (empty bool) {
	p := &property{}
	for _, part := range []*scan.Field{&p.name, &p.value, &p.text} {
		part.Max, part.Pool = d.Limits.FieldBytes, &d.pool
	}
	empty = d.Scan.Attributes(d.Limits.Attributes, p.want)
	e.quiet, e.sink = true, &p.text
	if len(d.cases) == 0 {
		if string(p.name.Text) == "go.version" {
			d.suites[d.current].Runner = identity.RunnerGo
		}
		return empty
	}
	c := d.cases[len(d.cases)-1]
	switch string(p.name.Text) {
	case "skip", "fixme":
		c.annotated = true
	}
	if len(c.properties) < d.Limits.Properties {
		c.properties = append(c.properties, p)
	} else {
		d.Notices.Warnf("properties", c.line, "a test case holds more than %d properties; the rest were left out", d.Limits.Properties)
	}
	return empty
}
