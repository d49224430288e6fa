package sqlite

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
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
// runs and of others. Those of a run that is ahead of now count as the oldest, and those
// of a run that has as many newer ones as are kept do not count.
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
	for _, r := range d.Records {
		switch r := r.(type) {
		case *delta.Result:
			run := runs[r.Run]
			if behind[r.Run] {
				continue
			}
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
