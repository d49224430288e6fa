package junit

import (
	"cmp"
	"fmt"
	"path"
	"slices"
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
	pending    []*playwrightTest // whose suites' titles are not all known
	full, err  error             // full is that a spec holds too much; its first tests count
}

// heldTests bounds the tests of one spec, which are held until its end, and
// of a test file whose title stands behind its tests, as in sorted JSON.
const heldTests = 50_000

// playwrightSuite is a test file or, inside one, a describe block.
type playwrightSuite struct {
	title, file string
	titled      bool
	around      *playwrightSuite
}

// named reports whether the titles of s and of all around it are known.
func (s *playwrightSuite) named() bool {
	for ; s.around != nil; s = s.around {
		if !s.titled {
			return false
		}
	}
	return s.title != ""
}

// playwrightTest is one test of one project.
type playwrightTest struct {
	line     int // of the report
	suite    *playwrightSuite
	title    string
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
	p.r.array(func() {
		e := p.error("")
		p.faults++
		if p.fault == "" {
			p.fault = firstLine(e.message, e.text)
		}
	})
}

// files reads the top suites and hands on their tests.
func (p *playwrightReport) files() {
	if !p.configured {
		return
	}
	p.r.array(func() {
		p.suite(nil)
		p.release()
	})
}

func (p *playwrightReport) suite(around *playwrightSuite) {
	s := &playwrightSuite{around: around}
	limit := p.feed.c.options.Limits.FieldBytes
	p.r.object(func(key string) {
		switch key {
		case "title":
			s.title, s.titled = p.r.text(limit), true
		case "file":
			s.file = p.r.text(limit)
		case "specs":
			p.r.array(func() { p.spec(s) })
		case "suites":
			p.r.array(func() { p.suite(s) })
		}
	})
}

// spec reads the tests of one title and hands them on where their names are
// known.
func (p *playwrightReport) spec(s *playwrightSuite) {
	var title, file string
	var line int
	limit := p.feed.c.options.Limits.FieldBytes
	start, first := p.r.line, len(p.pending)
	p.r.object(func(key string) {
		switch key {
		case "title":
			title = p.r.text(limit)
		case "file":
			file = p.r.text(limit)
		case "line":
			line = p.r.integer()
		case "tests":
			p.r.array(func() { p.hold(start) })
		}
	})
	for i := first; i < len(p.pending); i++ {
		t := p.pending[i]
		t.suite, t.title, t.file, t.at = s, title, file, line
	}
	if s.named() {
		p.release()
	}
}

func (p *playwrightReport) hold(line int) {
	if len(p.pending) >= heldTests {
		p.full = p.feed.c.doc.stop(line, fmt.Sprintf("more than %d tests share one spec, or stand before the title of their file; the rest was not read", heldTests))
		p.r.halted = true
		return
	}
	p.pending = append(p.pending, p.test(line))
}

// release hands on the tests that are held.
func (p *playwrightReport) release() {
	for _, t := range p.pending {
		if p.err == nil {
			p.err = p.enter(t)
			p.r.halted = p.r.halted || p.err != nil
		}
	}
	clear(p.pending)
	p.pending = p.pending[:0]
}

func (p *playwrightReport) test(line int) *playwrightTest {
	t := &playwrightTest{line: line}
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
				results = append(results, p.result(t))
			})
		}
	})
	for _, r := range results {
		t.attempts = append(t.attempts, r.attempt(t.expected))
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

// enter hands a test on with the names that Playwright's junit reporter writes:
// the file as suite and class, the describe blocks before the title, the
// project as the suite's host name.
func (p *playwrightReport) enter(t *playwrightTest) error {
	titles := []string{t.title}
	top := t.suite
	for ; top.around != nil; top = top.around {
		titles = append(titles, top.title)
	}
	slices.Reverse(titles)
	file := cmp.Or(top.title, top.file)
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
		name:        strings.Join(titles, pathSeparator),
		at:          at,
		attempts:    t.attempts,
		attachments: t.attached,
		unrun:       t.status == "skipped" && t.expected != "" && t.expected != "skipped",
	})
}

// close tells what stands outside the tests.
func (p *playwrightReport) close() error {
	if err := cmp.Or(p.err, p.full); err != nil {
		return err
	}
	d := p.feed.c.doc
	if p.faults > 0 {
		p.feed.c.notes.blockf("suite-error", 0, "Playwright reports %d errors outside the tests: %s", p.faults, p.fault)
	}
	if found := d.suites[0].counted.failing(); p.unexpected > found {
		p.feed.c.notes.blockf("hidden-failure", 0, "the report counts %d unexpected results and holds %d", p.unexpected, found)
	}
	return nil
}
