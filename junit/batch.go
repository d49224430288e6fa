package junit

import (
	"fmt"
	"strconv"
	"strings"

	gojunit "github.com/joshdk/go-junit"

	"github.com/breadcrumb/action/engine"
)

// batchBytes is how much XML go-junit is handed at once.
const batchBytes = 64 * kilobyte

// The attributes that carry facts through go-junit, which returns every
// attribute of a test case in Test.Properties. Attributes of the report itself
// are not handed on, so none can pass for one of these.
const (
	attrRow      = "bc-row"
	attrSuite    = "bc-suite"
	attrFile     = "bc-file"
	attrLine     = "bc-line"
	attrAtFile   = "bc-at-file" // of the failure
	attrAtLine   = "bc-at-line"
	attrFlaky    = "bc-flaky"
	attrReruns   = "bc-reruns"
	attrAttempts = "bc-attempts"
	attrDecider  = "bc-decider"
	attrProps    = "bc-properties"
	attrAttached = "bc-attached" // one a line
)

// attemptAttr and propertyAttr name the attributes of one attempt or property.
func attemptAttr(i int, part string) string  { return "bc-a" + strconv.Itoa(i) + part }
func propertyAttr(i int, part string) string { return "bc-p" + strconv.Itoa(i) + part }

// batch writes closed test cases as plain JUnit XML, one deciding child each,
// and gives what go-junit makes of them to emit.
type batch struct {
	xml     []byte
	emit    func(gojunit.Test) error
	flushed func() // called when every test case written was emitted
}

func newBatch(emit func(gojunit.Test) error) *batch {
	return &batch{emit: emit}
}

const (
	batchOpen  = "<testsuite>"
	batchClose = "</testsuite>"
)

// add writes c, flushing first when it would not fit.
func (b *batch) add(c *openCase, v verdict) error {
	start := len(b.xml)
	b.write(c, v)
	if len(b.xml) <= batchBytes || start == 0 {
		return nil
	}
	last := append([]byte(nil), b.xml[start:]...)
	b.xml = b.xml[:start]
	if err := b.flush(); err != nil {
		return err
	}
	b.xml = append(b.xml, batchOpen...)
	b.xml = append(b.xml, last...)
	return nil
}

// flush lets go-junit parse what was written.
func (b *batch) flush() error {
	if len(b.xml) == 0 {
		return nil
	}
	b.xml = append(b.xml, batchClose...)
	suites, err := gojunit.Ingest(b.xml)
	if err != nil {
		return fmt.Errorf("parse normalised report: %w", err)
	}
	b.xml = b.xml[:0]
	for _, s := range suites {
		for _, t := range s.Tests {
			if err := b.emit(t); err != nil {
				return err
			}
		}
	}
	b.flushed()
	return nil
}

func (b *batch) write(c *openCase, v verdict) {
	if len(b.xml) == 0 {
		b.xml = append(b.xml, batchOpen...)
	}
	b.xml = append(b.xml, "<testcase"...)
	b.attr("name", c.name.b)
	b.attr("classname", c.class.b)
	b.attr("time", strconv.AppendFloat(nil, seconds(string(c.time.b)), 'f', 6, 64))
	b.number(attrRow, c.row)
	b.number(attrSuite, c.suite)
	b.optional(attrFile, c.file.b)
	b.optional(attrLine, c.lineNo.b)
	if f := c.placed(); f != nil {
		b.optional(attrAtFile, f.file.b)
		b.optional(attrAtLine, f.line.b)
	}
	if v.flaky+v.reruns > 0 {
		b.number(attrFlaky, v.flaky)
		b.number(attrReruns, v.reruns)
	}
	b.attempts(v)
	b.properties(c.properties)
	b.optional(attrAttached, []byte(strings.Join(c.attached, "\n")))
	b.xml = append(b.xml, '>')
	b.child(v)
	b.xml = append(b.xml, "</testcase>"...)
}

// attempts writes every attempt but the deciding one, which is the child.
func (b *batch) attempts(v verdict) {
	if len(v.attempts) == 0 {
		return
	}
	b.number(attrAttempts, len(v.attempts))
	b.number(attrDecider, v.decider)
	for i, f := range v.attempts {
		b.optional(attemptAttr(i, "d"), f.seconds.b)
		if i == v.decider {
			continue
		}
		b.attr(attemptAttr(i, "s"), []byte(f.kind.status()))
		b.optional(attemptAttr(i, "t"), f.typ.b)
		b.optional(attemptAttr(i, "m"), f.message.b)
		b.optional(attemptAttr(i, "x"), f.text.b)
	}
}

func (b *batch) properties(all []*property) {
	if len(all) == 0 {
		return
	}
	b.number(attrProps, len(all))
	for i, p := range all {
		value := p.value.b
		if len(value) == 0 {
			value = p.text.b
		}
		b.attr(propertyAttr(i, "n"), p.name.b)
		b.attr(propertyAttr(i, "v"), value)
	}
}

// childNames are go-junit's elements for a status.
var childNames = map[engine.Status]string{
	engine.StatusFailed: "failure", engine.StatusError: "error", engine.StatusSkipped: "skipped",
}

func (b *batch) child(v verdict) {
	name := childNames[v.status]
	if v.decider < 0 || name == "" {
		return
	}
	f := v.attempts[v.decider]
	message := f.message.b
	if v.status == engine.StatusSkipped && len(message) == 0 {
		message = f.text.b
	}
	b.xml = append(b.xml, '<')
	b.xml = append(b.xml, name...)
	b.optional("message", message)
	b.optional("type", f.typ.b)
	b.xml = append(b.xml, '>')
	b.xml = appendEscaped(b.xml, f.text.b)
	b.xml = append(b.xml, "</"...)
	b.xml = append(b.xml, name...)
	b.xml = append(b.xml, '>')
}

func (b *batch) optional(name string, value []byte) {
	if len(value) > 0 {
		b.attr(name, value)
	}
}

func (b *batch) number(name string, value int) {
	b.attr(name, strconv.AppendInt(nil, int64(value), 10))
}

func (b *batch) attr(name string, value []byte) {
	b.xml = append(b.xml, ' ')
	b.xml = append(b.xml, name...)
	b.xml = append(b.xml, `="`...)
	b.xml = appendEscaped(b.xml, value)
	b.xml = append(b.xml, '"')
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
