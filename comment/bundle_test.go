package comment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

// bundleRun is a run with one heal whose element has two other uses, and a second heal.
func bundleRun() outcome.Run {
	run := healsRun()
	use := func(file string, line int, test engine.TestID, action string) patch.Proposal {
		p := loginHeal()
		p.Cause = patch.CauseOf(p.Heal)
		p.Heal.TestID, p.Heal.Count = test, 0
		edit := *p.Edit
		edit.File, edit.Line = file, line
		edit.Before, edit.After = strings.Replace(edit.Before, "click()", action, 1), strings.Replace(edit.After, "click()", action, 1)
		p.Edit = &edit
		return p
	}
	run.Proposals = append(run.Proposals,
		use("tests/login.spec.ts", 13, loginHeal().Heal.TestID, "press('Enter')"), use("tests/logout.spec.ts", 7, "tests/logout.spec.ts › Logout › signs in again", "hover()"))
	run = withSuggestions(run)
	lead := slices.IndexFunc(run.Edits, func(e outcome.OfferedEdit) bool { return run.Proposals[e.Proposal].Heal.Locator == "#login-btn" })
	for i := range run.Edits {
		if run.Proposals[run.Edits[i].Proposal].Heal.Locator == "#login-btn" {
			run.Edits[i].Bundle = run.Edits[lead].ID
		}
	}
	return run
}

func TestABundleHasOneRowOneBoxAndOneDiff(t *testing.T) {
	run := bundleRun()
	state := NewState(run, nil, nil)
	text := Render(run, Options{Key: "e2e", State: &state})
	goldenPage(t, "bundle.md", text)
	before, rest, _ := strings.Cut(text, stateStart)
	_, after, _ := strings.Cut(rest, "\n")
	shown := before + after
	for what, n := range map[string]int{"edits 1 locator, 3 places, 3 tests": 1, "and 2 more places": 2, "- [ ] apply": len(state.Edits) - 2, "hover()": 2} {
		if got := strings.Count(shown, what); got != n {
			t.Errorf("%q stands %d times, want %d", what, got, n)
		}
	}
}

func TestABundleIsIgnoredAsAWhole(t *testing.T) {
	run := bundleRun()
	state := NewState(run, nil, nil)
	edits := slices.DeleteFunc(slices.Clone(state.Edits), func(e SavedEdit) bool { return e.Bundle == "" })
	if len(edits) != 3 {
		t.Fatalf("%d edits in the bundle, want 3", len(edits))
	}
	for _, e := range edits {
		state := NewState(run, nil, nil)
		state.Ignore(e.ID)
		if again := NewState(run, nil, state.Ignored); len(again.Edits) != len(state.Edits) || len(state.Edits) != len(run.Edits)-3 {
			t.Errorf("of %d edits %d are left, and in the next run %d", len(run.Edits), len(state.Edits), len(again.Edits))
		}
	}
}

func TestABundleIsRememberedWholeOrNotAtAll(t *testing.T) {
	var state State
	state.Head = strings.Repeat("a", 40)
	for i := range maxStateItems + 500 {
		e := SavedEdit{SavedElement: SavedElement{ID: fmt.Sprintf("%08x", i), Test: fmt.Sprint("test ", i)}, Blob: strings.Repeat("b", 40), Path: "a.ts", Old: "'#a'", New: "'#b'"}
		e.Bundle = fmt.Sprintf("%08x", i-i%7)
		state.Edits = append(state.Edits, e)
	}
	_, kept := state.hiddenLine()
	if n := len(kept.Edits); n == 0 || n%7 != 0 || n > maxStateItems {
		t.Errorf("%d edits are remembered of bundles of seven", n)
	}
}
