package junit

import (
	"fmt"
	"path"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// playwrightReport reads the report of Playwright's json reporter: config,
// suites (one a test file, describe blocks nested), specs, tests (one a
// project) and results (one an attempt).
type playwrightReport struct {
	feed       *feed
	r          *jsonReader
	configured bool
	root       string // config.rootDir, what files are relative to
	unexpected int    // stats.unexpected
	fault      string // first error outside the tests
	faults     int
	pending    int // tests of the open top suite
	err        error
}

// fileTests bounds the tests of one test file, which are held until its end.
const fileTests = 50_000

// playwrightTest is one test of one project, its titles gathered from the
// inside out.
type playwrightTest struct {
	line     int // of the report
	titles   []string
	file     string
	at       int // line of the test
	project  string
	expected string
	status   string
	attempts []engine.Attempt
	failedAt place
	attached []string
}

func (p *playwrightReport) config() {
	p.r.object(func(key string) {
		switch key {
		case "rootDir":
			p.root = strings.ReplaceAll(p.r.text(4*kilobyte), `\`, "/")
			p.configured = true
		case "projects", "configFile":
			p.configured = true
		}
	})
}

func (p *playwrightReport) stats() {
	p.r.object(func(key string) {
		switch key {
		case "startTime":
			p.feed.c.doc.started = timestamp(p.r.text(nameMax))
		case "unexpected":
			p.unexpected = p.r.integer()
		}
	})
}

// globalErrors are those outside every test: a file that cannot be imported, a
// failed global setup.
func (p *playwrightReport) globalErrors() {
	if !p.configured {
		return
	}
	p.r.array(func() {
		e := p.error("")
		p.faults++
		if p.fault == "" {
			p.fault = firstLine(e.message, e.text)
		}
	})
}

// files reads the top suites and hands on the tests of each.
func (p *playwrightReport) files() {
	if !p.configured {
		return
	}
	p.r.array(func() {
		p.pending = 0
		title, file, tests := p.suite()
		if title == "" {
			title = file
		}
		for _, t := range tests {
			if p.err = p.enter(title, t); p.err != nil {
				p.r.halted = true
				return
			}
		}
	})
}

// suite returns a suite's title and file and the tests below it.
func (p *playwrightReport) suite() (title, file string, tests []playwrightTest) {
	limit := p.feed.c.options.Limits.FieldBytes
	p.r.object(func(key string) {
		switch key {
		case "title":
			title = p.r.text(limit)
		case "file":
			file = p.r.text(limit)
		case "specs":
			p.r.array(func() { tests = append(tests, p.spec()...) })
		case "suites":
			p.r.array(func() {
				inner, _, below := p.suite()
				for i := range below {
					below[i].titles = append(below[i].titles, inner)
				}
				tests = append(tests, below...)
			})
		}
	})
	return title, file, tests
}

func (p *playwrightReport) spec() []playwrightTest {
	var title, file string
	var line int
	var tests []playwrightTest
	limit := p.feed.c.options.Limits.FieldBytes
	start := p.r.line
	p.r.object(func(key string) {
		switch key {
		case "title":
			title = p.r.text(limit)
		case "file":
			file = p.r.text(limit)
		case "line":
			line = p.r.integer()
		case "tests":
			p.r.array(func() {
				if p.pending++; p.pending > fileTests {
					p.err = p.feed.c.doc.stop(start, fmt.Sprintf("a test file holds more than %d tests; the rest was not read", fileTests))
					p.r.halted = true
					return
				}
				tests = append(tests, p.test(start))
			})
		}
	})
	for i := range tests {
		tests[i].titles = []string{title}
		tests[i].file, tests[i].at = file, line
	}
	return tests
}

func (p *playwrightReport) test(line int) playwrightTest {
	t := playwrightTest{line: line}
	var results []playwrightResult
	p.r.object(func(key string) {
		switch key {
		case "projectName":
			t.project = p.r.text(kilobyte)
		case "expectedStatus":
			t.expected = p.r.text(nameMax)
		case "status":
			t.status = p.r.text(nameMax)
		case "results":
			p.r.array(func() {
				if len(results) > p.feed.c.options.Limits.Attempts {
					results = append(results[:0], results[1:]...)
				}
				results = append(results, p.result(&t))
			})
		}
	})
	for _, r := range results {
		t.attempts = append(t.attempts, r.attempt(t.expected, t.status))
		if r.at.file != "" {
			t.failedAt = r.at
		}
	}
	t.settle()
	return t
}

// settle makes the last attempt agree with the status Playwright gives the
// test, never for the better.
func (t *playwrightTest) settle() {
	for len(t.attempts) > 1 && t.attempts[0].Status == engine.StatusSkipped && t.attempts[len(t.attempts)-1].Status == engine.StatusSkipped {
		t.attempts = t.attempts[1:]
	}
	failing := len(t.attempts) > 0 && t.attempts[len(t.attempts)-1].Status.Failing()
	switch {
	case failing:
	case t.status == "unexpected":
		t.attempts = append(t.attempts, engine.Attempt{Status: engine.StatusError, Message: "Playwright counts the test as unexpected"})
	case len(t.attempts) == 0 && t.status == "skipped":
		t.attempts = append(t.attempts, engine.Attempt{Status: engine.StatusSkipped})
	case len(t.attempts) == 0:
		t.attempts = append(t.attempts, engine.Attempt{Status: engine.StatusError, Message: "the report records no attempt"})
	}
}

// playwrightResult is one attempt as reported.
type playwrightResult struct {
	status   string
	duration float64
	errors   []playwrightError
	at       place
}

type playwrightError struct {
	message, text string
	at            place
}

func (p *playwrightReport) result(t *playwrightTest) (res playwrightResult) {
	var single playwrightError
	p.r.object(func(key string) {
		switch key {
		case "status":
			res.status = p.r.text(nameMax)
		case "duration":
			res.duration = milliseconds(min(max(p.r.number()/1e3, 0), secondsMax))
		case "error":
			single = p.error("")
		case "errors":
			p.r.array(func() {
				if len(res.errors) < 8 {
					res.errors = append(res.errors, p.error(single.text))
				}
			})
		case "attachments":
			p.r.array(func() { p.attachment(t) })
		}
	})
	if len(res.errors) == 0 && single != (playwrightError{}) {
		res.errors = []playwrightError{single}
	}
	for _, e := range res.errors {
		if res.at.file == "" {
			res.at = e.at
		}
	}
	return res
}

// error reads one error. said is a text that was read before and need not be
// kept a second time.
func (p *playwrightReport) error(said string) (e playwrightError) {
	stack, snippet := "", ""
	p.r.object(func(key string) {
		switch key {
		case "message":
			e.message = p.feed.failureText(p.r)
		case "value":
			e.message = p.feed.failureText(p.r)
		case "stack":
			stack = p.feed.failureText(p.r)
		case "snippet":
			snippet = p.feed.failureText(p.r)
		case "location":
			e.at = p.location()
		}
	})
	e.text = stack
	if !strings.Contains(stack, e.message) || stack == "" {
		e.text = joinTexts(e.message, stack)
	}
	e.text = joinTexts(e.text, snippet)
	if e.text == said {
		e.text = said
	}
	return e
}

func joinTexts(texts ...string) string {
	kept := texts[:0]
	for _, t := range texts {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n\n")
}

func (p *playwrightReport) location() (at place) {
	p.r.object(func(key string) {
		switch key {
		case "file":
			at.file = relative(p.r.text(4*kilobyte), p.feed.c.options.Root)
		case "line":
			at.line = p.r.integer()
		}
	})
	if at.line < 1 {
		return place{}
	}
	return at
}

func (p *playwrightReport) attachment(t *playwrightTest) {
	p.r.object(func(key string) {
		if key != "path" {
			return
		}
		name := p.r.text(4 * kilobyte)
		t.attached = p.feed.c.attach(t.attached, name)
	})
}

// attempt maps an attempt's status: what was expected is a pass, and an
// attempt that was interrupted proves nothing.
func (res playwrightResult) attempt(expected, outcome string) engine.Attempt {
	status := engine.StatusFailed
	switch {
	case res.status == "skipped" || res.status == "interrupted" && outcome == "skipped":
		status = engine.StatusSkipped
	case res.status == "passed" && expected == "", res.status == expected && expected != "":
		status = engine.StatusPassed
	case res.status == "interrupted":
		status = engine.StatusError
	}
	if !status.Failing() {
		return engine.Attempt{Status: status, DurationMS: res.duration}
	}
	message, text := "", ""
	for _, e := range res.errors {
		message = joinTexts(message, e.message)
		text = joinTexts(text, e.text)
	}
	if message == "" {
		message = "status " + clean(res.status) + ", expected " + clean(expected)
	}
	a := attempt(status, 0, "", message, text)
	a.DurationMS = res.duration
	return a
}

// enter hands a test on with the names that Playwright's junit reporter writes:
// the file as suite and class, the describe blocks before the title, the
// project as the suite's host name.
func (p *playwrightReport) enter(file string, t playwrightTest) error {
	for i, j := 0, len(t.titles)-1; i < j; i, j = i+1, j-1 {
		t.titles[i], t.titles[j] = t.titles[j], t.titles[i]
	}
	own := t.file
	if p.root != "" && own != "" && !absolute(own) {
		own = path.Join(p.root, own)
	}
	at := place{file: relative(own, p.feed.c.options.Root), line: t.at}
	if t.failedAt.file != "" && samePlace(t.failedAt.file, at.file) && t.attempts[len(t.attempts)-1].Status.Failing() {
		at = t.failedAt
	}
	return p.feed.enter(t.line, entry{
		suite:       suite{path: file, name: file, host: t.project, runner: RunnerPlaywright},
		class:       file,
		name:        strings.Join(t.titles, pathSeparator),
		at:          at,
		attempts:    t.attempts,
		attachments: t.attached,
	})
}

// close tells what stands outside the tests.
func (p *playwrightReport) close() error {
	if p.err != nil {
		return p.err
	}
	d := p.feed.c.doc
	if p.faults > 0 {
		p.feed.c.notes.block("suite-error", 0, fmt.Sprintf("Playwright reports %d errors outside the tests: %s", p.faults, p.fault))
	}
	if found := d.suites[0].counted.failing(); p.unexpected > found {
		p.feed.c.notes.block("hidden-failure", 0, fmt.Sprintf("the report counts %d unexpected results and holds %d", p.unexpected, found))
	}
	return nil
}
