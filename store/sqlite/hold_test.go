package sqlite

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
)

// inEveryOrder calls try with the numbers below n in every order.
func inEveryOrder(n int, try func(order []int)) {
	order := make([]int, 0, n)
	var next func()
	next = func() {
		if len(order) == n {
			try(order)
			return
		}
	numbers:
		for i := range n {
			for _, taken := range order {
				if taken == i {
					continue numbers
				}
			}
			order = append(order, i)
			next()
			order = order[:len(order)-1]
		}
	}
	next()
}

func TestAPersonsWordStandsInWhateverOrderEntriesAreMerged(t *testing.T) {
	t.Parallel()
	entry := func(since float64, auto bool) *delta.Quarantine {
		return &delta.Quarantine{Test: "pays", Since: since, Auto: auto, Reason: fmt.Sprint("since ", since)}
	}
	change := func(at float64, action, who, reason string) *delta.Change {
		return &delta.Change{Test: "pays", Action: action, Who: who, At: at, Reason: reason}
	}
	hold := entry(10, false)
	for name, c := range map[string]struct {
		records []delta.Record
		want    string // the reason of the entry that is left
	}{
		"a hold and a younger automatic entry": {[]delta.Record{hold, entry(20, true)}, "since 10"},
		"a hold and an older automatic entry":  {[]delta.Record{hold, entry(5, true)}, "since 10"},
		"a hold, and a rule released an automatic entry": {
			[]delta.Record{hold, entry(20, true), change(30, "release", store.Automatic, "clean")}, "since 10"},
		"a hold that a person released": {[]delta.Record{hold, change(15, "release", "ada", "")}, ""},
		"a hold before another, and between them a release": {
			[]delta.Record{hold, change(15, "release", "ada", ""), entry(20, false)}, "since 20"},
		"a released hold and a younger automatic entry": {
			[]delta.Record{hold, change(15, "release", "ada", ""), entry(20, true)}, "since 20"},
		"a released hold and an older automatic entry": {
			[]delta.Record{hold, change(15, "release", "ada", ""), entry(12, true)}, ""},
		"a hold whose test was renamed": {[]delta.Record{hold, change(15, "release", store.Automatic, store.MovedTo+"pays twice")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inEveryOrder(len(c.records), func(order []int) {
				db := freshDB(t)
				for _, i := range append(order, order[0]) {
					mergeAll(t, db, &delta.Delta{Schema: schemaVersion, Records: []delta.Record{c.records[i]}})
				}
				entries, err := db.Quarantine(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				for _, e := range entries {
					got += e.Reason
				}
				if got != c.want {
					t.Errorf("in the order %v %q is left, want %q", order, got, c.want)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

func TestWhatHasSeenAChangeIsLaterWhateverTheClocksSay(t *testing.T) {
	t.Parallel()
	ctx, now := t.Context(), time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	for name, ahead := range map[string]time.Duration{"minutes": 10 * time.Minute, "years": 80 * 365 * 24 * time.Hour, "as far as a duration goes": math.MaxInt64} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong := freshDB(t)
			if err := wrong.ApplyChanges(ctx, []flaky.Change{{TestID: "pays", Reason: "flaked"}}, now.Add(ahead)); err != nil {
				t.Fatal(err)
			}
			if err := wrong.QuarantineAdd(ctx, flaky.Entry{TestID: "ships", Reason: "PROJ-1", Since: now.Add(ahead)}, "ada"); err != nil {
				t.Fatal(err)
			}
			if err := wrong.LogSetting(ctx, "policy", "seed", "ada", now.Add(ahead)); err != nil {
				t.Fatal(err)
			}
			added := everything(t, wrong)

			right := freshDB(t)
			mergeAll(t, right, added)
			for _, id := range []engine.TestID{"pays", "ships"} {
				if released, err := right.QuarantineRelease(ctx, id, "bob", "fixed", now); err != nil || !released {
					t.Fatalf("release %s: %v, %v", id, released, err)
				}
			}
			if err := right.LogSetting(ctx, "policy", "evidence", "bob", now); err != nil {
				t.Fatal(err)
			}
			released := everything(t, right)

			for _, order := range [][]*delta.Delta{{added, released}, {released, added}, {added, released, added}} {
				db := freshDB(t)
				mergeAll(t, db, order...)
				entries, err := db.Quarantine(ctx)
				if err != nil || len(entries) != 0 {
					t.Errorf("still in quarantine: %v, %v", entries, err)
				}
				settings, err := db.Settings(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(map[string]string{"policy": "evidence"}, settings); diff != "" {
					t.Error(diff)
				}
			}
			// And once more: who saw the release may add the test again.
			if err := right.ApplyChanges(ctx, []flaky.Change{{TestID: "pays", Reason: "flaked again"}}, now); err != nil {
				t.Fatal(err)
			}
			db := freshDB(t)
			mergeAll(t, db, everything(t, right), added)
			if entries, err := db.Quarantine(ctx); err != nil || len(entries) != 1 || entries[0].Reason != "flaked again" {
				t.Errorf("in quarantine: %v, %v", entries, err)
			}
		})
	}
}
