package ci

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
)

func TestTheUsesThatAnEditChangesAreThoseOfTheNewLocator(t *testing.T) {
	use := func(test engine.TestID, occurrence int, tag string, outcome engine.HealOutcome) patch.Proposal {
		return patch.Proposal{Locator: "#new", Heal: engine.HealEvent{TestID: test, Locator: "#old", Occurrence: occurrence, Outcome: outcome, Healed: engine.Fingerprint{Tag: tag}}}
	}
	nameless := use("a", 7, "i", engine.OutcomeHealed)
	nameless.Locator = ""
	got := acceptedElements([]patch.Proposal{
		use("a", 5, "a", engine.OutcomeHealed), use("b", 0, "b", engine.OutcomeSuggested), use("a", 2, "p", engine.OutcomeHealed),
		use("a", 3, "", engine.OutcomeHealed), use("a", 4, "u", engine.OutcomeRefused), nameless,
	})
	var list []string
	for _, f := range got {
		list = append(list, fmt.Sprintf("%s %s %s", f.TestID, f.Locator, f.Tag))
	}
	if diff := cmp.Diff([]string{"b #new b", "a #new p", "a #new #2 a"}, list); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var many []patch.Proposal
	for i := range 100 {
		many = append(many, use("a", i, "a", engine.OutcomeHealed))
	}
	if n := len(acceptedElements(many)); n != maxAccepted {
		t.Errorf("%d elements of one edit, want %d", n, maxAccepted)
	}
}
