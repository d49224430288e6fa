package junit

import (
	"errors"
	"fmt"

	gojunit "github.com/joshdk/go-junit"

	"github.com/breadcrumb/action/engine"
)

// go-junit is handed at most so much XML at once, and so many test cases.
const (
	batchBytes = 64 * kilobyte
	batchCases = 256
)

// batch writes closed test cases as plain JUnit XML, one deciding child each,
// and gives what go-junit makes of them to emit, with the facts that go-junit
// has no place for: those wait here, as its answer has the order of the
// question. go-junit parses one group while the scanner fills the next.
type batch struct {
	emit    func(t gojunit.Test, c *openCase, v verdict) error
	release func(suites []int) // suites of which every test case was emitted

	filling  group
	parsing  group // empty, or with go-junit
	emitting group // empty but within handOn
	answer   chan answer
	spare    []*openCase
	failed   error // after which nothing is emitted any more
}

// group is what go-junit is handed at once. held is the size of what its test
// cases have beside xml, suites those that closed before its end.
type group struct {
	xml    []byte
	cases  []closedCase
	held   int
	suites []int
}

type closedCase struct {
	*openCase
	verdict
}

type answer struct {
	suites []gojunit.Suite
	err    error
}

func newBatch(emit func(gojunit.Test, *openCase, verdict) error, release func([]int)) *batch {
	return &batch{emit: emit, release: release, answer: make(chan answer, 1)}
}

const (
	batchOpen  = "<testsuite>"
	batchClose = "</testsuite>"
)

// errLost cannot come of any report; it keeps a test case from getting the facts
// of another.
var errLost = errors.New("go-junit returned other test cases than it was given")

// add writes c, handing on what was written before when c would not fit.
func (b *batch) add(c *openCase, v verdict) error {
	g := &b.filling
	if b.failed != nil {
		return b.failed
	}
	start := len(g.xml)
	g.write(c, v)
	held := c.held(v)
	if start > 0 && (len(g.xml)+g.held+held > batchBytes || len(g.cases) == batchCases) {
		last := append([]byte(nil), g.xml[start:]...)
		g.xml = g.xml[:start]
		if err := b.handOn(); err != nil {
			return err
		}
		g.xml = append(append(g.xml, batchOpen...), last...)
	}
	g.cases = append(g.cases, closedCase{c, v})
	g.held += held
	return nil
}

// closeSuite lets go of suite i once the test cases before it are emitted.
func (b *batch) closeSuite(i int) { b.filling.suites = append(b.filling.suites, i) }

// flush emits every test case written.
func (b *batch) flush() error {
	if err := b.handOn(); err != nil {
		return err
	}
	return b.handOn()
}

// handOn lets go-junit parse what was written, and meanwhile emits what it
// parsed before.
func (b *batch) handOn() error {
	if b.failed != nil {
		return b.failed
	}
	var parsed answer
	if len(b.parsing.cases) > 0 {
		parsed = <-b.answer
	}
	b.emitting, b.parsing, b.filling = b.parsing, b.filling, b.emitting
	if len(b.parsing.cases) > 0 {
		go b.parse(append(b.parsing.xml, batchClose...))
	}
	if len(b.emitting.cases) > 0 {
		b.failed = b.emitAll(&b.emitting, parsed)
	}
	b.empty(&b.emitting)
	return b.failed
}

func (b *batch) parse(xml []byte) {
	suites, err := gojunit.Ingest(xml)
	b.answer <- answer{suites, err}
}

func (b *batch) emitAll(g *group, parsed answer) error {
	if parsed.err != nil {
		return fmt.Errorf("parse normalised report: %w", parsed.err)
	}
	if len(parsed.suites) != 1 || len(parsed.suites[0].Tests) != len(g.cases) {
		return errLost
	}
	for i, t := range parsed.suites[0].Tests {
		c := g.cases[i]
		if t.Name != string(c.name.b) {
			return errLost
		}
		if err := b.emit(t, c.openCase, c.verdict); err != nil {
			return err
		}
	}
	b.release(g.suites)
	return nil
}

// empty makes room in g for other test cases.
func (b *batch) empty(g *group) {
	for i, c := range g.cases {
		b.spare = append(b.spare, c.openCase)
		g.cases[i] = closedCase{}
	}
	*g = group{xml: g.xml[:0], cases: g.cases[:0], suites: g.suites[:0]}
}

// open returns an empty test case.
func (b *batch) open() *openCase {
	if len(b.spare) == 0 {
		return &openCase{}
	}
	last := len(b.spare) - 1
	c := b.spare[last]
	b.spare = b.spare[:last]
	return c
}

// held is the size of what c has beside what go-junit is handed.
func (c *openCase) held(v verdict) int {
	size := len(c.file.b) + len(c.lineNo.b)
	for i, f := range v.attempts {
		if i != v.decider {
			size += len(f.message.b) + len(f.typ.b) + len(f.text.b)
		}
	}
	for _, p := range c.properties {
		size += len(p.name.b) + len(p.value.b) + len(p.text.b)
	}
	for _, name := range c.attached {
		size += len(name)
	}
	return size
}

func (g *group) write(c *openCase, v verdict) {
	if len(g.xml) == 0 {
		g.xml = append(g.xml, batchOpen...)
	}
	g.xml = append(g.xml, "<testcase"...)
	g.attr("name", c.name.b)
	g.optional("classname", c.class.b)
	if childNames[v.status] == "" || v.decider < 0 {
		g.xml = append(g.xml, "/>"...)
		return
	}
	g.xml = append(g.xml, '>')
	g.child(v)
	g.xml = append(g.xml, "</testcase>"...)
}

// childNames are go-junit's elements for a status.
var childNames = map[engine.Status]string{
	engine.StatusFailed: "failure", engine.StatusError: "error", engine.StatusSkipped: "skipped",
}

func (g *group) child(v verdict) {
	name := childNames[v.status]
	f := v.attempts[v.decider]
	message := f.message.b
	if v.status == engine.StatusSkipped && len(message) == 0 {
		message = f.text.b
	}
	g.xml = append(g.xml, '<')
	g.xml = append(g.xml, name...)
	g.optional("message", message)
	g.optional("type", f.typ.b)
	g.xml = append(g.xml, '>')
	g.xml = appendEscaped(g.xml, f.text.b)
	g.xml = append(g.xml, "</"...)
	g.xml = append(g.xml, name...)
	g.xml = append(g.xml, '>')
}

func (g *group) optional(name string, value []byte) {
	if len(value) > 0 {
		g.attr(name, value)
	}
}

func (g *group) attr(name string, value []byte) {
	g.xml = append(g.xml, ' ')
	g.xml = append(g.xml, name...)
	g.xml = append(g.xml, `="`...)
	g.xml = appendEscaped(g.xml, value)
	g.xml = append(g.xml, '"')
}

// appendEscaped writes text for an attribute or an element. A carriage return
// is written as a reference, because a parser would turn it into a line feed.
func appendEscaped(dst, text []byte) []byte {
	start := 0
	for i, c := range text {
		var ref string
		switch c {
		case '&':
			ref = "&amp;"
		case '<':
			ref = "&lt;"
		case '>':
			ref = "&gt;"
		case '"':
			ref = "&#34;"
		case '\r':
			ref = "&#13;"
		default:
			continue
		}
		dst = append(dst, text[start:i]...)
		dst = append(dst, ref...)
		start = i + 1
	}
	return append(dst, text[start:]...)
}
