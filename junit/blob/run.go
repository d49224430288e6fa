package blob

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// run collects the events of a report.
type run struct {
	version int
	root    string
	suites  []*suite
	tests   map[string]*test
	results map[string]*result
	errors  []json.RawMessage
	started float64 // milliseconds of Unix time
	ended   bool
	unread  int
	err     error
}

// suite is a test file of a project or a describe block in it.
type suite struct {
	title, file string
	line        int
	suites      []*suite
	tests       []*test
}

type test struct {
	id, title, file string
	line            int
	project         string
	expected        string
	results         []*result
}

// result is one attempt.
type result struct {
	test        *test
	Retry       int
	Status      string
	Duration    float64
	Errors      []json.RawMessage
	Attachments []attachment
}

type attachment struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// event is a line of the report, as far as it is used.
type event struct {
	Method string `json:"method"`
	Params struct {
		Version int `json:"version"`
		Config  struct {
			RootDir string `json:"rootDir"`
		} `json:"config"`
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

func (r *run) line(line []byte) {
	if r.err != nil {
		return
	}
	var head struct {
		Method string `json:"method"`
	}
	var e event
	switch err := json.Unmarshal(line, &head); {
	case err != nil:
		r.unread++
		return
	case head.Method == "onStepBegin", head.Method == "onStepEnd", head.Method == "onStdIO":
		return
	}
	if err := json.Unmarshal(line, &e); err != nil {
		r.unread++
		return
	}
	r.take(&e)
}

func (r *run) take(e *event) {
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
			r.suites = append(r.suites, r.suite(file, p.Project.Name))
		}
	case "onTestBegin":
		r.begin(e)
	case "onAttach":
		if res := r.results[p.ResultID]; res != nil {
			res.Attachments = append(res.Attachments, p.Attachments...)
		}
	case "onTestEnd":
		r.end(e)
	case "onError":
		r.errors = append(r.errors, p.Error)
	case "onEnd":
		r.ended, r.started = true, p.Result.Started
	}
}

func (r *run) suite(e entry, project string) *suite {
	s := &suite{title: e.Title, file: e.Location.File, line: e.Location.Line}
	for _, inside := range e.Entries {
		if inside.ID == "" {
			s.suites = append(s.suites, r.suite(inside, project))
			continue
		}
		t := &test{id: inside.ID, title: inside.Title, file: inside.Location.File, line: inside.Location.Line, project: project, expected: "passed"}
		s.tests = append(s.tests, t)
		r.tests[t.id] = t
	}
	return s
}

func (r *run) begin(e *event) {
	t, id := r.tests[e.Params.TestID], e.Params.Result.ID
	if t == nil || id == "" || r.results[id] != nil {
		r.unread++
		return
	}
	res := &result{test: t, Retry: e.Params.Result.Retry}
	t.results = append(t.results, res)
	r.results[id] = res
}

func (r *run) end(e *event) {
	p := &e.Params
	res := r.results[p.Result.ID]
	if res == nil || res.test.id != p.Test.ID || res.Status != "" {
		r.unread++
		return
	}
	res.test.expected = p.Test.Expected
	res.Status, res.Duration, res.Errors = p.Result.Status, p.Result.Duration, p.Result.Errors
	res.Attachments = append(res.Attachments, p.Result.Attachments...)
}

// fault adds an error outside the tests.
func (r *run) fault(message string) {
	text, _ := json.Marshal(map[string]string{"message": message})
	r.errors = append(r.errors, text)
}

// outcome is what Playwright calls the status of a test: skipped, expected,
// unexpected or flaky.
func (t *test) outcome() string {
	var good, bad bool
	skipped := true
	for _, res := range t.results {
		switch {
		case res.Status == "skipped", res.Status == "interrupted": // by a failure elsewhere
			continue
		case res.Status == t.expected && res.Status != "":
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

// order puts the attempts in their order.
func (t *test) order() {
	slices.SortStableFunc(t.results, func(a, b *result) int { return a.Retry - b.Retry })
}

// startTime returns when the run began as JSON reports write it, "" if it is not known.
func (r *run) startTime() string {
	if !(r.started > 0 && r.started < 1e14) {
		return ""
	}
	return time.UnixMilli(int64(r.started)).UTC().Format(time.RFC3339Nano)
}

// The parts of Playwright's JSON report that are read.
type (
	jsonReport struct {
		Config jsonConfig        `json:"config"`
		Suites []jsonSuite       `json:"suites"`
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
	jsonSuite struct {
		Title  string      `json:"title"`
		File   string      `json:"file"`
		Line   int         `json:"line"`
		Specs  []jsonSpec  `json:"specs"`
		Suites []jsonSuite `json:"suites,omitempty"`
	}
	jsonSpec struct {
		Title string     `json:"title"`
		File  string     `json:"file"`
		Line  int        `json:"line"`
		Tests []jsonTest `json:"tests"`
	}
	jsonTest struct {
		Project  string       `json:"projectName"`
		Expected string       `json:"expectedStatus"`
		Status   string       `json:"status"`
		Results  []jsonResult `json:"results"`
	}
	jsonResult struct {
		Status      string            `json:"status"`
		Duration    float64           `json:"duration"`
		Errors      []json.RawMessage `json:"errors"`
		Attachments []attachment      `json:"attachments,omitempty"`
	}
)

// report returns what was collected as a JSON report.
func (r *run) report() jsonReport {
	if !r.ended {
		r.fault("the blob report has no end: the run was killed")
	}
	out := jsonReport{Config: jsonConfig{r.root}, Suites: []jsonSuite{}, Errors: r.errors}
	for _, s := range r.suites {
		out.Suites = append(out.Suites, s.json(&out.Stats))
	}
	out.Stats.StartTime = r.startTime()
	return out
}

func (s *suite) json(stats *jsonStats) jsonSuite {
	out := jsonSuite{Title: s.title, File: s.file, Line: s.line, Specs: []jsonSpec{}}
	for _, t := range s.tests {
		t.order()
		one := jsonTest{Project: t.project, Expected: t.expected, Status: t.outcome(), Results: []jsonResult{}}
		if one.Status == "unexpected" {
			stats.Unexpected++
		}
		for _, res := range t.results {
			one.Results = append(one.Results, res.json())
		}
		out.Specs = append(out.Specs, jsonSpec{Title: t.title, File: t.file, Line: t.line, Tests: []jsonTest{one}})
	}
	for _, inside := range s.suites {
		out.Suites = append(out.Suites, inside.json(stats))
	}
	return out
}

// json returns an attempt. One that never ended was interrupted.
func (res *result) json() jsonResult {
	out := jsonResult{Status: res.Status, Duration: res.Duration, Errors: res.Errors}
	if out.Status == "" {
		out.Status = "interrupted"
	}
	for _, a := range res.Attachments {
		if name := attachmentName(a.Name, a.Path); name != "" {
			out.Attachments = append(out.Attachments, attachment{a.Name, name})
		}
	}
	return out
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
