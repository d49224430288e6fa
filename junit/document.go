package junit

import (
	"errors"
	"fmt"
	"time"
)

// errStop ends the reading of a file whose notices already say why.
var errStop = errors.New("stop")

// document reads the structure of one report from the scanner's tokens and
// hands every closed test case to its batch.
type document struct {
	limits  Limits
	scan    *scanner
	notes   *notes
	batch   *batch
	attach  func(list []string, name string) []string
	entered func(path string) error // keeps a suite's path
	suites  []*suite                // [0] stands around the whole file; nil once it is closed and its cases are built
	hidden  hiddenFailure
	stack   []element
	cases   []*openCase // open test cases, innermost last
	current int         // innermost open suite
	rows    int
	seen    bool   // an element of JUnit's was seen
	named   bool   // a test case has a name
	root    string // name of the first element
	text    int64  // bytes of failure text still kept
	mute    bool   // no text is kept any more
	pool    int    // bytes that the open test cases may still hold
	started time.Time
}

// element is an open element. sink takes its character data; quiet elements
// hold text in which no element is a verdict; output is what a test printed.
type element struct {
	kind    kind
	name    string
	sink    *field
	quiet   bool
	output  bool
	fault   *finding // of a suite
	finding *finding
}

// caseBytes bounds what a test case holds while it is read, together with those
// around it; suiteFieldBytes an attribute of a suite.
const (
	caseBytes       = 512 * kilobyte
	suiteFieldBytes = 8 * kilobyte
)

func newDocument(scan *scanner, n *notes, l Limits) *document {
	return &document{
		limits: l, scan: scan, notes: n,
		suites: []*suite{{group: true, declared: counts{-1, -1, -1, -1}}},
		text:   l.TextBytes,
	}
}

// read consumes the whole input. An error other than errStop is one of the
// file itself.
func (d *document) read() error {
	for {
		d.scan.depth = len(d.stack)
		tok, err := d.scan.next()
		if err != nil {
			return err
		}
		switch tok {
		case tokenEnd:
			return d.finish()
		case tokenText:
			d.characters()
		case tokenCDATA:
			d.cdata()
		case tokenOpen:
			err = d.open()
		case tokenClose:
			err = d.close(kindOf(d.scan.name), d.scan.name)
		}
		if err != nil {
			return err
		}
	}
}

// foreign reports whether what was read is another format. Some have an element
// testcase, too, which says in another way that the test failed; none of its
// attributes is a name.
func (d *document) foreign() bool {
	return !d.seen || d.rows > 0 && !d.named && kindOf([]byte(d.root)) == kindOther
}

func (d *document) sink() *field {
	if len(d.stack) == 0 {
		return nil
	}
	return d.stack[len(d.stack)-1].sink
}

// characters reads text. Outside every element only white space is expected.
func (d *document) characters() {
	if d.inOutput() {
		if d.scan.buf[d.scan.pos] == '<' {
			d.scan.skip(1)
		}
		d.scan.output("<", d.attachment)
		return
	}
	if len(d.stack) > 0 {
		d.scan.text(d.sink())
		return
	}
	switch c := d.scan.buf[d.scan.pos]; {
	case space[c]:
		d.scan.skipSpace()
		return
	case c != '<' && d.seen:
		d.notes.warn("outside", d.scan.line, "text outside the report was left out")
	}
	d.scan.dropText()
}

func (d *document) cdata() {
	if !d.inOutput() {
		d.scan.cdata(d.sink())
		return
	}
	const end = "]]>"
	d.scan.output(end, d.attachment)
	d.scan.past(end)
}

// inOutput reports whether text here is what a test printed.
func (d *document) inOutput() bool {
	return len(d.cases) > 0 && len(d.stack) > 0 && d.stack[len(d.stack)-1].output
}

func (d *document) attachment(name string) {
	c := d.cases[len(d.cases)-1]
	c.attached = d.attach(c.attached, name)
}

