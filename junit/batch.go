package junit

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	gojunit "github.com/joshdk/go-junit"

	"github.com/breadcrumb/action/engine"
)

// go-junit is handed at most so much XML at once, and so many test cases.
const (
	batchBytes = 64 * kilobyte
	batchCases = 256
)

// batch writes closed test cases as plain JUnit XML, a number and the deciding
// child each, and gives what go-junit makes of them to emit, with the facts that
// go-junit has no place for: those wait here, as its answer has the order of the
// question. It is not asked about a test case without a child, which passed, nor
// twice about the same child in a row, as of tests that one outage failed.
// go-junit parses one group while the scanner fills the next.
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

// group is what go-junit is handed at once: asked questions, as xml, of which
// the last has its child at last. held is the size of what the cases have beside
// xml, suites those that closed before its end.
type group struct {
	xml    []byte
	cases  []closedCase
	asked  int
	last   struct{ from, to int }
	held   int
	suites []int
}

// closedCase waits for what go-junit answers to its question, if it has one.
type closedCase struct {
	*openCase
	verdict
	question int // from 0; noQuestion: none
}

const noQuestion = -1

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

// add takes a closed test case, and hands on where there are enough.
func (b *batch) add(c *openCase, v verdict) error {
	if b.failed != nil {
		return b.failed
	}
	g := &b.filling
	g.add(c, v)
	if len(g.xml)+g.held < batchBytes && len(g.cases) < batchCases {
		return nil
	}
	return b.handOn()
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
	if b.parsing.asked > 0 {
		parsed = <-b.answer
	}
	b.emitting, b.parsing, b.filling = b.parsing, b.filling, b.emitting
	if b.parsing.asked > 0 {
		go b.parse(append(b.parsing.xml, batchClose...))
	}
	b.failed = b.emitAll(&b.emitting, parsed)
	b.empty(&b.emitting)
	return b.failed
}

func (b *batch) parse(xml []byte) {
	suites, err := gojunit.Ingest(xml)
	b.answer <- answer{suites, err}
}

func (b *batch) emitAll(g *group, parsed answer) error {
	tests, err := parsed.tests(g.asked)
	if err != nil {
		return err
	}
	for _, c := range g.cases {
		t := gojunit.Test{Status: gojunit.StatusPassed}
		if c.question != noQuestion {
			t = tests[c.question]
		}
		if err := b.emit(t, c.openCase, c.verdict); err != nil {
			return err
		}
	}
	b.release(g.suites)
	return nil
}

// tests returns what go-junit made of asked test cases.
func (a answer) tests(asked int) ([]gojunit.Test, error) {
	switch {
	case a.err != nil:
		return nil, fmt.Errorf("parse normalised report: %w", a.err)
	case asked == 0:
		return nil, nil
	case len(a.suites) != 1 || len(a.suites[0].Tests) != asked:
		return nil, errLost
	}
	for i, t := range a.suites[0].Tests {
		if t.Name != strconv.Itoa(i) {
			return nil, errLost
		}
	}
	return a.suites[0].Tests, nil
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

// add keeps c, and asks go-junit about its child.
func (g *group) add(c *openCase, v verdict) {
	closed := closedCase{c, v, noQuestion}
	if childNames[v.status] != "" && v.decider >= 0 {
		closed.question = g.ask(v)
	}
	g.cases = append(g.cases, closed)
	g.held += c.size(v)
}

// ask returns the number of the question about v's child.
func (g *group) ask(v verdict) int {
	if g.asked == 0 {
		g.xml = append(g.xml, batchOpen...)
	}
	start := len(g.xml)
	g.xml = append(g.xml, `<testcase name="`...)
	g.xml = strconv.AppendInt(g.xml, int64(g.asked), 10)
	g.xml = append(g.xml, `">`...)
	from := len(g.xml)
	g.child(v)
	if g.asked > 0 && bytes.Equal(g.xml[from:], g.xml[g.last.from:g.last.to]) {
		g.xml = g.xml[:start]
		return g.asked - 1
	}
	g.last.from, g.last.to = from, len(g.xml)
	g.xml = append(g.xml, "</testcase>"...)
	g.asked++
	return g.asked - 1
}

// size is that of what c has beside what go-junit is handed.
func (c *openCase) size(v verdict) int {
	size := len(c.name.b) + len(c.class.b) + len(c.file.b) + len(c.lineNo.b)
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
