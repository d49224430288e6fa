package state_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/state/statetest"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

const (
	repository = 7
	workflow   = "acme/shop/.github/workflows/ci.yml@refs/heads/main"
)

// self is run number n of the default branch, or of pull request pr.
func self(n, pr int) state.Self {
	info := engine.RunInfo{RepositoryID: repository, Repository: "acme/shop", RunID: int64(1000 + n), RunAttempt: 1, Workflow: workflow,
		Job: "e2e", Commit: fmt.Sprintf("%040x", n), Branch: "main", PullRequest: pr, DefaultBranch: pr == 0,
		StartedAt: time.Unix(1_700_000_000+int64(n)*60, 0)}
	if pr != 0 {
		info.Branch = fmt.Sprintf("feature-%d", pr)
	}
	return state.Self{Info: info, ReportDigest: fmt.Sprintf("%064x", n), DefaultBranch: "main"}
}

// origin is what a forge says of an item that the run saves.
func origin(s state.Self) state.Origin {
	o := state.Origin{Known: true, RepositoryID: repository, HeadRepositoryID: repository, Branch: s.Info.Branch, Event: "push",
		Workflow: ".github/workflows/ci.yml", RunID: s.Info.RunID, RunAttempt: 1}
	if s.Info.PullRequest != 0 {
		o.Event = "pull_request"
	}
	return o
}

// resultsOf are three tests, of which one is the run's own.
func resultsOf(s state.Self) []engine.TestResult {
	var results []engine.TestResult
	for _, id := range []string{"signs in", "pays", fmt.Sprint("only in ", s.Info.RunID)} {
		results = append(results, engine.TestResult{ID: engine.TestID(id), Attempts: []engine.Attempt{{Status: engine.StatusPassed, DurationMS: 5}}})
	}
	return results
}

// session is one whole run on a machine of its own: restore, record, persist.
func session(ctx context.Context, dir string, backend state.Backend, s state.Self) (*state.Restored, error) {
	path := filepath.Join(dir, ".breadcrumb.db")
	var restored *state.Restored
	now := s.Info.StartedAt.Add(time.Minute)
	db, err := sqlite.Open(ctx, path, sqlite.Options{Begin: func(ctx context.Context, db *sqlite.DB) (err error) {
		restored, err = state.Restore(ctx, backend, s, db)
		return err
	}})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if _, err := db.RecordRun(ctx, store.Run{Info: s.Info, ReportDigest: s.ReportDigest, Results: resultsOf(s), Now: now}); err != nil {
		return nil, err
	}
	d, err := db.Delta(ctx, s.Info, s.ReportDigest)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, ".breadcrumb.db.delta")
	if err := state.WriteDelta(d, file); err != nil {
		return nil, err
	}
	if err := db.Save(ctx); err != nil {
		return nil, err
	}
	if err := state.SaveDelta(ctx, backend, s, file); err != nil {
		return nil, err
	}
	facts, err := db.Facts(ctx)
	if err != nil {
		return nil, err
	}
	_, err = state.Fold(ctx, backend, s, restored, state.NewSnapshot{Database: path, Facts: facts, Now: now})
	return restored, err
}

// present returns the runs that a later run of the default branch gets to know
// of, merging until nothing is left.
func present(t *testing.T, m *statetest.Memory, from int) map[int64]bool {
	t.Helper()
	for n := from; ; n++ {
		s := self(n, 0)
		dir := t.TempDir()
		restored, err := session(t.Context(), dir, m.As(origin(s)), s)
		if err != nil {
			t.Fatal(err)
		}
		if restored.Left > 0 {
			continue
		}
		return runsIn(t, filepath.Join(dir, ".breadcrumb.db"))
	}
}

func runsIn(t *testing.T, path string) map[int64]bool {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all, err := db.Everything(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return runIDs(all)
}
