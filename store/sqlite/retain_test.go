package sqlite

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/storetest"
)

// ledgerTimes returns when the executions of each test began, newest first, of trusted
// runs and of others: of a run one, however many attempts it had. Those of a run that is
// ahead of now count as the oldest, and those of a run that has as many newer ones as are
// kept do not count.
func ledgerTimes(d *delta.Delta, now float64, keep int) map[string][]float64 {
	runs := map[string]*delta.Run{}
	for _, r := range d.Records {
		if run, ok := r.(*delta.Run); ok {
			runs[run.Key.ID(run.Payload)] = run
		}
	}
	behind := map[string]bool{}
	newer := map[bool]int{}
	for _, id := range slices.SortedFunc(maps.Keys(runs), func(a, b string) int {
		x, y := runs[a], runs[b]
		if (x.StartedAt > now) != (y.StartedAt > now) {
			return map[bool]int{true: 1, false: -1}[x.StartedAt > now]
		}
		return cmp.Or(cmp.Compare(y.StartedAt, x.StartedAt), cmp.Compare(y.Key.RunID, x.Key.RunID), bytes.Compare(y.Payload, x.Payload))
	}) {
		other := runs[id].Origin >= int(store.FromPullRequest)
		behind[id] = newer[other] >= keep
		newer[other]++
	}
	times := map[string][]float64{}
	type execution struct{ test, run string }
	counted := map[execution]bool{}
	for _, r := range d.Records {
		switch r := r.(type) {
		case *delta.Result:
			run := runs[r.Run]
			if behind[r.Run] || counted[execution{r.Test, r.Run}] {
				continue
			}
			counted[execution{r.Test, r.Run}] = true
			at, name := run.StartedAt, "trusted "+r.Test
			if run.Origin >= int(store.FromPullRequest) {
				name = "other " + r.Test
			}
			if at > now {
				at -= 1e12
			}
			times[name] = append(times[name], at)
		case *delta.SeedResult:
			times["trusted "+r.Test] = append(times["trusted "+r.Test], r.At)
		}
	}
	for _, list := range times {
		slices.SortFunc(list, func(a, b float64) int { return cmp.Compare(b, a) })
	}
	return times
}

