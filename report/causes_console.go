package report

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

// shownTests is how many tests of one cause are named.
const shownTests = 5

// printCauses prints what the run fails for: a cause once, with the tests that it stops.
func (p *printer) printCauses(run outcome.Run, causes []outcome.Cause) {
	p.list("Causes", len(causes), maxFailures, func(i int) {
		switch c := causes[i]; c.Kind {
		case outcome.CauseLocator:
			p.item("✗", red, bold, "Lost locator, stops "+text.Count(len(c.Failures), "test", "tests"))
			p.lost(run, c.Lost)
			p.stopped(run, c.Failures)
		case outcome.CauseMissing:
			p.item("✗", red, bold, text.Count(len(c.Missing), "missing test", "missing tests"))
			p.names(len(c.Missing), maxOthers, func(i int) string { return LogLine(string(c.Missing[i])) })
			p.detail(dim, "Expected in this run, but in no report.")
			p.detail(dim, LogLine(c.Lines[0]))
		case outcome.CauseReport:
			p.item("✗", red, plain, noticeText(c.Notice))
		default:
			p.printError(run, c)
		}
	})
}

// printError prints an error of its own below the one test that it stops, or above all
// of them.
func (p *printer) printError(run outcome.Run, c outcome.Cause) {
	lines := errorLines(c.Failures[0].Result)
	if c.Kind == outcome.CauseInfrastructure {
		lines[0] = c.Kind.Title() + ": " + lines[0]
	}
	if f := c.Failures[0]; len(c.Failures) == 1 {
		p.item("✗", red, bold, title(f.Result))
		p.detail(cyan, place(run.Path(f.Result.File), f.Result.Line))
		for _, line := range lines {
			p.detail(plain, line)
		}
		p.remarks(f)
		return
	}
	p.item("✗", red, bold, text.Count(len(c.Failures), "test", "tests")+": "+lines[0])
	for _, line := range lines[1:] {
		p.detail(plain, line)
	}
	p.stopped(run, c.Failures)
}

// stopped names the tests of a cause and their places.
func (p *printer) stopped(run outcome.Run, failures []flaky.Failure) {
	p.names(len(failures), shownTests, func(i int) string {
		r := failures[i].Result
		return title(r) + withDot(place(run.Path(r.File), r.Line))
	})
	p.remarks(failures[:min(len(failures), shownTests)]...)
}

// names writes the first of n names below an item and says how many are left.
func (p *printer) names(n, limit int, name func(i int) string) {
	for i := range min(n, limit) {
		p.hang("    · ", "      ", dim, name(i))
	}
	if n > limit {
		p.detail(dim, leftOut(n-limit))
	}
}

// remarks says why tests block although they are in quarantine, since when and where else
// they fail, and after which other tests, what is the same of several once.
func (p *printer) remarks(failures ...flaky.Failure) {
	said := map[string]bool{}
	for _, f := range failures {
		for _, remark := range []struct{ of, text string }{{"in quarantine, but blocks: ", f.Guard}, {"triage: ", f.Triage}, {"order: ", f.Order}} {
			line := remark.of + LogLine(remark.text)
			if remark.text != "" && !said[line] {
				said[line] = true
				p.detail(dim, line)
			}
		}
	}
}

// printLost prints the lost locators that stop no test: healed, suggested and neither.
func (p *printer) printLost(run outcome.Run, causes []outcome.Cause) {
	of := map[engine.HealOutcome][]outcome.LostLocator{}
	var ahead []outcome.LostLocator
	for _, l := range run.LostLocators() {
		if l.Event.Ahead {
			ahead = append(ahead, l)
		} else if !slices.ContainsFunc(causes, func(c outcome.Cause) bool { return c.Kind == outcome.CauseLocator && c.Lost.Is(l) }) {
			of[l.Event.Outcome] = append(of[l.Event.Outcome], l)
		}
	}
	section := func(title, mark string, s style, lost []outcome.LostLocator) {
		p.list(title, len(lost), maxOthers, func(i int) {
			l := lost[i]
			if l.Event.Trace != "" {
				mark, s = "!", yellow
			}
			p.item(mark, s, bold, lostTests(l))
			p.lost(run, l)
		})
	}
	section(run.HealsTitle(), "✓", green, of[engine.OutcomeHealed])
	section("Found ahead, on pages that changed", "!", yellow, ahead)
	section("Suggested locators", "?", yellow, of[engine.OutcomeSuggested])
	section("Locators not healed", "·", yellow, of[engine.OutcomeRefused])
}

