package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// randomPast is a run of up to 30 tests of which a few fail, flake, heal, are
// skipped or absent, on the default branch, a pull request or a branch, mostly
// later than the runs before it.
func randomPast(random *rand.Rand, number int) Run {
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
	run := Run{Info: info, ReportDigest: fmt.Sprint("r", number), Now: at}
	burst := random.IntN(15) == 0
	for i := range 30 {
		id := fmt.Sprintf("t%02d", i)
		failed := engine.Attempt{Status: engine.StatusFailed, Message: fmt.Sprintf("Error: %c", 'a'+rune(random.IntN(3)))}
		passed := engine.Attempt{Status: engine.StatusPassed}
		r := engine.TestResult{ID: id, File: "a.spec.ts", Line: 1 + random.IntN(9), Attempts: []engine.Attempt{passed}}
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
			run.HealedTests = append(run.HealedTests, id)
		}
		run.Results = append(run.Results, r)
	}
	return run
}

// hearer is what a judge hears and is kept by.
type hearer interface {
	Close() error
	Evidence(context.Context, engine.RunInfo) (Evidence, error)
	Hear(context.Context, engine.RunInfo, float64, int64) (*Hearing, error)
	Keep(context.Context, *Hearing) error
	RecordRun(context.Context, Run) (Recorded, error)
	RenameTest(context.Context, flaky.Rename, time.Time) (bool, error)
	Save(context.Context) error
}

// A judge that was kept and hears only what is new knows what one knows that
// hears everything again, whatever comes, late runs and moved tests included.
func TestAKeptJudgeKnowsWhatANewOneDoes(t *testing.T) {
	kept, anew := 0, 0
	for seed := range uint64(8) {
		path := filepath.Join(t.TempDir(), "history.db")
		k, a := keptAndAnew(t, seed, func() hearer { return mustOpen(t, path) })
		kept, anew = kept+k, anew+a
	}
	if kept < 100 || anew < 20 {
		t.Errorf("%d hearings went on from a kept judge and %d began anew: too few to show anything", kept, anew)
	}
}

// keptAndAnew compares the two on a random past and returns how many hearings
// went on from a kept judge and how many began anew.
func keptAndAnew(t *testing.T, seed uint64, open func() hearer) (kept, anew int) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 5))
	db := open()
	for number := range 90 {
		recorded := mustRecord(t, db, randomPast(random, number))
		if random.IntN(25) == 0 {
			old, renamed := fmt.Sprintf("t%02d", random.IntN(30)), fmt.Sprintf("t%02d", random.IntN(40))
			if _, err := db.RenameTest(t.Context(), flaky.Rename{Old: old, New: renamed}, time.Now()); err != nil {
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
			continue // several runs are new at the next hearing
		}
		h := hearAll(t, db, recorded.RunID)
		if len(h.Runs) < number/2 {
			kept++
		} else {
			anew++
		}
		if want := anewKnows(t, db); !bytes.Equal(want, h.kept()[digestBytes:]) {
			t.Fatalf("seed %d, run %d, %d of them new: the kept judge knows something else", seed, number, len(h.Runs))
		}
	}
	return kept, anew
}

// anewKnows is what a judge knows that heard everything.
func anewKnows(t *testing.T, db hearer) []byte {
	t.Helper()
	past, err := db.Evidence(t.Context(), engine.RunInfo{RepositoryID: 7})
	if err != nil {
		t.Fatal(err)
	}
	judge := flaky.NewJudge(.2)
	for _, run := range past.Runs {
		judge.Observe(run.Run)
	}
	return judge.Encode(func(test int) int64 { return past.ids[test] })
}

func mustRecord(tb testing.TB, db hearer, run Run) Recorded {
	tb.Helper()
	recorded, err := db.RecordRun(tb.Context(), run)
	if err != nil {
		tb.Fatal(err)
	}
	return recorded
}

