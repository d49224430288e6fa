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

func TestEvidenceIsTheHistoryAsTheJudgeObservesIt(t *testing.T) {
	t.Parallel()
	main := engine.RunInfo{RepositoryID: 7, RunID: 1, DefaultBranch: true, Branch: "main", Commit: "aaa"}
	again := main
	again.RunID = 2
	pull := engine.RunInfo{RepositoryID: 7, RunID: 3, PullRequest: 12, Commit: "bbb"}
	flake := engine.TestResult{ID: "t", File: "login.spec.ts", Line: 12, Attempts: []engine.Attempt{
		{Status: "failed", Message: "Timeout 30000ms exceeded"}, {Status: "passed"}}}
	red := engine.TestResult{ID: "t", Attempts: []engine.Attempt{{Status: "failed", Message: "Timeout 1ms exceeded"}}}
	db := freshDB(t)
	for i, run := range []store.Run{ran(main, 1, "passed"), ran(again, 2, ""), ran(pull, 3, ""), ran(main, 4, "passed")} {
		if i == 1 {
			run.Results = []engine.TestResult{red, storetest.Result("other", "passed")}
		}
		if i == 2 {
			run.Results = []engine.TestResult{flake, storetest.Result("other", "passed")}
		}
		if i == 3 {
			run.Info.RunID, run.Results = 9, []engine.TestResult{storetest.Result("other", "passed")}
		}
		recordRun(t, db, run)
	}
	mustSave(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := mustOpen(t, db.path).Evidence(t.Context(), main)
	if err != nil {
		t.Fatal(err)
	}
	signature := []string{"Timeout <n>ms exceeded"}
	at := func(minute int) time.Time {
		return time.Unix(1_700_000_000, 0).Add(time.Duration(minute) * time.Minute)
	}
	// The three runs of aaa are one commit, which the one of bbb follows.
	want := []flaky.Run{
		{Commit: "aaa", Tests: 1, At: at(1)},
		{Commit: "aaa", Tests: 2, At: at(1), Observations: []flaky.Observation{{Attempts: []engine.Status{"failed"}, Signatures: signature}}},
		{Commit: "aaa", Tests: 1, At: at(1)},
		{Commit: "bbb", Tests: 2, Sources: []string{"pr-12"}, At: at(3), Observations: []flaky.Observation{
			{Attempts: []engine.Status{"failed", "passed"}, Signatures: signature, Place: "login.spec.ts:12", Before: 1, BeforeMain: 1}}},
	}
	if diff := cmp.Diff([]engine.TestID{"t"}, got.Tests); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
	for i, run := range got.Runs {
		if ran := run.Ran(0); ran != (i != 2) {
			t.Errorf("run %d: the test ran: %v", i, ran)
		}
		got.Runs[i].Ran = nil
		if diff := cmp.Diff(want[i], got.Runs[i].Run); diff != "" {
			t.Errorf("run %d (-want +got):\n%s", i, diff)
		}
	}
}

// The default branch's evidence stays in the window, however often pull requests run.
func TestRunsOfPullRequestsLeaveTheDefaultBranchItsWindow(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	for i := range 30 {
		recordRun(t, db, ran(engine.RunInfo{RepositoryID: 7, RunID: int64(i + 1), DefaultBranch: true, Commit: fmt.Sprint("m", i)}, i, "failed"))
	}
	if _, err := db.sql.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO runs (repository_id, repository, run_id, run_attempt, workflow, job, leg, report_digest, ordinal, origin, commit_sha, head_sha,
			branch, pull_request, fork, incomplete, started_at, recorded_at, result_count, payload_digest)
		SELECT 7, '', 1000 + i, 1, '', '', '', '', 0, 3, 'p' || i, '', '', 9, 0, 0, 1800000000 + i, 1800000000 + i, 0, x'00' FROM n`, store.EvidenceRuns+600); err != nil {
		t.Fatal(err)
	}
	past, err := db.Evidence(t.Context(), engine.RunInfo{RepositoryID: 7})
	if err != nil {
		t.Fatal(err)
	}
	onMain := 0
	for _, run := range past.Runs {
		if len(run.Sources) == 0 {
			onMain++
		}
	}
	if others := len(past.Runs) - onMain; onMain != 30 || others != store.EvidenceWindow(store.EvidenceRuns+600) {
		t.Errorf("the window has %d runs of the default branch and %d others", onMain, others)
	}
}

// Rows of before hold the clock of a runner, which can be years off. The run is put
// where its number says, so that it is not the newest one for ever.
func TestARunWhoseClockLiesStandsWhereItsNumberSays(t *testing.T) {
	t.Parallel()
	for _, lie := range []int{5_000_000, -5_000_000} {
		db := freshDB(t)
		for i := range 9 {
			minute := i
			if i == 3 {
				minute = lie
			}
			recordRun(t, db, ran(engine.RunInfo{RepositoryID: 7, RunID: int64(i + 1), DefaultBranch: true, Commit: fmt.Sprint("m", i)}, minute, "failed"))
		}
		past, err := db.Evidence(t.Context(), engine.RunInfo{RepositoryID: 7})
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		for _, run := range past.Runs {
			order = append(order, run.Commit)
		}
		if diff := cmp.Diff([]string{"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"}, order); diff != "" {
			t.Errorf("%d minutes off (-want +got):\n%s", lie, diff)
		}
	}
}

// The suite is the tests of the newest complete run of each leg on the default branch:
// shards add up, legs of the same tests do not.
func TestTheSuiteIsWhatTheNewestCompleteRunsHave(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	record := func(run int, leg, test string, tests int, change func(*store.Run)) {
		r := ran(engine.RunInfo{RepositoryID: 7, RunID: int64(run), Job: "e2e", Leg: leg, DefaultBranch: true, Commit: fmt.Sprint("m", run)}, run, "passed")
		r.Results = nil
		for i := range tests {
			r.Results = append(r.Results, storetest.Result(fmt.Sprint(test, i), "passed"))
		}
		if change != nil {
			change(&r)
		}
		recordRun(t, db, r)
	}
	record(1, "large and gone", "old", 500, nil)
	for run := 2; run < 24; run++ {
		record(run, "linux", "t", 30, nil)
		record(run, "windows", "t", 30, nil)
		record(run, "shard", "s", 10, nil)
	}
	record(24, "linux", "t", 7, func(r *store.Run) { r.Incomplete = true })
	record(25, "linux", "p", 900, func(r *store.Run) { r.Info.DefaultBranch, r.Info.PullRequest = false, 12 })
	h := storetest.ObserveAll(t, db, 0)
	if got, err := db.CountSuite(t.Context(), h); err != nil || got != 40 {
		t.Errorf("the suite has %d tests, %v; want 40", got, err)
	}
}

// One in fifty tests fails in each run, so that two in five failed once.
func BenchmarkJudge50kx20(b *testing.B) {
	db := mustOpen(b, bigFile(b, 20, 50_000))
	for b.Loop() {
		past, err := db.Evidence(b.Context(), engine.RunInfo{RepositoryID: 7})
		if err != nil {
			b.Fatal(err)
		}
		judge := flaky.NewJudge()
		for _, c := range past.Commits() {
			judge.Observe(c)
		}
	}
}

// One in five hundred tests is flaky, as in a suite people live with.
func BenchmarkJudge50kx20Usual(b *testing.B) {
	db := freshDB(b)
	for i := range 20 {
		run := storetest.Run(i, 50_000)
		for t := range run.Results {
			a := &run.Results[t].Attempts[0]
			*a = engine.Attempt{Status: engine.StatusPassed}
			if t%500 == i {
				*a = engine.Attempt{Status: engine.StatusFailed, Message: fmt.Sprint("Timeout ", t, "ms")}
			}
		}
		recordRun(b, db, run)
	}
	for b.Loop() {
		past, err := db.Evidence(b.Context(), engine.RunInfo{RepositoryID: 7})
		if err != nil {
			b.Fatal(err)
		}
		judge := flaky.NewJudge()
		for _, c := range past.Commits() {
			judge.Observe(c)
		}
	}
}
