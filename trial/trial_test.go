package trial

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/proxy"
)

func TestOnlyATestThatFailsInEveryControlProvesAnEdit(t *testing.T) {
	t.Parallel()
	last := func(asWritten, hidden, undone, other, another, atLast status) map[run]status {
		return map[run]status{proxy.AsWritten: asWritten, proxy.Hidden: hidden, proxy.Undone: undone, proxy.Other: other, proxy.Another: another, again: atLast}
	}
	of := func(asWritten, hidden, undone, other, another status) map[run]status {
		return last(asWritten, hidden, undone, other, another, green)
	}
	for _, c := range []struct {
		name       string
		tests      []map[run]status
		green, red int
		reason     string
	}{
		{"a test that needs it", []map[run]status{of(green, red, red, red, red)}, 1, 1, ""},
		{"no second element of its kind", []map[run]status{of(green, red, red, red, unsuited)}, 1, 1, ""},
		{"a read, which leaves nothing undone", []map[run]status{of(green, red, unsuited, red, red)}, 1, 1, ""},
		{"one of two needs it", []map[run]status{of(green, red, green, red, red), of(green, red, red, red, red)}, 2, 1, ""},
		{"each is red in another control", []map[run]status{of(green, red, green, red, red), of(green, red, red, green, red)}, 2, 0, engine.TrialUndone},
		{"red with the edit", []map[run]status{of(red, "", "", "", ""), of(green, red, red, red, red)}, 1, 1, engine.TrialRed},
		{"no call on it", []map[run]status{of(unused, "", "", "", "")}, 1, 0, engine.TrialUnused},
		{"passes without it", []map[run]status{of(green, green, red, red, red)}, 1, 0, engine.TrialHidden},
		{"passes with nothing done", []map[run]status{of(green, red, green, red, red)}, 1, 0, engine.TrialUndone},
		{"passes with another", []map[run]status{of(green, red, red, green, red)}, 1, 0, engine.TrialOther},
		{"passes with yet another", []map[run]status{of(green, red, red, red, green)}, 1, 0, engine.TrialOther},
		{"only hidden", []map[run]status{of(green, red, unsuited, unsuited, unsuited)}, 1, 0, engine.TrialNotRun},
		{"a control did not run", []map[run]status{of(green, red, red, red, unknown)}, 1, 0, engine.TrialNotRun},
		{"fails by chance", []map[run]status{last(green, red, red, red, red, red)}, 0, 0, engine.TrialRed},
		{"did not run again", []map[run]status{last(green, red, red, red, red, unknown)}, 1, 0, engine.TrialNotRun},
	} {
		e := edit{outcomes: map[engine.TestID]map[run]status{}}
		for i, runs := range c.tests {
			e.outcomes[engine.NewTestID(strings.Repeat("t", i+1))] = runs
		}
		got := e.trial()
		want := engine.Trial{Tests: len(c.tests), Green: c.green, Red: c.red, Reason: c.reason}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestARunSaysOfATestWhatItsTargetsSay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		control run
		passed  bool
		noted   proxy.Noted
		before  status
		want    status
	}{
		{proxy.AsWritten, true, proxy.NotedDone, unknown, green},
		{proxy.AsWritten, true, "", unknown, unused},
		{proxy.AsWritten, true, "", green, green},
		{proxy.AsWritten, false, proxy.NotedDone, unknown, red},
		{again, true, proxy.NotedDone, unknown, green},
		{again, true, "", unknown, unused},
		{again, false, "", unknown, red},
		{again, false, proxy.NotedDone, unknown, red},
		{proxy.Hidden, false, proxy.NotedDone, unknown, red},
		{proxy.Hidden, true, proxy.NotedDone, unknown, green},
		{proxy.Hidden, false, "", unknown, unknown}, // it failed of something else
		{proxy.Undone, true, proxy.NotedUnsuited, unknown, unsuited},
		{proxy.Undone, true, proxy.NotedUnsuited, red, red},
		{proxy.Undone, false, proxy.NotedDone, unsuited, red},
	} {
		if got := statusOf(c.control, c.passed, c.noted, c.before); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestNoTestHasTwoEditsInOneControl(t *testing.T) {
	t.Parallel()
	of := func(ids ...engine.TestID) *edit {
		e := &edit{outcomes: map[engine.TestID]map[run]status{}}
		for _, id := range ids {
			e.outcomes[id] = nil
		}
		return e
	}
	a, b, c, d := of("1", "2"), of("3"), of("2"), of("3", "4")
	if got := apart([]*edit{a, b, c, d}); len(got) != 2 || len(got[0]) != 2 || got[1][0] != c || got[1][1] != d {
		t.Errorf("%v", got)
	}
}

func TestEqualEditsAreTriedOnceWithAllTheirTests(t *testing.T) {
	t.Parallel()
	at := &patch.Edit{File: "a.ts", Line: 1}
	of := func(test engine.TestID, e *patch.Edit, sameAs int, confidence float64) patch.Proposal {
		return patch.Proposal{Heal: engine.HealEvent{TestID: test}, Locator: "#b", Edit: e, SameAs: sameAs, Confidence: confidence}
	}
	follow := of("4", &patch.Edit{File: "c.ts"}, 0, 1)
	follow.Cause = patch.Cause{Test: "1"}
	got := editsOf([]patch.Proposal{of("1", at, 0, 0.8), of("2", at, 1, 0.8), of("3", nil, 0, 1), of("3", &patch.Edit{File: "b.ts"}, 0, 0.9), follow})
	if len(got) != 2 || got[0].File != "b.ts" || len(got[1].uses) != 2 || len(got[1].outcomes) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestAControlGivesATestAboutTheTimeItTook(t *testing.T) {
	t.Parallel()
	x := &trying{took: map[engine.TestID]time.Duration{"quick": time.Second, "slow": 20 * time.Second}, own: map[engine.TestID]time.Duration{"slow": 30 * time.Second}}
	for _, c := range []struct {
		tests      []engine.TestID
		call, test time.Duration
	}{
		{[]engine.TestID{"quick"}, 5 * time.Second, 10 * time.Second},
		{[]engine.TestID{"slow"}, 30 * time.Second, 30 * time.Second},
		{[]engine.TestID{"quick", "slow"}, 30 * time.Second, 30 * time.Second},
	} {
		if call, test := x.limits(c.tests); call != c.call || test != c.test {
			t.Errorf("%v: %s a call, %s a test", c.tests, call, test)
		}
	}
}

func TestACommandThatCannotBeFilteredIsNotTried(t *testing.T) {
	t.Parallel()
	o := Options{Command: []string{"make", "e2e"}, Root: t.TempDir(), Time: time.Minute, Log: slog.New(slog.DiscardHandler)}
	if result, err := Run(context.Background(), o); err != nil || !strings.Contains(result.Why, "no test runner") {
		t.Errorf("%+v, %v", result, err)
	}
	o.Command = []string{"pytest"}
	if result, err := Run(context.Background(), o); err != nil || result.Why != "no locator has an edit" {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestATrialSaysThatItsTimeWasOver(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "test_shop.py"), []byte("page.locator('#a')\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := patch.Proposal{Heal: engine.HealEvent{TestID: "test_shop.py::test_pays"}, Locator: "#b", Edit: &patch.Edit{File: "test_shop.py", Line: 1}}
	result, err := Run(context.Background(), Options{Command: []string{"pytest"}, Root: root, Folder: root, Proposals: []patch.Proposal{p}, Time: time.Nanosecond, Now: time.Now})
	if err != nil || !result.Over || result.Left != 1 || result.Why != "" {
		t.Errorf("%+v, %v", result, err)
	}
}
