package formats

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/location"
	"github.com/breadcrumb/action/junit/scan"
)

// ctrfReport reads a report in the Common Test Report Format (ctrf.io).
type ctrfReport struct {
	feed   *Feed
	r      *scan.JSONReader
	seen   bool // results hold a tool or tests
	tool   string
	tests  int // summary.tests
	failed int // summary.failed
	err    error
}

// ctrfTest is one test as reported. Earlier attempts are listed; the last one is what
// the test itself says.
type ctrfTest struct {
	name, raw     string
	suites        []string
	file          string
	line, retries int
	flaky         bool
	last          ctrfAttempt
	earlier       []ctrfAttempt
	attached      []string
}

type ctrfAttempt struct {
	status, message, trace, snippet string
	seconds                         float64
}

// readKey reads the value of a key of the report's first level.
func (c *ctrfReport) readKey(key string) {
	if key != "results" {
		return
	}
	c.r.Object(func(key string) {
		switch key {
		case "tool":
			c.r.Object(func(key string) {
				if key == "name" {
					c.tool = strings.ToLower(c.r.Text(scan.MaxName))
					c.seen = true
				}
			})
		case "summary":
			c.readSummary()
		case "tests":
			c.seen = c.seen || c.r.Peek() == '['
			c.r.Array(func() {
				line := c.r.Line()
				t := c.readTest()
				if c.err = c.addTest(line, t); c.err != nil {
					c.r.Halted = true
				}
			})
		}
	})
}

func (c *ctrfReport) readSummary() {
	c.r.Object(func(key string) {
		switch key {
		case "tests":
			c.tests = c.r.Integer()
		case "failed":
			c.failed = c.r.Integer()
		case "start":
			if ms := c.r.Number(); ms > 1e11 && ms < 1e14 {
				c.feed.Started = time.UnixMilli(int64(ms)).UTC()
			}
		}
	})
}

func (c *ctrfReport) readTest() (t ctrfTest) {
	limit := c.feed.Limits.FieldBytes
	c.r.Object(func(key string) {
		switch key {
		case "name":
			t.name = c.r.Text(limit)
		case "rawStatus":
			t.raw = c.r.Text(scan.MaxName)
		case "suite":
			t.suites = c.readSuites(limit)
		case "filePath", "filepath":
			t.file = c.r.Text(limit)
		case "line":
			t.line = c.r.Integer()
		case "retries":
			t.retries = c.r.Integer()
		case "flaky":
			t.flaky = c.r.Text(scan.MaxName) == "true"
		case "retryAttempts":
			c.r.Array(func() {
				if len(t.earlier) < c.feed.Limits.Attempts {
					var a ctrfAttempt
					c.r.Object(func(key string) { c.readAttempt(&a, key) })
					t.earlier = append(t.earlier, a)
				}
			})
		case "attachments":
			t.attached = c.feed.readAttachments(c.r, t.attached)
		default:
			c.readAttempt(&t.last, key)
		}
	})
	return t
}

// readSuites reads the suite path: a list or, before version 0.0.0, one text joined by
// " > ".
func (c *ctrfReport) readSuites(limit int) (path []string) {
	if c.r.Peek() != '[' {
		if text := c.r.Text(limit); text != "" {
			path = strings.Split(text, " > ")
		}
		return path
	}
	c.r.Array(func() {
		if name := c.r.Text(limit); name != "" && len(path) < c.feed.Limits.Depth {
			path = append(path, name)
		}
	})
	return path
}

func (c *ctrfReport) readAttempt(a *ctrfAttempt, key string) {
	switch key {
	case "status":
		a.status = c.r.Text(scan.MaxName)
	case "duration":
		a.seconds = min(max(c.r.Number()/1e3, 0), input.MaxSeconds)
	case "message":
		a.message = c.feed.readMessage(c.r)
	case "trace":
		a.trace = c.feed.readText(c.r)
	case "snippet":
		a.snippet = c.feed.readText(c.r)
	}
}

// ctrfStatuses are the statuses with one meaning; pending is a test that was
// declared and not run.
var ctrfStatuses = map[string]engine.Status{
	"passed": engine.StatusPassed, "failed": engine.StatusFailed,
	"skipped": engine.StatusSkipped, "pending": engine.StatusSkipped,
}

// isError reports whether a failed attempt is an error: the runner's own status says so,
// or the attempt is Playwright's and no expectation failed.
func (a ctrfAttempt) isError(raw, tool string) bool {
	said, _ := input.StatusOfWord(raw)
	raw = strings.ToLower(raw)
	return raw == "timedout" || raw == "timeout" || said == engine.StatusError ||
		tool == "playwright" && a.message != "" && !expectation.MatchString(input.CleanText(a.message))
}

