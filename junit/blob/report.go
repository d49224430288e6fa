package blob

import "encoding/json"

// The shape of Playwright's JSON report, as far as it is read.
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

// report returns what was gathered in the shape of the JSON report.
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
