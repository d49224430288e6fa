package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/store"
)

// BaseDatabase is what CheckBase needs of a database.
type BaseDatabase interface {
	Database
	Base(ctx context.Context, info engine.RunInfo, reportDigest string, run int64) (outcome.Base, bool, error)
}

// CheckBase checks which run another one is compared with: the newest complete run of the
// default branch before it, of the same workflow, job and leg, unless it was cut off.
func CheckBase(t *testing.T, db BaseDatabase) {
	t.Helper()
	const passed, skipped, failed = engine.StatusPassed, engine.StatusSkipped, engine.StatusFailed
	at := func(number int, change func(*store.Run)) store.Run {
		started := time.Unix(int64(number)*3600, 0)
		run := store.Run{Now: started, ReportDigest: "d", Info: engine.RunInfo{RepositoryID: 7, RunID: int64(number), RunAttempt: 1, WorkflowID: 5,
			Workflow: "acme/shop/.github/workflows/ci.yml@refs/heads/main", Job: "e2e", Leg: "webkit", Commit: "c" + string(rune('a'+number)), Branch: "main", DefaultBranch: true, StartedAt: started}}
		if change != nil {
			change(&run)
		}
		return run
	}
	results := func(results ...engine.TestResult) func(*store.Run) {
		return func(r *store.Run) { r.Results = results }
	}
	compare := func(run store.Run) (outcome.Base, bool) {
		t.Helper()
		run.Info.DefaultBranch, run.Info.PullRequest, run.Info.Branch = false, 9, "topic"
		recorded := Record(t, db, run)
		base, found, err := db.Base(t.Context(), run.Info, run.ReportDigest, recorded.RunID)
		if err != nil {
			t.Fatal(err)
		}
		return base, found
	}
	three := results(Result("a", passed), Result("b", failed, passed), Result("c", failed, failed), Result("d", skipped))
	if base, found := compare(at(1, three)); found {
		t.Errorf("without a run of the default branch the base is %+v", base)
	}
	Record(t, db, at(2, three))
	want := outcome.Base{RunID: 2, Branch: "main", Commit: "cc", Tests: 4, Failing: 1, DurationMS: 60}
	expect := func(number int, what string, change func(*store.Run)) {
		t.Helper()
		if base, found := compare(at(number, change)); !found || base != want {
			t.Errorf("%s: the base is %+v, %v", what, base, found)
		}
	}
	expect(3, "the run before", three)
	for i, other := range []func(*store.Run){
		func(r *store.Run) { r.Info.Leg = "firefox" },
		func(r *store.Run) { r.Info.Job = "unit" },
		func(r *store.Run) { r.Info.WorkflowID = 6 },
		func(r *store.Run) { r.Incomplete = true },
		func(r *store.Run) { r.Info.DefaultBranch, r.Info.Branch = false, "release" },
		func(r *store.Run) { r.Info.RunID = 0 },
	} {
		Record(t, db, at(4+i, func(r *store.Run) {
			r.Results = []engine.TestResult{Result("other", passed)}
			other(r)
		}))
	}
	expect(12, "beside others", three)
	Record(t, db, at(20, results(Result("newer", passed))))
	expect(13, "before a newer one", three)

	main := at(14, three)
	recorded := Record(t, db, main)
	if base, found, err := db.Base(t.Context(), main.Info, main.ReportDigest, recorded.RunID); err != nil || !found || base != want {
		t.Errorf("of a run of the default branch the base is %+v, %v, %v", base, found, err)
	}
	Record(t, db, at(15, results(Result("a", passed))))
	if base, found := compare(at(16, three)); found {
		t.Errorf("a run that was cut off is the base: %+v", base)
	}
	if base, found := compare(at(17, results(Result("a", passed), Result("e", passed)))); !found || base.Tests != 1 {
		t.Errorf("a run from which tests were removed is no base: %+v, %v", base, found)
	}
	Record(t, db, at(18, func(r *store.Run) {
		r.Results, r.ReportDigest = []engine.TestResult{Result("of a leg without a name", passed)}, "leg 2"
	}))
	Record(t, db, at(18, three))
	if base, found := compare(at(19, three)); found {
		t.Errorf("a leg that cannot be told from another is the base: %+v", base)
	}
}
