package heal

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func TestAnAcceptedElementIsKnownByItsNewLocator(t *testing.T) {
	old := shell(heading("Draft"), button(0, "Save draft", "save"), button(0, "Close", "close"))
	now := shell(heading("Draft"), button(0, "Store draft", "store"), button(0, "Close", "close"))
	lost := old.Fingerprint(byID(t, old, "save"))
	lost.Page, lost.PageAddress = "/drafts/*", "/drafts/7"
	e := engine.HealEvent{TestID: "a", Locator: "#save", Outcome: engine.OutcomeSuggested, Original: lost, Site: &engine.Site{File: "a.go", Line: 3}}
	e.Healed = now.Written(byID(t, now, "store"))
	got, ok := AcceptedElement(e, "#store")
	want := now.Fingerprint(byID(t, now, "store"))
	want.TestID, want.Locator, want.Site, want.Page, want.PageAddress = "a", "#store", e.Site, "/drafts/*", "/drafts/7"
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("%v (-want +got):\n%s", ok, diff)
	}
	later := shell(heading("Draft"), button(0, "Close", "close"), button(0, "Store draft", "keep"))
	if d := (Learned{Fingerprint: got}).Unpack().Heal(later, Options{}); d.Outcome == engine.OutcomeRefused || d.Best.Index != byID(t, later, "keep") {
		t.Errorf("lost again: %s %s", d.Outcome, d.Reason)
	}
	refused, unknown := e, e
	refused.Outcome, unknown.Healed = engine.OutcomeRefused, engine.Fingerprint{}
	for name, e := range map[string]engine.HealEvent{"a refusal": refused, "an element that is not known": unknown} {
		if f, ok := AcceptedElement(e, "#store"); ok {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
