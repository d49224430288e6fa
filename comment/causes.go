package comment

import (
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// causeSections returns what the run fails for, a line each, and below it, folded, the
// tests of each cause with the error, and the missing tests.
func (p page) causeSections() []section {
	n := len(p.causes)
	lines := section{one: "cause", many: "causes", n: n, open: "\n#### " + text.Count(n, "cause", "causes") + "\n\n",
		entry: func(i int) string { return strconv.Itoa(i+1) + ". " + p.causeLine(p.causes[i]) }}
	missing := p.run.Verdict.Missing
	if len(missing) == 1 {
		missing = nil // its line names it
	}
	return append(lines.folded(), p.stoppedSection(),
		foldedSection("missing test", "missing tests", missing, func(id engine.TestID) string { return "- " + codeSpan(string(id), nameWidth) + "\n" }))
}

// causeLine says on one line what one cause is, and how many tests it stops.
func (p page) causeLine(c outcome.Cause) string {
	line := "**" + c.Kind.Title() + "**"
	switch c.Kind {
	case outcome.CauseLocator:
		tests := "**" + text.Count(len(c.Failures), "test", "tests") + "**"
		if len(c.Failures) == 1 {
			tests = codeSpan(testName(c.Failures[0].Result), nameWidth)
		}
		return line + " " + p.lostLine(c.Lost, "stops "+tests) + remarksOf(c.Failures) + "\n"
	case outcome.CauseMissing:
		if len(c.Missing) == 1 {
			return line + ": " + codeSpan(string(c.Missing[0]), nameWidth) + ", expected in this run, but in no report. " + prose(c.Lines[0], reasonWidth) + "\n"
		}
		return line + ": " + text.Thousands(len(c.Missing)) + ", expected in this run, but in no report. " + prose(c.Lines[0], reasonWidth) + "\n"
	case outcome.CauseReport:
		return line + ": " + strings.TrimPrefix(noticeLine(c.Notice), "- ")
	default:
		return line + " in " + p.stoppedTests(c.Failures) + ": " + errorInline(c.Failures[0].Result) + remarksOf(c.Failures) + "\n"
	}
}

// stoppedTests names the one test of a cause, or says how many there are.
func (p page) stoppedTests(failures []flaky.Failure) string {
	if len(failures) == 1 {
		return p.title(failures[0].Result)
	}
	return "**" + text.Count(len(failures), "test", "tests") + "**"
}

// remarksOf says why the only test of a cause blocks although it is in quarantine, since
// when and where else it fails, and after which other test.
func remarksOf(failures []flaky.Failure) string {
	if len(failures) != 1 {
		return ""
	}
	said := ""
	if guard := failures[0].Guard; guard != "" {
		said += " (in quarantine, but blocks: " + prose(guard, reasonWidth) + ")"
	}
	if triage := failures[0].Triage; triage != "" {
		said += " · " + prose(triage, reasonWidth)
	}
	if order := failures[0].Order; order != "" {
		said += " · " + prose(order, reasonWidth)
	}
	return said
}

// stoppedTest is a failing test below its cause.
type stoppedTest struct {
	cause, failure int
}

// stoppedSection returns the fold with every failing test below its cause, and the full
// error of the first.
func (p page) stoppedSection() section {
	var tests []stoppedTest
	for i, c := range p.causes {
		for j := range c.Failures {
			tests = append(tests, stoppedTest{i, j})
		}
	}
	s := newSection("blocking failure", "blocking failures", foldOpen(text.Count(len(tests), "failing test", "failing tests")), tests, p.stoppedLine)
	s.close = foldClose
	s.extraOne, s.extraMany = "full error", "full errors"
	s.extra = func(i int) string {
		c := p.causes[tests[i].cause]
		if tests[i].failure < len(c.Failures)-1 { // below the last, so that the list stays one
			return ""
		}
		return fullError(c.Failures[0].Result)
	}
	return s
}

// stoppedLine names a failing test, below its cause when it is the first, with its own
// error where that differs.
func (p page) stoppedLine(t stoppedTest) string {
	c := p.causes[t.cause]
	r := c.Failures[t.failure].Result
	line := "- " + p.title(r)
	if t.failure == 0 {
		line = "\n**" + strconv.Itoa(t.cause+1) + ". " + c.Kind.Title() + "**\n\n" + line
	}
	if t.failure == 0 && c.Kind == outcome.CauseLocator || !slices.Equal(outcome.ErrorLines(r), c.Lines) {
		line += ": " + errorInline(r)
	}
	return line + remarksOf(c.Failures[t.failure:t.failure+1]) + "\n"
}

const (
	fullErrorLines = 40
	fullErrorWidth = 400
)

// attachmentForm matches a file that Playwright's report lists below an error: its name and
// path between two rules, of which the reader of a comment has nothing.
var attachmentForm = lazyregexp.New(`(?m)^[ \t]*attachment #\d+: [^\n]*─\n(?:[^\n]*[^\n─][^\n]*\n|[ \t]*\n){0,12}[ \t]*─+[ \t]*(?:\n[ \t]*)*(?:\n|$)`)

// fullError returns the whole error of a test, folded; "" when all of it is shown
// already.
func fullError(r engine.TestResult) string {
	a := r.Final()
	text := strings.TrimSpace(a.Text)
	if message := strings.TrimSpace(a.Message); !strings.Contains(text, message) {
		text = strings.TrimSpace(message + "\n\n" + text)
	}
	body := clipLines(attachmentForm.ReplaceAllString(text, ""), fullErrorLines, fullErrorWidth)
	if strings.Count(body, "\n") < len(usefulLines(r)) {
		return ""
	}
	return foldedBlock("Full error", fencedBlock("", body))
}
