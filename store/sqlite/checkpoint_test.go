package sqlite

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/promise"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/storetest"
)

// A resumed judge that observes only new runs knows what one knows that
// observes all of them again, whatever comes, late runs and renamed tests included.
func TestAResumedJudgeKnowsWhatANewOneDoes(t *testing.T) {
	t.Parallel()
	histories := promise.Count("resumed")
	if kept, anew := countResumed(t, histories, nil); kept < 12*histories || anew < 2*histories {
		t.Errorf("%d checkpoints were resumed and %d judges began anew: too few to show anything", kept, anew)
	}
}

// At full age, too, a judge is mostly resumed: the oldest runs go some at a time.
func TestAResumedJudgeKnowsWhatANewOneDoesWhereTheOldestRunsGo(t *testing.T) {
	t.Parallel()
	histories := promise.Count("resumed")
	kept, anew := countResumed(t, histories, func(db storetest.Database) {
		if err := db.(*DB).Retain(t.Context(), store.Retention{Runs: 30}); err != nil {
			t.Fatal(err)
		}
	})
	if kept < anew || anew < 5*histories {
		t.Errorf("%d checkpoints were resumed and %d judges began anew", kept, anew)
	}
}

// countResumed compares the judges of random histories and returns how many were resumed and
// how many began anew.
func countResumed(t *testing.T, histories int, retain func(storetest.Database)) (kept, anew int) {
	t.Helper()
	for seed := range uint64(histories) {
		path := filepath.Join(t.TempDir(), "history.db")
		k, a := storetest.CompareResumedAndNew(t, seed, func() storetest.Database { return mustOpen(t, path) }, retain)
		kept, anew = kept+k, anew+a
	}
	return kept, anew
}

// The same runs make the same judge in whatever order they arrive, split into legs,
// shards and attempts, and wherever a judge was saved between.
func TestTheOrderOfArrivalChangesNothingOfTheJudge(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		storetest.CompareArrivals(t, seed, func() storetest.Database { return freshDB(t) })
	}
}

func TestARunRecordedAgainIsObservedAgain(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	first := recordRun(t, db, storetest.Run(1, 50))
	second := recordRun(t, db, storetest.Run(2, 50))
	storetest.ObserveAll(t, db, second.RunID)
	if h := storetest.ObserveAll(t, db, second.RunID); len(h.Runs) != 1 {
		t.Errorf("%d runs are to be observed, want that one: the judge must not know the run it judges", len(h.Runs))
	}
	third := recordRun(t, db, storetest.Run(3, 50))
	if h := storetest.ObserveAll(t, db, third.RunID); len(h.Runs) != 1 {
		t.Errorf("%d runs are to be observed, want the new one", len(h.Runs))
	}
	if h := storetest.ObserveAll(t, db, first.RunID); len(h.Runs) != 3 {
		t.Errorf("%d runs are to be observed, want all", len(h.Runs))
	}
}

// What is kept comes back from a file that anybody could have written.
func TestNonsenseThatWasKeptIsNotBelieved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, spoil string
		read        int
	}{
		{"cut short", `UPDATE derived SET value = substr(value, 1, length(value) - 3)`, 2}, // what was kept before is whole
		{"zeros", `UPDATE derived SET value = zeroblob(200)`, 6},
		{"of others", `UPDATE runs SET commit_sha = 'other' WHERE id = 1`, 6},
		{"empty", `UPDATE derived SET value = x''`, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := freshDB(t)
			for i := range 5 {
				storetest.ObserveAll(t, db, recordRun(t, db, storetest.Run(i, 100)).RunID)
			}
			if _, err := db.sql.Exec(c.spoil); err != nil {
				t.Fatal(err)
			}
			if h := storetest.ObserveAll(t, db, recordRun(t, db, storetest.Run(6, 100)).RunID); len(h.Runs) != c.read {
				t.Errorf("%d runs are to be observed, want %d", len(h.Runs), c.read)
			}
		})
	}
}

// One in fifty tests fails in each run, so that two in five failed once: the
// twenty-first run is judged by a judge that was kept.
func BenchmarkJudgeNext50kx20(b *testing.B) {
	benchmarkNext(b, mustOpen(b, bigFile(b, 20, 50_000)), func(n int) store.Run { return storetest.Run(n, 50_000) })
}

func BenchmarkJudgeNext50kx20Usual(b *testing.B) {
	db := freshDB(b)
	for i := range 20 {
		recordRun(b, db, usualRun(i))
	}
	benchmarkNext(b, db, usualRun)
}

// Three tests in ten fail in the run to be judged, as when a service is gone.
func BenchmarkJudgeNext50kx20Burst(b *testing.B) {
	db := freshDB(b)
	for i := range 20 {
		recordRun(b, db, usualRun(i))
	}
	benchmarkNext(b, db, func(n int) store.Run {
		run := usualRun(n)
		for t := range run.Results {
			if t%10 < 3 {
				run.Results[t].Attempts[0] = engine.Attempt{Status: engine.StatusFailed, Message: "connection refused"}
			}
		}
		return run
	})
}

func benchmarkNext(b *testing.B, db *DB, run func(int) store.Run) {
	b.Helper()
	storetest.ObserveAll(b, db, 0)
	for n := 20; b.Loop(); n++ {
		b.StopTimer()
		recorded := recordRun(b, db, run(n))
		b.StartTimer()
		if h := storetest.ObserveAll(b, db, recorded.RunID); len(h.Runs) != 1 {
			b.Fatalf("%d runs were to be observed", len(h.Runs))
		}
	}
}

// usualRun is a run in which one of 10,000 tests fails, as in a suite people
// live with.
func usualRun(number int) store.Run {
	run := storetest.Run(number, 50_000)
	for t := range run.Results {
		a := &run.Results[t].Attempts[0]
		*a = engine.Attempt{Status: engine.StatusPassed}
		if t%500 == number%20 && t%20 == number%20 {
			*a = engine.Attempt{Status: engine.StatusFailed, Message: fmt.Sprint("Timeout ", t, "ms")}
		}
	}
	return run
}

func BenchmarkFailedLately50kx20(b *testing.B) {
	db := mustOpen(b, bigFile(b, 20, 50_000))
	for b.Loop() {
		tests, err := db.FailedLately(b.Context(), 20, 500, engine.RunInfo{RepositoryID: 7})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := db.HistoriesOf(b.Context(), tests, 20, engine.RunInfo{RepositoryID: 7}); err != nil {
			b.Fatal(err)
		}
	}
}
