package outcome

import (
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
)

func TestALostLocatorHasTheEditThatItSharesWithAnother(t *testing.T) {
	of := func(test engine.TestID, locator string, sameAs int) patch.Proposal {
		return patch.Proposal{Heal: engine.HealEvent{TestID: test, Locator: locator, Outcome: engine.OutcomeSuggested, Reason: engine.ReasonOtherMeaning},
			Edit: &patch.Edit{File: "a.spec.ts", Line: 3, Start: 40, End: 46, New: "'task'"}, Locator: locator + "!", SameAs: sameAs}
	}
	run := Run{Proposals: []patch.Proposal{of("a", "#item", 0), of("a", "#item .box", 1), of("b", "#item .box", 1)}}
	lost := run.LostLocators()
	if len(lost) != 2 {
		t.Fatalf("%d lost locators: %+v", len(lost), lost)
	}
	for _, l := range lost {
		if edits := run.EditsOf(l); len(edits) != 1 || edits[0].Edit.Line != 3 {
			t.Errorf("%s: edits %+v, want the one", l.Event.Locator, edits)
		}
	}
}
