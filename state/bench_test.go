package state_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// bigSnapshot saves a snapshot of runs × tests results on a backend.
func bigSnapshot(tb testing.TB, backend state.Backend, runs, tests int) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), ".breadcrumb.db")
	db, err := sqlite.Open(tb.Context(), path, sqlite.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	var last state.Self
	for n := range runs {
		last = self(n, 0)
		if _, err := db.RecordRun(tb.Context(), store.Run{Info: last.Info, ReportDigest: last.ReportDigest, Results: manyResults(n, tests), Now: last.Info.StartedAt}); err != nil {
			tb.Fatal(err)
		}
	}
	if err := db.Save(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	restored, err := state.Restore(tb.Context(), backend, last, db)
	if err != nil {
		tb.Fatal(err)
	}
	facts, err := db.Facts(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	if err := db.Close(); err != nil {
		tb.Fatal(err)
	}
	if saved, err := state.Fold(tb.Context(), backend, last, restored, state.NewSnapshot{Database: path, Facts: facts, Now: time.Unix(1_800_000_000, 0)}); err != nil || !saved {
		tb.Fatal(saved, err)
	}
}

// manyResults are the results of a run, of which one in fifty fails. Each test takes as
// irregularly long as tests do, which is most of what is stored.
func manyResults(run, tests int) []engine.TestResult {
	var results []engine.TestResult
	usual, now := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, uint64(run)))
	for i := range tests {
		duration := math.Exp(6.5 + 1.2*usual.NormFloat64() + 0.15*now.NormFloat64())
		a := engine.Attempt{Status: engine.StatusPassed, DurationMS: math.Round(duration)}
		if (i+run)%50 == 0 {
			a.Status, a.ErrorType = engine.StatusFailed, "AssertionError"
		}
		results = append(results, engine.TestResult{ID: engine.TestID(fmt.Sprintf("tests/area%03d/page%04d.spec.ts › suite %d", i%40, i%1000, i)), Attempts: []engine.Attempt{a}})
	}
	return results
}

// BenchmarkRestore1M restores a snapshot of a million results and, on Linux,
// tells the most memory that the process held meanwhile.
func BenchmarkRestore1M(b *testing.B) {
	backend := state.NewPath(b.TempDir())
	bigSnapshot(b, backend, 20, 50_000)
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600) // the peak so far is forgotten
	for b.Loop() {
		db, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), ".breadcrumb.db"), sqlite.Options{Begin: func(ctx context.Context, db *sqlite.DB) error {
			restored, err := state.Restore(ctx, backend, self(500, 0), db)
			if err == nil && restored.Snapshot == "" {
				b.Errorf("no snapshot: %v", restored.Notices)
			}
			return err
		}})
		if err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib float64
	if _, err := fmt.Sscan(rest, &kib); err == nil {
		b.ReportMetric(kib/1024, "MiB-peak")
	}
}
