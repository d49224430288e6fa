package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// randomRun is a run of up to 30 tests of which a few fail, flake, heal, are
// skipped or absent, on the default branch, a pull request or a branch, mostly
// later than the runs before it.
func randomRun(random *rand.Rand, number int) store.Run {
	info := engine.RunInfo{RepositoryID: 7, RunID: int64(number + 1), RunAttempt: 1, Job: "e2e", Commit: fmt.Sprintf("%040x", random.IntN(number+2))}
	switch random.IntN(4) {
	case 0:
		info.PullRequest = 1 + random.IntN(3)
	case 1:
		info.Branch = "topic"
	default:
		info.DefaultBranch = true
	}
	at := time.Unix(1_700_000_000, 0).Add(time.Duration(number) * time.Hour)
	if random.IntN(10) == 0 {
		at = at.Add(-time.Duration(random.IntN(20)) * time.Hour)
	}
	info.StartedAt = at
	run := store.Run{Info: info, ReportDigest: fmt.Sprint("r", number), Now: at}
	burst := random.IntN(15) == 0
	for i := range 30 {
		id := fmt.Sprintf("t%02d", i)
		failed := engine.Attempt{Status: engine.StatusFailed, Message: fmt.Sprintf("Error: %c", 'a'+rune(random.IntN(3)))}
		passed := engine.Attempt{Status: engine.StatusPassed}
		r := engine.TestResult{ID: engine.TestID(id), File: "a.spec.ts", Line: 1 + random.IntN(9), Attempts: []engine.Attempt{passed}}
		chance := 30
		if i < 4 {
			chance = 4
		}
		switch n := random.IntN(chance); {
		case burst && i < 20:
			r.Attempts = []engine.Attempt{failed}
		case n == 0:
			r.Attempts = []engine.Attempt{failed, passed}
		case n == 1:
			r.Attempts = []engine.Attempt{failed, failed}
		case n == 2 && chance > 4:
			r.Attempts = []engine.Attempt{{Status: engine.StatusSkipped}}
		case n == 3 && chance > 4:
			continue
		case n == 4:
			run.HealedTests = append(run.HealedTests, engine.TestID(id))
		}
		run.Results = append(run.Results, r)
	}
	return run
}

// Database is what the tests of checkpoints need of a database.
type Database interface {
	Close() error
	Evidence(context.Context, engine.RunInfo) (store.Evidence, error)
	LoadCheckpoint(context.Context, engine.RunInfo, int64) (*store.Checkpoint, error)
	SaveCheckpoint(context.Context, *store.Checkpoint) error
	RecordRun(context.Context, store.Run) (store.Recorded, error)
	RenameTests(context.Context, []flaky.Rename, time.Time) ([]flaky.Rename, error)
	NameTests(context.Context, *store.Evidence, []int) error
	Save(context.Context) error
}

// CompareResumedAndNew compares a resumed judge with a new one on a random
// history, of which retain, where it is not nil, lets the oldest go. It returns how
// many checkpoints were resumed and how many judges began anew.
func CompareResumedAndNew(t *testing.T, seed uint64, open func() Database, retain func(Database)) (kept, anew int) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 5))
	db := open()
	for number := range 90 {
		recorded := Record(t, db, randomRun(random, number))
		if random.IntN(25) == 0 {
			old, renamed := fmt.Sprintf("t%02d", random.IntN(30)), fmt.Sprintf("t%02d", random.IntN(40))
			if _, err := db.RenameTests(t.Context(), []flaky.Rename{{Old: engine.TestID(old), New: engine.TestID(renamed)}}, time.Unix(1_700_000_000, 0)); err != nil {
				t.Fatal(err)
			}
		}
		if random.IntN(12) == 0 {
			if err := errors.Join(db.Save(t.Context()), db.Close()); err != nil {
				t.Fatal(err)
			}
			db = open()
		}
		if random.IntN(6) == 0 {
			continue // several runs are new at the next checkpoint
		}
		h := ObserveAll(t, db, recorded.RunID)
		want, all := newJudgeKnows(t, db)
		if len(h.Runs) < all/2 {
			kept++
		} else {
			anew++
		}
		if !bytes.Equal(want, h.Judge.Encode(func(test int) int64 { return h.IDs[test] })) {
			t.Fatalf("seed %d, run %d, %d of them new: the kept judge knows something else", seed, number, len(h.Runs))
		}
		if retain != nil {
			retain(db)
		}
	}
	return kept, anew
}

// newJudgeKnows returns what a judge knows that observed every run, and how many there
// are.
func newJudgeKnows(t *testing.T, db Database) (knows []byte, runs int) {
	t.Helper()
	history, err := db.Evidence(t.Context(), engine.RunInfo{RepositoryID: 7})
	if err != nil {
		t.Fatal(err)
	}
	judge := flaky.NewJudge()
	for _, c := range history.Commits() {
		judge.Observe(c)
	}
	return judge.Encode(func(test int) int64 { return history.IDs[test] }), len(history.Runs)
}

// Record records a run or fails the test.
func Record(tb testing.TB, db Database, run store.Run) store.Recorded {
	tb.Helper()
	recorded, err := db.RecordRun(tb.Context(), run)
	if err != nil {
		tb.Fatal(err)
	}
	return recorded
}

// ObserveAll lets the judge of a checkpoint observe the new runs and saves it.
func ObserveAll(tb testing.TB, db Database, run int64) *store.Checkpoint {
	tb.Helper()
	h, err := db.LoadCheckpoint(tb.Context(), engine.RunInfo{RepositoryID: 7}, run)
	if err != nil {
		tb.Fatal(err)
	}
	h.ObserveRest()
	if err := db.SaveCheckpoint(tb.Context(), h); err != nil {
		tb.Fatal(err)
	}
	return h
}
