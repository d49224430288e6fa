package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/store/storetest"
)

// TestAMergedDatabaseIsAMergedDelta: what another database holds becomes the same whether
// its results come packed or as records.
func TestAMergedDatabaseIsAMergedDelta(t *testing.T) {
	t.Parallel()
	for seed := range mergeSets() {
		r := rand.New(rand.NewPCG(uint64(seed), 19))
		other, asDatabase, asDelta := freshDB(t), freshDB(t), freshDB(t)
		for range 1 + r.IntN(4) {
			mergeAll(t, other, randomDelta(r))
		}
		for range r.IntN(4) {
			d := randomDelta(r)
			mergeAll(t, asDatabase, d)
			mergeAll(t, asDelta, d)
		}
		if err := asDatabase.MergeFrom(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		mergeAll(t, asDelta, everything(t, other))
		if diff := cmp.Diff(canonicalDump(t, asDelta), canonicalDump(t, asDatabase)); diff != "" {
			t.Fatalf("set %d: %s", seed, diff)
		}
		sameHistories(t, asDelta, asDatabase)
		for _, db := range []*DB{other, asDatabase, asDelta} {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestAnOldHistoryGoesIntoTheSnapshotAlone: a state that is new takes in a file of any
// age, and this run's delta holds this run.
func TestAnOldHistoryGoesIntoTheSnapshotAlone(t *testing.T) {
	t.Parallel()
	goesIntoSnapshotAlone(t, bigFile(t, 6, 10), 7)
}

// Nor does one of the seed's go through a delta's records.
func TestAnOldHistoryOfTheSeedGoesIntoTheSnapshotAlone(t *testing.T) {
	t.Parallel()
	seed := newSeed(t, 2)
	for n := range 60 {
		seed.run(fmt.Sprint("test ", n%10), "passed", float64(1_600_000_000+n))
	}
	seed.close()
	goesIntoSnapshotAlone(t, seed.path, 7)
}

// goesIntoSnapshotAlone expects that of a file with 60 results.
func goesIntoSnapshotAlone(t *testing.T, path string, runs int) {
	t.Helper()
	db, err := Open(t.Context(), path, Options{maxLocal: 59, Begin: func(context.Context, *DB) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run := storetest.Run(9, 10)
	recordRun(t, db, run)
	d, err := db.Delta(t.Context(), run.Info, run.ReportDigest)
	if err != nil {
		t.Fatal(err)
	}
	_, counts, err := d.Body()
	if diff := cmp.Diff(map[string]int{"run": 1, "result": 10}, counts); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	mustSave(t, db)
	if stats, err := db.Stats(t.Context()); err != nil || stats.Runs != runs || stats.Results != 70 {
		t.Errorf("%+v, %v", stats, err)
	}
	if n := db.Notices(); len(n) != 1 || !strings.Contains(n[0].Reason, "its 60 results are too many for a delta") || filepath.Base(n[0].File) != filepath.Base(path) {
		t.Errorf("notices %v", n)
	}
}
