package outcome_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
)

func TestEveryTestIsCountedOnceByHowItStands(t *testing.T) {
	history := func(id string, statuses ...engine.Status) flaky.History {
		return flaky.History{TestID: engine.TestID(id), Statuses: statuses}
	}
	heal := engine.HealEvent{TestID: "healed", Locator: "#a"}
	const button = `internal:role=button[name="Join"i]`
	again := engine.HealEvent{TestID: "failing", Locator: "#a", Timestamp: 5}
	s := outcome.NewSurvey(outcome.SurveyInput{
		Histories: []flaky.History{
			history("stable", "passed", "passed"), history("healed", "passed"), history("failing", "passed", "failed"),
			history("flips", "failed", "passed"), history("held", "passed"), history("by hand", "passed"), history("never ran"),
		},
		Quarantine: []flaky.Entry{{TestID: "held", AutoUnquarantine: true, Commits: []string{"a1b2c3d"}}, {TestID: "by hand"}, {TestID: "gone"}},
		Heals:      []engine.HealEvent{heal, heal, again, {TestID: "tests/test_join.py::test_join", Locator: button, HealedLocator: `internal:text="Enter"i`}},
	})
	if diff := cmp.Diff(outcome.SurveyCounts{Total: 6, Stable: 2, Healed: 1, Flaky: 2, Failing: 1}, s.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	want := []outcome.LocatorHeals{{Locator: "#a", Shown: "#a", Calls: 3, Tests: 2, Last: 5}, {Locator: button, Shown: `get_by_role("button", name="Join")`, Calls: 1, Tests: 1}}
	if diff := cmp.Diff(want, s.Locators); diff != "" {
		t.Errorf("locators (-want +got):\n%s", diff)
	}
	if s.Heals[0].Timestamp != 5 || len(s.Unstable) != 2 {
		t.Errorf("heals %+v, unstable %+v", s.Heals, s.Unstable)
	}
	if got, want := outcome.HealedTo(s.Heals[3]), `get_by_text("Enter")`; got != want {
		t.Errorf("healed to %s, want %s", got, want)
	}
}

// A test whose flips show no flakiness is not told as unstable, and one that always fails
// is told as broken.
func TestSteadyTestsAreNotUnstable(t *testing.T) {
	flips := []engine.Status{"passed", "failed", "failed", "passed", "passed"}
	s := outcome.NewSurvey(outcome.SurveyInput{
		Histories: []flaky.History{{TestID: "flaky", Statuses: flips}, {TestID: "mended", Statuses: flips}, {TestID: "broken", Statuses: flips[:3]}},
		Steady:    map[engine.TestID]bool{"mended": true, "broken": true},
		Broken:    map[engine.TestID]flaky.Breakage{"broken": {Runs: 2, Since: "a1b2c3d4"}},
	})
	if len(s.Unstable) != 1 || s.Unstable[0].TestID != "flaky" {
		t.Errorf("unstable %+v", s.Unstable)
	}
	if diff := cmp.Diff([]outcome.FailingTest{{TestID: "broken", Broken: "broken since a1b2c3d (2 runs)"}}, s.Failing); diff != "" {
		t.Errorf("failing (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(outcome.SurveyCounts{Total: 3, Stable: 1, Flaky: 1, Failing: 1}, s.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestAge(t *testing.T) {
	s := outcome.Survey{Generated: time.Date(2026, 3, 10, 11, 0, 0, 0, time.UTC)}
	for _, tt := range []struct {
		since time.Time
		want  string
	}{
		{time.Date(2026, 3, 8, 12, 0, 0, 0, time.UTC), "since 2026-03-08 (1 day)"},
		{time.Date(2026, 3, 10, 1, 0, 0, 0, time.UTC), "since 2026-03-10"},
		{time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), "since 2027-01-01"},
		{time.Time{}, ""},
	} {
		if got := s.Age(flaky.Entry{Since: tt.since}); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.since, got, tt.want)
		}
	}
}

func TestASurveySaysWhichTestsFailNow(t *testing.T) {
	s := outcome.NewSurvey(outcome.SurveyInput{Days: 1, Runs: 2, Quarantine: []flaky.Entry{{TestID: "b"}}, Histories: []flaky.History{
		{TestID: "c", Statuses: []engine.Status{engine.StatusError}},
		{TestID: "b", Statuses: []engine.Status{engine.StatusPassed, engine.StatusFailed}},
		{TestID: "a", Statuses: []engine.Status{engine.StatusFailed, engine.StatusPassed}},
	}})
	if diff := cmp.Diff([]outcome.FailingTest{{TestID: "b", Quarantined: true}, {TestID: "c", Quarantined: false}}, s.Failing); diff != "" {
		t.Errorf("failing (-want +got):\n%s", diff)
	}
	if got, want := s.Headline(), "3 tests in 2 runs of the last day"; got != want || s.Counts.Failing != len(s.Failing) {
		t.Errorf("headline %q, want %q; counts %+v", got, want, s.Counts)
	}
}

// A trace names no locator that was used, but those that its page has once.
func TestASuggestionFromATraceIsNamedByWhatFindsItAlone(t *testing.T) {
	h := engine.HealEvent{Locator: "#export", API: "locator", Healed: engine.Fingerprint{Tag: "button", Text: "Export orders", Attributes: engine.Attributes{{Name: "data-testid", Value: "export"}}}}
	if got, want := outcome.HealedTo(h), "<button> Export orders"; got != want {
		t.Errorf("not counted: %s, want %s", got, want)
	}
	h.Matches = []engine.Match{{Locator: `internal:testid=[data-testid="export"s]`, Count: 1}}
	if got, want := outcome.HealedTo(h), "getByTestId('export')"; got != want {
		t.Errorf("counted: %s, want %s", got, want)
	}
}
