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
	b := baseCheck{t, db}
	b.onlyRunsOfTheSameLeg()
	b.notWhatWasCutOff()
	b.notALegWithoutAName()
}

// baseCheck checks one database, whose runs have ascending numbers: one an hour.
type baseCheck struct {
	*testing.T
	db BaseDatabase
}

// The statuses, in short.
const passed, skipped, failed = engine.StatusPassed, engine.StatusSkipped, engine.StatusFailed

// fourTests gives a run one test that fails and three that do not.
func fourTests(r *store.Run) {
	r.Results = []engine.TestResult{Result("a", passed), Result("b", failed, passed), Result("c", failed, failed), Result("d", skipped)}
}

func testsOf(results ...engine.TestResult) func(*store.Run) {
	return func(r *store.Run) { r.Results = results }
}

// baseOfFour is what a run of fourTests, number 2, is as a base.
var baseOfFour = outcome.Base{RunID: 2, Branch: "main", Commit: "cc", Tests: 4, Failing: 1, DurationMS: 60}

func (b baseCheck) onlyRunsOfTheSameLeg() {
	b.Helper()
	b.expect(1, "without a run of the default branch", outcome.Base{}, fourTests)
	b.record(2, fourTests)
	b.expect(3, "the run before", baseOfFour, fourTests)
	for i, other := range []func(*store.Run){
		func(r *store.Run) { r.Info.Leg = "firefox" },
		func(r *store.Run) { r.Info.Job = "unit" },
		func(r *store.Run) { r.Info.WorkflowID = 6 },
		func(r *store.Run) { r.Incomplete = true },
		func(r *store.Run) { r.Info.DefaultBranch, r.Info.Branch = false, "release" },
		func(r *store.Run) { r.Info.RunID = 0 },
	} {
		b.record(4+i, testsOf(Result("other", passed)), other)
	}
	b.expect(12, "beside others", baseOfFour, fourTests)
	b.record(20, testsOf(Result("newer", passed)))
	b.expect(13, "before a newer one", baseOfFour, fourTests)
	main := b.run(14, fourTests)
	recorded := Record(b.T, b.db, main)
	b.compare("of a run of the default branch", baseOfFour, main, recorded.RunID)
}

func (b baseCheck) notWhatWasCutOff() {
	b.Helper()
	b.record(15, testsOf(Result("a", passed)))
	b.expect(16, "a run that was cut off", outcome.Base{}, fourTests)
	b.expect(17, "a run from which tests were removed", outcome.Base{RunID: 15, Branch: "main", Commit: "cp", Tests: 1, DurationMS: 10},
		testsOf(Result("a", passed), Result("e", passed)))
}

func (b baseCheck) notALegWithoutAName() {
	b.Helper()
	b.record(18, testsOf(Result("of a leg without a name", passed)), func(r *store.Run) { r.ReportDigest = "leg 2" })
	b.record(18, fourTests)
	b.expect(19, "a leg that cannot be told from another", outcome.Base{}, fourTests)
}

// run returns the run of the default branch of a number.
func (b baseCheck) run(number int, changes ...func(*store.Run)) store.Run {
	started := time.Unix(int64(number)*3600, 0)
	run := store.Run{Now: started, ReportDigest: "d", Info: engine.RunInfo{RepositoryID: 7, RunID: int64(number), RunAttempt: 1, WorkflowID: 5,
		Workflow: "acme/shop/.github/workflows/ci.yml@refs/heads/main", Job: "e2e", Leg: "webkit", Commit: "c" + string(rune('a'+number)), Branch: "main", DefaultBranch: true, StartedAt: started}}
	for _, change := range changes {
		change(&run)
	}
	return run
}

func (b baseCheck) record(number int, changes ...func(*store.Run)) {
	b.Helper()
	Record(b.T, b.db, b.run(number, changes...))
}

// expect records a run of a pull request and compares its base with want, the zero value
// for none.
func (b baseCheck) expect(number int, what string, want outcome.Base, change func(*store.Run)) {
	b.Helper()
	run := b.run(number, change)
	run.Info.DefaultBranch, run.Info.PullRequest, run.Info.Branch = false, 9, "topic"
	b.compare(what, want, run, Record(b.T, b.db, run).RunID)
}

func (b baseCheck) compare(what string, want outcome.Base, run store.Run, row int64) {
	b.Helper()
	base, found, err := b.db.Base(b.Context(), run.Info, run.ReportDigest, row)
	if err != nil {
		b.Fatal(err)
	}
	if none := want == (outcome.Base{}); found == none || found && base != want {
		b.Errorf("%s: the base is %+v, %v, want %+v", what, base, found, want)
	}
}
