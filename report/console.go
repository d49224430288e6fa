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
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

// Console prints the run for people: the verdict in the first line, then the
// counts, what blocks, what was healed, what changed in quarantine, what was
// excused, and where the database is. Sections with nothing in them are left
// out, long ones are cut with a line that says so. It returns the first error
// of w.
func Console(w io.Writer, run outcome.Run, o ConsoleOptions) error {
	p := newPrinter(w, o)
	p.printHeadline(run)
	p.printBlocking(run)
	p.printMissing(run)
	p.printNotices("Report problems", "✗", red, run.Verdict.Notices)
	p.printHealed(run)
	p.printSuggested(run)
	p.printRefused(run)
	p.printQuarantine(run)
	p.printExcused(run)
	p.printFlaky(run)
	p.printNotices("Notices", "!", yellow, run.Warnings())
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
}

func (p *printer) printBlocking(run outcome.Run) {
	failures := run.Verdict.Blocking
	p.list("Blocking failures", len(failures), maxFailures, func(i int) {
		r := failures[i].Result
		p.item("✗", red, bold, title(r))
		p.detail(cyan, place(run.Path(r.File), r.Line))
		for _, line := range errorLines(r) {
			p.detail(plain, line)
		}
		if guard := failures[i].Guard; guard != "" {
			p.detail(dim, "in quarantine, but blocks: "+LogLine(guard))
		}
	})
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

func (p *printer) printMissing(run outcome.Run) {
	ids := run.Verdict.Missing
	p.list("Missing tests", len(ids), maxOthers, func(i int) { p.item("✗", red, plain, LogLine(string(ids[i]))) })
	if len(ids) > 0 {
		p.detail(dim, "They ran last time and are not in the reports of this run.")
	}
}

func (p *printer) printNotices(heading, mark string, s style, notices []engine.Notice) {
	p.list(heading, len(notices), maxOthers, func(i int) {
		text := LogLine(notices[i].Reason)
		if where := place(notices[i].File, notices[i].Line); where != "" {
			text = where + ": " + text
		}
		p.item(mark, s, plain, text)
	})
}

func (p *printer) printHealed(run outcome.Run) {
	p.list(run.HealsTitle(), len(run.Heals()), maxOthers, func(i int) {
		proposal := run.Proposals[i]
		mark, colour := "✓", green
		if proposal.Heal.Trace != "" {
			mark, colour = "!", yellow
		}
		p.item(mark, colour, bold, LogLine(string(proposal.Heal.TestID)))
		p.becomes(LogLine(proposal.Old()), LogLine(replacement(proposal)))
		if synonym := outcome.DescribeSynonym(proposal.Heal, outcome.Quote); synonym != "" {
			p.detail(dim, LogLine(synonym))
		}
		if proposal.Heal.Trace != "" && proposal.Edit == nil {
			p.detail(dim, "from the trace of the failed test, not tried")
		}
		p.trial(proposal)
		p.detail(dim, certainty(proposal)+whereTo(run, i))
	})
}

// printSuggested prints the suggestions, each with what its element was and is.
func (p *printer) printSuggested(run outcome.Run) {
	first := len(run.Heals())
	p.list("Suggested locators", len(run.Suggested()), maxOthers, func(i int) {
		proposal := run.Proposals[first+i]
		p.item("?", yellow, bold, LogLine(string(proposal.Heal.TestID)))
		p.becomes(LogLine(proposal.Old()), LogLine(replacement(proposal)))
		p.detail(plain, LogLine(outcome.DescribeSuggestion(proposal.Heal, outcome.Quote)))
		p.trial(proposal)
		p.detail(dim, "not done, the test stays failed · "+certainty(proposal)+whereTo(run, first+i))
	})
}

// trial prints what came of the trial of an edit, where there was one.
func (p *printer) trial(pr patch.Proposal) {
	if trial := outcome.DescribeTrial(pr); trial != "" {
		p.detail(plain, trial)
	}
}

// certainty says how sure a proposal is, and how many calls its locator had.
func certainty(pr patch.Proposal) string {
	return outcome.Certainty(pr) + withDot(outcome.Calls(pr.Heal))
}

// withDot returns a text behind a dot, "" for none.
func withDot(s string) string {
	if s == "" {
		return ""
	}
	return " · " + s
}

// replacement returns the new locator, or what is known of the element.
func replacement(pr patch.Proposal) string {
	return cmp.Or(pr.New(), outcome.HealedTo(pr.Heal))
}

// whereTo says where the edit goes, or why there is none.
func whereTo(run outcome.Run, i int) string {
	proposals := run.Proposals
	switch pr := proposals[i]; {
	case pr.SameAs > 0 && pr.SameAs <= i && proposals[pr.SameAs-1].Edit != nil:
		edit := proposals[pr.SameAs-1].Edit
		return " · the same edit as above, " + place(run.Path(edit.File), edit.Line)
	case pr.Edit != nil:
		edit := " · edit " + place(run.Path(pr.Edit.File), pr.Edit.Line)
		for _, use := range run.Uses(pr) {
			edit += ", " + place(run.Path(use.Edit.File), use.Edit.Line)
		}
		if reach := run.Reach(pr); reach != "" {
			edit += " (" + reach + ")"
		}
		if missing := run.MissingFrom(i); missing != "" {
			edit += ", " + LogLine(missing)
		}
		if pr.Note != "" {
			edit += ", to be checked: " + LogLine(pr.Note)
		}
		return edit
	case pr.Reason != "":
		return " · no edit: " + LogLine(pr.Reason)
	default:
		return " · no edit"
	}
}

func (p *printer) printRefused(run outcome.Run) {
	p.list("Locators not healed", len(run.Refused), maxOthers, func(i int) {
		h := run.Refused[i]
		p.item("·", yellow, bold, LogLine(string(h.TestID)))
		p.detail(plain, LogLine(outcome.Lost(h)))
		if h.Site != nil {
			p.detail(cyan, place(run.Path(h.Site.File), h.Site.Line))
		}
		p.detail(dim, LogLine(outcome.Refusal(h))+withDot(outcome.Calls(h)))
	})
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
	database := cmp.Or(LogLine(run.Database), "not written")
	if run.DryRun {
		database = "not written, this is a dry run"
	}
	p.labelled("Database", database)
}
