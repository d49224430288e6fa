package outcome

import (
	"cmp"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Mark is what is shown before the headline.
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
		return MarkFailed, r.describeBlocking()
	case r.Counts.Tests == 0:
		return MarkUnproven, "no test ran"
	case r.Counts.Skipped == r.Counts.Tests:
		return MarkUnproven, "every test was skipped"
	}
	return MarkPassed, "passed" + r.describeHelp()
}

// describeBlocking says what blocks, and what is blocked: a merge, or outside a pull
// request the run itself.
func (r Run) describeBlocking() string {
	v := r.Verdict
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

// describeHelp says what a passing run needed to pass.
func (r Run) describeHelp() string {
	var what []string
	if healed := r.Healed(); len(healed) > 0 {
		tests := map[engine.TestID]bool{}
		for _, l := range healed {
			for _, id := range l.Tests {
				tests[id] = true
			}
		}
		what = append(what, CountHealed(CountLocators(healed), len(tests)))
	}
	if n := len(r.Verdict.Excused); n > 0 {
		what = append(what, text.Count(n, "quarantined failure", "quarantined failures")+" excused")
	}
	if len(what) == 0 {
		return ""
	}
	return " · " + strings.Join(what, ", ")
}

// HealsTitle returns what the heals are together: "Healed locators", "Locators
// found in traces" when all are from the traces of failed tests, or both. Those found
// ahead have a title of their own.
func (r Run) HealsTitle() string {
	all, live := len(r.healed()), len(r.Healed())
	switch live {
	case all:
		return "Healed locators"
	case 0:
		return "Locators found in traces"
	}
	return "Locators healed and found in traces"
}

// Facts returns the counts in words, without those that are nought: "1,248
// tests", "1,240 passed", "3m 12s". What the report tells apart as an error failed as
// well: Playwright's reports call each time-out an error, and its own console says failed.
func (c Counts) Facts() []string {
	facts := []string{text.Count(c.Tests, "test", "tests")}
	facts = append(facts, describeParts([]part{{c.Passed, "passed"}, {c.Failed + c.Errors, "failed"}, {c.Skipped, "skipped"}, {c.Flaky, "flaky"}})...)
	if d := text.Duration(c.DurationMS); d != "" {
		facts = append(facts, d)
	}
	return facts
}

// part is a number of things of one kind.
type part struct {
	n    int
	what string
}

// describeParts returns the parts in words, without those that are nought.
func describeParts(parts []part) (words []string) {
	for _, p := range parts {
		if p.n > 0 {
			words = append(words, text.Thousands(p.n)+" "+p.what)
		}
	}
	return words
}

// ErrorLines returns the lines of a failing test's deciding attempt that say what
// went wrong, cleaned; none when the report gives no error text.
func ErrorLines(r engine.TestResult) []string {
	a := r.Final()
	if a.Message == "collection failure" { // pytest says no more in its message
		if found := raisedForm.FindAllStringSubmatch(a.Text, -1); found != nil {
			return []string{text.Line("did not load: " + found[len(found)-1][1])}
		}
	}
	return text.UsefulLines(text.Failure{
		Name: r.Name, OtherNames: []string{string(r.ID), r.Class, r.Suite, r.Class + "." + r.Name},
		ErrorType: a.ErrorType, Message: a.Message, Body: a.Text, Waited: a.Waited,
	})
}

// raisedForm is how pytest marks what was raised.
var raisedForm = lazyregexp.New(`(?m)^E\s+([\w.]*(?:Error|Exception|Exit)\b.*)$`)

// Refusal says why a locator was not healed, as [Reason] does, and what helps.
func Refusal(h engine.HealEvent) string {
	if h.Reason == engine.ReasonNoFingerprint {
		return Reason(h) + ": start the tests with `breadcrumb run`, or switch traces on (trace: 'on') on the default branch"
	}
	return Reason(h)
}

// Reason says why a locator was not healed, refused or suggested. A reason that is none of
// breadcrumb.heal/v1's is the test run's own text, returned as it is.
func Reason(h engine.HealEvent) string {
	switch h.Reason {
	case engine.ReasonNoFingerprint:
		return "nothing was learned of it from a passing run"
	case engine.ReasonNoCandidates:
		return "gone: nothing on the page is like " + stood(h.Original)
	case engine.ReasonBelowThreshold:
		if IsGone(h) {
			return "gone: nothing on the page is like " + stood(h.Original)
		}
		return "the best match was not close enough (" + text.Percent(h.Confidence) + ")"
	case engine.ReasonAmbiguous:
		if h.RunnerUp == 0 { // selfmend does not say it
			return "two elements matched about equally (the better one " + text.Percent(h.Confidence) + ")"
		}
		return "two elements matched about equally (" + text.Percent(h.Confidence) + " and " + text.Percent(h.RunnerUp) + ")"
	case engine.ReasonOtherPage:
		return "the test was on another page (" + h.PageURL + ") than the element had been on (" + h.Original.Page + ")"
	case engine.ReasonOtherMeaning:
		return "the likeliest element (" + text.Percent(h.Confidence) + ") says something else, or belongs to another row, section or page"
	case engine.ReasonNotToldApart:
		return "several elements are alike, and only their places tell them apart"
	case engine.ReasonSuggestOnly:
		if h.Action == "expect" {
			return "the element is there (" + text.Percent(h.Confidence) + "), but an assertion never heals"
		}
		return "it would have been healed (" + text.Percent(h.Confidence) + "), but the setting heal is suggest"
	case engine.ReasonOtherData:
		return "the element is there (" + text.Percent(h.Confidence) + "), but was learned with other data of the test"
	case engine.ReasonRenamed:
		return "it found nothing, and other lost locators of the run show that this name was changed"
	case engine.ReasonVetoed:
		if h.Veto != "" {
			return h.Veto
		}
		return "a person said that the likeliest element (" + text.Percent(h.Confidence) + ") is another one"
	case engine.ReasonAhead:
		return "found ahead: the element is proven the same on a page that changed"
	case engine.ReasonUnverified:
		return "unverified: the element is proven the same in the trace of the test, which failed before anything was done with it"
	case "replay-failed":
		return "the action failed on the new element too"
	case "":
		return "no reason was given"
	}
	return h.Reason
}

// IsGone reports whether nothing on the page is like the element that an event lost.
func IsGone(h engine.HealEvent) bool {
	return h.Reason == engine.ReasonNoCandidates || h.Reason == engine.ReasonBelowThreshold && h.Outcome == engine.OutcomeRefused && h.Confidence < likeNothing
}

// likeNothing is the confidence below which the likeliest element is none: what it says
// otherwise tells nothing.
const likeNothing = 0.05

// stood names the element that was lost, as it was last seen.
func stood(f engine.Fingerprint) string {
	switch name := cmp.Or(f.Text, f.Label); {
	case f.Tag == "":
		return "it"
	case strings.TrimSpace(name) == "":
		return "the <" + f.Tag + "> that stood there"
	default:
		return "the <" + f.Tag + "> " + Quote(name) + " that stood there"
	}
}
