package blob

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/internal/boundzip"
)

// run collects the events of a report.
type run struct {
	version int
	root    string
	suites  []*suite
	all     []*test
	tests   map[string]*test   // by id
	results map[string]*result // by id
	errors  []json.RawMessage
	started float64 // milliseconds of Unix time
	ended   bool
	unread  int
	texts   int // bytes of errors and attachments
	err     error
}

// The parts of Playwright's JSON report that are read. A suite is a test file of a
// project or a describe block in it, a spec has one test, a result is one attempt.
type (
	jsonReport struct {
		Config jsonConfig        `json:"config"`
		Suites []*suite          `json:"suites"`
		Errors []json.RawMessage `json:"errors"`
		Stats  jsonStats         `json:"stats"`
	}
	jsonConfig struct {
		RootDir string `json:"rootDir"`
	}
	jsonStats struct {
		StartTime  string `json:"startTime,omitempty"`
		Unexpected int    `json:"unexpected"`
	}
	suite struct {
		Title  string   `json:"title"`
		File   string   `json:"file"`
		Line   int      `json:"line"`
		Specs  []spec   `json:"specs"`
		Suites []*suite `json:"suites,omitempty"`
	}
	spec struct {
		Title string  `json:"title"`
		File  string  `json:"file"`
		Line  int     `json:"line"`
		Tests []*test `json:"tests"`
	}
	test struct {
		id       string
		Project  string    `json:"projectName"`
		Expected string    `json:"expectedStatus"`
		Status   string    `json:"status"`
		Results  []*result `json:"results"`
	}
	result struct {
		test        *test
		retry       int
		Status      string            `json:"status"`
		Duration    float64           `json:"duration"`
		Errors      []json.RawMessage `json:"errors"`
		Attachments []attachment      `json:"attachments,omitempty"`
	}
	attachment struct {
		Name string `json:"name"`
		Path string `json:"path"`
	}
)

// event is a line of the report, as far as it is used.
type event struct {
	Method string `json:"method"`
	Params struct {
		Version int        `json:"version"`
		Config  jsonConfig `json:"config"`
		Project struct {
			Name   string  `json:"name"`
			Suites []entry `json:"suites"`
		} `json:"project"`
		TestID string `json:"testId"`
		Test   struct {
			ID       string `json:"testId"`
			Expected string `json:"expectedStatus"`
		} `json:"test"`
		ResultID string `json:"resultId"`
		Result   struct {
			ID          string            `json:"id"`
			Retry       int               `json:"retry"`
			Status      string            `json:"status"`
			Duration    float64           `json:"duration"`
			Errors      []json.RawMessage `json:"errors"`
			Attachments []attachment      `json:"attachments"`
			Started     float64           `json:"startTime"`
		} `json:"result"`
		Attachments []attachment    `json:"attachments"`
		Error       json.RawMessage `json:"error"`
	} `json:"params"`
}

// entry is a test or a suite of a project.
type entry struct {
	ID       string `json:"testId"`
	Title    string `json:"title"`
	Location struct {
		File string `json:"file"`
		Line int    `json:"line"`
	} `json:"location"`
	Entries []entry `json:"entries"`
}

func (r *run) readLine(line []byte) {
	if r.err != nil {
		return
	}
	var head struct {
		Method string `json:"method"`
	}
	var e event
	err := json.Unmarshal(line, &head)
	if err == nil && !slices.Contains([]string{"onStepBegin", "onStepEnd", "onStdIO"}, head.Method) {
		if err = json.Unmarshal(line, &e); err == nil {
			r.takeEvent(&e)
		}
	}
	if err != nil {
		r.unread++
	}
}

func (r *run) takeEvent(e *event) {
	p := &e.Params
	switch e.Method {
	case "onBlobReportMetadata":
		if r.version = p.Version; r.version > newestVersion {
			r.err = fmt.Errorf("version %d is newer than %d, the newest that is read; update Breadcrumb", r.version, newestVersion)
		}
	case "onConfigure":
		r.root = p.Config.RootDir
	case "onProject":
		for _, file := range p.Project.Suites {
			r.suites = append(r.suites, r.addSuite(file, p.Project.Name))
		}
		if len(r.all) > maxTests {
			r.err = fmt.Errorf("it holds more than %d tests", maxTests)
		}
	case "onTestBegin":
		r.beginTest(e)
	case "onAttach":
		if res := r.results[p.ResultID]; res != nil {
			r.attach(res, p.Attachments)
		}
	case "onTestEnd":
		r.endTest(e)
	case "onError":
		if len(r.errors) < maxFaults {
			r.errors = append(r.errors, r.keepErrors([]json.RawMessage{p.Error})...)
		}
	case "onEnd":
		r.ended, r.started = true, p.Result.Started
	}
}

func (r *run) addSuite(e entry, project string) *suite {
	s := &suite{Title: e.Title, File: e.Location.File, Line: e.Location.Line, Specs: []spec{}}
	for _, inside := range e.Entries {
		if inside.ID == "" {
			s.Suites = append(s.Suites, r.addSuite(inside, project))
			continue
		}
		t := &test{id: inside.ID, Project: project, Expected: "passed", Results: []*result{}}
		s.Specs = append(s.Specs, spec{Title: inside.Title, File: inside.Location.File, Line: inside.Location.Line, Tests: []*test{t}})
		r.all = append(r.all, t)
		r.tests[t.id] = t
	}
	return s
}