// lostTests names the first test that met a loss, and says how many more did.
func lostTests(l outcome.LostLocator) string {
	name := LogLine(string(l.Event.TestID))
	if more := len(l.Tests) - 1; more > 0 {
		name += " and " + text.Count(more, "more test", "more tests")
	}
	return name
}

// lost prints what a lost locator was, what became of it, and where it is edited.
func (p *printer) lost(run outcome.Run, l outcome.LostLocator) {
	h := l.Event
	if len(l.Proposals) == 0 {
		p.detail(plain, LogLine(l.Was))
		if h.Site != nil {
			p.detail(cyan, place(run.Path(h.Site.File), h.Site.Line))
		}
		p.detail(dim, LogLine(outcome.Refusal(h))+withDot(l.Often()))
		return
	}
	proposal := run.Proposals[l.Proposals[0]]
	p.becomes(LogLine(l.Was), LogLine(cmp.Or(l.Now, outcome.HealedTo(h))))
	state := ""
	if proposal.Suggested() {
		p.detail(plain, LogLine(outcome.DescribeSuggestion(h, outcome.Quote)))
		state = "not done · "
	} else if synonym := outcome.DescribeSynonym(h, outcome.Quote); synonym != "" {
		p.detail(dim, LogLine(synonym))
	}
	if trial := outcome.DescribeTrial(proposal); trial != "" {
		p.detail(plain, trial)
	}
	p.detail(dim, state+outcome.Certainty(proposal)+withDot(l.Often())+whereTo(run, l))
	p.pictures(h)
}

// pictures prints where the pictures of an event are.
func (p *printer) pictures(h engine.HealEvent) {
	if h.Pictures == nil || h.Source == "" {
		return
	}
	folder := path.Dir(filepath.ToSlash(h.Source))
	if h.Trace != "" {
		folder = engine.HealFolder
	}
	found := "picture"
	if h.Pictures.Replayed {
		found = "picture of the snapshot"
	}
	for _, shown := range []struct{ label, name string }{{found, h.Pictures.Found}, {"picture of what was lost", h.Pictures.Lost}} {
		if shown.name != "" {
			p.detail(dim, shown.label+": "+LogLine(path.Join(folder, engine.PictureFolder, shown.name)))
		}
	}
}

// withDot returns a text behind a dot, "" for none.
func withDot(s string) string {
	if s == "" {
		return ""
	}
	return " · " + s
}

// whereTo says where the edits of a lost locator go, or why there is none.
func whereTo(run outcome.Run, l outcome.LostLocator) string {
	edits := run.EditsOf(l)
	first := run.Proposals[l.Proposals[0]]
	if len(edits) == 0 {
		if first.Reason != "" {
			return " · no edit: " + LogLine(first.Reason)
		}
		return " · no edit"
	}
	where := ""
	for _, e := range edits[:min(len(edits), shownTests)] {
		where += ", " + editPlaces(run, e)
	}
	where = " · edit " + where[len(", "):]
	if more := len(edits) - shownTests; more > 0 {
		where += " and " + text.Count(more, "more place", "more places")
	}
	if missing := run.MissingFrom(l.Proposals[0]); missing != "" {
		where += ", " + LogLine(missing)
	}
	if first.Note != "" {
		where += " · " + LogLine(first.Note)
	}
	return where
}

// editPlaces returns the place of an edit, and of those of other uses that follow it.
func editPlaces(run outcome.Run, p patch.Proposal) string {
	where := place(run.Path(p.Edit.File), p.Edit.Line)
	for _, use := range run.Uses(p) {
		where += ", " + place(run.Path(use.Edit.File), use.Edit.Line)
	}
	if reach := run.Reach(p); reach != "" {
		where += " (" + reach + ")"
	}
	return where
}