// hearAll lets a judge hear what is new and keeps it.
func hearAll(tb testing.TB, db hearer, run int64) *Hearing {
	tb.Helper()
	h, err := db.Hear(tb.Context(), engine.RunInfo{RepositoryID: 7}, .2, run)
	if err != nil {
		tb.Fatal(err)
	}
	for _, run := range h.Runs {
		h.Judge.Observe(run.Run)
	}
	if err := db.Keep(tb.Context(), h); err != nil {
		tb.Fatal(err)
	}
	return h
}

func TestARunToldAgainIsHeardAgain(t *testing.T) {
	db := freshDB(t)
	first := record(t, db, runOf(1, 50))
	second := record(t, db, runOf(2, 50))
	hearAll(t, db, second.RunID)
	if h := hearAll(t, db, second.RunID); len(h.Runs) != 2 {
		t.Errorf("%d runs are heard, want both: the judge must not know the run it judges", len(h.Runs))
	}
	third := record(t, db, runOf(3, 50))
	if h := hearAll(t, db, third.RunID); len(h.Runs) != 1 {
		t.Errorf("%d runs are heard, want the new one", len(h.Runs))
	}
	if h := hearAll(t, db, first.RunID); len(h.Runs) != 3 {
		t.Errorf("%d runs are heard, want all", len(h.Runs))
	}
}

// What is kept comes back from a file that anybody could have written.
func TestNonsenseThatWasKeptIsNotBelieved(t *testing.T) {
	for name, spoil := range map[string]string{
		"cut short": `UPDATE derived SET value = substr(value, 1, length(value) - 3)`,
		"zeros":     `UPDATE derived SET value = zeroblob(200)`,
		"of others": `UPDATE runs SET commit_sha = 'other' WHERE id = 1`,
		"empty":     `UPDATE derived SET value = x''`,
	} {
		t.Run(name, func(t *testing.T) {
			db := freshDB(t)
			for i := range 5 {
				hearAll(t, db, record(t, db, runOf(i, 100)).RunID)
			}
			if _, err := db.sql.Exec(spoil); err != nil {
				t.Fatal(err)
			}
			if h := hearAll(t, db, record(t, db, runOf(6, 100)).RunID); len(h.Runs) != 6 {
				t.Errorf("%d runs are heard, want all 6", len(h.Runs))
			}
		})
	}
}

// One in fifty tests fails in each run, so that two in five failed once: the
// twenty-first run is judged by a judge that was kept.
func BenchmarkJudgeNext50kx20(b *testing.B) {
	benchmarkNext(b, mustOpen(b, bigFile(b, 20, 50_000)), func(n int) Run { return runOf(n, 50_000) })
}

func BenchmarkJudgeNext50kx20Usual(b *testing.B) {
	db := freshDB(b)
	for i := range 20 {
		record(b, db, usualRun(i))
	}
	benchmarkNext(b, db, usualRun)
}

// Three tests in ten fail in the run to be judged, as when a service is gone.
func BenchmarkJudgeNext50kx20Burst(b *testing.B) {
	db := freshDB(b)
	for i := range 20 {
		record(b, db, usualRun(i))
	}
	benchmarkNext(b, db, func(n int) Run {
		run := usualRun(n)
		for t := range run.Results {
			if t%10 < 3 {
				run.Results[t].Attempts[0] = engine.Attempt{Status: engine.StatusFailed, Message: "connection refused"}
			}
		}
		return run
	})
}

func benchmarkNext(b *testing.B, db *DB, run func(int) Run) {
	b.Helper()
	hearAll(b, db, 0)
	for n := 20; b.Loop(); n++ {
		b.StopTimer()
		recorded := record(b, db, run(n))
		b.StartTimer()
		if h := hearAll(b, db, recorded.RunID); len(h.Runs) != 1 {
			b.Fatalf("%d runs were heard", len(h.Runs))
		}
	}
}

// usualRun is a run in which one of 10,000 tests fails, as in a suite people
// live with.
func usualRun(number int) Run {
	run := runOf(number, 50_000)
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
