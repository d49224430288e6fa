// Package selfmend reads what selfmend leaves behind: heals attached to a
// Playwright JSON report, and the baselines of its locators.
package selfmend

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
)

// attachmentName is the name selfmend gives its attachments.
const attachmentName = "selfmend-heal"

// ReadHeals returns the heal events that selfmend (v0.2) attached to
// the tests of a Playwright JSON report, in report order, one per attachment of
// every attempt. The test ID is "file › titles"; the site is where the test
// begins, since selfmend does not say where the locator is. The project, when
// it has a name, is kept in Extra["project"]. What cannot be read is left out
// with a warning; a report without selfmend attachments gives neither events
// nor notices.
func ReadHeals(name string, r io.Reader) ([]engine.HealEvent, []engine.Notice) {
	w := reportWalk{engine.HealCollector{File: name}}
	err := eachSuite(r,
		func(s playwrightSuite) error { return w.walkSuite(s, nil, 0) },
		func(err error) { w.Skip(0, fmt.Sprintf("a suite of the Playwright JSON report was left out: %v", err)) })
	if err != nil {
		w.Note(0, fmt.Sprintf("reading the Playwright JSON report stopped: %v", err))
	}
	return w.Done()
}

// reportWalk collects the heals of one report.
type reportWalk struct{ engine.HealCollector }

var errManyHeals = fmt.Errorf("the report holds more than %d heal events", engine.MaxHeals)

