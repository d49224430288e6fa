package comment

import (
	"fmt"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

func TestAnErrorThatIsShownInFullIsNotFoldedAgain(t *testing.T) {
	for text, want := range map[string]bool{
		"boom":                               false,
		"Expected: 1\nReceived: 2":           false,
		"boom\n    at a (b.js:1:2)":          true,
		strings.Repeat("long line ", 30_000): false,
	} {
		got := fullError(engine.TestResult{Attempts: []engine.Attempt{{Status: engine.StatusFailed, Message: text, Text: text}}}) != ""
		if got != want {
			t.Errorf("%.40q folded: %v", text, got)
		}
	}
}

func TestAFullErrorListsNoFiles(t *testing.T) {
	rule := strings.Repeat("─", 60)
	text := "Error: boom\n\n  at a.ts:1:2\n\n    attachment #1: screenshot (image/png) " + rule + "\n    test-results/a/test-failed-1.png\n    " + rule +
		"\n\n    attachment #2: trace (application/zip) " + rule + "\n    test-results/a/trace.zip\n    Usage:\n\n        npx playwright show-trace a/trace.zip\n\n    " + rule + "\n\n    the end"
	got := fullError(engine.TestResult{Attempts: []engine.Attempt{{Status: engine.StatusFailed, Message: "Error: boom", Text: text}}})
	if strings.Contains(got, "attachment") || strings.Contains(got, "─") || strings.Contains(got, "zip") || !strings.Contains(got, "  at a.ts:1:2\n") || !strings.Contains(got, "    the end\n") {
		t.Error(got)
	}
}

func TestALongErrorSaysHowMuchIsMissing(t *testing.T) {
	body := clipLines(strings.Repeat("frame\n", 99)+"last", 40, 80)
	if lines := strings.Split(body, "\n"); len(lines) != 41 || lines[40] != "… 60 more lines" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestAHugeTextIsBounded(t *testing.T) {
	for _, s := range []string{strings.Repeat("x", 10<<20), strings.Repeat("ü", 5<<20), strings.Repeat("\xff", 1<<20)} {
		if n := len(clean(s)); n > 3*maxInput+8 { // an invalid byte becomes three
			t.Errorf("%d bytes are left of %d", n, len(s))
		}
	}
}

func TestTheDiffOfAMinifiedFileShowsTheLiteralsAlone(t *testing.T) {
	q := cartHeal()
	q.Edit.Old, q.Edit.New = "'#old'", "'#new'"
	q.Edit.Before = strings.Repeat("a();", 5000) + q.Edit.Old + strings.Repeat("b();", 5000)
	q.Edit.After = strings.Repeat("a();", 5000) + q.Edit.New + strings.Repeat("b();", 5000)
	text := page{}.diffBlock([]patch.Proposal{q}, 0)
	if !strings.Contains(text, "\n-'#old'\n+'#new'\n") || len(text) > 500 {
		t.Error(text)
	}
}

func TestManyDiffsGoUnderOneFold(t *testing.T) {
	folds := func(n int) int {
		run := outcome.Run{}
		for i := range n {
			q := loginHeal()
			q.Heal.TestID = engine.TestID(fmt.Sprint("heal ", i))
			run.Proposals = append(run.Proposals, q)
		}
		open, deepest := 0, 0
		for line := range strings.Lines(Render(run, Options{})) {
			switch line {
			case "<details>\n":
				open++
			case "</details>\n":
				open--
			}
			deepest = max(deepest, open)
		}
		return deepest
	}
	if few, many := folds(openDiffs), folds(openDiffs+1); few != 1 || many != 2 {
		t.Errorf("folds are %d and %d deep", few, many)
	}
}

func TestTheFoldOfManyDiffsSaysHowManyHaveNone(t *testing.T) {
	for without, want := range map[int]string{0: "6 diffs", 1: "5 diffs, 1 without one", 5: "1 diff, 5 without one", 6: "6 locators without a diff"} {
		var run outcome.Run
		for i := range openDiffs + 1 {
			q := loginHeal()
			q.Heal.TestID = engine.TestID(fmt.Sprint("heal ", i))
			if i < without {
				q = q.WithoutEdit("it is generated")
			}
			run.Proposals = append(run.Proposals, q)
		}
		if body := Render(run, Options{}); !strings.Contains(body, "<summary>"+want+"</summary>") {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
}

func TestADiffThatIsNotOfferedSaysSo(t *testing.T) {
	for _, c := range []struct {
		outcome           engine.HealOutcome
		match, place      float64
		summary, sentence string
	}{
		{engine.OutcomeHealed, 0.97, 0.95, "", ""},
		{engine.OutcomeHealed, 0.75, 0.95, ", not offered", "\nNot offered: match times place has to reach 75%.\n"},
		{engine.OutcomeSuggested, 0.4, 0.95, ", only suggested", ""},
		{engine.OutcomeSuggested, 0.4, 0.7, ", only suggested, not offered", "\nNot offered: place has to reach 75%.\n"},
	} {
		q := loginHeal()
		q.Heal.Outcome, q.Heal.Confidence, q.Place, q.Confidence = c.outcome, c.match, c.place, c.match*c.place
		diff := page{}.diffBlock([]patch.Proposal{q}, 0)
		if !strings.Contains(diff, "12</code>"+c.summary+"</summary>") || c.sentence == "" && strings.Contains(diff, "Not offered") || !strings.Contains(diff, c.sentence) {
			t.Errorf("%+v: %s", c, diff)
		}
	}
}

func TestEveryBlockingFailureIsNamed(t *testing.T) {
	for _, n := range []int{1, 5, 6, 15, 16, 100} {
		var run outcome.Run
		for i := range n {
			run.Verdict.Blocking = append(run.Verdict.Blocking, flaky.Failure{Result: engine.TestResult{Name: fmt.Sprintf("test <%d>", i)}})
		}
		body := Render(run, Options{})
		for i := range n {
			if c := strings.Count(body, fmt.Sprintf("test <%d>", i)); c != 1 && n > 1 || c != 2 && n == 1 { // a cause of one test names it
				t.Errorf("of %d failures number %d is named %d times", n, i, c)
			}
		}
	}
}

func TestAHealWithoutAnEditSaysWhyAndShowsTheNewLocator(t *testing.T) {
	q := patch.Proposal{
		Heal: engine.HealEvent{Locator: "#a", HealedLocator: "#b", Confidence: 0.9}, Code: `page.locator("#b")`,
		Reason: "the literal is not in the file",
	}
	body := Render(outcome.Run{Proposals: []patch.Proposal{q}}, Options{})
	for _, want := range []string{"- `#a` → `#b` · (empty) · match 90%\n", "No edit is offered: the literal is not in the file\n", "\n" + `page.locator("#b")` + "\n"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
}

func TestTheEditOfAHealInATestThatFailedSaysThatItIsOnlySuggested(t *testing.T) {
	q := loginHeal()
	q.Doubt = "its test failed all the same"
	run := withSuggestions(outcome.Run{Proposals: []patch.Proposal{q}, Info: engine.RunInfo{PullRequest: 7, HeadSHA: strings.Repeat("c", 40)}})
	run.Edits[0].Changed = q.Doubt
	state := NewState(run, nil, nil)
	body := Render(run, Options{Key: "e2e", State: &state})
	for _, want := range []string{"only suggested: its test failed all the same", "Tick a suggestion to commit it", " · its test failed all the same\n", ", only suggested</summary>"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
	if line := describeHeal(run, run.Edits[0]); !strings.HasPrefix(line, "Healed, but its test failed all the same: ") {
		t.Error(line)
	}
}
