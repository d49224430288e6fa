package junit

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
)

// ctrfReport reads a report in the Common Test Report Format (ctrf.io).
type ctrfReport struct {
	feed   *feed
	r      *jsonReader
	seen   bool // results hold a tool or tests
	tool   string
	tests  int // summary.tests
	failed int // summary.failed
	err    error
}

// ctrfTest is one test as reported. Attempts before the last one are listed;
// what the test itself says is the last.
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
	duration                        float64 // ms
}

func (c *ctrfReport) results() {
	c.r.object(func(key string) {
		switch key {
		case "tool":
			c.r.object(func(key string) {
				if key == "name" {
					c.tool = strings.ToLower(c.r.text(nameMax))
					c.seen = true
				}
			})
		case "summary":
			c.summary()
		case "tests":
			c.seen = c.seen || c.r.peek() == '['
			c.r.array(func() {
				line := c.r.line
				t := c.test()
				if c.err = c.enter(line, t); c.err != nil {
					c.r.halted = true
				}
			})
		}
	})
}

func (c *ctrfReport) summary() {
	c.r.object(func(key string) {
		switch key {
		case "tests":
			c.tests = c.r.integer()
		case "failed":
			c.failed = c.r.integer()
		case "start":
			if ms := c.r.number(); ms > 1e11 && ms < 1e14 {
				c.feed.c.doc.started = time.UnixMilli(int64(ms)).UTC()
			}
		}
	})
}

func (c *ctrfReport) test() (t ctrfTest) {
	limit := c.feed.c.options.Limits.FieldBytes
	c.r.object(func(key string) {
		switch key {
		case "name":
			t.name = c.r.text(limit)
		case "rawStatus":
			t.raw = c.r.text(nameMax)
		case "suite":
			t.suites = c.suites(limit)
		case "filePath", "filepath":
			t.file = c.r.text(limit)
		case "line":
			t.line = c.r.integer()
		case "retries":
			t.retries = c.r.integer()
		case "flaky":
			t.flaky = c.r.text(nameMax) == "true"
		case "retryAttempts":
			c.r.array(func() {
				if len(t.earlier) < c.feed.c.options.Limits.Attempts {
					var a ctrfAttempt
					c.r.object(func(key string) { c.attempt(&a, key) })
					t.earlier = append(t.earlier, a)
				}
			})
		case "attachments":
			c.r.array(func() { c.attachment(&t) })
		default:
			c.attempt(&t.last, key)
		}
	})
	return t
}

// suites reads the suite path: a list, or, before version 0.0.0 fixed it, one
// text joined by " > ".
func (c *ctrfReport) suites(limit int) (path []string) {
	if c.r.peek() != '[' {
		if text := c.r.text(limit); text != "" {
			path = strings.Split(text, " > ")
		}
		return path
	}
	c.r.array(func() {
		if name := c.r.text(limit); name != "" && len(path) < c.feed.c.options.Limits.Depth {
			path = append(path, name)
		}
	})
	return path
}

func (c *ctrfReport) attempt(a *ctrfAttempt, key string) {
	switch key {
	case "status":
		a.status = c.r.text(nameMax)
	case "duration":
		a.duration = min(max(c.r.number(), 0), secondsMax*1e3)
	case "message":
		a.message = c.feed.failureMessage(c.r)
	case "trace":
		a.trace = c.feed.failureText(c.r)
	case "snippet":
		a.snippet = c.feed.failureText(c.r)
	}
}

func (c *ctrfReport) attachment(t *ctrfTest) {
	c.r.object(func(key string) {
		if key == "path" {
			t.attached = c.feed.c.attach(t.attached, c.r.text(4*kilobyte))
		}
	})
}

// ctrfStatuses are the statuses that need no second look; pending is a test
// that was declared and not run.
var ctrfStatuses = map[string]engine.Status{
	"passed": engine.StatusPassed, "failed": engine.StatusFailed,
	"skipped": engine.StatusSkipped, "pending": engine.StatusSkipped,
}

// broke reports whether a failed attempt is an error: the runner's own word says
// so, or, of Playwright, it is no expectation that does not hold.
func (a ctrfAttempt) broke(raw, tool string) bool {
	switch raw := strings.ToLower(raw); {
	case raw == "timedout", raw == "timeout", statusWords[raw] == engine.StatusError:
		return true
	}
	return tool == "playwright" && a.message != "" && !expectation.MatchString(cleanText(a.message))
}