// walkSuite reads one suite. titles are those of the suites around it, without that
// of the outermost, which is the file.
func (w *reportWalk) walkSuite(s playwrightSuite, titles []string, depth int) error {
	if depth > maxSuiteDepth {
		return fmt.Errorf("suites are nested more than %d deep", maxSuiteDepth)
	}
	if depth > 0 {
		titles = append(titles, s.Title)
	}
	for _, spec := range s.Specs {
		if spec.File == "" {
			spec.File = s.File
		}
		if err := w.walkSpec(spec, titles); err != nil {
			return err
		}
	}
	for _, inner := range s.Suites {
		if err := w.walkSuite(inner, titles, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *reportWalk) walkSpec(s playwrightSpec, titles []string) error {
	path := append([]string{s.File}, titles...)
	about := engine.HealEvent{TestID: engine.NewTestID(strings.Join(append(path, s.Title), " › "))}
	if s.File != "" && s.Line > 0 {
		about.Site = &engine.Site{File: s.File, Line: s.Line, Column: max(0, s.Col)}
	}
	for _, test := range s.Tests {
		e := about
		if test.Project != "" {
			e.Extra = map[string]json.RawMessage{"project": json.RawMessage(quoteText(engine.BoundText(test.Project)))}
		}
		for _, result := range test.Results {
			if err := w.walkResult(result, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *reportWalk) walkResult(r playwrightResult, about engine.HealEvent) error {
	about.Timestamp = unixSeconds(r.StartTime)
	for _, a := range r.Attachments {
		if a.Name != attachmentName {
			continue
		}
		if w.Full() {
			return errManyHeals
		}
		e, err := decodeHeal(a.Body, about)
		if err != nil {
			w.Skip(0, fmt.Sprintf("heal event left out: test %.120q: %v", about.TestID, err))
			continue
		}
		w.Add(0, e)
	}
	return nil
}

// decodeHeal decodes one attachment body into a copy of about.
func decodeHeal(body *string, about engine.HealEvent) (engine.HealEvent, error) {
	if body == nil {
		return about, errors.New("the attachment has no body in the report")
	}
	if len(*body) > engine.MaxHealBytes {
		return about, errors.New("the attachment is larger than 1 MiB")
	}
	text, err := base64.StdEncoding.DecodeString(*body)
	if err != nil {
		return about, errors.New("the attachment is not base64")
	}
	var in struct {
		Kind             *string `json:"kind"`
		OriginalSelector string  `json:"originalSelector"`
		HealedTarget     string  `json:"healedTarget"`
		Score            float64 `json:"score"`
		Reason           string  `json:"reason"`
		BestScore        float64 `json:"bestScore"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return about, fmt.Errorf("the attachment: %w", engine.ExplainJSON(err))
	}
	about.API, about.Locator = splitSelector(in.OriginalSelector)
	switch {
	case in.Kind == nil || *in.Kind == "healed":
		about.Outcome, about.Confidence, about.HealedLocator = engine.OutcomeHealed, in.Score, in.HealedTarget
	case *in.Kind == "refused":
		about.Outcome, about.Confidence, about.Reason = engine.OutcomeRefused, in.BestScore, in.Reason
		if in.Reason == "below-floor" {
			about.Reason = engine.ReasonBelowThreshold
		}
	default:
		return about, fmt.Errorf("kind %.40q is neither \"healed\" nor \"refused\"", *in.Kind)
	}
	return about, nil
}

// unixSeconds returns an RFC 3339 time as Unix seconds, 0 when it is none.
func unixSeconds(text string) float64 {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Unix() < 0 {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

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
	Title string `json:"title"`
	File  string `json:"file"`
	Line  int    `json:"line"`
	Col   int    `json:"column"`
	Tests []struct {
		Project string             `json:"projectName"`
		Results []playwrightResult `json:"results"`
	} `json:"tests"`
}

type playwrightResult struct {
	StartTime   string `json:"startTime"` // RFC 3339
	Attachments []struct {
		Name string  `json:"name"`
		Body *string `json:"body"` // base64
	} `json:"attachments"`
}

// eachSuite calls visit for every top-level suite of the report in r, of which
// it holds one in memory at a time. A suite of the wrong shape is left out, and
// skip is called with the reason. The error says why reading stopped early.
func eachSuite(r io.Reader, visit func(playwrightSuite) error, skip func(error)) error {
	meter := &meteredReader{r: io.LimitReader(r, maxReportBytes), left: maxSuiteBytes}
	dec := json.NewDecoder(skipBOM(meter))
	if err := expectDelimiter(dec, '{'); err != nil {
		return err
	}
	found := false
	for dec.More() {
		meter.refillMeter()
		key, err := dec.Token()
		if err != nil {
			return explainEnd(err)
		}
		if key != "suites" {
			var ignored json.RawMessage
			if err := dec.Decode(&ignored); err != nil {
				return explainEnd(err)
			}
			continue
		}
		found = true
		if err := eachInList(dec, meter, visit, skip); err != nil {
			return err
		}
	}
	if err := expectDelimiter(dec, '}'); err != nil || found {
		return err
	}
	return errors.New("it is no Playwright JSON report: it has no \"suites\"")
}

// eachInList is eachSuite for the list that the decoder is at.
func eachInList(dec *json.Decoder, meter *meteredReader, visit func(playwrightSuite) error, skip func(error)) error {
	if err := expectDelimiter(dec, '['); err != nil {
		return err
	}
	for dec.More() {
		meter.refillMeter()
		var s playwrightSuite
		err := dec.Decode(&s)
		if shape := new(json.UnmarshalTypeError); errors.As(err, &shape) {
			skip(engine.ExplainJSON(err))
			continue
		}
		if err != nil {
			return explainEnd(err)
		}
		if err := visit(s); err != nil {
			return err
		}
	}
	return expectDelimiter(dec, ']')
}

// expectDelimiter reads one delimiter.
func expectDelimiter(dec *json.Decoder, want json.Delim) error {
	got, err := dec.Token()
	if err != nil {
		return explainEnd(err)
	}
	if got != want {
		return fmt.Errorf("it is no Playwright JSON report: want %q at byte %d", want.String(), dec.InputOffset())
	}
	return nil
}

// explainEnd returns in plain words why the JSON could not be read on.
func explainEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends in the middle of the JSON")
	}
	return engine.ExplainJSON(err)
}

// meteredReader fails when more than a suite may have was read since refill.
type meteredReader struct {
	r    io.Reader
	left int
}

var errLargeSuite = fmt.Errorf("one suite is larger than %d MiB", maxSuiteBytes>>20)

func (m *meteredReader) refillMeter() { m.left = maxSuiteBytes }

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
