package comment

import (
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// Survey returns a survey as GitHub-flavoured Markdown, at most o.Limit bytes
// long, by default SummaryLimit: the tests that fail now, the quarantine with
// age, reason, way out and owner, the tests that flip, the newest heals and the
// locators healed most often.
func Survey(s outcome.Survey, o Options) string {
	if o.Limit <= 0 {
		o.Limit = SummaryLimit
	}
	p := newPage(outcome.Run{Groups: s.Groups}, o)
	p.more = "The JSON report has everything"
	head := "### Breadcrumb: " + s.Headline() + "\n"
	if facts := s.Facts(); len(facts) > 0 {
		head += "\n" + strings.Join(facts, " · ") + "\n"
	}
	var sections []section
	for _, part := range []section{failingSection(s), p.surveyQuarantine(s), p.surveyUnstable(s), surveyHeals(s), surveyLocators(s)} {
		sections = append(sections, part.folded()...)
	}
	return p.assemble(head, append(sections, section{
		one: "notice", many: "notices", open: "\n#### Notices\n\n", n: len(s.Notices),
		entry: func(i int) string { return "- " + noticeLine(s.Notices[i]) + "\n" },
	}))
}

func failingSection(s outcome.Survey) section {
	return section{one: "failing test", many: "failing tests", open: "\n#### Failing now\n\n", n: len(s.Failing), entry: func(i int) string {
		text := "- " + codeSpan(string(s.Failing[i].TestID), nameWidth)
		if s.Failing[i].Quarantined {
			text += ", in quarantine"
		}
		return text + "\n"
	}}
}

func (p page) surveyQuarantine(s outcome.Survey) section {
	ids := flaky.TestIDs(s.Quarantine, func(e flaky.Entry) engine.TestID { return e.TestID })
	groups := flaky.Grouped(ids)
	return section{one: "test in quarantine", many: "tests in quarantine", open: "\n#### In quarantine\n\n", n: len(groups), entry: func(i int) string {
		e := s.Quarantine[groups[i][0]]
		text := "- " + p.groupLine(ids, groups[i])
		if age := s.Age(e); age != "" {
			text += " " + age
		}
		return text + reasonAndOwner(e.Reason, e.ExitCriteria(), e.Owner) + "\n"
	}}
}

func (p page) surveyUnstable(s outcome.Survey) section {
	ids := flaky.TestIDs(s.Unstable, func(u outcome.RatedTest) engine.TestID { return u.TestID })
	groups := flaky.Grouped(ids)
	return section{one: "flaky test", many: "flaky tests", open: "\n#### Flaky tests\n\n", n: len(groups), entry: func(i int) string {
		u := s.Unstable[groups[i][0]]
		text := "- " + p.groupLine(ids, groups[i]) + ": " + prose(u.Words(), reasonWidth)
		if u.Quarantined {
			text += ", in quarantine"
		}
		return text + "\n"
	}}
}

func surveyHeals(s outcome.Survey) section {
	return section{one: "healed locator", many: "healed locators", open: "\n#### Healed locators\n\n", n: len(s.Heals), entry: func(i int) string {
		h := s.Heals[i]
		phrase := fmt.Sprintf("- %s → %s in %s · %s", codeSpan(h.Locator, nameWidth), codeSpan(outcome.HealedTo(h), nameWidth), codeSpan(string(h.TestID), nameWidth), text.Percent(h.Confidence))
		if day := outcome.HealedOn(h); day != "" {
			phrase += " · " + day
		}
		return phrase + "\n"
	}}
}

func surveyLocators(s outcome.Survey) section {
	return section{one: "locator healed", many: "locators healed", open: "\n#### Locators healed most often\n\n", n: min(len(s.Locators), openEntries), entry: func(i int) string {
		l := s.Locators[i]
		return fmt.Sprintf("- %s: %s in %s\n", codeSpan(l.Locator, nameWidth), text.Count(l.Heals, "heal", "heals"), text.Count(l.Tests, "test", "tests"))
	}}
}
