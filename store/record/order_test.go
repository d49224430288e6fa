package record_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

func savedSuite() ([]engine.TestID, store.Suite) {
	ids := []engine.TestID{"a.ts › one", "a.ts › two", "b.ts › three"}
	return ids, store.Suite{RunID: 9_000_000_001, Commit: "c0ffee", Reports: 2, Tests: map[engine.TestID]store.Place{
		"a.ts › one": {Title: store.TitleWritten, Reports: 2}, "a.ts › two": {Title: store.TitleMade}, "b.ts › three": {},
	}}
}

func TestPlacesAreReadAsTheyWereSaved(t *testing.T) {
	ids, suite := savedSuite()
	got := record.ReadPlaces(append(ids, "c.ts › new"), record.PackOrder(ids), record.PackPlaces(ids, suite))
	if diff := cmp.Diff(suite, got); diff != "" {
		t.Errorf("suite (-want +got):\n%s", diff)
	}
}

func TestPlacesOfAnotherOrderSayNothing(t *testing.T) {
	ids, suite := savedSuite()
	packed := record.PackPlaces(ids, suite)
	for name, order := range map[string][]byte{
		"another order": record.PackOrder([]engine.TestID{ids[1], ids[0], ids[2]}),
		"no order":      nil,
	} {
		if diff := cmp.Diff(store.Suite{}, record.ReadPlaces(ids, order, packed)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func FuzzReadPlaces(f *testing.F) {
	ids, suite := savedSuite()
	order := record.PackOrder(ids)
	f.Add(order, record.PackPlaces(ids, suite))
	f.Fuzz(func(t *testing.T, order, packed []byte) {
		got := record.ReadPlaces(ids, order, packed)
		for id, place := range got.Tests {
			if place.Reports < 0 || place.Reports > 63 || place.Title < store.TitleUnknown {
				t.Errorf("%q: %+v", id, place)
			}
		}
	})
}