func (r *run) beginTest(e *event) {
	t, id := r.tests[e.Params.TestID], e.Params.Result.ID
	if t == nil || id == "" || r.results[id] != nil {
		r.unread++
		return
	}
	if len(r.results) >= maxAttempts {
		r.err = fmt.Errorf("it holds more than %d attempts", maxAttempts)
		return
	}
	res := &result{test: t, retry: e.Params.Result.Retry}
	t.Results = append(t.Results, res)
	r.results[id] = res
}

func (r *run) endTest(e *event) {
	p := &e.Params
	res := r.results[p.Result.ID]
	if res == nil || res.test.id != p.Test.ID || res.Status != "" {
		r.unread++
		return
	}
	res.test.Expected = p.Test.Expected
	res.Status, res.Duration, res.Errors = p.Result.Status, p.Result.Duration, r.keepErrors(p.Result.Errors)
	r.attach(res, p.Result.Attachments)
}

// attach adds to the attachments of an attempt as far as there is room.
func (r *run) attach(res *result, more []attachment) {
	for _, a := range more {
		if r.texts += len(a.Name) + len(a.Path); r.texts <= maxTexts && len(res.Attachments) < maxAttached {
			res.Attachments = append(res.Attachments, a)
		}
	}
}

// keepErrors returns the first errors of an attempt. Where all that is kept is beyond its
// bound, of each is kept how its message begins.
func (r *run) keepErrors(all []json.RawMessage) []json.RawMessage {
	all = all[:min(len(all), maxErrors)]
	for i, text := range all {
		if r.texts += len(text); r.texts <= maxTexts {
			continue
		}
		var said struct{ Message, Value string }
		_ = json.Unmarshal(text, &said) // what is no error has no message
		message := cmp.Or(said.Message, said.Value)
		all[i], _ = json.Marshal(map[string]string{"message": message[:min(len(message), maxMessage)]})
	}
	return all
}

// addFault adds an error outside the tests.
func (r *run) addFault(message string) {
	text, _ := json.Marshal(map[string]string{"message": message})
	r.errors = append(r.errors, text)
}

// makeReport returns what was collected as a JSON report.
func (r *run) makeReport() jsonReport {
	if !r.ended {
		r.addFault("the blob report has no end: the run was killed")
	}
	out := jsonReport{Config: jsonConfig{r.root}, Suites: append([]*suite{}, r.suites...), Errors: r.errors}
	if r.started > 0 && r.started < 1e14 {
		out.Stats.StartTime = time.UnixMilli(int64(r.started)).UTC().Format(time.RFC3339Nano)
	}
	for _, t := range r.all {
		t.finishTest()
		if t.Status == "unexpected" {
			out.Stats.Unexpected++
		}
	}
	return out
}

// finishTest sets the status of t and puts its attempts into the form of the JSON report. An
// attempt that never ended was interrupted.
func (t *test) finishTest() {
	slices.SortStableFunc(t.Results, func(a, b *result) int { return a.retry - b.retry })
	t.Status = t.testOutcome()
	for _, res := range t.Results {
		res.Status = cmp.Or(res.Status, "interrupted")
		var kept []attachment
		for _, a := range res.Attachments {
			if name := attachmentName(a.Name, a.Path); name != "" {
				kept = append(kept, attachment{a.Name, name})
			}
		}
		res.Attachments = kept
	}
}

// testOutcome is what Playwright calls the status of a test: skipped, expected,
// unexpected or flaky.
func (t *test) testOutcome() string {
	var good, bad bool
	skipped := true
	for _, res := range t.Results {
		switch {
		case res.Status == "skipped", res.Status == "interrupted": // by a failure elsewhere
			continue
		case res.Status == t.Expected && res.Status != "":
			good = true
		default:
			bad = true
		}
		skipped = false
	}
	switch {
	case skipped:
		return "skipped"
	case good && bad:
		return "flaky"
	case bad:
		return "unexpected"
	}
	return "expected"
}

// attachmentName returns the name of an attachment in the report, "" for one
// that is not in the zip.
func attachmentName(name, file string) string {
	if !strings.HasPrefix(file, resources) || path.Clean(file) != file {
		return ""
	}
	if before, ok := strings.CutSuffix(file, ".zip"); ok && name == "trace" {
		return before + traceSuffix
	}
	return file
}

// Report returns the report as JSON. A run that was killed before its end has an error
// outside its tests. The error says what is wrong with the file; one whose events state
// more than most bytes (0: a gigabyte) is refused before they are unpacked.
func Report(r io.ReaderAt, size, most int64) ([]byte, error) {
	a, err := boundzip.Open(r, size, boundzip.Limits{Files: maxFiles, Unpacked: maxUnpacked, Line: maxLine})
	if err != nil {
		return nil, fmt.Errorf("read blob report: %w", err)
	}
	file := a.File(eventsFile)
	if file == nil {
		return nil, fmt.Errorf("read blob report: no report of Playwright: %s is not in it", eventsFile)
	}
	if most > 0 && file.UncompressedSize64 > uint64(most) {
		return nil, fmt.Errorf("read blob report: %s unpacks to %d bytes, more than the %d of max-report-bytes", eventsFile, file.UncompressedSize64, most)
	}
	run := run{tests: map[string]*test{}, results: map[string]*result{}}
	long, err := a.Lines(file, run.readLine)
	switch {
	case run.err != nil:
		err = run.err
	case errors.Is(err, boundzip.ErrHostile):
	case err != nil:
		run.addFault(fmt.Sprintf("the blob report is damaged: %v", err))
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("read blob report: %w", err)
	}
	if n := long + run.unread; n > 0 {
		run.addFault(fmt.Sprintf("%d events of the blob report could not be read", n))
	}
	text, err := json.Marshal(run.makeReport())
	if err != nil {
		return nil, fmt.Errorf("read blob report: %w", err)
	}
	return text, nil
}
