package sqlite

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/storetest"
)

// accept keeps an element with a text that ada accepted for the locator of a test.
func accept(t *testing.T, db *DB, test, locator, text string, at int64) {
	t.Helper()
	f := engine.Fingerprint{TestID: engine.TestID(test), Locator: locator, Tag: "button", Text: text}
	if err := db.AddAccepted(t.Context(), store.Accepted{Fingerprint: f, Who: "ada", At: time.Unix(at, 0)}); err != nil {
		t.Fatal(err)
	}
}

// recalled returns the text of the element that is known of a locator, "" for none.
func recalled(t *testing.T, db *DB, test, locator string) string {
	t.Helper()
	f, _, ok, err := db.Recall(t.Context(), engine.TestID(test), locator)
	if err != nil || ok != (f.Tag != "") {
		t.Fatal(ok, err)
	}
	return f.Text
}

func learn(t *testing.T, db *DB, test, locator, text string, at int64) {
	t.Helper()
	f := engine.Fingerprint{TestID: engine.TestID(test), Locator: locator, Tag: "button", Text: text}
	if err := db.SaveFingerprints(t.Context(), []engine.Fingerprint{f}, nil, time.Unix(at, 0)); err != nil {
		t.Fatal(err)
	}
}

func TestAnAcceptedElementIsKnownUntilATestLearnsIt(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	accept(t, db, "a", "#new", "store draft", 20)
	accept(t, db, "a", "#new", "keep draft", 10)
	for locator, want := range map[string]string{"#new": "store draft", "#other": ""} {
		if got := recalled(t, db, "a", locator); got != want {
			t.Errorf("%s: %q, want %q", locator, got, want)
		}
	}
	if got := recalled(t, db, "b", "#new"); got != "" {
		t.Errorf("another test knows %q", got)
	}
	if _, _, ok, err := db.LoadFingerprint(t.Context(), "a", "#new"); ok || err != nil {
		t.Errorf("it counts as learned, so that a passing test would be measured by it: %v", err)
	}
	learn(t, db, "a", "#new", "learned", 5)
	if got := recalled(t, db, "a", "#new"); got != "learned" {
		t.Errorf("after a passing test %q", got)
	}
	accept(t, db, "a", "#new", "accepted later", 30)
	mustSave(t, db)
	if got := recalled(t, again(t, db), "a", "#new"); got != "learned" {
		t.Errorf("what was accepted took the place of what was learned: %q", got)
	}
}

func TestAnAcceptedElementTravelsInTheDelta(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	accept(t, db, "a", "#old", "before the mark", 1)
	mustSave(t, db)
	db = again(t, db)
	accept(t, db, "a", "#new", "store draft", 2)
	d, err := db.Delta(t.Context(), storetest.Run(1, 1).Info, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Records) != 1 {
		t.Fatalf("%d records", len(d.Records))
	}
	if a, is := d.Records[0].(*delta.Accepted); !is || a.Test != "a" || a.Locator != "#new" || a.Who != "ada" || a.At != 2 {
		t.Errorf("%+v", d.Records[0])
	}
	for name, c := range map[string]struct {
		trust store.Trust
		want  string
	}{
		"of a person's decision": {store.Trust{Manual: true}, "store draft"},
		"of a pull request":      {store.Trust{Only: &store.OnlyRun{}, Learned: true}, ""},
	} {
		other := freshDB(t)
		if _, err := other.Import(t.Context(), d, c.trust, "delta"); err != nil {
			t.Fatal(err)
		}
		if got := recalled(t, other, "a", "#new"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAForgottenElementIsNotBroughtBackByItsAcceptance(t *testing.T) {
	t.Parallel()
	db, other := freshDB(t), freshDB(t)
	accept(t, db, "a", "#new", "store draft", 10)
	mergeAll(t, other, everything(t, db))
	forgotten, err := db.Forget(t.Context(), store.Learned{TestID: "a", Locator: "#new"}, time.Unix(20, 0))
	if diff := cmp.Diff([]store.LearnedElement{{TestID: "a", Locator: "#new"}}, forgotten); err != nil || diff != "" {
		t.Fatal(err, diff)
	}
	mergeAll(t, db, everything(t, other))
	if got := recalled(t, db, "a", "#new"); got != "" {
		t.Errorf("there again: %q", got)
	}
	accept(t, other, "a", "#new", "accepted since", 30)
	mergeAll(t, db, everything(t, other))
	if got := recalled(t, db, "a", "#new"); got != "accepted since" {
		t.Errorf("what was accepted since: %q", got)
	}
}

func TestARenamedTestKeepsItsAcceptedElementsInWhateverOrderTheyCome(t *testing.T) {
	t.Parallel()
	rename := &delta.Delta{Schema: schemaVersion, Records: []delta.Record{&delta.Rename{Old: "old", New: "new", At: 5}}}
	said := freshDB(t)
	accept(t, said, "old", "#new", "store draft", 1)
	element := everything(t, said)
	for _, order := range [][]*delta.Delta{{rename, element}, {element, rename}} {
		db := freshDB(t)
		mergeAll(t, db, order...)
		if got := recalled(t, db, "new", "#new"); got != "store draft" {
			t.Errorf("%q", got)
		}
	}
	run := storetest.Run(1, 0)
	run.Results = []engine.TestResult{storetest.Result("old", engine.StatusPassed)}
	recordRun(t, said, run)
	if renamed, err := said.RenameTests(t.Context(), []flaky.Rename{{Old: "old", New: "new"}}, time.Unix(5, 0)); err != nil || len(renamed) != 1 {
		t.Fatal(renamed, err)
	}
	if got := recalled(t, said, "new", "#new"); got != "store draft" {
		t.Errorf("renamed here: %q", got)
	}
}

func TestAForgedAcceptedElementIsLeftOut(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	bad := &delta.Delta{Schema: schemaVersion, Records: []delta.Record{
		&delta.Accepted{Test: "", Locator: "#x", JSON: `{"tag":"a"}`}, &delta.Accepted{Test: "a", Locator: "", JSON: `{"tag":"a"}`},
		&delta.Accepted{Test: "a", Locator: "#x", JSON: "no"}, &delta.Accepted{Test: "a\x00", Locator: "#x", JSON: `{"tag":"a"}`}}}
	done, err := db.Import(t.Context(), bad, store.Trust{}, "forged")
	if err != nil || len(done.Notices) != 1 || !strings.HasPrefix(done.Notices[0].Reason, "4 × record left out") {
		t.Errorf("%v, %v", done.Notices, err)
	}
	if f := (engine.Fingerprint{TestID: "a", Tag: "a"}); db.AddAccepted(t.Context(), store.Accepted{Fingerprint: f}) == nil {
		t.Error("an element without a locator is taken")
	}
}
