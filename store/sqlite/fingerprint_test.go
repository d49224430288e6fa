package sqlite

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/storetest"
)

func savePrints(tb testing.TB, db *DB, prints []engine.Fingerprint, state []byte) {
	tb.Helper()
	if err := db.SaveFingerprints(tb.Context(), prints, state, time.Unix(1_700_000_000, 0)); err != nil {
		tb.Fatal(err)
	}
}

// load returns a fingerprint that must be there, and its page's state.
func load(tb testing.TB, db *DB, test, locator string) (engine.Fingerprint, []byte) {
	tb.Helper()
	f, state, ok, err := db.LoadFingerprint(tb.Context(), engine.TestID(test), locator)
	if !ok || err != nil {
		tb.Fatalf("fingerprint of %s in %s: there %v, %v", locator, test, ok, err)
	}
	return f, state
}

// again saves, closes and opens db.
func again(tb testing.TB, db *DB) *DB {
	tb.Helper()
	mustSave(tb, db)
	if err := db.Close(); err != nil {
		tb.Fatal(err)
	}
	return mustOpen(tb, db.path)
}

func pageStates(tb testing.TB, db *DB) int {
	tb.Helper()
	stats, err := db.Stats(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return stats.PageStates
}

// pagesFile is a saved database of n fingerprints on one page.
func pagesFile(tb testing.TB, n int) string {
	tb.Helper()
	db := mustOpen(tb, filepath.Join(tb.TempDir(), ".breadcrumb.db"))
	savePrints(tb, db, storetest.Fingerprints(n, "test", "#x"), storetest.PageState(tb, "sign in"))
	mustSave(tb, db)
	if err := db.Close(); err != nil {
		tb.Fatal(err)
	}
	return db.path
}

func TestAFingerprintComesBackWithItsPage(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	want := storetest.Page("sign in").Fingerprint(2)
	want.TestID, want.Locator = "tests/login.spec.ts › signs in <b>\u2028é💥", "text=\"it's\" \\ \x7f"
	savePrints(t, db, []engine.Fingerprint{want}, storetest.PageState(t, "sign in"))
	for range 2 {
		got, state := load(t, db, string(want.TestID), want.Locator)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("fingerprint (-want +got):\n%s", diff)
		}
		page, err := heal.ReadState(state)
		if err != nil {
			t.Fatal(err)
		}
		if i, ok := page.Find(got); i != 2 || !ok {
			t.Errorf("found as element %d, %v; want 2", i, ok)
		}
		db = again(t, db)
	}
	if _, _, ok, err := db.LoadFingerprint(t.Context(), "another test", want.Locator); ok || err != nil {
		t.Errorf("a fingerprint nobody saved: %v, %v", ok, err)
	}
}

func TestATestThatSavesAgainReplacesItsFingerprint(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	prints := storetest.Fingerprints(1, "a", "#x")
	savePrints(t, db, prints, nil)
	prints[0].Text = "log in"
	twice := append(storetest.Fingerprints(1, "a", "#x"), prints...)
	if err := db.SaveFingerprints(t.Context(), twice, nil, time.Unix(1, 0)); err != nil { // a clock that was set back
		t.Fatal(err)
	}
	if f, _ := load(t, db, "a", "#x"); f.Text != "log in" {
		t.Errorf("text %q; want the last one saved", f.Text)
	}
}

func TestWhatCannotBeSavedIsLeftOutAndSaidAndTheRestIsSaved(t *testing.T) {
	t.Parallel()
	good, state := storetest.Fingerprints(1, "good", "#x")[0], storetest.PageState(t, "sign in")
	change := func(fn func(*engine.Fingerprint)) []engine.Fingerprint {
		f := good
		f.TestID = "bad"
		fn(&f)
		return []engine.Fingerprint{f, good, f}
	}
	for name, c := range map[string]struct {
		prints []engine.Fingerprint
		state  []byte
		says   string
	}{
		"no test id":        {change(func(f *engine.Fingerprint) { f.TestID = "" }), state, `2 × fingerprint left out; the first: "#x" in "": it has no test id`},
		"no locator":        {change(func(f *engine.Fingerprint) { f.Locator = "" }), state, `the first: "" in "bad": it has no locator`},
		"no number":         {change(func(f *engine.Fingerprint) { f.BBox = &engine.BoundingBox{X: math.NaN()} }), state, "unsupported value: NaN"},
		"larger than a row": {change(func(f *engine.Fingerprint) { f.Text = strings.Repeat("x", store.MaxJSON) }), state, "it is larger than 4194304 bytes"},
		"state too large":   {[]engine.Fingerprint{good}, append(state[:len(state):len(state)], make([]byte, heal.MaxStateBytes)...), "are more than the limit of 40960"},
		"state unreadable":  {[]engine.Fingerprint{good}, []byte("bcps1\n???"), "page left out: read page state"},
	} {
		t.Run(name, func(t *testing.T) {
			db := freshDB(t)
			err := db.SaveFingerprints(t.Context(), c.prints, c.state, time.Unix(1_700_000_000, 0))
			if !errors.Is(err, store.ErrLeftOut) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v; want ErrLeftOut saying %q", err, c.says)
			}
			_, kept := load(t, db, "good", "#x")
			if wantPage := !strings.HasPrefix(name, "state"); (kept != nil) != wantPage {
				t.Errorf("%d bytes of page; want a page: %v", len(kept), wantPage)
			}
			stats, err := db.Stats(t.Context())
			if err != nil || stats.Fingerprints != 1 {
				t.Errorf("%d fingerprints, %v; want the good one", stats.Fingerprints, err)
			}
		})
	}
}

func TestAFingerprintThatIsNoneIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	f := newSeed(t, 2)
	f.exec(seedSaveFingerprint, "bad json", "#x", "{", 1.0)
	f.exec(seedSaveFingerprint, "no tag", "#x", "{}", 1.0)
	f.exec(seedSaveFingerprint, "other test", "#x", seedFingerprint("a", "#y", "z"), 1.0)
	f.close()
	db := mustOpen(t, f.path)
	for _, test := range []string{"bad json", "no tag"} {
		_, _, ok, err := db.LoadFingerprint(t.Context(), engine.TestID(test), "#x")
		if ok || err == nil || !strings.Contains(err.Error(), f.path) || !strings.Contains(err.Error(), test) {
			t.Errorf("%s: got %v, %v; want an error that names file and test", test, ok, err)
		}
	}
	if f, _ := load(t, db, "other test", "#x"); f.TestID != "other test" || f.Locator != "#x" || f.Text != "sign in" {
		t.Errorf("%+v; want it to be of the test and locator it is kept under", f)
	}
}

func BenchmarkSaveFingerprints500(b *testing.B) {
	db := freshDB(b)
	prints, state := storetest.Fingerprints(500, "test", "#x"), storetest.PageState(b, "sign in")
	for b.Loop() {
		savePrints(b, db, prints, state)
	}
}

func BenchmarkLoadFingerprint(b *testing.B) {
	db := mustOpen(b, pagesFile(b, 500))
	for b.Loop() {
		load(b, db, "test 250", "#x")
	}
}
