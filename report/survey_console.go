package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// maxLocators is how many of the most often healed locators are shown.
const maxLocators = 10

// SurveyConsole prints a survey for people: what it covers, what tests fail
// for now, the quarantine with age, reason, way out and owner, the tests that flip,
// the newest heals and the locators healed most often. Empty sections are left
// out, long ones are cut with a line that says so. It returns the first error of w.
func SurveyConsole(w io.Writer, s outcome.Survey, o ConsoleOptions) error {
	p := newPrinter(w, o)
	for _, line := range wrapText("Breadcrumb: "+s.Headline(), p.width, 4) {
		p.line(p.paint(bold, line))
	}
	for _, line := range flowItems(s.Facts(), " · ", p.width) {
		p.line(p.paint(dim, line))
	}
	p.surveyFailing(s)
	p.list("Removed since they failed", min(1, len(s.Removed)), maxFailures, func(int) {
		p.names(len(s.Removed), shownTests, func(i int) string { return LogLine(string(s.Removed[i])) })
	})
	p.surveyQuarantine(s)
	p.surveyUnstable(s)
	p.surveyHeals(s)
	p.surveySuggested(s)
	p.surveyLocators(s)
	p.printNotices(s.Notices)
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	return nil
}

func (p *printer) surveyFailing(s outcome.Survey) {
	failing := map[engine.TestID]outcome.FailingTest{}
	for _, f := range s.Failing {
		failing[f.TestID] = f
	}
	p.list("Failing now, by cause", len(s.Causes), maxFailures, func(i int) {
		c := s.Causes[i]
		p.item("✗", red, bold, c.Kind.Title()+" in "+text.Count(len(c.Tests), "test", "tests"))
		switch {
		case c.Why != "":
			p.detail(cyan, LogLine(c.Locator))
			p.detail(plain, LogLine(c.Why))
		case c.Kind == outcome.CauseLocator:
			p.becomes(LogLine(c.Locator), LogLine(c.Becomes))
		default:
			p.detail(plain, cmp.Or(LogLine(c.Error), "no error is recorded"))
			p.detail(cyan, LogLine(c.Locator))
		}
		p.names(len(c.Tests), shownTests, func(i int) string {
			name := LogLine(string(c.Tests[i]))
			f := failing[c.Tests[i]]
			if f.Quarantined {
				name += ", in quarantine"
			}
			if f.Broken != "" {
				name += ", " + LogLine(f.Broken)
			}
			return name
		})
	})
}

func (p *printer) surveyQuarantine(s outcome.Survey) {
	ids := flaky.TestIDs(s.Quarantine, func(e flaky.Entry) engine.TestID { return e.TestID })
	p.groupedList("In quarantine", ids, maxFailures, s.Groups, func(name string, first int) {
		e := s.Quarantine[first]
		p.item("~", yellow, bold, name)
		if age := s.Age(e); age != "" {
			p.detail(plain, age)
		}
		p.detail(plain, LogLine(e.Reason))
		p.detail(cyan, e.ExitCriteria())
		if e.Owner != "" {
			p.detail(dim, "owner: "+LogLine(e.Owner))
		}
	})
}

// groupedList writes a section of tests, the parameters of one test as one entry.
// sizes are how many parameters each such test has. show gets the name of an
// entry and the index of its first test, of which the details are true.
func (p *printer) groupedList(title string, ids []engine.TestID, limit int, sizes map[engine.TestID]int, show func(name string, first int)) {
	if len(ids) == 0 {
		return
	}
	p.section(title, len(ids))
	groups := flaky.Grouped(ids)
	asIs := func(name string) string { return name }
	p.some(len(groups), limit, func(i int) { show(LogLine(flaky.NameGroup(ids, groups[i], sizes, asIs)), groups[i][0]) })
}

func (p *printer) surveyUnstable(s outcome.Survey) {
	ids := flaky.TestIDs(s.Unstable, func(u outcome.RatedTest) engine.TestID { return u.TestID })
	p.groupedList("Flaky tests", ids, maxOthers, s.Groups, func(name string, first int) {
		u := s.Unstable[first]
		p.item("~", yellow, plain, name)
		text := u.Words()
		if u.Quarantined {
			text += ", in quarantine"
		}
		p.detail(dim, LogLine(text))
	})
}

func (p *printer) surveyHeals(s outcome.Survey) {
	healed := s.HealedLocators()
	p.list("Healed locators", len(healed), maxOthers, func(i int) {
		h := healed[i].Event
		p.item("✓", green, bold, lostTests(healed[i]))
		p.becomes(LogLine(outcome.Lost(h)), LogLine(outcome.HealedTo(h)))
		p.detail(dim, dayAndConfidence(healed[i]))
	})
}

func (p *printer) surveySuggested(s outcome.Survey) {
	suggested := s.SuggestedLocators()
	p.list("Suggested locators", len(suggested), maxOthers, func(i int) {
		h := suggested[i].Event
		p.item("?", yellow, bold, lostTests(suggested[i]))
		p.becomes(LogLine(outcome.Lost(h)), LogLine(outcome.HealedTo(h)))
		p.detail(plain, LogLine(outcome.DescribeSuggestion(h, outcome.Quote)))
		p.detail(dim, dayAndConfidence(suggested[i]))
	})
}

// dayAndConfidence returns when a locator was last healed or suggested, how surely and how
// often.
func dayAndConfidence(l outcome.LostLocator) string {
	phrase := outcome.Match(l.Event) + withDot(l.Often())
	if day := outcome.HealedOn(l.Event); day != "" {
		phrase = day + " · " + phrase
	}
	return phrase
}

func (p *printer) surveyLocators(s outcome.Survey) {
	p.list("Locators healed most often", len(s.Locators), maxLocators, func(i int) {
		l := s.Locators[i]
		p.item("·", dim, plain, LogLine(l.Shown))
		p.detail(dim, text.Count(l.Calls, "call", "calls")+" in "+text.Count(l.Tests, "test", "tests"))
	})
}
