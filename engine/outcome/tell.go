package outcome

import (
	"path"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/text"
)

// Mark is what a teller shows before the headline.
type Mark int

// The marks. A run in which nothing ran blocks nothing and proves nothing.
const (
	MarkFailed Mark = iota
	MarkPassed
	MarkUnproven
)

// Headline returns the verdict in one line of plain words and numbers, with its
// mark: what blocks, or that it passed and what it took to pass.
func (r Run) Headline() (Mark, string) {
	switch {
	case !r.Verdict.Pass():
		return MarkFailed, r.blockedBy(r.Verdict)
	case r.Counts.Tests == 0:
		return MarkUnproven, "no test ran"
	case r.Counts.Skipped == r.Counts.Tests:
		return MarkUnproven, "every test was skipped"
	}
	return MarkPassed, "passed" + r.helpedBy()
}

// blockedBy says what blocks, and what is blocked: a merge, or outside a pull
// request the run itself.
func (r Run) blockedBy(v flaky.Verdict) string {
	one, many, blocked := " blocks this merge", " block this merge", "this merge is blocked"
	if r.Info.PullRequest == 0 {
		one, many, blocked = " fails this run", " fail this run", "it does not pass"
	}
	if len(v.Blocking)+len(v.Missing) == 0 {
		return "cannot trust this run, so " + blocked
	}
	var what []string
	for _, part := range []struct {
		n         int
		one, many string
	}{
		{len(v.Blocking), "test", "tests"},
		{len(v.Missing), "missing test", "missing tests"},
		{len(v.Notices), "report problem", "report problems"},
	} {
		if part.n > 0 {
			what = append(what, text.Count(part.n, part.one, part.many))
		}
	}
	if len(v.Blocking)+len(v.Missing)+len(v.Notices) == 1 {
		return text.List(what) + one
	}
	return text.List(what) + many
}

// helpedBy says what a passing run needed to pass.
func (r Run) helpedBy() string {
	var what []string
	if n := r.Healed(); n > 0 {
		what = append(what, text.Count(n, "locator", "locators")+" healed")
	}
	if n := len(r.Verdict.Excused); n > 0 {
		what = append(what, text.Count(n, "quarantined failure", "quarantined failures")+" excused")
	}
	if len(what) == 0 {
		return ""
	}
	return " · " + strings.Join(what, ", ")
}

// Healed returns how many locators were healed while the tests ran. What was
// worked out from the trace of a failed test is a suggestion only.
func (r Run) Healed() int {
	n := 0
	for _, p := range r.Proposals {
		if p.Heal.Trace == "" {
			n++
		}
	}
	return n
}

// Proposed returns what the new locators are together: "Healed locators",
// "Suggested locators" when all are from the traces of failed tests, or both.
func (r Run) Proposed() string {
	switch healed := r.Healed(); {
	case healed == len(r.Proposals):
		return "Healed locators"
	case healed == 0:
		return "Suggested locators"
	}
	return "Healed and suggested locators"
}

// Facts returns the counts in words, without those that are nought: "1,248
// tests", "1,240 passed", "3m 12s".
func (c Counts) Facts() []string {
	facts := []string{text.Count(c.Tests, "test", "tests")}
	for _, f := range []struct {
		n    int
		what string
	}{{c.Passed, "passed"}, {c.Failed, "failed"}, {c.Errors, "errored"}, {c.Skipped, "skipped"}, {c.Flaky, "flaky"}} {
		if f.n > 0 {
			facts = append(facts, text.Thousands(f.n)+" "+f.what)
		}
	}
	if d := text.Duration(c.DurationMS); d != "" {
		facts = append(facts, d)
	}
	return facts
}

// Warnings returns the notices that change nothing; the others are in the
// verdict.
func (r Run) Warnings() []engine.Notice {
	var warnings []engine.Notice
	for _, n := range r.Notices {
		if n.Severity == engine.SeverityWarning {
			warnings = append(warnings, n)
		}
	}
	return warnings
}

// Path returns a file of the checkout folder as its path from the repository's
// top. What is no relative path inside the folder is returned as it is, and so
// is every file when the folder is the top.
func (r Run) Path(file string) string {
	if r.Root == "" || file == "" || file != path.Clean(file) || path.IsAbs(file) ||
		file == ".." || strings.HasPrefix(file, "../") || strings.Contains(file, `\`) {
		return file
	}
	return r.Root + "/" + file
}

// Refusal says why a locator was not healed. A reason that is none of
// breadcrumb.heal/v1's is the test run's own text, returned as it is.
func Refusal(h engine.HealEvent) string {
	switch h.Reason {
	case "no-fingerprint":
		return "no fingerprint of the element is known yet"
	case "no-candidates":
		return "the page had no element like it"
	case "below-threshold":
		return "the best match was not close enough (" + text.Percent(h.Confidence) + ")"
	case "ambiguous":
		return "two elements matched about equally (" + text.Percent(h.Confidence) + " and " + text.Percent(h.RunnerUp) + ")"
	case "other-page":
		return "the test was on another page (" + h.PageURL + ") than the element had been on (" + h.Original.Page + ")"
	case "other-meaning":
		return "the likeliest element (" + text.Percent(h.Confidence) + ") says the opposite, belongs to other data or asks for a login"
	case "replay-failed":
		return "the action failed on the new element too"
	case "":
		return "no reason was given"
	}
	return h.Reason
}
