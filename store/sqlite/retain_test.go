package sqlite

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
)

// ledgerTimes returns when the executions of each test began, newest first, of trusted
// runs and of others. Those of a run that is ahead of now count as the oldest.
func ledgerTimes(d *delta.Delta, now float64) map[string][]float64 {
	runs := map[string]*delta.Run{}
	for _, r := range d.Records {
		if run, ok := r.(*delta.Run); ok {
			runs[run.Key.ID(run.Payload)] = run
		}
	}
	times := map[string][]float64{}
	for _, r := range d.Records {
		switch r := r.(type) {
		case *delta.Result:
			run := runs[r.Run]
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
		want := ledgerTimes(everything(t, db), now)
		for name, list := range want {
			gone += max(0, len(list)-keep.Runs)
			want[name] = list[:min(keep.Runs, len(list))]
		}
		if err := db.Retain(t.Context(), keep); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, ledgerTimes(everything(t, db), now)); diff != "" {
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
