package flaky_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

func history(id, letters string) flaky.History {
	return flaky.History{TestID: engine.TestID(id), Statuses: statuses(letters)}
}

func TestEvaluateAppliesTheSeedsQuarantineRules(t *testing.T) {
	const auto, manual, free, leaves = "auto", "manual", "free", "leaves when its flip rate is at most 0.20"
	for _, c := range []struct {
		name, history, state string
		want                 []flaky.Change
	}{
		{"stable and free stays free", "PPPPPPPPPP", free, nil},
		{"intermittent and free stays free", "PPPPPPPPPF", free, nil},
		{"flaky enters", "PFPFPPPPPP", free, []flaky.Change{{TestID: "t", Tier: flaky.TierFlaky, FlipRate: 4.0 / 9,
			Reason: "flip rate 0.44 over the last 10 executions (Flaky)", ExitCriteria: leaves}}},
		{"chronic enters", "PF", free, []flaky.Change{{TestID: "t", Tier: flaky.TierChronic, FlipRate: 1,
			Reason: "flip rate 1.00 over the last 2 executions (Chronic)", ExitCriteria: leaves}}},
		{"flaky and held stays", "PFPFPPPPPP", auto, nil},
		{"stable leaves", "PFPPPPPPPPPPP", auto, []flaky.Change{{TestID: "t", Released: true, Tier: flaky.TierStable,
			Reason: "flip rate 0.00 over the last 10 executions (Stable)"}}},
		{"intermittent leaves", "PPPPPF", auto, []flaky.Change{{TestID: "t", Released: true, Tier: flaky.TierIntermittent, FlipRate: 1.0 / 5,
			Reason: "flip rate 0.20 over the last 6 executions (Intermittent)"}}},
		{"one execution is stable", "F", auto, []flaky.Change{{TestID: "t", Released: true, Tier: flaky.TierStable,
			Reason: "flip rate 0.00 over the last 1 execution (Stable)"}}},
		{"stable and held by hand stays", "PPPPPPPPPP", manual, nil},
		{"flaky and held by hand stays", "PFPF", manual, nil},
		{"no execution is left alone", "", auto, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var quarantined []flaky.Entry
			if c.state != free {
				quarantined = []flaky.Entry{{TestID: "t", AutoUnquarantine: c.state == auto}}
			}
			got := flaky.Evaluate([]flaky.History{history("t", c.history)}, quarantined, flaky.PolicySeed)
			if diff := cmp.Diff(c.want, got.Changes); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEvaluateStandings(t *testing.T) {
	got := flaky.Evaluate([]flaky.History{history("b", "PPPPPPPPPPPF"), history("none", ""), history("a", "PPF")}, nil, flaky.PolicySeed)
	want := []flaky.TestHealth{
		{TestID: "a", Runs: 3, FlipRate: 1.0 / 2, EWMA: .3, Tier: flaky.TierFlaky},
		{TestID: "b", Runs: 10, FlipRate: 1.0 / 9, EWMA: .3, Tier: flaky.TierIntermittent},
	}
	if diff := cmp.Diff(want, got.TestHealths); diff != "" {
		t.Errorf("standings (-want +got):\n%s", diff)
	}
}

func TestEvaluateTouchesOnlyTestsWithAHistory(t *testing.T) {
	got := flaky.Evaluate(nil, []flaky.Entry{{TestID: "gone", AutoUnquarantine: true}}, flaky.PolicySeed)
	if len(got.Changes) != 0 {
		t.Errorf("changes %v, want none", got.Changes)
	}
}

func TestOneEntryByHandHoldsATest(t *testing.T) {
	entries := []flaky.Entry{
		{TestID: "t", Environment: "chromium", AutoUnquarantine: false},
		{TestID: "t", Environment: "firefox", AutoUnquarantine: true},
	}
	for range 2 {
		got := flaky.Evaluate([]flaky.History{history("t", "PPPP")}, entries, flaky.PolicySeed)
		if len(got.Changes) != 0 {
			t.Errorf("changes %v, want none", got.Changes)
		}
		slices.Reverse(entries)
	}
}

func TestAnUnknownPolicyChangesNothing(t *testing.T) {
	got := flaky.Evaluate([]flaky.History{history("t", "PFPF")}, nil, "surprise")
	if len(got.Changes) != 0 || len(got.TestHealths) != 1 {
		t.Errorf("got %+v, want one standing and no change", got)
	}
	if zero := flaky.Evaluate([]flaky.History{history("t", "PFPF")}, nil, ""); len(zero.Changes) != 1 {
		t.Errorf("the zero policy changed %v, want what the seed's changes", zero.Changes)
	}
}

func TestParsePolicy(t *testing.T) {
	if p, err := flaky.ParsePolicy("seed"); p != flaky.PolicySeed || err != nil {
		t.Errorf("got %q, %v", p, err)
	}
	for _, name := range []string{"", "Seed", "sed"} {
		_, err := flaky.ParsePolicy(name)
		want := fmt.Sprintf("quarantine policy %q is not known (valid: evidence, seed)", name)
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestEvaluateDoesNotDependOnOrder(t *testing.T) {
	histories, quarantined := population(200)
	want := flaky.Evaluate(histories, quarantined, flaky.PolicySeed)
	sorted := slices.IsSortedFunc(want.Changes, func(a, b flaky.Change) int { return strings.Compare(string(a.TestID), string(b.TestID)) })
	if !sorted || len(want.Changes) == 0 {
		t.Fatalf("%d changes, sorted %v", len(want.Changes), sorted)
	}
	r := rand.New(rand.NewPCG(1, 2))
	shuffled := slices.Clone(histories)
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	before := slices.Clone(shuffled)
	slices.Reverse(quarantined)
	if diff := cmp.Diff(want, flaky.Evaluate(shuffled, quarantined, flaky.PolicySeed)); diff != "" {
		t.Errorf("another order (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, shuffled); diff != "" {
		t.Errorf("the argument was modified:\n%s", diff)
	}
}

func BenchmarkEvaluate50000Tests(b *testing.B) {
	histories, quarantined := population(50_000)
	b.ReportAllocs()
	for b.Loop() {
		flaky.Evaluate(histories, quarantined, flaky.PolicySeed)
	}
}

// population returns n tests with 20 executions each, a tenth quarantined.
func population(n int) ([]flaky.History, []flaky.Entry) {
	r := rand.New(rand.NewPCG(7, 11))
	var histories []flaky.History
	var quarantined []flaky.Entry
	for i := range n {
		h := flaky.History{TestID: engine.TestID(fmt.Sprintf("tests/spec-%05d.ts › works", i))}
		failing := r.Float64() * r.Float64()
		for range 20 {
			status := engine.StatusPassed
			if r.Float64() < failing {
				status = engine.StatusFailed
			}
			h.Statuses = append(h.Statuses, status)
		}
		histories = append(histories, h)
		if i%10 == 0 {
			quarantined = append(quarantined, flaky.Entry{TestID: h.TestID, AutoUnquarantine: i%20 == 0})
		}
	}
	return histories, quarantined
}
