package comment

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

// redesignRun is a suite of 20 tests after a redesign: 17 fail, by six lost locators of
// which two are gone, and one by an error of its own.
func redesignRun() outcome.Run {
	run := greenRun()
	run.Counts = outcome.Counts{Tests: 20, Passed: 3, Failed: 17, DurationMS: 181_000}
	for i, l := range []struct {
		tests     int
		old, next string
		getter    string // how the next one is written as a call, "" for CSS
		now       string // what the element says now, "" where it is the same
		gone      bool
	}{
		{tests: 6, old: "#email", next: `internal:testid=[data-testid="login-email"s]`, getter: "getByTestId('login-email')"},
		{tests: 3, old: ".btn-pay", next: `internal:testid=[data-testid="pay-now"s]`, getter: "getByTestId('pay-now')"},
		{tests: 2, old: "#voucher", next: `input[name="coupon"]`, now: "Coupon"},
		{tests: 2, old: "nav > a.orders", next: `a[href="/orders"]`},
		{tests: 2, old: "#newsletter", gone: true},
		{tests: 1, old: "#compare", gone: true},
	} {
		for n := range l.tests {
			title := fmt.Sprintf("Shop › step %d of page %d", n+1, i+1)
			test := engine.TestID("tests/shop.spec.ts › " + title)
			const message = "TimeoutError: locator.fill: Timeout 10000ms exceeded."
			run.Verdict.Blocking = append(run.Verdict.Blocking, flaky.Failure{Result: engine.TestResult{
				ID: test, Name: title, File: "tests/shop.spec.ts", Line: 10*i + n + 5,
				Attempts: []engine.Attempt{{Status: engine.StatusFailed, Message: message,
					Text: "    " + message + "\n    Call log:\n      - waiting for locator('" + l.old + "')\n\n        at tests/pages/shop.ts:12:20\n"}},
			}})
			h := engine.HealEvent{TestID: test, Locator: l.old, Outcome: engine.OutcomeHealed, Trace: "trace.zip", Confidence: 0.98, HealedLocator: l.next,
				Site: &engine.Site{File: "tests/pages/shop.ts", Line: 7 + i}}
			if l.gone {
				h.Outcome, h.Reason, h.HealedLocator = engine.OutcomeRefused, engine.ReasonNoCandidates, ""
				h.Original = engine.Fingerprint{Tag: "button", Text: "Compare prices"}
				run.Refused = append(run.Refused, h)
				continue
			}
			if l.now != "" {
				h.Outcome, h.Reason, h.Changed = engine.OutcomeSuggested, engine.ReasonOtherMeaning, []engine.Change{{What: "label", Was: "Voucher", Now: l.now}}
			}
			call := cmp.Or(l.getter, "locator('"+l.next+"')")
			p := patch.Proposal{Heal: h, Locator: l.next, Code: "page." + call, Confidence: 0.98, Place: 1,
				Edit: &patch.Edit{File: "tests/pages/shop.ts", Line: 7 + i, Old: "locator('" + l.old + "')", New: call,
					Before: "  field = this.page.locator('" + l.old + "');", After: "  field = this.page." + call + ";"},
				Note: "unverified: taken from the failed run's trace; rerun to confirm"}
			if n > 0 {
				p.SameAs = len(run.Proposals) - n + 1
			}
			run.Proposals = append(run.Proposals, p)
		}
	}
	run.Verdict.Blocking = append(run.Verdict.Blocking, playwrightFailure())
	return withSuggestions(run)
}

func TestARedesignFitsOneScreen(t *testing.T) {
	run := redesignRun()
	state := NewState(run, nil, nil)
	body := Render(run, Options{State: &state})
	goldenPage(t, "redesign.md", body)
	if n := len(run.Causes()); n != 7 {
		t.Errorf("%d causes of 17 failures, want 7", n)
	}
	open := openLines(body)
	if len(open) > 60 {
		t.Errorf("%d lines when folded:\n%s", len(open), strings.Join(open, "\n"))
	}
	causes := 0
	for _, line := range open {
		if strings.Contains(line, ". **") {
			causes++
		}
	}
	if causes != 7 {
		t.Errorf("%d causes are shown before anything is unfolded", causes)
	}
}

// openLines returns the lines of a text that are seen while its folds are closed.
func openLines(body string) (seen []string) {
	depth := 0
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "<details>":
			depth++
		case line == "</details>":
			depth--
		case strings.HasPrefix(line, "<summary>") && depth == 1, depth == 0 && line != "" && !strings.HasPrefix(line, "<!--"):
			seen = append(seen, line)
		}
	}
	return seen
}
