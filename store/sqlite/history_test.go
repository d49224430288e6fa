package sqlite

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/storetest"
)

func checkHistories(tb testing.TB, db *DB, window int, info engine.RunInfo, want []flaky.History) {
	tb.Helper()
	got, err := db.Histories(tb.Context(), window, info)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("histories (-want +got):\n%s", diff)
	}
}

// ran is a run of one test at minute minute.
func ran(info engine.RunInfo, minute int, status engine.Status) store.Run {
	info.StartedAt = time.Unix(1_700_000_000, 0).Add(time.Duration(minute) * time.Minute)
	return store.Run{Info: info, ReportDigest: fmt.Sprint(1000 - minute), Results: []engine.TestResult{storetest.Result("t", status)}, Now: info.StartedAt}
}

func TestOnlyTrustedRowsAndTheOwnPullRequestCount(t *testing.T) {
	t.Parallel()
	main := engine.RunInfo{RepositoryID: 7, RunID: 1, DefaultBranch: true, Branch: "main"}
	pr := engine.RunInfo{RepositoryID: 7, RunID: 2, PullRequest: 12}
	db := freshDB(t)
	for _, run := range []store.Run{
		ran(main, 1, "passed"),
		ran(pr, 2, "failed"),
		ran(engine.RunInfo{RepositoryID: 7, RunID: 3, PullRequest: 13}, 3, "error"),
		ran(engine.RunInfo{RepositoryID: 7, RunID: 4, PullRequest: 14, Fork: true, DefaultBranch: true}, 4, "error"),
		ran(engine.RunInfo{RepositoryID: 7, RunID: 5, Branch: "feature"}, 5, "error"),
		ran(engine.RunInfo{RepositoryID: 8, RunID: 6, DefaultBranch: true}, 6, "error"),
		ran(engine.RunInfo{RepositoryID: 8, RunID: 7, PullRequest: 12}, 7, "error"),
		ran(engine.RunInfo{}, 8, "skipped"),
	} {
		recordRun(t, db, run)
	}
	checkHistories(t, db, 20, main, []flaky.History{{TestID: "t", Statuses: []engine.Status{"passed", "skipped"}}})
	checkHistories(t, db, 20, pr, []flaky.History{{TestID: "t", Statuses: []engine.Status{"passed", "failed", "skipped"}}})
}

func TestHistoriesAreInOrderOfTimeNotOfRecording(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	for i, minute := range []int{30, 10, 40, 20} {
		recordRun(t, db, ran(engine.RunInfo{}, minute, store.Statuses[i]))
	}
	checkHistories(t, db, 20, engine.RunInfo{}, []flaky.History{
		{TestID: "t", Statuses: []engine.Status{"skipped", "error", "passed", "failed"}}})
	checkHistories(t, db, 2, engine.RunInfo{}, []flaky.History{
		{TestID: "t", Statuses: []engine.Status{"passed", "failed"}}})
}

func known(tb testing.TB, db *DB, info engine.RunInfo, digest string) []engine.TestID {
	tb.Helper()
	ids, err := db.KnownTests(tb.Context(), info, digest)
	if err != nil {
		tb.Fatal(err)
	}
	return ids
}

