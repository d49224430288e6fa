package engine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Bounds of one heal event file. They hold for any real run many times over
// and keep a hostile file from filling the memory.
const (
	MaxHealBytes     = 1 << 20  // bytes of one line, or of one attachment
	maxHealFileBytes = 64 << 20 // bytes of one NDJSON file
	MaxHeals         = 20_000   // events of one file
	maxHealNotices   = 50       // notices of one file, the rest is counted
)

// ReadHeals reads breadcrumb.heal/v1 events, one JSON object a line, in file
// order. A line that is no such event is left out with a warning that names
// file, line and reason, and the others still count. A byte order mark, CRLF
// and blank lines are fine. name is the file as the user knows it; every event
// carries it as Source.
func ReadHeals(name string, r io.Reader) ([]HealEvent, []Notice) {
	c := HealCollector{File: name}
	lines := newLineReader(io.LimitReader(r, maxHealFileBytes+1))
	for !c.Full() {
		text, err := lines.next()
		if errors.Is(err, io.EOF) {
			return c.Done()
		}
		switch {
		case errors.Is(err, errLongLine):
			c.Skip(lines.number, "heal event left out: the line is longer than 1 MiB")
		case err != nil:
			c.Stop(lines.number, fmt.Sprintf("reading stopped here: %v", err))
			return c.Done()
		case lines.read > maxHealFileBytes:
			c.Stop(lines.number, "the file is larger than 64 MiB; from this line on it was left out")
			return c.Done()
		case lines.number == 1 && isUTF16(text):
			c.Stop(1, "the file is UTF-16; write it as UTF-8")
			return c.Done()
		case len(text) > 0:
			c.line(lines.number, text)
		}
	}
	if _, err := lines.next(); !errors.Is(err, io.EOF) {
		c.Stop(lines.number, fmt.Sprintf("the file holds more than %d events; from this line on it was left out", MaxHeals))
	}
	return c.Done()
}

// HealCollector checks and gathers the events of one file and notes what was
// left out.
type HealCollector struct {
	File    string // as the user knows it
	heals   []HealEvent
	notices []Notice
	skipped int // left out without a notice of its own
}

// line takes one line of NDJSON.
func (c *HealCollector) line(number int, text []byte) {
	var e HealEvent
	if err := json.Unmarshal(text, &e); err != nil {
		c.Skip(number, "heal event left out: "+ExplainJSON(err).Error())
		return
	}
	c.Add(number, e)
}

// Add takes one event, checked and bounded.
func (c *HealCollector) Add(number int, e HealEvent) {
	if err := checkHeal(e); err != nil {
		c.Skip(number, "heal event left out: "+err.Error())
		return
	}
	e.Source = c.File
	boundHeal(&e)
	c.heals = append(c.heals, e)
}

// Skip notes that something was left out, or counts it once there are many.
func (c *HealCollector) Skip(number int, reason string) {
	if len(c.notices) >= maxHealNotices {
		c.skipped++
		return
	}
	c.Stop(number, reason)
}

// Stop notes something about the file, however many notices there are.
func (c *HealCollector) Stop(number int, reason string) {
	c.notices = append(c.notices, Notice{File: c.File, Line: number, Severity: SeverityWarning, Reason: reason})
}

// Full reports whether the file holds as many events as one may hold.
func (c *HealCollector) Full() bool { return len(c.heals) >= MaxHeals }

// Done returns the events and the notices.
func (c *HealCollector) Done() ([]HealEvent, []Notice) {
	if c.skipped > 0 {
		c.Stop(0, fmt.Sprintf("%d more were left out for reasons like these", c.skipped))
	}
	return c.heals, c.notices
}

var errLongLine = errors.New("line too long")

// lineReader hands out lines of at most MaxHealBytes bytes.
type lineReader struct {
	buffered *bufio.Reader
	number   int   // 1-based number of the line last handed out
	read     int64 // bytes consumed
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{buffered: bufio.NewReaderSize(r, MaxHealBytes)}
}

// next returns the next line without its ending and outer white space; it is
// valid until the next call. It returns errLongLine, with the line consumed,
// when the line is too long, and io.EOF behind the last one.
func (l *lineReader) next() ([]byte, error) {
	l.number++
	text, err := l.buffered.ReadSlice('\n')
	l.read += int64(len(text))
	long := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		text, err = l.buffered.ReadSlice('\n')
		l.read += int64(len(text))
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case long:
		return nil, errLongLine
	case err != nil && len(text) == 0:
		return nil, io.EOF
	}
	if l.number == 1 {
		text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	}
	return bytes.TrimSpace(text), nil
}

func isUTF16(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
}