// TestRetentionKeepsTheNewestExecutionsOfEachTest compares what stays with what is
// counted test by test.
func TestRetentionKeepsTheNewestExecutionsOfEachTest(t *testing.T) {
	t.Parallel()
	now := float64(1_700_900_000)
	gone := 0
	for seed := range mergeSets() {
		r := rand.New(rand.NewPCG(uint64(seed), 17))
		db := freshDB(t)
		for range 1 + r.IntN(12) {
			d := randomDelta(r)
			d.Records = slices.DeleteFunc(d.Records, func(r delta.Record) bool { _, mark := r.(*delta.Retention); return mark })
			mergeAll(t, db, d)
		}
		keep := store.Retention{Runs: 1 + r.IntN(5), Now: time.Unix(int64(now), 0)}
		want := ledgerTimes(everything(t, db), now, keep.Runs)
		for name, list := range want {
			gone += max(0, len(list)-keep.Runs)
			want[name] = list[:min(keep.Runs, len(list))]
		}
		if err := db.Retain(t.Context(), keep); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, ledgerTimes(everything(t, db), now, keep.Runs)); diff != "" {
			t.Fatalf("set %d, %d are kept: %s", seed, keep.Runs, diff)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if gone == 0 {
		t.Error("nothing was let go, so the test shows nothing")
	}
}

// agedDeltas are a run each, of two jobs with tests in common, on the default branch and
// on pull requests; some tests have several attempts, and the seed wrote rows between.
func agedDeltas(r *rand.Rand, runs int) []*delta.Delta {
	var all []*delta.Delta
	for n := range runs {
		job, pr := n%3%2, r.IntN(4)/3
		key := delta.Key{RepositoryID: 7, RunID: int64(n + 1), RunAttempt: 1, Workflow: "ci", Job: fmt.Sprint("job ", job)}
		payload := sha256.Sum256([]byte{1})
		d := &delta.Delta{Schema: schemaVersion, Records: []delta.Record{&delta.Run{Key: key, Payload: payload[:], Origin: 1 + 2*pr, PullRequest: pr,
			Commit: fmt.Sprintf("%040x", n/2), StartedAt: float64(1_700_000_000 + n*1000 + r.IntN(3000)), RecordedAt: float64(1_700_000_000 + n*1000), Results: 6}}}
		for test := range 4 {
			for attempt := range 1 + r.IntN(3)/2 {
				if test < 2 || test == 2+job {
					d.Records = append(d.Records, &delta.Result{Run: key.ID(payload[:]), Test: fmt.Sprint("test ", test), Attempt: attempt + 1, Status: "failed"})
				}
			}
		}
		if r.IntN(6) == 0 {
			d.Records = append(d.Records, &delta.SeedResult{Test: fmt.Sprint("test ", r.IntN(6)), At: float64(1_700_000_000 + r.IntN(runs)*1000), Nth: 1, Status: "passed"})
		}
		all = append(all, d)
	}
	return all
}

// With so many runs kept, the oldest go some at a time.
func TestWhatIsLetGoSomeAtATimeIsTheSameWheneverItGoes(t *testing.T) {
	t.Parallel()
	const runs = 120
	keep := store.Retention{Runs: 30}
	for seed := range max(4, mergeSets()/20) {
		r := rand.New(rand.NewPCG(uint64(seed), 29))
		deltas := agedDeltas(r, runs)
		whole, parts := freshDB(t), freshDB(t)
		mergeAll(t, whole, deltas...)
		if err := whole.Retain(t.Context(), keep); err != nil {
			t.Fatal(err)
		}
		for n, i := range r.Perm(runs) {
			mergeAll(t, parts, deltas[i])
			if n%3 > 0 && n < runs-1 {
				continue
			}
			if err := parts.Retain(t.Context(), keep); err != nil {
				t.Fatal(err)
			}
		}
		if diff := gocmp.Diff(canonicalDump(t, whole), canonicalDump(t, parts)); diff != "" {
			t.Fatalf("set %d: %s", seed, diff)
		}
		for name, times := range ledgerTimes(everything(t, whole), math.MaxFloat64, runs) {
			if len(times) > keep.Runs+keep.Runs/2 {
				t.Errorf("set %d: %d executions of %s are kept", seed, len(times), name)
			}
		}
	}
}

// A judge that was saved is of use until the next runs go: most runs observe none but
// themselves.
func TestTheOldestRunsGoSomeAtATime(t *testing.T) {
	t.Parallel()
	const keep, runs = 40, 240
	db := freshDB(t)
	runOf := func(n int) store.Run {
		run := storetest.Run(n, 60)
		for i := range run.Results { // flaky tests have more attempts than others
			if i%7 == n%7 {
				run.Results[i].Attempts = append(run.Results[i].Attempts, engine.Attempt{Status: engine.StatusPassed})
			}
		}
		return run
	}
	anew := 0
	for n := range runs {
		run := runOf(n)
		if judged := storetest.ObserveAll(t, db, recordRun(t, db, run).RunID); n > keep && len(judged.Runs) > 1 {
			anew++
		}
		if err := db.Retain(t.Context(), store.Retention{Runs: keep, Now: run.Now}); err != nil {
			t.Fatal(err)
		}
		stats, err := db.Stats(t.Context())
		if err != nil || stats.Runs < min(n+1, keep) || stats.Runs > keep+keep/2 {
			t.Fatalf("after %d runs %d are kept, want at least %d and at most half as many again; %v", n+1, stats.Runs, keep, err)
		}
	}
	if anew == 0 || anew > (runs-keep)/2 {
		t.Errorf("%d of %d runs judged what is kept from its beginning, want it of few", anew, runs-keep)
	}
	t.Log(anew, runs-keep)
	for n := range runs {
		if kept := recordRun(t, db, runOf(n)).Duplicate; n >= runs-keep && !kept {
			t.Errorf("run %d of %d is not kept", n+1, runs)
		}
	}
}

// TestRunsOfTestsThatAreGoneAreLetGo renames a test in every run, in one job of two: what
// is kept of the names of before ends with the runs that had them.
func TestRunsOfTestsThatAreGoneAreLetGo(t *testing.T) {
	t.Parallel()
	const keep, runs = 5, 40
	db := freshDB(t)
	for n := range runs {
		run := storetest.Run(n, 3)
		run.Info.Job = []string{"e2e", "api"}[n%2]
		run.Results[2].ID = engine.TestID(fmt.Sprint("named in run ", n))
		recordRun(t, db, run)
		if err := db.Retain(t.Context(), store.Retention{Runs: keep, Now: run.Now}); err != nil {
			t.Fatal(err)
		}
	}
	stats, err := db.Stats(t.Context())
	if err != nil || stats.Runs != 2*keep || stats.Results != 2*keep+2*keep {
		t.Errorf("%d runs with %d results are kept, want %d of each job, with 5 of both tests and one of each name; %v", stats.Runs, stats.Results, keep, err)
	}
}

// A run that began before others and ends after them, or that is run again a month later,
// has newer ones in its history. It lets the oldest go, as each of them would.
func TestARunThatEndsLateLetsTheOldestGo(t *testing.T) {
	t.Parallel()
	const keep, runs = 3, 6
	for name, began := range map[string]time.Duration{
		"after all others":               0,
		"a minute before the newest":     time.Minute,
		"before four others":             4 * time.Hour,
		"and is run again a month later": 30 * 24 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := freshDB(t)
			for n := range runs {
				recordRun(t, db, storetest.Run(n, 3))
			}
			if err := db.Retain(t.Context(), store.Retention{Runs: keep, Now: storetest.Run(runs-1, 3).Info.StartedAt.Add(-began)}); err != nil {
				t.Fatal(err)
			}
			for n := range runs {
				if kept := recordRun(t, db, storetest.Run(n, 3)).Duplicate; kept != (n >= runs-keep) {
					t.Errorf("run %d of %d is kept: %t", n+1, runs, kept)
				}
			}
		})
	}
}
