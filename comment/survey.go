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
	for _, part := range []section{failingSection(s), p.surveyQuarantine(s), p.surveyUnstable(s), surveyHeals(s), surveySuggested(s), surveyLocators(s)} {
		sections = append(sections, part.folded()...)
	}
	return p.assemble(head, append(sections, newSection("notice", "notices", "\n#### Notices\n\n", s.Notices, noticeLine)))
}

func failingSection(s outcome.Survey) section {
	failing := map[engine.TestID]outcome.FailingTest{}
	for _, f := range s.Failing {
		failing[f.TestID] = f
	}
	return newSection("cause", "causes", "\n#### Failing now, by cause\n\n", s.Causes, func(c outcome.SurveyCause) string {
		line := "- **" + c.Kind.Title() + "** in " + text.Count(len(c.Tests), "test", "tests") + ": "
		switch {
		case c.Why != "":
			line += codeSpan(c.Locator, nameWidth) + ", " + prose(c.Why, reasonWidth)
		case c.Kind == outcome.CauseLocator:
			line += codeSpan(c.Locator, nameWidth) + " → " + codeSpan(c.Becomes, nameWidth)
		case c.Locator != "":
			line += codeSpan(c.Error, errorWidth) + " at " + codeSpan(c.Locator, nameWidth)
		case c.Error != "":
			line += codeSpan(c.Error, errorWidth)
		default:
			line += "no error is recorded"
		}
		for _, id := range c.Tests[:min(len(c.Tests), shownTests)] {
			line += "<br>" + codeSpan(string(id), nameWidth)
			if failing[id].Quarantined {
				line += ", in quarantine"
			}
			if broken := failing[id].Broken; broken != "" {
				line += ", " + prose(broken, reasonWidth)
			}
		}
		if more := len(c.Tests) - shownTests; more > 0 {
			line += "<br>and " + text.Count(more, "more test", "more tests")
		}
		return line + "\n"
	})
}

// shownTests is how many tests of one cause of a survey are named.
const shownTests = 5

func (p page) surveyQuarantine(s outcome.Survey) section {
	ids := flaky.TestIDs(s.Quarantine, func(e flaky.Entry) engine.TestID { return e.TestID })
	groups := flaky.Grouped(ids)
	return newSection("test in quarantine", "tests in quarantine", "\n#### In quarantine\n\n", groups, func(members []int) string {
		e := s.Quarantine[members[0]]
		text := "- " + p.groupLine(ids, members)
		if age := s.Age(e); age != "" {
			text += " " + age
		}
		return text + reasonAndOwner(e.Reason, e.ExitCriteria(), e.Owner) + "\n"
	})
}

func (p page) surveyUnstable(s outcome.Survey) section {
	ids := flaky.TestIDs(s.Unstable, func(u outcome.RatedTest) engine.TestID { return u.TestID })
	groups := flaky.Grouped(ids)
	return newSection("flaky test", "flaky tests", "\n#### Flaky tests\n\n", groups, func(members []int) string {
		u := s.Unstable[members[0]]
		text := "- " + p.groupLine(ids, members) + ": " + prose(u.Words(), reasonWidth)
		if u.Quarantined {
			text += ", in quarantine"
		}
		return text + "\n"
	})
}

func surveyHeals(s outcome.Survey) section {
	return newSection("healed locator", "healed locators", "\n#### Healed locators\n\n", s.HealedLocators(), func(l outcome.LostLocator) string {
		return surveyLost(l) + lastTime(l) + "\n"
	})
}

func surveySuggested(s outcome.Survey) section {
	return newSection("suggested locator", "suggested locators", "\n#### Suggested locators\n\n", s.SuggestedLocators(), func(l outcome.LostLocator) string {
		return surveyLost(l) + ": " + describeSuggestion(l.Event) + lastTime(l) + "\n"
	})
}

// surveyLost says what a lost locator would become, or became, and in which tests.
func surveyLost(l outcome.LostLocator) string {
	in := codeSpan(string(l.Event.TestID), nameWidth)
	if more := len(l.Tests) - 1; more > 0 {
		in += " and " + text.Count(more, "more test", "more tests")
	}
	return fmt.Sprintf("- %s → %s in %s", codeSpan(outcome.Lost(l.Event), nameWidth), codeSpan(outcome.HealedTo(l.Event), nameWidth), in)
}

// lastTime says how surely a lost locator was healed or suggested, how often, and when the
// last time was.
func lastTime(l outcome.LostLocator) string {
	phrase := " · " + outcome.Match(l.Event)
	for _, fact := range []string{l.Often(), outcome.HealedOn(l.Event)} {
		if fact != "" {
			phrase += " · " + fact
		}
	}
	return phrase
}

func surveyLocators(s outcome.Survey) section {
	most := s.Locators[:min(len(s.Locators), openEntries)]
	return newSection("locator healed", "locators healed", "\n#### Locators healed most often\n\n", most, func(l outcome.LocatorHeals) string {
		return fmt.Sprintf("- %s: %s in %s\n", codeSpan(l.Shown, nameWidth), text.Count(l.Calls, "call", "calls"), text.Count(l.Tests, "test", "tests"))
	})
}
