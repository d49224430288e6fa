package selfmend

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/breadcrumb/action/engine"
	"io"
)

// Bounds of one Playwright JSON report. A top-level suite is one test file.
const (
	maxReportBytes = 512 << 20
	maxSuiteBytes  = 32 << 20
	maxSuiteDepth  = 100
)

// The parts of a Playwright JSON report that lead to an attachment.
type playwrightSuite struct {
	Title  string            `json:"title"`
	File   string            `json:"file"`
	Suites []playwrightSuite `json:"suites"`
	Specs  []playwrightSpec  `json:"specs"`
}

type playwrightSpec struct {
	Title string           `json:"title"`
	File  string           `json:"file"`
	Line  int              `json:"line"`
	Col   int              `json:"column"`
	Tests []playwrightTest `json:"tests"`
}

type playwrightTest struct {
	Project string             `json:"projectName"`
	Results []playwrightResult `json:"results"`
}

type playwrightResult struct {
	StartTime   string `json:"startTime"` // RFC 3339
	Attachments []struct {
		Name string  `json:"name"`
		Body *string `json:"body"` // base64
	} `json:"attachments"`
}

// eachSuite calls visit for every top-level suite of the report in r, holding
// one of them in memory at a time. odd is told of a suite of the wrong shape,
// which is left out. The error says why reading stopped early.
func eachSuite(r io.Reader, visit func(playwrightSuite) error, odd func(error)) error {
	meter := &meteredReader{r: io.LimitReader(r, maxReportBytes), left: maxSuiteBytes}
	dec := json.NewDecoder(skipBOM(meter))
	if err := expect(dec, '{'); err != nil {
		return err
	}
	found := false
	for dec.More() {
		meter.refill()
		key, err := dec.Token()
		if err != nil {
			return brokenOff(err)
		}
		if key != "suites" {
			var ignored json.RawMessage
			if err := dec.Decode(&ignored); err != nil {
				return brokenOff(err)
			}
			continue
		}
		found = true
		if err := eachItem(dec, meter, visit, odd); err != nil {
			return err
		}
	}
	if err := expect(dec, '}'); err != nil {
		return err
	}
	if !found {
		return errors.New("it is no Playwright JSON report: it has no \"suites\"")
	}
	return nil
}

func eachItem(dec *json.Decoder, meter *meteredReader, visit func(playwrightSuite) error, odd func(error)) error {
	if err := expect(dec, '['); err != nil {
		return err
	}
	for dec.More() {
		meter.refill()
		var s playwrightSuite
		err := dec.Decode(&s)
		if shape := new(json.UnmarshalTypeError); errors.As(err, &shape) {
			odd(engine.ExplainJSON(err))
			continue
		}
		if err != nil {
			return brokenOff(err)
		}
		if err := visit(s); err != nil {
			return err
		}
	}
	return expect(dec, ']')
}

// expect reads one delimiter.
func expect(dec *json.Decoder, want json.Delim) error {
	got, err := dec.Token()
	if err != nil {
		return brokenOff(err)
	}
	if got != want {
		return fmt.Errorf("it is no Playwright JSON report: want %q at byte %d", want.String(), dec.InputOffset())
	}
	return nil
}

func brokenOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends in the middle of the JSON")
	}
	return engine.ExplainJSON(err)
}

// meteredReader fails once more than a suite's share was read since refill.
type meteredReader struct {
	r    io.Reader
	left int
}

var errLargeSuite = fmt.Errorf("one suite is larger than %d MiB", maxSuiteBytes>>20)

func (m *meteredReader) refill() { m.left = maxSuiteBytes }

// Read implements io.Reader.
func (m *meteredReader) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errLargeSuite
	}
	n, err := m.r.Read(p[:min(len(p), m.left)])
	m.left -= n
	return n, err
}

// skipBOM returns r without a UTF-8 byte order mark at its start.
func skipBOM(r io.Reader) io.Reader {
	buffered := bufio.NewReader(r)
	if mark, err := buffered.Peek(3); err == nil && string(mark) == "\uFEFF" {
		_, _ = buffered.Discard(len(mark))
	}
	return buffered
}
