package sqlite

import (
	"fmt"
	"testing"

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
	want := []flaky.Run{
		{Commit: "aaa", Tests: 1},
		{Commit: "aaa", Tests: 2, Observations: []flaky.Observation{
			{Attempts: []engine.Status{"failed"}, Signatures: signature, Before: 1, BeforeMain: 1, PassedBefore: true}}},
		{Commit: "bbb", Tests: 2, Source: "pr-12", Observations: []flaky.Observation{
			{Attempts: []engine.Status{"failed", "passed"}, Signatures: signature, Place: "login.spec.ts:12", Before: 2, BeforeMain: 2}}},
		{Commit: "aaa", Tests: 1},
	}
	if diff := cmp.Diff([]engine.TestID{"t"}, got.Tests); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
	for i, run := range got.Runs {
		if ran := run.Ran(0); ran != (i < 3) {
			t.Errorf("run %d: the test ran: %v", i, ran)
		}
		got.Runs[i].Ran = nil
		if diff := cmp.Diff(want[i], got.Runs[i].Run); diff != "" {
			t.Errorf("run %d (-want +got):\n%s", i, diff)
		}
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
		judge := flaky.NewJudge(0)
		for _, run := range past.Runs {
			judge.Observe(run.Run)
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
		judge := flaky.NewJudge(0)
		for _, run := range past.Runs {
			judge.Observe(run.Run)
		}
	}
}
