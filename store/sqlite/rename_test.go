package sqlite

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/storetest"
)

func TestARenamedTestKeepsItsHistoryAndItsQuarantine(t *testing.T) {
	t.Parallel()
	main := engine.RunInfo{RepositoryID: 7, RunID: 1, DefaultBranch: true}
	pull := engine.RunInfo{RepositoryID: 7, RunID: 2, PullRequest: 12}
	db := freshDB(t)
	recordRun(t, db, ran(main, 1, "passed"))
	renamed := ran(pull, 2, "failed")
	renamed.Results[0].ID = "new" // the pull request had the new name first
	recordRun(t, db, renamed)
	now := time.Unix(1_700_000_000, 0).UTC()
	if err := db.QuarantineAdd(t.Context(), flaky.Entry{TestID: "t", Reason: "r", Since: now}, "ada"); err != nil {
		t.Fatal(err)
	}
	if ok, err := db.RenameTests(t.Context(), []flaky.Rename{{Old: "t", New: "new", Proven: true}}, now); len(ok) != 1 || err != nil {
		t.Fatalf("renamed %v, %v", ok, err)
	}
	checkHistories(t, db, 20, pull, []flaky.History{{TestID: "new", Statuses: []engine.Status{"passed", "failed"}}})
	entries, err := db.Quarantine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]flaky.Entry{{TestID: "new", Reason: "r", Since: now}}, entries); diff != "" {
		t.Errorf("quarantine (-want +got):\n%s", diff)
	}
}

func TestOnlyQuarantineByEvidenceGoesToATestThatIsLikelyTheSame(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0).UTC()
	for name, c := range map[string]struct {
		entry  flaky.Entry
		proven bool
		want   engine.TestID
	}{
		"by hand":                         {flaky.Entry{}, false, "t"},
		"by hand, until it is stable":     {flaky.Entry{AutoUnquarantine: true}, false, "t"},
		"by evidence":                     {flaky.Entry{AutoUnquarantine: true, Commits: []string{"a1"}}, false, "new"},
		"by hand, where it is proven":     {flaky.Entry{}, true, "new"},
		"by evidence, where it is proven": {flaky.Entry{AutoUnquarantine: true, Commits: []string{"a1"}}, true, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := freshDB(t)
			recordRun(t, db, ran(engine.RunInfo{}, 1, "passed"))
			c.entry.TestID, c.entry.Reason, c.entry.Since = "t", "r", now
			if err := db.QuarantineAdd(t.Context(), c.entry, "ada"); err != nil {
				t.Fatal(err)
			}
			if ok, err := db.RenameTests(t.Context(), []flaky.Rename{{Old: "t", New: "new", Proven: c.proven}}, now); len(ok) != 1 || err != nil {
				t.Fatalf("renamed %v, %v", ok, err)
			}
			c.entry.TestID = c.want
			entries, err := db.Quarantine(t.Context())
			if diff := cmp.Diff([]flaky.Entry{c.entry}, entries); err != nil || diff != "" {
				t.Errorf("%v, quarantine (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestATestWithAHistoryOfItsOwnIsNoRename(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	recordRun(t, db, ran(engine.RunInfo{}, 1, "passed"))
	other := ran(engine.RunInfo{}, 2, "failed")
	other.Results[0].ID = "new"
	recordRun(t, db, other)
	for _, r := range []flaky.Rename{{Old: "t", New: "new"}, {Old: "nobody", New: "x"}} {
		if ok, err := db.RenameTests(t.Context(), []flaky.Rename{r}, time.Unix(0, 0)); len(ok) > 0 || err != nil {
			t.Errorf("%v: renamed %v, %v", r, ok, err)
		}
	}
}

// A name that is given on in the same run is free for the test that is renamed to it.
func TestTestsOfOneRunAreRenamedOnAndOn(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	pull := engine.RunInfo{RepositoryID: 7, RunID: 2, PullRequest: 12}
	run := ran(pull, 1, "passed")
	run.Results = []engine.TestResult{storetest.Result("a", "passed"), storetest.Result("b", "failed")}
	recordRun(t, db, run)
	for i, r := range []flaky.Rename{{Old: "b", New: "c"}, {Old: "a", New: "b"}} {
		if ok, err := db.RenameTests(t.Context(), []flaky.Rename{r}, time.Unix(1_800_000_000+int64(i), 0)); len(ok) != 1 || err != nil {
			t.Fatalf("%v: renamed %v, %v", r, ok, err)
		}
	}
	checkHistories(t, db, 20, pull, []flaky.History{
		{TestID: "b", Statuses: []engine.Status{"passed"}}, {TestID: "c", Statuses: []engine.Status{"failed"}}})
}

// A run that began before a test was renamed may be recorded after it.
func TestARunFromBeforeARenameIsRecordedUnderTheNewName(t *testing.T) {
	t.Parallel()
	main := engine.RunInfo{RepositoryID: 7, RunID: 1, DefaultBranch: true}
	db := freshDB(t)
	recordRun(t, db, ran(main, 1, "passed"))
	if ok, err := db.RenameTests(t.Context(), []flaky.Rename{{Old: "t", New: "new"}}, time.Unix(1_900_000_000, 0)); len(ok) != 1 || err != nil {
		t.Fatalf("renamed %v, %v", ok, err)
	}
	main.RunID = 2
	recordRun(t, db, ran(main, 2, "failed"))
	checkHistories(t, db, 20, main, []flaky.History{{TestID: "new", Statuses: []engine.Status{"passed", "failed"}}})
}

// In a run that has results of both names the old one stays until those of the new are let go.
func TestARenamedTestTakesItsNameWhereTheOtherResultIsLetGo(t *testing.T) {
	t.Parallel()
	main := engine.RunInfo{RepositoryID: 7, DefaultBranch: true}
	db := freshDB(t)
	for n := range 3 {
		main.RunID = int64(n + 1)
		run := ran(main, n, "passed")
		run.Results = []engine.TestResult{storetest.Result("new", "passed")}
		if n == 0 {
			run.Results = append(run.Results, storetest.Result("old", "failed"))
		}
		recordRun(t, db, run)
	}
	mergeAll(t, db, &delta.Delta{Records: []delta.Record{&delta.Rename{Old: "old", New: "new", At: 1_900_000_000}}})
	checkHistories(t, db, 20, main, []flaky.History{
		{TestID: "new", Statuses: []engine.Status{"passed", "passed", "passed"}}, {TestID: "old", Statuses: []engine.Status{"failed"}}})
	if err := db.Retain(t.Context(), store.Retention{Runs: 2, Now: time.Unix(1_900_000_001, 0)}); err != nil {
		t.Fatal(err)
	}
	checkHistories(t, db, 20, main, []flaky.History{{TestID: "new", Statuses: []engine.Status{"failed", "passed", "passed"}}})
}
