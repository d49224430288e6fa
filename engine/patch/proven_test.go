package patch_test

import (
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
)

func TestResolvePutsWhatATrialProvesFirst(t *testing.T) {
	t.Parallel()
	of := func(file, next string, outcome engine.HealOutcome, trial *engine.Trial) patch.Proposal {
		return patch.Proposal{Heal: engine.HealEvent{Outcome: outcome, Locator: file, Trial: trial},
			Edit: &patch.Edit{File: file, Line: 3, Start: 1, End: 4, New: next}}
	}
	proof := func(file string) *engine.Trial {
		return &engine.Trial{File: file, Line: 3, New: "'#b'", Tests: 2, Green: 2, Red: 2}
	}
	got := patch.Resolve([]patch.Proposal{
		of("a.ts", "'#b'", engine.OutcomeHealed, nil),
		of("b.ts", "'#c'", engine.OutcomeHealed, proof("b.ts")), // of another edit
		of("c.ts", "'#b'", engine.OutcomeHealed, proof("web/c.ts")),
		of("d.ts", "'#b'", engine.OutcomeSuggested, nil),
		of("e.ts", "'#b'", engine.OutcomeSuggested, proof("e.ts")),
		of("c.ts", "'#b'", engine.OutcomeHealed, nil), // the same edit
	})
	var order []string
	for _, p := range got {
		order = append(order, p.Edit.File)
	}
	want := []string{"c.ts", "c.ts", "a.ts", "b.ts", "e.ts", "d.ts"}
	for i := range want {
		if order[i] != want[i] {
			t.Fatalf("the order is %v, want %v", order, want)
		}
	}
	if got[1].SameAs != 1 || got[3].Proven() || !got[0].Proven() {
		t.Errorf("%+v", got)
	}
}
