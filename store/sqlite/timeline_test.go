package sqlite

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/store"
)

func timeline(tb testing.TB, db *DB, limit int, since time.Time) outcome.Timeline {
	tb.Helper()
	got, err := db.Timeline(tb.Context(), limit, since)
	if err != nil {
		tb.Fatal(err)
	}
	return got
}

// leg is one leg of the nth run of a workflow, n minutes on.
func leg(n int, name string, results ...engine.TestResult) store.Run {
	at := time.Unix(1_700_000_000, 0).Add(time.Duration(n) * time.Minute)
	info := engine.RunInfo{RepositoryID: 7, Repository: "acme/shop", RunID: int64(n), RunAttempt: 1, Workflow: "ci", Job: "e2e", Leg: name,
		DefaultBranch: true, Branch: "main", Commit: "c", StartedAt: at}
	return store.Run{Info: info, Results: results, Now: at}
}

func attempts(id string, ms float64, statuses ...engine.Status) engine.TestResult {
	r := engine.TestResult{ID: engine.TestID(id)}
	for _, s := range statuses {
		r.Attempts = append(r.Attempts, engine.Attempt{Status: s, DurationMS: ms})
	}
	return r
}

func TestTimelineHasAColumnForEachRunWithAllItsLegs(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	pull := leg(9, "", attempts("a", 1, "failed"))
	pull.Info.PullRequest, pull.Info.DefaultBranch = 3, false
	healed := leg(2, "firefox", attempts("b", 30, "passed"))
	healed.HealedTests = []engine.TestID{"b"}
	for _, run := range []store.Run{
		healed, // recorded first, began later
		leg(1, "chromium", attempts("a", 10, "passed")), leg(1, "firefox", attempts("b", 20, "failed")),
		leg(2, "chromium", attempts("a", 40, "failed", "passed"), attempts("c", 0, "skipped")), pull,
	} {
		recordRun(t, db, run)
	}
	n, p, h, x, s, f := outcome.CellNone, outcome.CellPassed, outcome.CellHealed, outcome.CellFlaky, outcome.CellSkipped, outcome.CellFailed
	run := func(n int64, passed, failed, flaky, skipped int, ms float64) outcome.TimelineRun {
		return outcome.TimelineRun{Started: time.Unix(1_700_000_000+60*n, 0).UTC(), Repository: "acme/shop", RunID: n, Attempt: 1, Commit: "c", Branch: "main",
			Passed: passed, Failed: failed, Flaky: flaky, Skipped: skipped, DurationMS: ms}
	}
	want := outcome.Timeline{
		Runs: []outcome.TimelineRun{run(1, 1, 1, 0, 0, 30), run(2, 1, 0, 1, 1, 70)},
		Tests: []outcome.TimelineTest{
			{TestID: "a", Cells: []outcome.Cell{p, x}, DurationMS: []float32{10, 40}, Errors: map[int]string{1: "no message"}},
			{TestID: "b", Cells: []outcome.Cell{f, h}, DurationMS: []float32{20, 30}, Errors: map[int]string{0: "no message"}},
			{TestID: "c", Cells: []outcome.Cell{n, s}, DurationMS: []float32{0, 0}},
		},
	}
	if diff := cmp.Diff(want, timeline(t, db, 300, time.Unix(0, 0))); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
	last := outcome.Timeline{Runs: want.Runs[1:], Tests: []outcome.TimelineTest{
		{TestID: "a", Cells: []outcome.Cell{x}, DurationMS: []float32{40}, Errors: map[int]string{0: "no message"}},
		{TestID: "b", Cells: []outcome.Cell{h}, DurationMS: []float32{30}},
		{TestID: "c", Cells: []outcome.Cell{s}, DurationMS: []float32{0}},
	}}
	if diff := cmp.Diff(last, timeline(t, db, 1, time.Unix(0, 0))); diff != "" {
		t.Errorf("timeline of the last run (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(last, timeline(t, db, 300, time.Unix(1_700_000_000+90, 0))); diff != "" {
		t.Errorf("timeline since (-want +got):\n%s", diff)
	}
}

func TestTimelineShowsTheWorstOfATestThatRanTwiceInARun(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	flaky, failed := attempts("a", 10, "failed", "passed"), attempts("a", 10, "failed", "failed")
	flaky.Attempts[0].Message, failed.Attempts[0].Message, failed.Attempts[1].Message = "slow", "odd", "broken"
	recordRun(t, db, leg(1, "chromium", flaky))
	recordRun(t, db, leg(1, "webkit", failed))
	recordRun(t, db, leg(1, "firefox", attempts("a", 10, "passed")))
	got := timeline(t, db, 300, time.Unix(0, 0)).Tests[0]
	if got.Cells[0] != outcome.CellFailed {
		t.Errorf("cell %d, want failed", got.Cells[0])
	}
	if diff := cmp.Diff(map[int]string{0: "broken"}, got.Errors); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}
