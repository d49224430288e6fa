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

func vetoOf(test, locator, signature, who string, at int64) store.Veto {
	return store.Veto{TestID: engine.TestID(test), Locator: locator, Signature: signature, Who: who, At: time.Unix(at, 0).UTC()}
}

func addVetoes(t *testing.T, db *DB, vetoes ...store.Veto) {
	t.Helper()
	for _, v := range vetoes {
		if err := db.AddVeto(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
}

func checkVetoes(t *testing.T, db *DB, test string, want ...store.Veto) {
	t.Helper()
	got, err := db.Vetoes(t.Context(), engine.TestID(test))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("vetoes of %q (-want +got):\n%s", test, diff)
	}
}

func TestAVetoHoldsForItsTestOrForAll(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	ofA, ofB, ofAll := vetoOf("a", "#x", "s1", "ada", 2), vetoOf("b", "#x", "s1", "ada", 3), vetoOf("", "#x", "s2", "bob", 1)
	addVetoes(t, db, ofA, ofB, ofAll)
	checkVetoes(t, db, "a", ofAll, ofA)
	checkVetoes(t, db, "c", ofAll)
	checkVetoes(t, db, "", ofAll, ofA, ofB)
}

func TestAVetoHoldsUntilItIsTakenBack(t *testing.T) {
	t.Parallel()
	said, again := vetoOf("a", "#x", "s1", "ada", 1), vetoOf("a", "#x", "s1", "cay", 3)
	other := vetoOf("b", "#x", "s1", "ada", 1)
	db, stale := freshDB(t), freshDB(t)
	addVetoes(t, db, said, other)
	addVetoes(t, stale, said)
	for range 2 {
		if err := db.WithdrawVeto(t.Context(), vetoOf("a", "#x", "s1", "bob", 2)); err != nil {
			t.Fatal(err)
		}
	}
	checkVetoes(t, db, "a")
	checkVetoes(t, db, "", other)

	merge := func(into *DB, from *DB) {
		all, err := from.Everything(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := into.MergeDelta(t.Context(), all, "another"); err != nil {
			t.Fatal(err)
		}
	}
	merge(stale, db)
	checkVetoes(t, stale, "a")
	late := freshDB(t)
	addVetoes(t, late, said)
	merge(db, late)
	checkVetoes(t, db, "a")

	addVetoes(t, db, again)
	checkVetoes(t, db, "a", again)
	merge(stale, db)
	merge(db, stale)
	checkVetoes(t, db, "a", again)
	checkVetoes(t, stale, "a", again)
}

func TestWhatWasSaidTwiceIsThereOnceAsItWasSaidFirst(t *testing.T) {
	t.Parallel()
	first, later := vetoOf("a", "#x", "s", "ada", 1), vetoOf("a", "#x", "s", "bob", 2)
	taught := store.Lesson{Was: "sign in", Now: "log in", Who: "ada", At: time.Unix(1, 0).UTC()}
	again := store.Lesson{Was: "sign in", Now: "log in", Who: "bob", At: time.Unix(2, 0).UTC()}
	for name, swapped := range map[string]bool{"in order": false, "the later one first": true} {
		db := freshDB(t)
		vetoes, lessons := []store.Veto{first, later}, []store.Lesson{taught, again}
		if swapped {
			vetoes, lessons = []store.Veto{later, first}, []store.Lesson{again, taught}
		}
		addVetoes(t, db, vetoes...)
		for _, l := range lessons {
			if err := db.AddLesson(t.Context(), l); err != nil {
				t.Fatal(name, err)
			}
		}
		checkVetoes(t, db, "a", first)
		got, err := db.Lessons(t.Context())
		if diff := cmp.Diff([]store.Lesson{taught}, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestCorrectionsAreBoundedAndClean(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	addVetoes(t, db, vetoOf("a\x00b", strings.Repeat("ü", 5000), "s\xff", strings.Repeat("w", 500), 1))
	got, err := db.Vetoes(t.Context(), "")
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if v := got[0]; v.TestID != "a\uFFFDb" || len(v.Locator) > store.MaxID || v.Signature != "s\uFFFD" || len(v.Who) != store.MaxWho {
		t.Errorf("%.80v", v)
	}
	for name, err := range map[string]error{
		"a veto without a locator":   db.AddVeto(t.Context(), vetoOf("a", "", "s", "ada", 1)),
		"a veto without an element":  db.AddVeto(t.Context(), vetoOf("a", "#x", "", "ada", 1)),
		"a lesson without words":     db.AddLesson(t.Context(), store.Lesson{Was: "sign in"}),
		"a lesson of too many words": db.AddLesson(t.Context(), store.Lesson{Was: "sign in", Now: strings.Repeat("x ", 1000)}),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := db.sql.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10050)
		INSERT INTO vetoes (test_id, locator, signature, who, at) SELECT 'many', 'l', i, 'ada', i FROM n`); err != nil {
		t.Fatal(err)
	}
	if got, err = db.Vetoes(t.Context(), "many"); err != nil || len(got) != store.MaxCorrections || got[len(got)-1].Signature != "10050" {
		t.Errorf("%d vetoes, %v; want the newest %d, oldest first", len(got), err, store.MaxCorrections)
	}
}

func TestCorrectionsSurviveSavingAndTravelInTheDelta(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	old := vetoOf("a", "#x", "before the mark", "ada", 1)
	addVetoes(t, db, old)
	mustSave(t, db)
	db = again(t, db)
	fresh, taught := vetoOf("a", "#x", "s", "ada", 2), store.Lesson{Was: "sign in", Now: "log in", Who: "ada", At: time.Unix(3, 0).UTC()}
	addVetoes(t, db, fresh)
	if err := db.AddLesson(t.Context(), taught); err != nil {
		t.Fatal(err)
	}
	checkVetoes(t, db, "a", old, fresh)
	d, err := db.Delta(t.Context(), storetest.Run(1, 1).Info, "")
	if err != nil {
		t.Fatal(err)
	}
	want := []delta.Record{&delta.Veto{Test: "a", Locator: "#x", Signature: "s", Who: "ada", At: 2},
		&delta.Lesson{Was: "sign in", Now: "log in", Who: "ada", At: 3}}
	if diff := cmp.Diff(want, d.Records); diff != "" {
		t.Errorf("the delta (-want +got):\n%s", diff)
	}
	other := freshDB(t)
	mergeAll(t, other, d, d)
	checkVetoes(t, other, "a", fresh)
}

func TestARenamedTestKeepsItsVetoesInWhateverOrderTheyCome(t *testing.T) {
	t.Parallel()
	said := vetoOf("old", "#x", "s", "ada", 1)
	moved := said
	moved.TestID = "new"
	rename := &delta.Delta{Schema: schemaVersion, Records: []delta.Record{&delta.Rename{Old: "old", New: "new", At: 5}}}
	veto := &delta.Delta{Schema: schemaVersion, Records: []delta.Record{&delta.Veto{Test: "old", Locator: "#x", Signature: "s", Who: "ada", At: 1}}}
	for _, order := range [][]*delta.Delta{{rename, veto}, {veto, rename}} {
		db := freshDB(t)
		mergeAll(t, db, order...)
		checkVetoes(t, db, "new", moved)
	}
	db := freshDB(t)
	run := storetest.Run(1, 0)
	run.Results = []engine.TestResult{storetest.Result("old", engine.StatusPassed)}
	recordRun(t, db, run)
	addVetoes(t, db, said)
	if renamed, err := db.RenameTests(t.Context(), []flaky.Rename{{Old: "old", New: "new"}}, time.Unix(5, 0)); err != nil || len(renamed) != 1 {
		t.Fatal(renamed, err)
	}
	checkVetoes(t, db, "new", moved)
}

func TestAForgedCorrectionIsLeftOut(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	bad := &delta.Delta{Schema: schemaVersion, Records: []delta.Record{
		&delta.Veto{Test: "a", Locator: "#x", Signature: "s\x00", Who: "ada"}, &delta.Veto{Test: "a", Locator: "", Signature: "s", Who: "ada"},
		&delta.Lesson{Was: strings.Repeat("x", 2000), Now: "y"}, &delta.Lesson{Was: "", Now: "y"}}}
	done, err := db.Import(t.Context(), bad, store.Trust{}, "forged")
	if err != nil || len(done.Notices) != 1 || !strings.HasPrefix(done.Notices[0].Reason, "4 × record left out") {
		t.Errorf("%v, %v", done.Notices, err)
	}
	checkVetoes(t, db, "")
}
