package state_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// BenchmarkRunAtFullAge is a run of the default branch where 300 runs are kept and there
// are as many: what it restores, records, judges, lets go, saves and folds.
func BenchmarkRunAtFullAge(b *testing.B) {
	for name, tests := range map[string]int{"300x2k": 2000, "300x10k": 10_000, "300x100k": 100_000} {
		b.Run(name, func(b *testing.B) {
			backend := state.NewPath(b.TempDir())
			bigSnapshot(b, backend, 300, tests)
			for n := 300; b.Loop(); n++ {
				ageOneRun(b, backend, self(n, 0), tests)
			}
		})
	}
}

func ageOneRun(tb testing.TB, backend state.Backend, s state.Self, tests int) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), ".breadcrumb.db")
	var restored *state.Restored
	db, err := sqlite.Open(tb.Context(), path, sqlite.Options{Begin: func(ctx context.Context, db *sqlite.DB) (err error) {
		restored, err = state.Restore(ctx, backend, s, db)
		return err
	}})
	check := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	check(err)
	now := s.Info.StartedAt.Add(time.Minute)
	recorded, err := db.RecordRun(tb.Context(), store.Run{Info: s.Info, ReportDigest: s.ReportDigest, Results: manyResults(int(s.Info.RunID), tests), Now: now})
	check(err)
	judged, err := db.LoadCheckpoint(tb.Context(), s.Info, recorded.RunID)
	check(err)
	judged.ObserveRest()
	check(db.SaveCheckpoint(tb.Context(), judged))
	check(db.Retain(tb.Context(), store.Retention{Runs: 300, Now: now}))
	d, err := db.Delta(tb.Context(), s.Info, s.ReportDigest)
	check(err)
	file := filepath.Join(tb.TempDir(), "delta")
	check(state.WriteDelta(d, file))
	check(db.Save(tb.Context()))
	facts, err := db.Facts(tb.Context())
	check(err)
	check(db.Close())
	check(state.SaveDelta(tb.Context(), backend, s, file))
	saved, err := state.Fold(tb.Context(), backend, s, restored, state.NewSnapshot{Database: path, Facts: facts, Now: now})
	check(err)
	if !saved || restored.Snapshot == "" || facts.Rows.Runs < 300 {
		tb.Fatalf("saved %v over %q with %d runs", saved, restored.Snapshot, facts.Rows.Runs)
	}
}