func TestKnownTestsAreThoseOfTheLastRunOfTheSameKind(t *testing.T) {
	t.Parallel()
	job := func(info engine.RunInfo) engine.RunInfo {
		info.RepositoryID, info.RunAttempt, info.Job, info.Leg = 7, 1, "e2e", "chromium"
		info.Workflow = "acme/shop/.github/workflows/ci.yml@refs/heads/main"
		if info.PullRequest > 0 {
			info.Workflow = fmt.Sprintf("acme/shop/.github/workflows/ci.yml@refs/pull/%d/merge", info.PullRequest)
		}
		return info
	}
	main := job(engine.RunInfo{RunID: 1, DefaultBranch: true, Branch: "main"})
	next := job(engine.RunInfo{RunID: 100, DefaultBranch: true, Branch: "main"})
	pr := job(engine.RunInfo{RunID: 101, PullRequest: 12})
	db := freshDB(t)
	if got := known(t, db, next, "x"); got != nil {
		t.Errorf("an empty database knows %v", got)
	}
	add := func(info engine.RunInfo, minute int, change func(*store.Run), ids ...string) {
		t.Helper()
		run := ran(info, minute, "passed")
		run.Results = nil
		for _, id := range ids {
			run.Results = append(run.Results, storetest.Result(id, "passed"))
		}
		if change != nil {
			change(&run)
		}
		recordRun(t, db, run)
	}
	add(main, 1, nil, "b", "a")
	check := func(what string, info engine.RunInfo, want ...engine.TestID) {
		t.Helper()
		if diff := cmp.Diff(want, known(t, db, info, "x")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	check("after the first run", next, "a", "b")
	add(main, 2, func(r *store.Run) { r.Info.Leg = "firefox" }, "other leg")
	add(main, 3, func(r *store.Run) { r.Info.RunID, r.Incomplete = 2, true }, "a")
	add(main, 4, func(r *store.Run) { r.Info.RunID = 3 })
	add(pr, 5, func(r *store.Run) { r.Info.RunID = 4; r.Info.PullRequest = 99 }, "other pull request")
	add(next, 6, nil, "this very run")
	add(main, 7, func(r *store.Run) { r.Info.RunID, r.Info.RepositoryID = 5, 8 }, "other repository")
	add(main, 8, func(r *store.Run) {
		r.Info.RunID, r.Info.Workflow = 6, "acme/shop/.github/workflows/ci.yml.old@refs/heads/main"
	}, "other workflow")
	check("other legs, gaps, empty runs, other pull requests, repositories, workflows and itself", next, "a", "b")
	add(main, 8, func(r *store.Run) { r.Info.RunID = 8 }, "a", "c")
	check("after the next run", next, "a", "c")
	check("a pull request without runs", pr, "a", "c") // on another ref than the default branch's
	add(pr, 7, func(r *store.Run) { r.Info.RunID = 9 }, "p")
	check("a pull request's own last run comes first", pr, "p")
	check("and only there", next, "a", "c")
}

func TestALocalRunIsNotItsOwnPredecessor(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	recordRun(t, db, ran(engine.RunInfo{}, 1, "passed"))
	if got := known(t, db, engine.RunInfo{}, "999"); got != nil {
		t.Errorf("recorded again, the run expects %v of itself", got)
	}
	if got := known(t, db, engine.RunInfo{}, "2"); len(got) != 1 {
		t.Errorf("the next run expects %v, want t", got)
	}
}

func TestLastRun(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	if _, ok, err := db.LastRun(t.Context()); ok || err != nil {
		t.Errorf("an empty database has a last run: %v", err)
	}
	run := storetest.Run(3, 4)
	run.Incomplete = true
	recorded := recordRun(t, db, run)
	got, ok, err := db.LastRun(t.Context())
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	want := store.RunFacts{ID: recorded.RunID, Info: run.Info, ReportDigest: run.ReportDigest, Results: 4, Incomplete: true, RecordedAt: run.Now}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })); diff != "" {
		t.Errorf("last run (-want +got):\n%s", diff)
	}
}

func TestSeedRowsBecomeRunsOfTheirOwn(t *testing.T) {
	t.Parallel()
	f := newSeed(t, 2)
	for _, r := range []struct {
		test string
		at   float64
	}{{"a", 3}, {"b", 4}, {"a", 1}, {"b", 2}, {"a", 5}, {"a", 6}} {
		f.run(r.test, "passed", r.at)
	}
	f.exec(seedInsertRun, "a", "exploded", 1.0, 0, nil, nil, 9.0)
	f.close()
	db := mustOpen(t, f.path)
	stats, err := db.Stats(t.Context())
	if err != nil || stats.Runs != 4 || stats.Results != 6 {
		t.Errorf("%+v, %v; want the runs ab, ab, a, a", stats, err)
	}
	if len(db.Notices()) != 1 {
		t.Errorf("notices %v; want one for the row with a strange status", db.Notices())
	}
}

func TestTheSameSeedRowsFromAnotherCopyAddNothing(t *testing.T) {
	t.Parallel()
	path := filledSeed(t)
	copied := copyFiles(t, path)
	saveOver(t, path)
	before := dumpFile(t, path)

	// The other copy has the same rows under other ids, and two more.
	old := openSeed(t, copied)
	old.exec(`UPDATE test_runs SET id = id + 1000`)
	rows, err := old.db.QueryContext(t.Context(), `SELECT test_id, status, timestamp FROM test_runs`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	f := openSeed(t, path)
	for rows.Next() {
		var test, status string
		var at float64
		if err := rows.Scan(&test, &status, &at); err != nil {
			t.Fatal(err)
		}
		f.run(test, status, at)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	f.close()
	if diff := cmp.Diff(before, dumpFile(t, path)); diff != "" {
		t.Errorf("rows that were there (-before +after):\n%s", diff)
	}
	f = openSeed(t, path)
	f.run("a", "passed", 1700000000) // a second equal row is a second execution
	f.run("new", "passed", 1700000000)
	f.close()
	stats, err := mustOpen(t, path).Stats(t.Context())
	if err != nil || stats.Results != 6+2 {
		t.Errorf("%+v, %v; want 8 results", stats, err)
	}
}

func TestARunsIdentityIsKept(t *testing.T) {
	t.Parallel()
	storetest.CheckIdentity(t, freshDB(t))
}

func TestACalledJobHasTheHistoryOfItsCaller(t *testing.T) {
	t.Parallel()
	storetest.CheckCallers(t, freshDB(t))
}

func TestARunIsComparedWithTheLastWholeOneOfTheDefaultBranch(t *testing.T) {
	storetest.CheckBase(t, freshDB(t))
}
