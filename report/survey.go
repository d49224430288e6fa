package report

import (
	"fmt"
	"io"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// maxLocators is how many of the most often healed locators are shown.
const maxLocators = 10

// SurveyConsole prints a survey for people: what it covers, the tests that fail
// now, the quarantine with age, reason, way out and owner, the tests that flip,
// the newest heals and the locators healed most often. Sections with nothing in them are left out, long
// ones are cut with a line that says so. It returns the first error of w.
func SurveyConsole(w io.Writer, s outcome.Survey, o ConsoleOptions) error {
	p := newPrinter(w, o)
	for _, line := range wrap("Breadcrumb: "+s.Headline(), p.width, 4) {
		p.line(p.paint(bold, line))
	}
	for _, line := range flow(s.Facts(), " · ", p.width) {
		p.line(p.paint(dim, line))
	}
	p.surveyFailing(s)
	p.surveyQuarantine(s)
	p.surveyUnstable(s)
	p.surveyHeals(s)
	p.surveyLocators(s)
	p.notices("Notices", "!", yellow, s.Notices)
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	return nil
}

func (p *printer) surveyFailing(s outcome.Survey) {
	if len(s.Failing) == 0 {
		return
	}
	p.section("Failing now", len(s.Failing))
	p.some(len(s.Failing), maxFailures, func(i int) {
		p.item("✗", red, bold, LogLine(s.Failing[i].TestID))
		if s.Failing[i].Quarantined {
			p.detail(dim, "in quarantine")
		}
	})
}

func (p *printer) surveyQuarantine(s outcome.Survey) {
	if len(s.Quarantine) == 0 {
		return
	}
	p.section("In quarantine", len(s.Quarantine))
	ids := make([]string, len(s.Quarantine))
	for i, e := range s.Quarantine {
		ids[i] = e.TestID
	}
	groups := flaky.Grouped(ids)
	p.some(len(groups), maxFailures, func(i int) {
		e := s.Quarantine[groups[i][0]]
		p.item("~", yellow, bold, LogLine(grouped(ids, groups[i], s.Groups)))
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

// grouped names the one test of members, or the parametrised test and how many
// of its parameters they are; what follows is true of the first.
func grouped(ids []string, members []int, sizes map[string]int) string {
	first := ids[members[0]]
	if len(members) == 1 {
		return first
	}
	group := flaky.Group(first)
	s := group + " — " + text.Thousands(len(members))
	if all := sizes[group]; all >= len(members) {
		s += " of " + text.Thousands(all)
	}
	return s + " parameters, such as " + first[len(flaky.GroupStem(first)):]
}

func (p *printer) surveyUnstable(s outcome.Survey) {
	if len(s.Unstable) == 0 {
		return
	}
	p.section("Flaky tests", len(s.Unstable))
	ids := make([]string, len(s.Unstable))
	for i, u := range s.Unstable {
		ids[i] = u.TestID
	}
	groups := flaky.Grouped(ids)
	p.some(len(groups), maxOthers, func(i int) {
		u := s.Unstable[groups[i][0]]
		p.item("~", yellow, plain, LogLine(grouped(ids, groups[i], s.Groups)))
		text := u.Words()
		if u.Quarantined {
			text += ", in quarantine"
		}
		p.detail(dim, LogLine(text))
	})
}

func (p *printer) surveyHeals(s outcome.Survey) {
	if len(s.Heals) == 0 {
		return
	}
	p.section("Healed locators", len(s.Heals))
	p.some(len(s.Heals), maxOthers, func(i int) {
		h := s.Heals[i]
		p.item("✓", green, bold, LogLine(h.TestID))
		p.becomes(LogLine(h.Locator), LogLine(outcome.HealedTo(h)))
		phrase := "confidence " + text.Percent(h.Confidence)
		if day := outcome.HealedOn(h); day != "" {
			phrase = day + " · " + phrase
		}
		p.detail(dim, phrase)
	})
}

func (p *printer) surveyLocators(s outcome.Survey) {
	if len(s.Locators) == 0 {
		return
	}
	p.section("Locators healed most often", len(s.Locators))
	p.some(len(s.Locators), maxLocators, func(i int) {
		l := s.Locators[i]
		p.item("·", dim, plain, LogLine(l.Locator))
		p.detail(dim, text.Count(l.Heals, "heal", "heals")+" in "+text.Count(l.Tests, "test", "tests"))
	})
}
