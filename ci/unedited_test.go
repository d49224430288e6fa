package ci

import (
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

func TestASuggestedElementWithoutAnEditHasAnID(t *testing.T) {
	suggest := func(test engine.TestID, locator, tag string) patch.Proposal {
		return patch.Proposal{Heal: engine.HealEvent{TestID: test, Locator: locator, Outcome: engine.OutcomeSuggested, Healed: engine.Fingerprint{Tag: tag}}}
	}
	same := suggest("c", "#offered", "a")
	same.SameAs = 2
	healed := suggest("d", "#healed", "a")
	healed.Heal.Outcome = engine.OutcomeHealed
	again := suggest("a", "#x", "a")
	again.Heal.Occurrence = 1
	run := &outcome.Run{
		Proposals: []patch.Proposal{suggest("a", "#x", "a"), suggest("b", "#offered", "a"), same, healed, suggest("e", "#unknown", ""), suggest("a", "#x", "a"), again},
		Edits:     []outcome.OfferedEdit{{Proposal: 1}},
	}
	got := uneditedElements(run)
	want := []struct {
		proposal int
		locator  string
	}{{0, "#x"}, {6, "#x #2"}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		if got[i].Proposal != w.proposal || got[i].Locator != w.locator || got[i].Test != "a" || got[i].Signature != heal.SignatureOf(engine.Fingerprint{Tag: "a"}) || len(got[i].ID) != 8 {
			t.Errorf("%+v, want %+v", got[i], w)
		}
	}
	if got[0].ID == got[1].ID {
		t.Error("two elements have one id")
	}
}