// outcome maps an attempt. "other" is what the runner's own word says where
// that is known, and else not a pass.
func (a ctrfAttempt) outcome(raw, tool string) engine.Attempt {
	status, known := ctrfStatuses[a.status]
	if known && status == engine.StatusFailed && a.broke(raw, tool) {
		status = engine.StatusError
	}
	if !known {
		if status, known = statusWords[strings.ToLower(raw)]; !known {
			status = engine.StatusError
			a.message = cmp.Or(a.message, "status "+clean(a.status)+" "+clean(raw))
		}
	}
	out := engine.Attempt{Status: status}
	if status != engine.StatusPassed {
		text := ""
		if status.Failing() {
			text = a.trace
			if !strings.Contains(text, a.message) || text == "" {
				text = joinTexts(a.message, a.trace)
			}
			text = joinTexts(text, a.snippet)
		}
		out = attempt(status, 0, "", a.message, text)
	}
	out.DurationMS = milliseconds(a.duration / 1e3)
	return out
}

// attempts returns every attempt in order. Reporters that only count retries
// leave the failed ones without a text.
func (t ctrfTest) attempts(tool string) []engine.Attempt {
	last := t.last.outcome(t.raw, tool)
	var out []engine.Attempt
	for i, a := range t.earlier {
		if i == len(t.earlier)-1 && t.retries > 0 && len(t.earlier) > t.retries {
			break // the list ends in the final attempt itself
		}
		out = append(out, a.outcome("", tool))
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

func (c *ctrfReport) enter(line int, t ctrfTest) error {
	e := entry{name: t.name, file: t.file, attempts: t.attempts(c.tool), attachments: t.attached}
	e.at = place{file: relative(t.file, c.feed.c.options.Root), line: max(t.line, 0)}
	switch {
	case c.tool == "playwright":
		c.playwright(&e, t)
	case strings.HasPrefix(c.tool, "go") && len(t.suites) > 0:
		pkg := strings.Join(t.suites, "/")
		e.suite, e.class = suite{path: pkg, name: pkg, runner: RunnerGo}, pkg
	case path.Ext(t.file) == ".py" && strings.Contains(t.name, "::"):
		pytestNames(&e)
	default:
		c.suitesOf(&e, t)
	}
	return c.feed.enter(line, e)
}

// playwright names a test as Playwright's own reporters do: its suites are
// project, file and describe blocks; a project without a name is left out.
func (c *ctrfReport) playwright(e *entry, t ctrfTest) {
	suites, project := t.suites, ""
	file := path.Base(strings.ReplaceAll(t.file, `\`, "/"))
	if len(suites) > 1 && (path.Base(suites[1]) == file || !scriptFile(suites[0])) && scriptFile(suites[1]) {
		project, suites = suites[0], suites[1:]
	}
	if len(suites) > 0 {
		file, suites = suites[0], suites[1:]
	}
	e.suite = suite{path: file, name: file, host: project, runner: RunnerPlaywright}
	e.class, e.file = file, ""
	e.name = strings.Join(append(suites[:len(suites):len(suites)], t.name), pathSeparator)
}

// pytestNames takes a node id apart: "tests/test_a.py::TestA::test_ok".
func pytestNames(e *entry) {
	parts := strings.Split(e.name, "::")
	module := dotted(trimExt(slashed(parts[0])))
	e.suite = suite{path: "pytest", name: "pytest", runner: RunnerPytest}
	e.class = strings.Join(append([]string{module}, parts[1:len(parts)-1]...), ".")
	e.name = parts[len(parts)-1]
}

// suitesOf is for every other tool: the suites without the file's own name,
// and without those that the name repeats, as Jest's full names do.
func (c *ctrfReport) suitesOf(e *entry, t ctrfTest) {
	suites := t.suites
	if len(suites) > 0 && t.file != "" && samePlace(slashed(t.file), slashed(suites[0])) {
		suites = suites[1:]
	}
	if joined := strings.Join(suites, " "); joined != "" && strings.HasPrefix(t.name, joined+" ") {
		suites = nil
	}
	e.suite = suite{path: strings.Join(suites, pathSeparator)}
	if len(suites) > 0 {
		e.suite.name = suites[len(suites)-1]
	}
}

// close tells where the summary knows of failures that no test shows.
func (c *ctrfReport) close() error {
	if c.err != nil {
		return c.err
	}
	found := c.feed.c.doc.suites[0].counted
	if c.failed > 0 && found.failing() == 0 {
		c.feed.c.notes.blockf("hidden-failure", 0, "the summary counts %d failures and no test of the file fails", c.failed)
	}
	if c.tests > 0 && c.tests != found.tests {
		c.feed.c.notes.warnf("counts", 0, "the summary says %d tests and the report holds %d; the tests were counted", c.tests, found.tests)
	}
	return nil
}
