package htmlreport

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
)

// suite is a year of a made-up suite: most tests are stable, every 40th flips,
// one in 97 broke lately and an outage took a third of run 2/3.
func suite(tests, runs int) (outcome.Survey, outcome.Timeline) {
	now := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	rnd := rand.New(rand.NewPCG(1, 2))
	t := outcome.Timeline{Runs: make([]outcome.TimelineRun, runs), Tests: make([]outcome.TimelineTest, tests)}
	for i := range t.Runs {
		t.Runs[i] = outcome.TimelineRun{
			Started: now.Add(-time.Duration(runs-i) * 3 * time.Hour), Repository: "acme/shop", RunID: int64(9000 + i), Attempt: 1 + i%17/16,
			Commit: fmt.Sprintf("%040x", 0xa1b2c3d4e5f60+i*7919), Branch: "main",
		}
	}
	in := outcome.SurveyInput{Now: now, Days: 40, Runs: runs, Errors: map[engine.TestID]string{}, Broken: map[engine.TestID]flaky.Breakage{}}
	for i := range t.Tests {
		t.Tests[i] = madeTest(rnd, i, runs)
		in.Histories = append(in.Histories, historyOf(t.Tests[i]))
		in.Errors[t.Tests[i].TestID] = errorsOfSuite[i/97%2]
		if i%97 == 5 {
			in.Broken[t.Tests[i].TestID] = flaky.Breakage{Runs: 3, Since: "a1b2c3d"}
		}
		if i%40 == 7 && i < 600 {
			in.Quarantine = append(in.Quarantine, entry(string(t.Tests[i].TestID), now.AddDate(0, 0, -i%29)))
		}
		if i%50 == 3 {
			h := healEvent(string(t.Tests[i].TestID), i, now)
			h.Locator = fmt.Sprintf("#checkout-button-%d", i/100) // of two tests
			in.Heals = append(in.Heals, h)
			h.Outcome, h.Reason, h.Changed = engine.OutcomeSuggested, engine.ReasonOtherMeaning, []engine.Change{{What: "name", Was: "Deploy to staging", Now: "Deploy to production"}}
			in.Suggested = append(in.Suggested, h)
		}
	}
	t.Tally()
	return outcome.NewSurvey(in), t
}

// errorsOfSuite are the signatures of the errors that the suite's tests fail with.
var errorsOfSuite = [...]string{
	"TimeoutError: locator.fill: Timeout <n>ms exceeded. ¦ getByLabel('E-mail')", "Error: expect(locator).toHaveText(expected) failed ¦ getByTestId('total')",
}

func madeTest(rnd *rand.Rand, i, runs int) outcome.TimelineTest {
	t := outcome.TimelineTest{
		TestID: engine.TestID(fmt.Sprintf("e2e/%s.spec.ts › %s › shows case %d [chromium]", []string{"cart", "login", "search", "checkout"}[i%4], []string{"guest", "member"}[i%2], i)),
		Cells:  make([]outcome.Cell, runs), DurationMS: make([]float32, runs), Errors: map[int]string{},
	}
	for at := range runs {
		c := outcome.CellPassed
		switch {
		case at < runs*(i%11)/40:
			c = outcome.CellNone
		case i%211 == 0:
			c = outcome.CellSkipped
		case at == runs*2/3 && i%3 == 0, i%97 == 5 && at > runs-4:
			c = outcome.CellFailed
		case i%40 == 7 && rnd.IntN(12) == 0:
			c = outcome.CellFlaky
		case i%40 == 7 && rnd.IntN(30) == 0:
			c = outcome.CellFailed
		case i%50 == 3 && at > runs*3/4:
			c = outcome.CellHealed
		}
		t.Cells[at] = c
		if c >= outcome.CellFlaky && at%5 > 0 { // older databases have no errors
			t.Errors[at] = errorsOfSuite[(i/97+at/3)%2]
		}
		if c != outcome.CellNone && c != outcome.CellSkipped {
			t.DurationMS[at] = float32(200+i%60*90) * (0.9 + 0.2*rnd.Float32()) * (1 + float32(i%5)*float32(at)/float32(runs)/4)
		}
	}
	return t
}

func historyOf(t outcome.TimelineTest) flaky.History {
	h := flaky.History{TestID: t.TestID}
	for _, c := range t.Cells {
		switch c {
		case outcome.CellFailed:
			h.Statuses = append(h.Statuses, engine.StatusFailed)
		case outcome.CellFlaky:
			h.Statuses = append(h.Statuses, engine.StatusFailed, engine.StatusPassed)
		case outcome.CellPassed, outcome.CellHealed:
			h.Statuses = append(h.Statuses, engine.StatusPassed)
		case outcome.CellSkipped:
			h.Statuses = append(h.Statuses, engine.StatusSkipped)
		case outcome.CellNone:
		}
	}
	h.Statuses = h.Statuses[max(0, len(h.Statuses)-20):]
	return h
}

func entry(id string, since time.Time) flaky.Entry {
	return flaky.Entry{
		TestID: engine.TestID(id), Since: since, AutoUnquarantine: true, Owner: "@acme/checkout", Commits: []string{"a1b2c3d", "d4e5f60"}, Clean: 12, Release: 41,
		Reason: "failed then passed on a1b2c3d and d4e5f60; 2 of 41 runs flaked (estimated rate 4 %); not a burst; TimeoutError at e2e/login.spec.ts:12",
	}
}

func healEvent(id string, i int, now time.Time) engine.HealEvent {
	return engine.HealEvent{
		TestID: engine.TestID(id), Locator: "#checkout-button", HealedLocator: "[data-testid=\"checkout\"]", Confidence: 0.97, RunnerUp: 0.12, Count: 5, Outcome: engine.OutcomeHealed,
		Timestamp: float64(now.Add(-time.Duration(i) * time.Hour).Unix()),
		Original:  engine.Fingerprint{Tag: "button", Text: "Check out", Attributes: engine.Attributes{{Name: "id", Value: "checkout-button"}, {Name: "class", Value: "btn btn-lg"}}, DOMPath: []string{"body", "main", "form"}, Siblings: []string{"a"}},
		Healed:    engine.Fingerprint{Tag: "button", Text: "Check out", Attributes: engine.Attributes{{Name: "data-testid", Value: "checkout"}, {Name: "class", Value: "button"}}, DOMPath: []string{"body", "main", "div", "form"}, Siblings: []string{"a"}},
	}
}
