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

// A report of a period counts as the outcome of one run does: a locator that was lost is one
// for all its tests and attempts, whatever the match.
func TestASurveyCountsLostLocatorsAsARunDoes(t *testing.T) {
	event := func(test, to string, match float64, calls int) engine.HealEvent {
		return engine.HealEvent{TestID: engine.TestID(test), Locator: "#pay", HealedLocator: to, Outcome: engine.OutcomeSuggested,
			Reason: engine.ReasonSuggestOnly, Confidence: match, Count: calls, Timestamp: match}
	}
	shown := &engine.Pictures{Found: "a.jpg"}
	events := []engine.HealEvent{event("pays", "#buy", .8, 3), event("pays", "#buy", .9, 0), event("pays twice", "#buy", .7, 0), event("pays", "#order", .6, 0)}
	events[0].Pictures = shown
	var run Run
	for _, h := range events {
		run.Proposals = append(run.Proposals, patch.Proposal{Heal: h})
	}
	for name, lost := range map[string][]LostLocator{
		"a run": run.LostLocators(), "a survey": NewSurvey(SurveyInput{Suggested: events}).SuggestedLocators(),
	} {
		if len(lost) != 2 || lost[0].Often() != "5 calls" || len(lost[0].Tests) != 2 || lost[1].Often() != "" {
			t.Errorf("%s: %+v", name, lost)
		}
		if first := lost[0].Event; name == "a survey" && (first.Confidence != .9 || first.Pictures != shown) {
			t.Errorf("the newest event is %+v", first)
		}
	}
}