// toAttempt converts an attempt. The status "other" means what the runner's own status says
// where that is known, and never a pass otherwise.
func (a ctrfAttempt) toAttempt(raw, tool string) engine.Attempt {
	status, known := ctrfStatuses[a.status]
	if !known {
		status, known = input.StatusOfWord(raw)
		known = known && status != engine.StatusPassed
	} else if status == engine.StatusFailed && a.isError(raw, tool) {
		status = engine.StatusError
	}
	if !known {
		status = engine.StatusError
		a.message = cmp.Or(a.message, "status "+identity.Clean(a.status)+" "+identity.Clean(raw))
	}
	text := ""
	switch {
	case status == engine.StatusPassed:
		return engine.Attempt{Status: status, DurationMS: input.Milliseconds(a.seconds)}
	case status.Failing():
		text = joinError(a.message, a.trace, a.snippet)
	}
	return input.NewAttempt(status, a.seconds, "", a.message, text)
}

// listAttempts returns every attempt in order. Of reporters that only count retries, failed
// attempts have no text.
func (t ctrfTest) listAttempts(tool string) []engine.Attempt {
	last := t.last.toAttempt(t.raw, tool)
	var out []engine.Attempt
	for i, a := range t.earlier {
		if i == len(t.earlier)-1 && t.retries > 0 && len(t.earlier) > t.retries {
			break // the list ends in the final attempt itself
		}
		out = append(out, a.toAttempt("", tool))
	}
	if t.flaky && last.Status == engine.StatusPassed && len(out) == 0 {
		for range min(max(t.retries, 1), 10) {
			out = append(out, engine.Attempt{Status: engine.StatusFailed, Message: "an earlier attempt failed; the report has no more on it"})
		}
	}
	if last.Status == engine.StatusSkipped { // proves nothing, and no attempt before it passed
		if out = slices.DeleteFunc(out, func(a engine.Attempt) bool { return !a.Status.Failing() }); len(out) > 0 {
			return out
		}
	}
	return append(out, last)
}

func (c *ctrfReport) addTest(line int, t ctrfTest) error {
	e := Test{Name: t.name, File: t.file, Attempts: t.listAttempts(c.tool), Attachments: t.attached}
	e.At = location.Place{File: location.Relative(t.file, c.feed.Root), Line: max(t.line, 0)}
	switch {
	case c.tool == "playwright":
		playwrightNames(&e, t)
	case strings.HasPrefix(c.tool, "go") && len(t.suites) > 0:
		pkg := strings.Join(t.suites, "/")
		e.Suite, e.Class = identity.Suite{Path: pkg, Name: pkg, Runner: identity.RunnerGo}, pkg
	case path.Ext(t.file) == ".py" && strings.Contains(t.name, "::"):
		pytestNames(&e)
	default:
		ctrfNames(&e, t)
	}
	return c.feed.addTest(line, e)
}

// playwrightNames names a test as Playwright's own reporters do: its suites are
// project, file and describe blocks; a project without a name is left out.
func playwrightNames(e *Test, t ctrfTest) {
	suites, project := t.suites, ""
	file := path.Base(strings.ReplaceAll(t.file, `\`, "/"))
	if len(suites) > 1 && (path.Base(suites[1]) == file || !location.IsScript(suites[0])) && location.IsScript(suites[1]) {
		project, suites = suites[0], suites[1:]
	}
	if len(suites) > 0 {
		file, suites = suites[0], suites[1:]
	}
	e.Suite = identity.Suite{Path: file, Name: file, Host: project, Runner: identity.RunnerPlaywright}
	e.Class, e.File = file, ""
	e.Name = strings.Join(append(suites[:len(suites):len(suites)], t.name), identity.Separator)
}

// pytestNames names a test by the parts of its node id: "tests/test_a.py::TestA::test_ok".
func pytestNames(e *Test) {
	parts := strings.Split(e.Name, "::")
	module := location.Dotted(location.TrimExt(location.Slashed(parts[0])))
	e.Suite = identity.Suite{Path: "pytest", Name: "pytest", Runner: identity.RunnerPytest}
	e.Class = strings.Join(append([]string{module}, parts[1:len(parts)-1]...), ".")
	e.Name = parts[len(parts)-1]
}

// ctrfNames names a test of any other tool by its suites, without the file's own
// name and without suites that the name repeats, as Jest's full names do.
func ctrfNames(e *Test, t ctrfTest) {
	suites := t.suites
	if len(suites) > 0 && t.file != "" && location.SameFile(location.Slashed(t.file), location.Slashed(suites[0])) {
		suites = suites[1:]
	}
	if joined := strings.Join(suites, " "); joined != "" && strings.HasPrefix(t.name, joined+" ") {
		suites = nil
	}
	e.Suite = identity.Suite{Path: strings.Join(suites, identity.Separator)}
	if len(suites) > 0 {
		e.Suite.Name = suites[len(suites)-1]
	}
}

// checkSummary notes where the summary counts failures that no test shows.
func (c *ctrfReport) checkSummary() error {
	if c.err != nil {
		return c.err
	}
	if found := c.feed.failing; c.failed > found {
		c.feed.Notices.Block("hidden-failure", 0, "the summary counts %d failures and the report holds %d", c.failed, found)
	}
	if found := c.feed.tests; c.tests > 0 && c.tests != found {
		c.feed.Notices.Warn("counts", 0, "the summary says %d tests and the report holds %d; the tests were counted", c.tests, found)
	}
	return nil
}
