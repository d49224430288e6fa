package comment

import (
	"fmt"
	"strings"

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
	for _, part := range []section{surveyFailing(s), p.surveyQuarantine(s), p.surveyUnstable(s), surveyHeals(s), surveyLocators(s)} {
		sections = append(sections, part.folding()...)
	}
	return p.assemble(head, append(sections, section{
		one: "notice", many: "notices", open: "\n#### Notices\n\n", n: len(s.Notices),
		entry: func(i int) string { return "- " + notice(s.Notices[i]) + "\n" },
	}))
}

func surveyFailing(s outcome.Survey) section {
	return section{one: "failing test", many: "failing tests", open: "\n#### Failing now\n\n", n: len(s.Failing), entry: func(i int) string {
		text := "- " + code(s.Failing[i].TestID, nameWidth)
		if s.Failing[i].Quarantined {
			text += ", in quarantine"
		}
		return text + "\n"
	}}
}

func (p page) surveyQuarantine(s outcome.Survey) section {
	ids := make([]string, len(s.Quarantine))
	for i, e := range s.Quarantine {
		ids[i] = e.TestID
	}
	groups := flaky.Grouped(ids)
	return section{one: "test in quarantine", many: "tests in quarantine", open: "\n#### In quarantine\n\n", n: len(groups), entry: func(i int) string {
		e := s.Quarantine[groups[i][0]]
		text := "- " + p.grouped(ids, groups[i])
		if age := s.Age(e); age != "" {
			text += " " + age
		}
		if reason := prose(e.Reason, reasonWidth); reason != "" {
			text += ": " + reason
		}
		text += "; " + prose(e.ExitCriteria(), reasonWidth)
		if e.Owner != "" {
			text += "; owner " + code(e.Owner, nameWidth)
		}
		return text + "\n"
	}}
}

func (p page) surveyUnstable(s outcome.Survey) section {
	ids := make([]string, len(s.Unstable))
	for i, u := range s.Unstable {
		ids[i] = u.TestID
	}
	groups := flaky.Grouped(ids)
	return section{one: "flaky test", many: "flaky tests", open: "\n#### Flaky tests\n\n", n: len(groups), entry: func(i int) string {
		u := s.Unstable[groups[i][0]]
		text := "- " + p.grouped(ids, groups[i]) + ": " + prose(u.Words(), reasonWidth)
		if u.Quarantined {
			text += ", in quarantine"
		}
		return text + "\n"
	}}
}

func surveyHeals(s outcome.Survey) section {
	return section{one: "healed locator", many: "healed locators", open: "\n#### Healed locators\n\n", n: len(s.Heals), entry: func(i int) string {
		h := s.Heals[i]
		phrase := fmt.Sprintf("- %s → %s in %s · %s", code(h.Locator, nameWidth), code(outcome.HealedTo(h), nameWidth), code(h.TestID, nameWidth), text.Percent(h.Confidence))
		if day := outcome.HealedOn(h); day != "" {
			phrase += " · " + day
		}
		return phrase + "\n"
	}}
}

func surveyLocators(s outcome.Survey) section {
	return section{one: "locator healed", many: "locators healed", open: "\n#### Locators healed most often\n\n", n: min(len(s.Locators), openEntries), entry: func(i int) string {
		l := s.Locators[i]
		return fmt.Sprintf("- %s: %s in %s\n", code(l.Locator, nameWidth), text.Count(l.Heals, "heal", "heals"), text.Count(l.Tests, "test", "tests"))
	}}
}
