package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/storetest"
)

func recordRun(tb testing.TB, db *DB, run store.Run) store.Recorded {
	tb.Helper()
	recorded, err := db.RecordRun(tb.Context(), run)
	if err != nil {
		tb.Fatal(err)
	}
	return recorded
}

// BenchmarkImportSmall merges the deltas of 20 small runs, as many as a fold takes in.
func BenchmarkImportSmall(b *testing.B) {
	var deltas []*delta.Delta
	for i := range 20 {
		one := mustOpen(b, filepath.Join(b.TempDir(), ".breadcrumb.db"))
		run := storetest.Run(i, 5)
		recordRun(b, one, run)
		d, err := one.Delta(b.Context(), run.Info, run.ReportDigest)
		if err != nil {
			b.Fatal(err)
		}
		deltas = append(deltas, d)
	}
	for b.Loop() {
		db := mustOpen(b, filepath.Join(b.TempDir(), ".breadcrumb.db"))
		for _, d := range deltas {
			if _, err := db.Import(b.Context(), d, store.Trust{}, "delta"); err != nil {
				b.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// bigFile is a saved database of runs × tests results.
func bigFile(tb testing.TB, runs, tests int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), ".breadcrumb.db")
	db := mustOpen(tb, path)
	for i := range runs {
		recordRun(tb, db, storetest.Run(i, tests))
	}
	mustSave(tb, db)
	if err := db.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

func TestAResultTakesFewBytes(t *testing.T) {
	t.Parallel()
	const runs, tests = 20, 2000
	info, err := os.Stat(bigFile(t, runs, tests))
	if err != nil {
		t.Fatal(err)
	}
	perRow := float64(info.Size()) / (runs * tests)
	t.Logf("%.1f bytes a result", perRow)
	if perRow > 18 { // with the tests' names
		t.Errorf("a result takes %.1f bytes, want at most 18", perRow)
	}
}

func BenchmarkRecordRun10k(b *testing.B) {
	path := bigFile(b, 20, 10_000)
	db := mustOpen(b, path)
	n := 100
	for b.Loop() {
		n++
		recordRun(b, db, storetest.Run(n, 10_000))
	}
}

func BenchmarkRecordRun100k(b *testing.B) {
	db := mustOpen(b, bigFile(b, 1, 100_000))
	n := 100
	for b.Loop() {
		n++
		b.StopTimer()
		run := storetest.Run(n, 100_000)
		b.StartTimer()
		recordRun(b, db, run)
	}
}

func BenchmarkRecordFirstRun10k(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		db := mustOpen(b, filepath.Join(b.TempDir(), "fresh.db"))
		run := storetest.Run(1, 10_000)
		b.StartTimer()
		recordRun(b, db, run)
	}
}

func BenchmarkHistories50kx20(b *testing.B) {
	db := mustOpen(b, bigFile(b, 20, 50_000))
	for b.Loop() {
		if _, err := db.Histories(b.Context(), 20, engine.RunInfo{RepositoryID: 7}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen1M(b *testing.B) {
	path := bigFile(b, 20, 50_000)
	info, _ := os.Stat(path)
	b.ReportMetric(float64(info.Size())/1e6, "bytes/result")
	for b.Loop() {
		db := mustOpen(b, path)
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSave1M(b *testing.B) {
	db := mustOpen(b, bigFile(b, 20, 50_000))
	for b.Loop() {
		mustSave(b, db)
	}
}

func BenchmarkOpenSeed100k(b *testing.B) {
	f := newSeed(b, 2)
	f.exec(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
		INSERT INTO test_runs (test_id, status, duration_ms, timestamp)
		SELECT 'tests/test_page.py::test_' || (i % 5000), 'passed', i % 977, 1700000000 + i * 0.01 FROM n`)
	f.close()
	for b.Loop() {
		if err := mustOpen(b, f.path).Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRetainShards lets go what is more than 300 runs of each of 12 shards, after every
// run of one of them.
func BenchmarkRetainShards(b *testing.B) {
	const keep, shards = 300, 12
	db := freshDB(b)
	runOf := func(n int) store.Run {
		run := storetest.Run(n/shards, 170)
		run.Info.Leg = fmt.Sprint("shard ", n%shards)
		run.ReportDigest = fmt.Sprint(n)
		for i := range run.Results {
			run.Results[i].ID += engine.TestID(run.Info.Leg)
		}
		return run
	}
	for n := range keep * shards {
		recordRun(b, db, runOf(n))
	}
	for n := keep * shards; b.Loop(); n++ {
		b.StopTimer()
		run := runOf(n)
		recordRun(b, db, run)
		b.StartTimer()
		if err := db.Retain(b.Context(), store.Retention{Runs: keep, Now: run.Now}); err != nil {
			b.Fatal(err)
		}
	}
}
