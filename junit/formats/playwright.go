package formats

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/location"
	"github.com/breadcrumb/action/junit/scan"
)

// playwrightReport reads the report of Playwright's json reporter: config,
// suites (one a test file, describe blocks nested), specs, tests (one a
// project) and results (one an attempt).
type playwrightReport struct {
	feed       *Feed
	r          *scan.JSONReader
	configured bool
	root       string // config.rootDir, what files are relative to
	unexpected int    // stats.unexpected
	fault      string // first error outside the tests
	faults     int
	pending    []*playwrightTest // tests of which a suite's title is not known yet
	full, err  error             // full says that a spec holds too much; its first tests count
}

// heldTests bounds the tests that are held until their names are known: those of one
// spec, and of a test file whose title stands behind its tests, as in sorted JSON.
const heldTests = 50_000

// playwrightSuite is a test file or, inside one, a describe block.
type playwrightSuite struct {
	title, file string
	titled      bool
	around      *playwrightSuite
}

// isNamed reports whether the titles of s and of all around it are known.
func (s *playwrightSuite) isNamed() bool {
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
	first    engine.Status // of the first attempt with an error
	failedAt location.Place
	attached []string
}

// readKey reads the value of a key of the report's first level.
func (p *playwrightReport) readKey(key string) {
	switch key {
	case "config":
		p.readConfig()
	case "suites":
		p.readFiles()
	case "errors":
		p.readGlobalErrors()
	case "stats":
		p.readStats()
	}
}

