package sqlite

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/storetest"
)

// learnSome saves #a and #b of test one and #a of test two, which is on another page.
func learnSome(t *testing.T, db *DB, at time.Time) {
	t.Helper()
	prints := storetest.Fingerprints(3, "", "#a")
	for i, of := range []struct{ test, locator, page string }{{"one", "#a", "/cart"}, {"one", "#b", "/login"}, {"two", "#a", "/login"}} {
		prints[i].TestID, prints[i].Locator, prints[i].Page = engine.TestID(of.test), of.locator, of.page
	}
	if err := db.SaveFingerprints(t.Context(), prints, storetest.PageState(t, "sign in"), at); err != nil {
		t.Fatal(err)
	}
}

func learnedElements(t *testing.T, db *DB) []store.LearnedElement {
	t.Helper()
	all, err := db.Fingerprints(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	var elements []store.LearnedElement
	for _, f := range all.List {
		elements = append(elements, store.LearnedElement{TestID: f.TestID, Locator: f.Locator})
	}
	return elements
}

func TestForgetDeletesWhatIsMeantAndNothingElse(t *testing.T) {
	t.Parallel()
	oneA, oneB, twoA := store.LearnedElement{TestID: "one", Locator: "#a"}, store.LearnedElement{TestID: "one", Locator: "#b"}, store.LearnedElement{TestID: "two", Locator: "#a"}
	for name, c := range map[string]struct {
		what            store.Learned
		forgotten, left []store.LearnedElement
	}{
		"an element":          {store.Learned{TestID: "one", Locator: "#a"}, []store.LearnedElement{oneA}, []store.LearnedElement{oneB, twoA}},
		"a test":              {store.Learned{TestID: "one"}, []store.LearnedElement{oneA, oneB}, []store.LearnedElement{twoA}},
		"a page":              {store.Learned{Page: "/login"}, []store.LearnedElement{oneB, twoA}, []store.LearnedElement{oneA}},
		"an unknown element":  {store.Learned{TestID: "two", Locator: "#b"}, nil, []store.LearnedElement{oneA, oneB, twoA}},
		"an unknown page":     {store.Learned{Page: "/"}, nil, []store.LearnedElement{oneA, oneB, twoA}},
		"half of a test's id": {store.Learned{TestID: "on"}, nil, []store.LearnedElement{oneA, oneB, twoA}},
	} {
		db := freshDB(t)
		learnSome(t, db, time.Unix(1_700_000_000, 0))
		forgotten, err := db.Forget(t.Context(), c.what, time.Unix(1_700_000_100, 0))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.forgotten, forgotten); diff != "" {
			t.Errorf("%s: forgotten (-want +got):\n%s", name, diff)
		}
		mustSave(t, db)
		if diff := cmp.Diff(c.left, learnedElements(t, again(t, db))); diff != "" {
			t.Errorf("%s: left (-want +got):\n%s", name, diff)
		}
	}
}

func TestAMergeBringsBackNothingThatWasForgottenAndWhatWasLearnedSince(t *testing.T) {
	t.Parallel()
	early, late := freshDB(t), freshDB(t)
	learnSome(t, early, time.Unix(1_700_000_000, 0))
	learnSome(t, late, time.Unix(1_700_000_200, 0))
	db := freshDB(t)
	mergeAll(t, db, everything(t, early))
	if _, err := db.Forget(t.Context(), store.Learned{TestID: "one"}, time.Unix(1_700_000_100, 0)); err != nil {
		t.Fatal(err)
	}
	mergeAll(t, db, everything(t, early))
	if diff := cmp.Diff([]store.LearnedElement{{TestID: "two", Locator: "#a"}}, learnedElements(t, db)); diff != "" {
		t.Errorf("after an old delta (-want +got):\n%s", diff)
	}
	told := freshDB(t)
	mergeAll(t, told, everything(t, early))
	mergeAll(t, told, everything(t, db))
	if n := len(learnedElements(t, told)); n != 1 {
		t.Errorf("a database that is told of it has %d elements, want 1", n)
	}
	mergeAll(t, db, everything(t, late))
	if n := len(learnedElements(t, db)); n != 3 {
		t.Errorf("%d elements after they were learned again, want 3", n)
	}
}

func TestAFileThatGrowsBringsBackNothingThatWasForgotten(t *testing.T) {
	t.Parallel()
	path := filledSeed(t)
	db := mustOpen(t, path)
	all := learnedElements(t, db)
	if len(all) == 0 {
		t.Fatal("nothing was learned, so the test shows nothing")
	}
	if forgotten, err := db.Forget(t.Context(), store.Learned{TestID: all[0].TestID}, time.Unix(4_000_000_000, 0)); err != nil || len(forgotten) == 0 {
		t.Fatal(forgotten, err)
	}
	f := openSeed(t, path)
	f.run("another", "passed", 1700009999)
	f.close()
	mustSave(t, db)
	for _, e := range learnedElements(t, again(t, db)) {
		if e.TestID == all[0].TestID {
			t.Errorf("%v is there again", e)
		}
	}
}
