package outcome_test

import (
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

func TestASuggestionSaysWhatItWasAndWhatItIs(t *testing.T) {
	for _, tt := range []struct {
		changed []engine.Change
		want    string
	}{
		{[]engine.Change{{What: "name", Was: "Deploy to staging", Now: "Deploy to production"}}, `said "Deploy to staging", says "Deploy to production"`},
		{[]engine.Change{{What: "label", Was: "", Now: "Save"}}, `said nothing, says "Save"`},
		{[]engine.Change{{What: "text", Was: "Save", Now: " "}}, `said "Save", says nothing`},
		{[]engine.Change{{What: "placeholder", Was: "First name", Now: "Last name"}}, `had the placeholder "First name", has "Last name"`},
		{[]engine.Change{{What: "options", Was: "S M L", Now: "red blue"}}, `offered "S M L", offers "red blue"`},
		{[]engine.Change{{What: "icon", Was: "trash", Now: "share"}}, `had the icon "trash", has "share"`},
		{[]engine.Change{{What: "row", Was: "Alice", Now: "Bob"}}, `was in the row "Alice", is in "Bob"`},
		{[]engine.Change{{What: "row", Was: "Alice"}}, `was in the row "Alice", is in another`},
		{[]engine.Change{{What: "section", Was: "Billing", Now: "Danger zone"}}, `was in the section "Billing", is in "Danger zone"`},
		{[]engine.Change{{What: "page", Was: "Orders", Now: "Invoices"}}, `was on the page "Orders", is on "Invoices"`},
		{[]engine.Change{{What: "page", Now: "a login"}}, `is on "a login"`},
		{[]engine.Change{{What: "]]><b>", Was: "one\x1b[2m\nline", Now: "two"}}, `was "one line", is "two"`},
		{
			[]engine.Change{{What: "name", Was: "Delete", Now: "Share"}, {What: "row", Was: "Alice", Now: "Bob"}},
			`said "Delete", says "Share"; was in the row "Alice", is in "Bob"`,
		},
		{nil, "several elements are alike, and only their places tell them apart"},
	} {
		h := engine.HealEvent{Outcome: engine.OutcomeSuggested, Reason: engine.ReasonNotToldApart, Changed: tt.changed}
		if got := outcome.DescribeSuggestion(h, outcome.Quote); got != tt.want {
			t.Errorf("%+v reads %s, want %s", tt.changed, got, tt.want)
		}
	}
}

func TestASuggestionIsNoHeal(t *testing.T) {
	of := func(o engine.HealOutcome, trace string) patch.Proposal {
		return patch.Proposal{Heal: engine.HealEvent{Outcome: o, Trace: trace}}
	}
	live, offline := of(engine.OutcomeHealed, ""), of(engine.OutcomeHealed, "trace.zip")
	suggested, fromTrace := of(engine.OutcomeSuggested, ""), of(engine.OutcomeSuggested, "trace.zip")
	for _, tt := range []struct {
		name           string
		proposals      []patch.Proposal
		healed         int
		suggested      int
		title, verdict string
	}{
		{"suggestions alone", []patch.Proposal{suggested, fromTrace}, 0, 2, "Healed locators", "passed"},
		{"heals and suggestions", []patch.Proposal{live, live, suggested}, 1, 1, "Healed locators", "passed · 1 locator healed in 1 test"},
		{"from traces", []patch.Proposal{offline, fromTrace}, 0, 1, "Locators found in traces", "passed"},
		{"all kinds", []patch.Proposal{live, offline, suggested, fromTrace}, 1, 2, "Locators healed and found in traces", "passed · 1 locator healed in 1 test"},
	} {
		run := outcome.Run{Counts: outcome.Counts{Tests: 9}, Proposals: tt.proposals}
		if len(run.Healed()) != tt.healed || len(run.Suggested()) != tt.suggested || len(run.Heals()) != len(tt.proposals)-tt.suggested || run.HealsTitle() != tt.title {
			t.Errorf("%s: %d healed, %d heals, %d suggested, %q", tt.name, len(run.Healed()), len(run.Heals()), len(run.Suggested()), run.HealsTitle())
		}
		if _, verdict := run.Headline(); verdict != tt.verdict {
			t.Errorf("%s: %q", tt.name, verdict)
		}
		run.Verdict.Blocking = []flaky.Failure{{}}
		if mark, _ := run.Headline(); mark != outcome.MarkFailed {
			t.Errorf("%s: a test that failed is excused", tt.name)
		}
	}
}

func TestAHealSaysByWhichSynonymItIs(t *testing.T) {
	t.Parallel()
	name := func(was, now string) []engine.Change { return []engine.Change{{What: "name", Was: was, Now: now}} }
	for _, c := range []struct {
		outcome engine.HealOutcome
		changed []engine.Change
		known   bool
		want    string
	}{
		{engine.OutcomeHealed, name("Close", "Dismiss"), false, ""},
		{engine.OutcomeHealed, name("Save draft now", "Store draft now"), true, `"Store" is known to mean "Save"`},
		{engine.OutcomeHealed, name("Draft save", "Draft store"), true, `"store" is known to mean "save"`},
		{engine.OutcomeHealed, name("Save", "Store"), true, `"Store" is known to mean "Save"`},
		{engine.OutcomeHealed, nil, true, ""},
		{engine.OutcomeSuggested, name("Save", "Store"), true, ""},
	} {
		if got := outcome.DescribeSynonym(engine.HealEvent{Outcome: c.outcome, Changed: c.changed, Synonym: c.known}, outcome.Quote); got != c.want {
			t.Errorf("%v: %q, want %q", c.changed, got, c.want)
		}
	}
}
