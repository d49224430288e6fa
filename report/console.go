// Package report shows a run's outcome where there is no pull request: Console
// prints it for people at a terminal, JSON writes it for programs. SurveyConsole,
// SurveyJSON and Badge show a suite's last days.
//
// Every text of a test run is hostile: it reaches neither output with control
// characters, terminal sequences or bidirectional controls in force, and no
// line of either output can be a workflow command.
package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// Console prints the run for people: the verdict in the first line, then the
// counts, the causes of what blocks, what was healed, what changed in quarantine, what
// was excused, and where the database is. Sections with nothing in them are left
// out, long ones are cut with a line that says so. It returns the first error
// of w.
func Console(w io.Writer, run outcome.Run, o ConsoleOptions) error {
	p := newPrinter(w, o)
	p.printHeadline(run)
	causes := run.Causes()
	p.printCauses(run, causes)
	p.printRedesigns(run)
	p.printLost(run, causes)
	p.printQuarantine(run)
	p.printExcused(run)
	p.printFlaky(run)
	p.printNotices(run.Warnings())
	p.printFooter(run)
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("print outcome: %w", err)
	}
	return nil
}

// Most entries a section shows.
const (
	maxFailures = 100
	maxOthers   = 40
)

// markStyles are the marks of the headline and its colours.
var markStyles = map[outcome.Mark]struct {
	mark  string
	style style
}{
	outcome.MarkFailed: {"✗", boldRed}, outcome.MarkPassed: {"✓", boldGreen}, outcome.MarkUnproven: {"!", boldYellow},
}

// printHeadline prints the verdict and, below it, the counts.
func (p *printer) printHeadline(run outcome.Run) {
	verdict, text := run.Headline()
	mark, s := markStyles[verdict].mark, markStyles[verdict].style
	for i, line := range wrapText("Breadcrumb: "+text, p.width-2, 4) {
		if i > 0 {
			mark = " "
		}
		p.line(p.paint(s, mark+" "+line))
	}
	for _, line := range flowItems(run.Counts.Facts(), " · ", p.width-2) {
		p.line("  " + p.paint(dim, line))
	}
	if words := run.Differences(); len(words) > 0 {
		for _, line := range wrapText("Compared with "+LogLine(run.Base.Name())+": "+strings.Join(words, " · "), p.width-2, 4) {
			p.line("  " + p.paint(dim, line))
		}
	}
}

// errorLines returns the lines of a test's error that say what went wrong. It
// never returns none.
func errorLines(r engine.TestResult) []string {
	lines := outcome.ErrorLines(r)
	if len(lines) == 0 {
		return []string{"the report gives no error text"}
	}
	for i, line := range lines {
		lines[i] = LogLine(line)
	}
	return lines
}

// place returns "file:line", or what there is of it.
func place(file string, line int) string { return LogLine(text.Place(file, line)) }

// title names a test and, where the identity does not, its environment.
func title(r engine.TestResult) string {
	name := cmp.Or(LogLine(string(r.ID)), "(a test without a name)")
	if env := LogLine(r.Environment); env != "" && !strings.Contains(name, env) {
		name += " [" + env + "]"
	}
	return name
}

func (p *printer) printNotices(notices []engine.Notice) {
	p.list("Notices", len(notices), maxOthers, func(i int) { p.item("!", yellow, plain, noticeText(notices[i])) })
}

// noticeText returns a notice with its place.
func noticeText(n engine.Notice) string {
	if where := place(n.File, n.Line); where != "" {
		return where + ": " + LogLine(n.Reason)
	}
	return LogLine(n.Reason)
}

func (p *printer) printQuarantine(run outcome.Run) {
	pending := false
	p.list("Quarantine changes", len(run.Changes), maxOthers, func(i int) {
		c := run.Changes[i]
		mark, s, what := "+", yellow, "enter"
		if c.Released {
			mark, s, what = "-", green, "leave"
		}
		if c.Pending {
			pending, what = true, "would "+what
		} else {
			what += "s"
		}
		p.item(mark, s, bold, LogLine(string(c.TestID)))
		p.detail(dim, what+": "+LogLine(c.Reason))
		if c.ExitCriteria != "" {
			p.detail(dim, LogLine(c.ExitCriteria))
		}
		if c.Owner != "" {
			p.detail(dim, "owner: "+LogLine(c.Owner))
		}
	})
	if pending {
		p.detail(dim, "Only runs of the default branch change the quarantine.")
	}
}

func (p *printer) printExcused(run outcome.Run) {
	failures := run.Verdict.Excused
	p.list("Excused failures", len(failures), maxOthers, func(i int) {
		p.item("~", yellow, bold, title(failures[i].Result))
		p.detail(plain, text.JoinLines(errorLines(failures[i].Result)))
		p.detail(dim, LogLine(failures[i].Excuse))
		if order := failures[i].Order; order != "" {
			p.detail(dim, "order: "+LogLine(order))
		}
	})
}

func (p *printer) printFlaky(run outcome.Run) {
	p.list("Passed only on a retry", len(run.FlakyTests), maxOthers, func(i int) {
		r := run.FlakyTests[i]
		p.item("~", yellow, plain, title(r))
		p.detail(dim, "passed at attempt "+text.Thousands(len(r.Attempts)))
	})
}

// printFooter says what was read and where the database is.
func (p *printer) printFooter(run outcome.Run) {
	p.line("")
	if n := len(run.Reports); n > 0 {
		p.labelled("Reports", text.Count(n, "file read", "files read"))
	}
	if n := len(run.Quarantine); n > 0 {
		p.labelled("Quarantine", text.Count(n, "test", "tests"))
	}
	if run.Known > 0 {
		known := text.Thousands(run.Known) + " learned so far"
		if run.Learned > 0 {
			known += ", " + text.Thousands(run.Learned) + " of them from this run's traces"
		}
		p.labelled("Elements", known)
	}
	database := cmp.Or(LogLine(run.Database), "not written")
	if run.DryRun {
		database = "not written, this is a dry run"
	}
	p.labelled("Database", database)
}

// printRedesigns prints what is offered for each page that changed.
func (p *printer) printRedesigns(run outcome.Run) {
	redesigns := run.Redesigns()
	p.list("Redesigns", len(redesigns), maxOthers, func(i int) {
		p.item("!", yellow, bold, "redesign of "+LogLine(redesigns[i].Page)+": "+redesigns[i].Reach())
	})
}
