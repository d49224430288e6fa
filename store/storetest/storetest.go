// Package storetest has runs, heal events and fingerprints for the tests of the
// databases, and what both databases have to pass.
package storetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
)

// Run is a run of tests test cases, one in fifty failing.
func Run(number, tests int) store.Run {
	start := time.Unix(1_700_000_000, 0).Add(time.Duration(number) * time.Hour)
	run := store.Run{
		Info: engine.RunInfo{RepositoryID: 7, Repository: "acme/shop", RunID: int64(9_000_000_000 + number), RunAttempt: 1,
			Workflow: "acme/shop/.github/workflows/ci.yml@refs/heads/main", Job: "e2e", Leg: "chromium",
			Commit: fmt.Sprintf("%040x", number), Branch: "main", DefaultBranch: true, StartedAt: start},
		ReportDigest: fmt.Sprintf("%064x", number), Now: start.Add(time.Minute),
	}
	for i := range tests {
		attempt := engine.Attempt{Status: engine.StatusPassed, DurationMS: float64(100 + (i*7919+number)%5000)}
		if (i+number)%50 == 0 {
			attempt.Status, attempt.ErrorType = engine.StatusFailed, "AssertionError"
		}
		run.Results = append(run.Results, engine.TestResult{
			ID:       engine.TestID(fmt.Sprintf("tests/area%03d/page%04d.spec.ts › suite %d › does the right thing", i%40, i%1000, i)),
			Attempts: []engine.Attempt{attempt},
		})
	}
	return run
}

// Page is a small page whose button is labelled text.
func Page(text string) *heal.Page {
	button := heal.Element{Parent: 0, Tag: "button", Text: text, OwnText: text, Role: "button", Name: text, Visible: true,
		Attributes: engine.Attributes{{Name: "class", Value: "btn"}, {Name: "id", Value: "x"}}}
	link := button
	link.Tag, link.Role = "a", "link"
	return heal.NewPage([]heal.Element{{Parent: -1, Tag: "body", Text: text, Visible: true}, link, button})
}

// PageState returns the state of Page(text).
func PageState(tb testing.TB, text string) []byte {
	tb.Helper()
	state, err := Page(text).State()
	if err != nil {
		tb.Fatal(err)
	}
	return state
}

// Fingerprints are fingerprints of one button as n tests see it, the first test
// being test itself when there is but one.
func Fingerprints(n int, test, locator string) []engine.Fingerprint {
	prints := make([]engine.Fingerprint, n)
	for i := range prints {
		prints[i] = Page("sign in").Fingerprint(2)
		prints[i].TestID, prints[i].Locator = engine.TestID(fmt.Sprintf("%s %d", test, i)), locator
		if n == 1 {
			prints[i].TestID = engine.TestID(test)
		}
	}
	return prints
}

// Refusal returns a refused heal of the test.
func Refusal(test string) engine.HealEvent {
	e := Heal(test, 1700000600)
	e.Outcome, e.Reason, e.HealedLocator, e.Healed, e.Confidence = engine.OutcomeRefused, "ambiguous", "", engine.Fingerprint{}, 0.6
	return e
}

// Suggestion returns a suggestion for the test, which two calls met.
func Suggestion(test string) engine.HealEvent {
	e := Heal(test, 1700000650)
	e.Outcome, e.Reason, e.Count = engine.OutcomeSuggested, engine.ReasonOtherMeaning, 2
	e.Healed.Text = "sign up"
	e.Changed = []engine.Change{{What: "name", Was: "sign in", Now: "sign up"}}
	return e
}

// Entry returns a quarantined test.
func Entry(number int) flaky.Entry {
	return flaky.Entry{TestID: engine.TestID(fmt.Sprintf("quarantined %d", number)), Reason: "PROJ-1", Since: time.Unix(1_700_000_000, 0)}
}

// Result returns a test with one attempt for each status.
func Result(id string, attempts ...engine.Status) engine.TestResult {
	r := engine.TestResult{ID: engine.NewTestID(id)}
	for _, s := range attempts {
		r.Attempts = append(r.Attempts, engine.Attempt{Status: s, DurationMS: 10})
	}
	return r
}

// Heal is a heal event with everything our own readers know and more.
func Heal(test string, at float64) engine.HealEvent {
	print := engine.Fingerprint{Tag: "button", Text: "sign in", Attributes: engine.Attributes{{Name: "id", Value: "login-btn"}},
		Locator: "#login-btn", TestID: engine.TestID(test), Role: "button"}
	return engine.HealEvent{
		TestID: engine.TestID(test), Locator: "#login-btn", API: "locator", Action: "click", Confidence: 0.9, RunnerUp: 0.4,
		Outcome: engine.OutcomeHealed, HealedLocator: `[data-testid="login"]`, Original: print, Healed: print,
		Site: &engine.Site{File: "tests/login.spec.ts", Line: 12, Column: 20}, PageURL: "/login", Timestamp: at,
		Extra: map[string]json.RawMessage{"future": json.RawMessage(`{"kept":true}`)},
	}
}
