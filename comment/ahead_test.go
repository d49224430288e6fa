package comment

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

// aheadRun is a run in which one test lost a locator of /account, and on its page two
// more were found ahead that are the same and one that is only suggested.
func aheadRun() outcome.Run {
	run := greenRun()
	run.Counts = outcome.Counts{Tests: 20, Passed: 19, Failed: 1, DurationMS: 61_000}
	run.Verdict.Blocking = []flaky.Failure{{Result: engine.TestResult{ID: "tests/account.spec.ts › Account › changes the name", Name: "Account › changes the name",
		File: "tests/account.spec.ts", Line: 9, Attempts: []engine.Attempt{{Status: engine.StatusFailed, Message: "TimeoutError: locator.fill: Timeout 10000ms exceeded."}}}}}
	for i, l := range []struct {
		test, old, next string
		outcome         engine.HealOutcome
		reason          string
		changed         []engine.Change
	}{
		{test: "changes the name", old: "#name", next: "#full-name", outcome: engine.OutcomeHealed},
		{test: "changes the e-mail", old: "#email", next: "#contact-email", outcome: engine.OutcomeSuggested, reason: engine.ReasonAhead},
		{test: "signs out", old: "a.logout", next: "a.sign-out", outcome: engine.OutcomeSuggested, reason: engine.ReasonAhead},
		{test: "closes the account", old: "#close", next: "#pause", outcome: engine.OutcomeSuggested, reason: engine.ReasonOtherMeaning,
			changed: []engine.Change{{What: "name", Was: "Close account", Now: "Pause account"}}},
	} {
		h := engine.HealEvent{TestID: engine.TestID("tests/account.spec.ts › Account › " + l.test), Locator: l.old, HealedLocator: l.next, Outcome: l.outcome, Reason: l.reason,
			Changed: l.changed, Ahead: i > 0, Trace: "trace.zip", Confidence: 0.97, PageURL: "/account", Site: &engine.Site{File: "tests/account.spec.ts", Line: 9 + 10*i}}
		run.Proposals = append(run.Proposals, patch.Proposal{Heal: h, Locator: l.next, Code: "page.locator('" + l.next + "')", Confidence: 0.97, Place: 1,
			Edit: &patch.Edit{File: "tests/account.spec.ts", Line: 9 + 10*i, Old: "'" + l.old + "'", New: "'" + l.next + "'",
				Before: "  const field = page.locator('" + l.old + "');", After: "  const field = page.locator('" + l.next + "');"}})
	}
	return withSuggestions(run)
}

func TestWhatWasFoundAheadIsOneRedesignAndNoHeal(t *testing.T) {
	run := aheadRun()
	state := NewState(run, nil, nil)
	body := Render(run, Options{State: &state})
	goldenPage(t, "ahead.md", body)
	if len(run.Healed()) != 0 || !strings.Contains(body, "**Redesign of `/account`**: 3 locators, 3 tests, 1 commit: `/breadcrumb apply a1b2c300 a1b2c301 a1b2c302`") {
		t.Errorf("%d healed:\n%s", len(run.Healed()), body)
	}
}