func (d *document) open() error {
	line := d.scan.line
	k := kindOf(d.scan.name)
	e := element{kind: k}
	if k == kindOther {
		e.name = string(d.scan.name)
	}
	if d.root == "" {
		d.root = string(d.scan.name)
	}
	if len(d.stack) >= d.limits.Depth {
		return d.stop(line, fmt.Sprintf("elements are nested deeper than %d; the rest of the file was not read", d.limits.Depth))
	}
	if len(d.stack) > 0 {
		parent := d.stack[len(d.stack)-1]
		e.sink, e.quiet, e.output = parent.sink, parent.quiet, parent.output
	}
	empty, err := d.start(&e, line)
	if err != nil {
		return err
	}
	if d.scan.broken {
		d.notes.warn("tag", line, "a malformed tag was repaired")
	}
	if d.scan.surplus {
		d.notes.warnf("attributes", line, "an element has more than %d attributes; the rest were left out", d.limits.Attributes)
	}
	d.stack = append(d.stack, e)
	if empty {
		return d.pop()
	}
	return nil
}

// start reads the attributes of e and prepares what its content goes to.
func (d *document) start(e *element, line int) (empty bool, err error) {
	limit := d.limits.Attributes
	switch {
	case e.quiet:
		if e.kind == kindOutput {
			e.sink, e.output = nil, true
		}
		if e.kind.structural() {
			d.notes.block("hidden", line, "a suite or test case stands inside captured output or a failure text, where it is not counted")
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
	return d.scan.attributes(limit, drop), nil
}

func (d *document) startSuite(group bool, line int) (bool, error) {
	d.seen = true
	if len(d.suites) > d.limits.Suites {
		return false, d.stop(line, fmt.Sprintf("the file holds more than %d suites; the rest was not read", d.limits.Suites))
	}
	var a suiteAttributes
	empty := d.scan.attributes(d.limits.Attributes, a.want(min(d.limits.FieldBytes, suiteFieldBytes)))
	s := a.suite(group, line)
	s.parent = d.current
	s.nest(d.suites[d.current])
	if d.started.IsZero() || !s.started.IsZero() && s.started.Before(d.started) {
		d.started = s.started
	}
	d.suites = append(d.suites, &s)
	d.current = len(d.suites) - 1
	if s.group {
		return empty, nil
	}
	return empty, d.entered(s.path)
}

func (d *document) startCase(line int) (bool, error) {
	d.seen = true
	if d.rows >= d.limits.Cases {
		return false, d.stop(line, fmt.Sprintf("the file holds more than %d test cases; the rest was not read", d.limits.Cases))
	}
	if len(d.cases) == 0 {
		d.pool = caseBytes
	}
	c := d.batch.open()
	c.begin(d.rows, d.current, line, d.limits.FieldBytes, &d.pool)
	empty := d.scan.attributes(d.limits.Attributes, c.want)
	d.named = d.named || len(c.name.b) > 0
	d.rows++
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
	limit := d.limits.FieldBytes
	if d.text <= 0 {
		limit = messageMax
	}
	for _, part := range []*field{&f.message, &f.typ, &f.seconds, &f.file, &f.line} {
		part.max, part.pool = limit, &d.pool
	}
	f.text.max, f.text.pool = int(min(int64(limit), max(d.text, 0))), &d.pool
	empty = d.scan.attributes(d.limits.Attributes, f.want)
	e.quiet, e.sink, e.finding = true, &f.text, f
	if d.text <= 0 {
		e.sink = nil
		d.noTexts(d.scan.line)
	}
	if len(d.cases) == 0 {
		e.fault = f
		return empty
	}
	c := d.cases[len(d.cases)-1]
	if len(c.findings) < d.limits.Attempts {
		c.findings = append(c.findings, f)
		return empty
	}
	c.dropped++
	e.sink = nil
	if e.kind <= kindSkipped && severity(e.kind.status()) > severity(c.worst) {
		c.worst = e.kind.status()
	}
	return empty
}

func (d *document) startProperty(e *element) (empty bool) {
	p := &property{}
	for _, part := range []*field{&p.name, &p.value, &p.text} {
		part.max, part.pool = d.limits.FieldBytes, &d.pool
	}
	empty = d.scan.attributes(d.limits.Attributes, p.want)
	e.quiet, e.sink = true, &p.text
	if len(d.cases) == 0 {
		d.suites[d.current].property(string(p.name.b))
		return empty
	}
	c := d.cases[len(d.cases)-1]
	switch string(p.name.b) {
	case "skip", "fixme":
		c.annotated = true
	}
	if len(c.properties) < d.limits.Properties {
		c.properties = append(c.properties, p)
	} else {
		d.notes.warnf("properties", c.line, "a test case holds more than %d properties; the rest were left out", d.limits.Properties)
	}
	return empty
}
