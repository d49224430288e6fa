package junitxml

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	gojunit "github.com/joshdk/go-junit"

	"github.com/breadcrumb/action/engine"
)

// go-junit is handed at most so much XML at once, and so many test cases.
const (
	batchBytes = 64 << 10
	BatchCases = 256 // exported for tests
)

// batch lets go-junit decide test cases, and emits each with what go-junit read and
// with the facts that go-junit has no place for. It writes closed test cases as
// plain JUnit XML: of each its number and the child that decides. A test case
// without such a child passed and is not written, nor is one whose child equals
// that of the one before, as with tests that one outage failed. go-junit parses
// one group while the scanner fills the next.
type batch struct {
	emit func(t gojunit.Test, c *Case, v Verdict) error

	filling  group
	parsing  group // empty, or with go-junit
	emitting group // empty outside handGroupOn
	answer   chan answer
	spare    []*Case
	failed   error // first error; nothing is emitted after it
}

// group is what go-junit is handed at once: asked test cases as xml, of which the
// last one's child is at last. held is the size of what the cases hold beside xml.
type group struct {
	xml   []byte
	cases []closedCase
	asked int
	last  struct{ from, to int }
	held  int
}

// closedCase waits for what go-junit reads of its child, if it has one.
type closedCase struct {
	*Case
	Verdict
	asked int // its number in the group's XML, notAsked for none
}

const notAsked = -1

type answer struct {
	suites []gojunit.Suite
	err    error
}

const (
	batchOpen  = "<testsuite>"
	batchClose = "</testsuite>"
)

// errLost is a fault of this package, which no report can cause: it keeps a test
// case from getting the facts of another.
var errLost = errors.New("go-junit returned other test cases than it was given")

// handGroupOn lets go-junit parse the filled group and meanwhile emits the one that it
// parsed before.
func (b *batch) handGroupOn() error {
	if b.failed != nil {
		return b.failed
	}
	var parsed answer
	if b.parsing.asked > 0 {
		parsed = <-b.answer
	}
	b.emitting, b.parsing, b.filling = b.parsing, b.filling, b.emitting
	if b.parsing.asked > 0 {
		go b.parseGroup(append(b.parsing.xml, batchClose...))
	}
	b.failed = b.emitGroup(&b.emitting, parsed)
	b.emptyGroup(&b.emitting)
	return b.failed
}

func (b *batch) parseGroup(xml []byte) {
	suites, err := gojunit.Ingest(xml)
	b.answer <- answer{suites, err}
}

func (b *batch) emitGroup(g *group, parsed answer) error {
	tests, err := parsed.checkTests(g.asked)
	if err != nil {
		return err
	}
	for _, c := range g.cases {
		t := gojunit.Test{Status: gojunit.StatusPassed}
		if c.asked != notAsked {
			t = tests[c.asked]
		}
		if err := b.emit(t, c.Case, c.Verdict); err != nil {
			return err
		}
	}
	return nil
}

// checkTests returns what go-junit made of asked test cases.
func (a answer) checkTests(asked int) ([]gojunit.Test, error) {
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

// emptyGroup makes g ready for other test cases.
func (b *batch) emptyGroup(g *group) {
	for i, c := range g.cases {
		b.spare = append(b.spare, c.Case)
		g.cases[i] = closedCase{}
	}
	*g = group{xml: g.xml[:0], cases: g.cases[:0]}
}

// addCase adds c and writes its child for go-junit.
func (g *group) addCase(c *Case, v Verdict) {
	closed := closedCase{c, v, notAsked}
	if childNames[v.status] != "" && v.Decider >= 0 {
		closed.asked = g.writeCase(v)
	}
	g.cases = append(g.cases, closed)
	g.held += c.size(v)
}

// writeCase writes a test case with v's child, unless the last one has the same child,
// and returns its number.
func (g *group) writeCase(v Verdict) int {
	if g.asked == 0 {
		g.xml = append(g.xml, batchOpen...)
	}
	start := len(g.xml)
	g.xml = fmt.Appendf(g.xml, `<testcase name="%d">`, g.asked)
	from := len(g.xml)
	g.writeChild(v)
	if g.asked > 0 && bytes.Equal(g.xml[from:], g.xml[g.last.from:g.last.to]) {
		g.xml = g.xml[:start]
		return g.asked - 1
	}
	g.last.from, g.last.to = from, len(g.xml)
	g.xml = append(g.xml, "</testcase>"...)
	g.asked++
	return g.asked - 1
}

// size is that of what c holds beside what go-junit is handed.
func (c *Case) size(v Verdict) int {
	size := len(c.Name.Text) + len(c.Class.Text) + len(c.File.Text) + len(c.LineNo.Text)
	for i, f := range v.Attempts {
		if i != v.Decider {
			size += len(f.Message.Text) + len(f.Type.Text) + len(f.Text.Text)
		}
	}
	for _, p := range c.Properties {
		size += len(p.Name.Text) + len(p.Value.Text) + len(p.Text.Text)
	}
	for _, name := range c.Attached {
		size += len(name)
	}
	return size
}

// childNames are go-junit's elements for a status.
var childNames = map[engine.Status]string{
	engine.StatusFailed: "failure", engine.StatusError: "error", engine.StatusSkipped: "skipped",
}

func (g *group) writeChild(v Verdict) {
	name := childNames[v.status]
	f := v.Attempts[v.Decider]
	message := f.Message.Text
	if v.status == engine.StatusSkipped && len(message) == 0 {
		message = f.Text.Text
	}
	g.xml = fmt.Appendf(g.xml, `<%s message="%s" type="%s">%s</%s>`, name,
		escapes.Replace(string(message)), escapes.Replace(string(f.Type.Text)), escapes.Replace(string(f.Text.Text)), name)
}

// escapes are for attributes and elements. A carriage return is written as a
// reference, because a parser would turn it into a line feed.
var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "\r", "&#13;")
