package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
)

// IdentityDatabase is what CheckIdentity needs of a database.
type IdentityDatabase interface {
	Database
	KnownTests(context.Context, engine.RunInfo, string) ([]engine.TestID, error)
	LastRun(context.Context) (store.RunFacts, bool, error)
}

// CheckIdentity checks that a workflow is the same under another file name, that rows
// without its id count by their file, and that a merge group's run is evidence of
// its pull requests.
func CheckIdentity(t *testing.T, db IdentityDatabase) {
	t.Helper()
	run := func(number int, workflow int64, file, test string) engine.RunInfo {
		info := engine.RunInfo{RepositoryID: 7, RunID: int64(number), RunAttempt: 1, Job: "e2e", Commit: "c", Branch: "main", DefaultBranch: true,
			WorkflowID: workflow, Workflow: "acme/shop/.github/workflows/" + file + "@refs/heads/main", StartedAt: time.Unix(int64(number)*3600, 0)}
		if test != "" {
			failed := engine.Attempt{Status: engine.StatusFailed}
			Record(t, db, store.Run{Info: info, Now: info.StartedAt, ReportDigest: test,
				Results: []engine.TestResult{{ID: engine.TestID(test), Attempts: []engine.Attempt{failed}}}})
		}
		return info
	}
	run(1, 0, "e2e.yml", "before")
	run(2, 9, "other.yml", "other")
	knows(t, db, run(9, 5, "e2e.yml", ""), "before")
	run(3, 5, "e2e.yml", "now")
	knows(t, db, run(9, 5, "renamed.yml", ""), "now")
	knows(t, db, run(9, 0, "e2e.yml", ""), "now")
	knows(t, db, run(9, 6, "e2e.yml", ""), "before")
	run(4, 5, "renamed.yml", "renamed")

	group := run(5, 5, "renamed.yml", "")
	group.DefaultBranch, group.Branch, group.MergeGroup = false, "gh-readonly-queue/main/pr-12-abc", []int{12, 13}
	Record(t, db, store.Run{Info: group, Now: group.StartedAt, Results: []engine.TestResult{Result("renamed", engine.StatusFailed)}})
	last, _, err := db.LastRun(t.Context())
	if err != nil || last.Info.WorkflowID != 5 || !slices.Equal(last.Info.MergeGroup, []int{12, 13}) {
		t.Errorf("the last run is %+v, %v", last.Info, err)
	}
	checkVariants(t, db)
}

// CheckCallers checks that the runs of a called job count for the job that calls it.
func CheckCallers(t *testing.T, db IdentityDatabase) {
	t.Helper()
	run := func(number int, workflow int64, job, test string) engine.RunInfo {
		info := engine.RunInfo{RepositoryID: 7, RunID: int64(number), RunAttempt: 1, Job: job, Commit: "c", Branch: "main", DefaultBranch: true, WorkflowID: workflow,
			Workflow: "acme/shop/.github/workflows/ci.yml@refs/heads/main", StartedAt: time.Unix(int64(number)*3600, 0)}
		if test != "" {
			Record(t, db, store.Run{Info: info, Now: info.StartedAt, ReportDigest: test, Results: []engine.TestResult{Result(test, engine.StatusPassed)}})
		}
		return info
	}
	run(1, 0, "test", "before, called once")
	run(2, 0, "test", "of one")
	run(2, 0, "test", "of the other")
	run(3, 5, "test", "not called")
	knows(t, db, run(9, 5, "web / test", ""), "before, called once")
	run(4, 5, "web / test", "of web")
	run(4, 5, "api / test", "of api")
	knows(t, db, run(9, 5, "web / test", ""), "of web")
	knows(t, db, run(9, 5, "api / test", ""), "of api")
	knows(t, db, run(9, 5, "test", ""), "not called")
}

// checkVariants checks which runs of CheckIdentity are compared with each other.
func checkVariants(t *testing.T, db IdentityDatabase) {
	t.Helper()
	history, err := db.Evidence(t.Context(), engine.RunInfo{RepositoryID: 7})
	if err != nil || len(history.Runs) != 5 {
		t.Fatalf("%d runs, %v", len(history.Runs), err)
	}
	for i, want := range []bool{true, false, true, true, true} {
		if same := history.Runs[i].Variant == history.Runs[4].Variant; same != want {
			t.Errorf("run %d is compared with the newest one: %v, want %v", i+1, same, want)
		}
	}
	if got := history.Runs[4]; !slices.Equal(got.Sources, []string{"pr-12", "pr-13"}) || !got.Queued || history.Runs[3].Queued {
		t.Errorf("the merge group's sources are %q, it is one: %v", got.Sources, got.Queued)
	}
}

// knows checks which test the last run of info's kind had.
func knows(t *testing.T, db IdentityDatabase, info engine.RunInfo, want engine.TestID) {
	t.Helper()
	got, err := db.KnownTests(t.Context(), info, "none")
	if err != nil || !slices.Equal(got, []engine.TestID{want}) {
		t.Errorf("workflow %d at %s knows %q, %v; want %q", info.WorkflowID, info.Workflow, got, err, want)
	}
}
