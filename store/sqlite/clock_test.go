package sqlite

import (
	"fmt"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/storetest"
)

// ahead is how far the clock of a runner may be off.
const ahead = 60 * 365 * 24 * time.Hour

// ofClock is a run of storetest as a runner with a wrong clock recorded it.
func ofClock(number int, off time.Duration) store.Run {
	run := storetest.Run(number, 3)
	run.Info.StartedAt = run.Info.StartedAt.Add(off)
	return run
}

func TestAClockThatRunsAheadDeletesNoLaterRun(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	wrong := &delta.Delta{Schema: schemaVersion, Records: []delta.Record{&delta.Retention{Before: store.Unix(ofClock(1, ahead).Info.StartedAt)}}}
	for number := range 5 {
		recordRun(t, db, ofClock(number, 0))
		mergeAll(t, db, wrong) // again and again, from whoever still has it
		now := ofClock(number, 0).Info.StartedAt
		if err := db.Retain(t.Context(), store.Retention{Before: now.Add(-30 * 24 * time.Hour), Now: now}); err != nil {
			t.Fatal(err)
		}
	}
	if stats, err := db.Stats(t.Context()); err != nil || stats.Runs != 5 || stats.Results != 15 {
		t.Errorf("%+v, %v; want all 5 runs", stats, err)
	}
	facts, err := db.Facts(t.Context())
	if err != nil || facts.Watermark.After(ofClock(5, 0).Info.StartedAt) {
		t.Errorf("the mark is %v, %v", facts.Watermark, err)
	}
}

func TestRunsOfAClockThatRanAheadPushNoLaterOnesOut(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	for number := range 6 {
		recordRun(t, db, ofClock(number, ahead))
	}
	for number := 6; number < 9; number++ {
		recordRun(t, db, ofClock(number, 0))
	}
	if err := db.Retain(t.Context(), store.Retention{Runs: 3, Now: ofClock(9, 0).Info.StartedAt}); err != nil {
		t.Fatal(err)
	}
	for number := range 9 {
		if kept := recordRun(t, db, ofClock(number, map[bool]time.Duration{true: ahead}[number < 6])).Duplicate; kept != (number >= 6) {
			t.Errorf("run %d is kept: %v", number, kept)
		}
	}
}

func TestKnownTestsAreThoseOfNoRunAhead(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	for number, off := range []time.Duration{0, ahead, 0} {
		run := ofClock(number, off)
		run.Results = []engine.TestResult{storetest.Result(fmt.Sprint("of run ", number), engine.StatusPassed)}
		recordRun(t, db, run)
	}
	next := ofClock(3, 0)
	ids, err := db.KnownTests(t.Context(), next.Info, next.ReportDigest)
	if err != nil || len(ids) != 1 || ids[0] != "of run 2" {
		t.Errorf("known are %q, %v", ids, err)
	}
}

// TestRunsOfPullRequestsPushOutNoneOfTheDefaultBranch: each ledger keeps so many.
func TestRunsOfPullRequestsPushOutNoneOfTheDefaultBranch(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	for number := range 40 {
		run := ofClock(number, 0)
		if number >= 5 {
			run.Info.PullRequest, run.Info.DefaultBranch, run.Info.Branch = 1+number%3, false, "topic"
		}
		recordRun(t, db, run)
		if err := db.Retain(t.Context(), store.Retention{Runs: 5, Now: run.Info.StartedAt}); err != nil {
			t.Fatal(err)
		}
	}
	histories, err := db.Histories(t.Context(), 0, engine.RunInfo{RepositoryID: 7})
	if err != nil || len(histories) != 3 || len(histories[0].Statuses) != 5 {
		t.Errorf("of the default branch are left %v, %v", histories, err)
	}
}