func (p *playwrightReport) readConfig() {
	p.r.Object(func(key string) {
		switch key {
		case "rootDir":
			p.root = strings.ReplaceAll(p.r.Text(4<<10), `\`, "/")
			p.configured = true
		case "projects", "configFile":
			p.configured = true
		}
	})
}

func (p *playwrightReport) readStats() {
	p.r.Object(func(key string) {
		switch key {
		case "startTime":
			p.feed.Started = input.Timestamp(p.r.Text(scan.MaxName))
		case "unexpected":
			p.unexpected = p.r.Integer()
		}
	})
}

// readGlobalErrors reads the errors outside every test: a file that cannot be imported, a
// failed global setup.
func (p *playwrightReport) readGlobalErrors() {
	p.r.Array(func() {
		e := p.readError("")
		p.faults++
		if p.fault == "" {
			p.fault = input.FirstLine(e.message, e.text)
		}
	})
}

// readFiles reads the suites of the first level, which are files, and hands on their tests.
func (p *playwrightReport) readFiles() {
	if !p.configured {
		return
	}
	p.r.Array(func() {
		p.readSuite(nil)
		p.releaseTests()
	})
}

func (p *playwrightReport) readSuite(around *playwrightSuite) {
	s := &playwrightSuite{around: around}
	limit := p.feed.Limits.FieldBytes
	p.r.Object(func(key string) {
		switch key {
		case "title":
			s.title, s.titled = p.r.Text(limit), true
		case "file":
			s.file = p.r.Text(limit)
		case "specs":
			p.r.Array(func() { p.readSpec(s) })
		case "suites":
			p.r.Array(func() { p.readSuite(s) })
		}
	})
}

// readSpec reads the tests of one title and hands them on where their names are
// known.
func (p *playwrightReport) readSpec(s *playwrightSuite) {
	var title, file string
	var line int
	limit := p.feed.Limits.FieldBytes
	start, first := p.r.Line(), len(p.pending)
	p.r.Object(func(key string) {
		switch key {
		case "title":
			title = p.r.Text(limit)
		case "file":
			file = p.r.Text(limit)
		case "line":
			line = p.r.Integer()
		case "tests":
			p.r.Array(func() { p.holdTest(start) })
		}
	})
	for i := first; i < len(p.pending); i++ {
		t := p.pending[i]
		t.suite, t.title, t.file, t.at = s, title, file, line
	}
	if s.isNamed() {
		p.releaseTests()
	}
}

func (p *playwrightReport) holdTest(line int) {
	if len(p.pending) >= heldTests {
		p.full = p.feed.Stop(line, "more than %d tests share one spec, or stand before the title of their file; the rest was not read", heldTests)
		p.r.Halted = true
		return
	}
	p.pending = append(p.pending, p.readTest(line))
}

// releaseTests hands on the held tests.
func (p *playwrightReport) releaseTests() {
	for _, t := range p.pending {
		if p.err == nil {
			p.err = p.addTest(t)
			p.r.Halted = p.r.Halted || p.err != nil
		}
	}
	clear(p.pending)
	p.pending = p.pending[:0]
}

func (p *playwrightReport) readTest(line int) *playwrightTest {
	t := &playwrightTest{line: line}
	var results []playwrightResult
	p.r.Object(func(key string) {
		switch key {
		case "projectName":
			t.project = p.r.Text(1 << 10)
		case "expectedStatus":
			t.expected = p.r.Text(scan.MaxName)
		case "status":
			t.status = p.r.Text(scan.MaxName)
		case "results":
			p.r.Array(func() {
				if len(results) > p.feed.Limits.Attempts {
					results = append(results[:0], results[1:]...)
				}
				results = append(results, p.readResult(t))
			})
		}
	})
	for _, r := range results {
		t.attempts = append(t.attempts, r.toAttempt(t.expected))
		if a := t.attempts[len(t.attempts)-1]; t.first == "" && len(r.errors) > 0 && a.Status.Failing() {
			t.first = a.Status
		}
		if r.at.File != "" {
			t.failedAt = r.at
		}
	}
	t.applyStatus()
	return t
}

// applyStatus makes the last attempt agree with the status that Playwright gives the
// test, but never turns a failure into a pass.
func (t *playwrightTest) applyStatus() {
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

// addTest hands a test on with the names that Playwright's junit reporter writes: the file
// as suite and class, the describe blocks before the title, the project as the suite's
// host name.
func (p *playwrightReport) addTest(t *playwrightTest) error {
	titles := []string{t.title}
	top := t.suite
	for ; top.around != nil; top = top.around {
		titles = append(titles, top.title)
	}
	slices.Reverse(titles)
	file := cmp.Or(top.title, top.file)
	own := t.file
	if p.root != "" && own != "" && !location.Absolute(own) {
		own = path.Join(p.root, own)
	}
	at := location.Place{File: location.Relative(own, p.feed.Root), Line: t.at}
	if t.failedAt.File != "" && location.SameFile(t.failedAt.File, at.File) && t.attempts[len(t.attempts)-1].Status.Failing() {
		at = t.failedAt
	}
	return p.feed.addTest(t.line, Test{
		Suite:       identity.Suite{Path: file, Name: file, Host: t.project, Runner: identity.RunnerPlaywright},
		Class:       file,
		Name:        strings.Join(titles, identity.Separator),
		At:          at,
		Status:      t.rowStatus(),
		Attempts:    t.attempts,
		Attachments: t.attached,
		Unrun:       t.status == "skipped" && t.expected != "" && t.expected != "skipped",
	})
}

// rowStatus is how Playwright's junit reporter tells the end of a test: of one that
// fails, by the first error of all attempts.
func (t *playwrightTest) rowStatus() engine.Status {
	if last := t.attempts[len(t.attempts)-1].Status; !last.Failing() || t.first == "" {
		return last
	}
	return t.first
}

// checkTotals notes the errors outside the tests, and failures that no test shows.
func (p *playwrightReport) checkTotals() error {
	if err := cmp.Or(p.err, p.full); err != nil {
		return err
	}
	switch {
	case p.faults == 1:
		p.feed.Notices.Block("suite-error", 0, "Playwright reports an error "+engine.OutsideTests+": %s", p.fault)
	case p.faults > 1:
		p.feed.Notices.Block("suite-error", 0, "Playwright reports %d errors "+engine.OutsideTests+": %s", p.faults, p.fault)
	}
	if found := p.feed.failing; p.unexpected > found {
		p.feed.Notices.Block("hidden-failure", 0, "the report counts %d unexpected results and holds %d", p.unexpected, found)
	}
	return nil
}
