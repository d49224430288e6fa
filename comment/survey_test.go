package comment

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
)

func survey() outcome.Survey {
	flips := func(id string) flaky.History {
		return flaky.History{TestID: engine.TestID(id), Statuses: []engine.Status{"passed", "failed", "passed", "failed"}}
	}
	login := evidenceEntry()
	return outcome.NewSurvey(outcome.SurveyInput{
		Now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), Days: 30, Runs: 96,
		Histories: []flaky.History{flips("tests/test_price.py::test_price[eur]"), flips("tests/test_price.py::test_price[usd]"), flips(string(login.TestID)),
			{TestID: "tests/cart.spec.ts › adds", Statuses: []engine.Status{"passed"}}},
		Quarantine: []flaky.Entry{login, {TestID: "tests/legacy.spec.ts › prints", Reason: "PROJ-7: the printer service is being replaced"}},
		Heals:      []engine.HealEvent{loginHeal().Heal, cartHeal().Heal},
		Suggested:  []engine.HealEvent{suggestedRun().Proposals[1].Heal, suggestedRun().Proposals[5].Heal},
		Notices:    []engine.Notice{{File: ".breadcrumb.db", Severity: engine.SeverityWarning, Reason: "1 × row of results left out"}},
	})
}

func TestSurveyIsAsInTheGoldenFile(t *testing.T) {
	goldenPage(t, "survey.md", Survey(survey(), Options{}))
}

func TestHostileTextChangesNoSurvey(t *testing.T) {
	hostile := func(s string) outcome.Survey {
		heal := engine.HealEvent{TestID: engine.TestID(s), Locator: s, HealedLocator: s}
		bare := engine.HealEvent{TestID: engine.TestID(s), Locator: "#a", Healed: engine.Fingerprint{Tag: s, Text: s}}
		return outcome.Survey{
			Quarantine: []flaky.Entry{{TestID: engine.TestID(s), Reason: s, Owner: s, Environment: s}},
			Unstable:   []outcome.RatedTest{{TestHealth: flaky.TestHealth{TestID: engine.TestID(s), Tier: "Flaky"}}},
			Heals:      []engine.HealEvent{heal, bare}, Suggested: []engine.HealEvent{suggested("t", s, s, engine.Change{What: "name", Was: s, Now: s}).Heal}, Locators: []outcome.LocatorHeals{{Locator: s}},
			Notices: []engine.Notice{{File: s, Reason: s}},
		}
	}
	want := outline(Survey(hostile("calm"), Options{}))
	for _, s := range hostileTexts() {
		body := Survey(hostile(s), Options{})
		if problems := check(marker(DefaultKey) + "\n" + body); len(problems) > 0 {
			t.Errorf("%.80q: %v", s, problems)
		}
		if diff := cmp.Diff(want, outline(body)); diff != "" {
			t.Errorf("%.80q changes the blocks:\n%s", s, diff)
		}
	}
}
