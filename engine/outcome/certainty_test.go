package outcome

import (
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
)

func TestWhereAnEditIsNotOfferedIsSaidWithTheReason(t *testing.T) {
	healed := engine.HealEvent{Confidence: 0.9, Outcome: engine.OutcomeHealed}
	suggested := engine.HealEvent{Confidence: 0.6, Outcome: engine.OutcomeSuggested}
	edit := &patch.Edit{File: "a.spec.ts"}
	run := Run{
		Proposals: []patch.Proposal{
			{Heal: healed, Edit: edit, Confidence: 0.9 * 0.95, Place: 0.95},
			{Heal: healed, Edit: edit, Confidence: 0.9 * 0.95, Place: 0.95, SameAs: 1},
			{Heal: healed, Edit: edit, Confidence: 0.9 * 0.7 * 0.85, Place: 0.85}, // the new locator was not tried
			{Heal: healed, Edit: edit, Confidence: 0.9, Place: 1},
			{Heal: suggested, Edit: edit, Confidence: 0.6, Place: 1},
			{Heal: healed, Edit: edit, Confidence: 0.9, Place: 1},
			patch.Proposal{Heal: healed, Edit: edit, Confidence: 0.2, Place: 1}.WithoutEdit("it is generated"),
			{Heal: suggested, Edit: edit, Confidence: 0.6 * 0.7, Place: 0.7},
		},
		Edits: []OfferedEdit{{ID: "a", Proposal: 0}, {ID: "b", Proposal: 4, Changed: "said x, says y"}, {ID: "c", Proposal: 5, Unproven: "the string spans lines"}},
	}
	for i, want := range []struct{ certainty, missing, id string }{
		{"match 90% · place 95%", "", "a"},
		{"match 90% · place 95%", "", "a"},
		{"match 63% · place 85%", "not offered: match times place has to reach 75%", ""},
		{"match 90% · place 100%", "not offered: its file has changed meanwhile", ""},
		{"match 60% · place 100%", "by its id only, breadcrumb apply b", "b"},
		{"match 90% · place 100%", "by no box: the string spans lines", "c"},
		{"match 90%", "", ""},
		{"match 60% · place 70%", "not offered: place has to reach 75%", ""},
	} {
		offer, _ := run.OfferOf(i)
		if got := Certainty(run.Proposals[i]); got != want.certainty || run.MissingFrom(i) != want.missing || offer.ID != want.id {
			t.Errorf("%d: %q, %q, %q", i, got, run.MissingFrom(i), offer.ID)
		}
	}
	run.Info.PullRequest = 7 // only its comment has boxes
	if got := run.MissingFrom(4); got != "by its id b or its box only" {
		t.Errorf("on a pull request: %q", got)
	}
}
