package results

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/input"
)

// A record holds what a row has beyond name, status and duration: its attempts with
// their texts, its properties and attachments. The records of one test form a
// linked list. A standard encoding is no way to write them: for a short record JSON
// takes three to four times the bytes and ten times the time, and gob describes its
// types anew in each record that is to be read by itself.
//
//	4 bytes  place of the test's next record plus 1, 0 at the end
//	4 bytes  in the first record: place of the last one plus 1
//	1 byte   flags
//	         name, where the identity does not hold it
//	         attempts, properties, attachments: a number and that many
const recordHead = 9

const (
	recordNamed    = 1 << iota // the record holds the name
	recordOverflow             // a row beyond the limit, kept because it fails
)

// appendRecord writes the record of r.
func appendRecord(b []byte, r *engine.TestResult, name string, flags byte) []byte {
	b = append(b, make([]byte, recordHead)...)
	if name != "" {
		flags |= recordNamed
	}
	b[recordHead-1] = flags
	if name != "" {
		b = appendText(b, name)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Attempts)))
	for _, a := range r.Attempts {
		b = append(b, input.StatusCode(a.Status))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(a.DurationMS))
		b = appendText(appendText(appendText(appendText(b, a.ErrorType), a.Message), a.Text), a.Waited)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Properties)))
	for name, value := range r.Properties {
		b = appendText(appendText(b, name), value)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Attachments)))
	for _, name := range r.Attachments {
		b = appendText(b, name)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// recordReader reads a record behind its head.
type recordReader []byte

func (r *recordReader) readNumber() int {
	v, n := binary.Uvarint(*r)
	*r = (*r)[n:]
	return int(v)
}

func (r *recordReader) readBytes() []byte {
	n := r.readNumber()
	out := (*r)[:n]
	*r = (*r)[n:]
	return out
}

func (r *recordReader) readText() string { return string(r.readBytes()) }

func (r *recordReader) readAttempt() engine.Attempt {
	status, ms := r.readOutcome()
	return engine.Attempt{Status: status, DurationMS: ms, ErrorType: r.readText(), Message: r.readText(), Text: r.readText(), Waited: r.readText()}
}

// readOutcome reads the beginning of an attempt.
func (r *recordReader) readOutcome() (engine.Status, float64) {
	status := input.StatusOf((*r)[0])
	ms := math.Float64frombits(binary.LittleEndian.Uint64((*r)[1:]))
	*r = (*r)[9:]
	return status, ms
}

// recordLog holds the records of all tests. A test is known by the place of its first
// record plus 1.
type recordLog struct{ log arena }

// beginTest adds the first record of a test and returns its place plus 1.
func (c *recordLog) beginTest(record []byte) uint32 {
	at := c.log.addText(record).at
	binary.LittleEndian.PutUint32(c.log.from(at)[4:], at+1)
	return at + 1
}

// addRecord adds a further record of the test that begins at first.
func (c *recordLog) addRecord(first uint32, record []byte) {
	at := c.log.addText(record).at
	binary.LittleEndian.PutUint32(c.lastRecord(first), at+1)
	binary.LittleEndian.PutUint32(c.log.from(first - 1)[4:], at+1)
}

// lastRecord returns the last record of the test that begins at first, head included.
func (c *recordLog) lastRecord(first uint32) []byte {
	head := c.log.from(first - 1)
	return c.log.from(binary.LittleEndian.Uint32(head[4:]) - 1)
}

// eachRecord calls visit with the flags and content of every record of a test.
func (c *recordLog) eachRecord(first uint32, visit func(flags byte, r recordReader)) {
	for at := first; at != 0; {
		record := c.log.from(at - 1)
		visit(record[recordHead-1], recordReader(record[recordHead:]))
		at = binary.LittleEndian.Uint32(record)
	}
}

// readRest reads properties and attachments. Where rows differ, the property of the
// first one stays.
func (r *recordReader) readRest(out *engine.TestResult) {
	for range r.readNumber() {
		name, value := r.readText(), r.readText()
		if out.Properties == nil {
			out.Properties = map[string]string{}
		}
		if _, known := out.Properties[name]; !known {
			out.Properties[name] = value
		}
	}
	for range r.readNumber() {
		if name := r.readText(); len(out.Attachments) < MaxAttachments && !slices.Contains(out.Attachments, name) {
			out.Attachments = append(out.Attachments, name)
		}
	}
}

// MaxAttachments bounds the attachments of one test.
const MaxAttachments = 32

func (p *Set) encodeRecord(r *engine.TestResult, name string, flags byte) []byte {
	p.scratch = appendRecord(p.scratch[:0], r, name, flags)
	return p.scratch
}

// readRecords reads the records of in into r.
func (p *Set) readRecords(in *packedResult, r *engine.TestResult) {
	var sizes []int
	var beyond *engine.Attempt
	p.records.eachRecord(in.record, func(flags byte, rec recordReader) {
		if flags&recordNamed != 0 {
			r.Name = rec.readText()
		}
		n := rec.readNumber()
		if flags&recordOverflow != 0 {
			a := rec.readAttempt()
			beyond = &a
			return
		}
		sizes = append(sizes, n)
		for range n {
			r.Attempts = append(r.Attempts, rec.readAttempt())
		}
		rec.readRest(r)
	})
	if in.flags&flagFailingLast != 0 {
		PutFailingLast(r.Attempts, sizes)
	}
	if beyond != nil {
		r.Attempts = append(r.Attempts, *beyond)
	}
}
