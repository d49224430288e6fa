package sqlite

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

func TestQuarantineChangesAreAppliedAndLogged(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), freshDB(t)
	at := func(minute int) time.Time {
		return time.Unix(1_700_000_000, 0).UTC().Add(time.Duration(minute) * time.Minute)
	}
	byHand := flaky.Entry{TestID: "hand", Reason: "PROJ-1", Since: at(1)}
	limited := flaky.Entry{TestID: "limited", Reason: "PROJ-2", Since: at(2), Environment: "webkit", AutoUnquarantine: true}
	for _, e := range []flaky.Entry{byHand, limited} {
		if err := db.QuarantineAdd(ctx, e, "ada"); err != nil {
			t.Fatal(err)
		}
	}
	chronic := flaky.Change{TestID: "auto", Reason: "flips", Tier: flaky.TierChronic, FlipRate: 0.7}
	changes := []flaky.Change{
		chronic,
		{TestID: "hand", Reason: "flips"}, // keeps its entry
		{TestID: "hand", Released: true, Reason: "stable"}, // only a person releases it
		{TestID: "pending", Reason: "flips", Pending: true},
		{TestID: "absent", Released: true},
	}
	if err := db.ApplyChanges(ctx, changes, at(3)); err != nil {
		t.Fatal(err)
	}
	mustSave(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = mustOpen(t, db.path)
	got, err := db.Quarantine(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := []flaky.Entry{{TestID: "auto", Reason: "flips", Since: at(3), AutoUnquarantine: true}, byHand, limited}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("quarantine (-want +got):\n%s", diff)
	}
	for _, id := range []string{"hand", "nobody"} {
		released, err := db.QuarantineRelease(ctx, engine.TestID(id), "bob", "fixed", at(4))
		if err != nil || released != (id == "hand") {
			t.Errorf("release %s: %v, %v", id, released, err)
		}
	}
	log, err := db.QuarantineLog(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wantLog := []store.LogEntry{
		{At: at(1), Who: "ada", Change: flaky.Change{TestID: "hand", Reason: "PROJ-1"}},
		{At: at(2), Who: "ada", Change: flaky.Change{TestID: "limited", Reason: "PROJ-2"}},
		{At: at(3), Who: "breadcrumb", Change: chronic},
		{At: at(4), Who: "bob", Change: flaky.Change{TestID: "hand", Released: true, Reason: "fixed"}},
	}
	if diff := cmp.Diff(wantLog, log); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestTimesSurviveTheTripToSeconds(t *testing.T) {
	t.Parallel()
	for _, want := range []time.Time{time.Unix(0, 0), time.Unix(1_763_714_999, 123_456_000), time.Unix(-5, 500_000_000), time.Unix(4_000_000_000, 999_999_000)} {
		if got := store.FromUnix(store.Unix(want)); !got.Equal(want) {
			t.Errorf("%v became %v", want, got)
		}
	}
}
