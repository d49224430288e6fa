package sqlite

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/storetest"
)

func TestAHundredTestsOnOnePageKeepItOnce(t *testing.T) {
	t.Parallel()
	db := freshDB(t)
	state := storetest.PageState(t, "sign in")
	for _, f := range storetest.Fingerprints(100, "test", "#x") {
		savePrints(t, db, []engine.Fingerprint{f}, state)
	}
	if n := pageStates(t, db); n != 1 {
		t.Errorf("%d page states, want 1", n)
	}
	db = again(t, db)
	for i := range 100 {
		if _, got := load(t, db, fmt.Sprint("test ", i), "#x"); !bytes.Equal(got, state) {
			t.Fatalf("test %d: another page came back", i)
		}
	}
}

func TestAPageThatNoFingerprintHasIsRemovedOnSave(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, pagesFile(t, 3))
	prints := storetest.Fingerprints(3, "test", "#x")
	savePrints(t, db, prints[:2], storetest.PageState(t, "another page"))
	if db = again(t, db); pageStates(t, db) != 2 {
		t.Errorf("%d page states, want 2: one test still has the old page", pageStates(t, db))
	}
	savePrints(t, db, prints[2:], storetest.PageState(t, "another page"))
	if db = again(t, db); pageStates(t, db) != 1 {
		t.Errorf("%d page states, want 1", pageStates(t, db))
	}
}

func TestAPageIsBelievedAsLongAsTheFingerprintIsTheSame(t *testing.T) {
	t.Parallel()
	same, err := record.FingerprintJSON(storetest.Fingerprints(3, "test", "#x")[0])
	if err != nil {
		t.Fatal(err)
	}
	changed := seedFingerprint("test 0", "#x", "renamed")
	seed := func(text string) func(*testing.T, *DB) {
		return func(t *testing.T, db *DB) {
			t.Helper()
			f := openSeed(t, db.path)
			f.exec(seedSaveFingerprint, "test 0", "#x", text, 1800000000.5)
			f.close()
		}
	}
	own := func(text string) func(*testing.T, *DB) {
		return func(t *testing.T, db *DB) {
			t.Helper()
			f := storetest.Fingerprints(3, "test", "#x")[0]
			f.Text = text
			savePrints(t, db, []engine.Fingerprint{f}, nil)
		}
	}
	for name, c := range map[string]struct {
		rewrite  func(*testing.T, *DB)
		closed   bool // rewritten while nobody has the file open
		believed bool
	}{
		"the seed writes the same, closed":    {seed(same), true, true},
		"the seed writes the same, open":      {seed(same), false, true},
		"the seed writes another, closed":     {seed(changed), true, false},
		"the seed writes another, open":       {seed(changed), false, false},
		"we write the same without a page":    {own("sign in"), false, true},
		"we write another one without a page": {own("sign up"), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			db := mustOpen(t, pagesFile(t, 1+1))
			if c.closed {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				c.rewrite(t, db)
				db = mustOpen(t, db.path)
			} else {
				c.rewrite(t, db)
				mustSave(t, db)
			}
			for range 2 {
				if _, state := load(t, db, "test 0", "#x"); (state != nil) != c.believed {
					t.Errorf("%d bytes of page; want it believed: %v", len(state), c.believed)
				}
				if _, state := load(t, db, "test 1", "#x"); state == nil {
					t.Error("another test's page is gone")
				}
				db = again(t, db)
			}
			if len(db.Notices()) > 0 {
				t.Error(db.Notices())
			}
		})
	}
}

// seedReplace is what a tool does that knows no ON CONFLICT.
const seedReplace = `INSERT OR REPLACE INTO fingerprints (test_id, locator, fingerprint_json, updated_at) VALUES (?, ?, ?, ?)`

func TestAReplacedRowHasNoPage(t *testing.T) {
	t.Parallel()
	path := pagesFile(t, 1)
	f := openSeed(t, path)
	f.exec(seedReplace, "test", "#x", seedFingerprint("test", "#x", "renamed"), 1800000000.5)
	f.close()
	db := mustOpen(t, path)
	if _, state := load(t, db, "test", "#x"); state != nil {
		t.Error("a page is believed that nobody gave")
	}
	if db = again(t, db); pageStates(t, db) != 0 {
		t.Error("the page that no fingerprint has is still there")
	}
}

func TestAFileFromBeforePageStatesIsTakenOver(t *testing.T) {
	t.Parallel()
	path := pagesFile(t, 2)
	f := openSeed(t, path)
	unpackResults(t, f)
	for _, s := range []string{`DROP TABLE page_states`, `ALTER TABLE fingerprints DROP COLUMN page_state`,
		`ALTER TABLE fingerprints DROP COLUMN page_state_of`, `UPDATE schema_meta SET value = '4' WHERE key = 'schema_version'`} {
		f.exec(s)
	}
	f.close()
	db := mustOpen(t, path)
	if got, state := load(t, db, "test 1", "#x"); got.Text != "sign in" || state != nil || len(db.Notices()) > 0 {
		t.Errorf("%+v, %d bytes of page, %v", got, len(state), db.Notices())
	}
	savePrints(t, db, storetest.Fingerprints(2, "test", "#x"), storetest.PageState(t, "sign in"))
	if _, state := load(t, again(t, db), "test 1", "#x"); state == nil {
		t.Error("the page is not kept")
	}
}

func TestPagesOfAHostileFileAreTypedAndCheckedAgainstTheirDigest(t *testing.T) {
	t.Parallel()
	path := pagesFile(t, 8)
	garbage := []byte("no page state at all")
	digest := sha256.Sum256(garbage)
	large := make([]byte, heal.MaxStateBytes+1)
	largeDigest := sha256.Sum256(large)
	f := openSeed(t, path)
	insert := `INSERT INTO page_states (digest, state, updated_at) VALUES (?, ?, ?)`
	link := `UPDATE fingerprints SET page_state = ? WHERE test_id = ?`
	f.exec(insert, digest[:], garbage, 9e300)
	f.exec(link, digest[:], "test 0")
	f.exec(insert, largeDigest[:], large, 1.0)
	f.exec(link, largeDigest[:], "test 1")
	f.exec(insert, bytes.Repeat([]byte{1}, 32), storetest.PageState(t, "another's"), 1.0)
	f.exec(link, bytes.Repeat([]byte{1}, 32), "test 2")
	f.exec(link, bytes.Repeat([]byte{2}, 32), "test 3")
	f.exec(`UPDATE fingerprints SET page_state_of = zeroblob(32) WHERE test_id = 'test 4'`)
	f.exec(`UPDATE fingerprints SET page_state_of = NULL WHERE test_id = 'test 5'`)
	f.exec(link, "text", "test 6")
	f.exec(insert, "text", "text", "text")
	f.close()

	db := mustOpen(t, path)
	var reasons []string
	for _, n := range db.Notices() {
		reasons = append(reasons, n.Reason)
	}
	want := []string{
		"3 × row of page_states left out; the first: state holds no page state of a bearable size",
		"1 × row of fingerprints left out; the first: page_state holds no digest",
	}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	for range 2 { // the verdict on a state is remembered
		got, state, ok, err := db.LoadFingerprint(t.Context(), "test 0", "#x")
		if got.Text != "sign in" || state != nil || !ok || !errors.Is(err, store.ErrLeftOut) || !strings.Contains(err.Error(), path) {
			t.Errorf("%+v, %d bytes of page, %v, %v; want the fingerprint and ErrLeftOut", got, len(state), ok, err)
		}
	}
	for i := 1; i < 6; i++ {
		if _, state := load(t, db, fmt.Sprint("test ", i), "#x"); state != nil {
			t.Errorf("test %d: a page is believed", i)
		}
	}
	if _, state := load(t, db, "test 7", "#x"); state == nil {
		t.Error("the good page is gone")
	}
	var links int
	if err := db.sql.QueryRow(`SELECT count(page_state) FROM fingerprints`).Scan(&links); err != nil || links != 2 {
		t.Errorf("%d fingerprints keep a page, %v; want 2", links, err)
	}
	if db = again(t, db); pageStates(t, db) != 2 {
		t.Errorf("%d page states, want 2", pageStates(t, db))
	}
}

// manyStates are states of the largest size, more than a database keeps that is bounded
// as here: how large the bound is changes nothing but the time it takes.
const (
	boundOfStates = 8 * heal.MaxStateBytes
	manyStates    = boundOfStates/heal.MaxStateBytes + 3
)

// openBounded opens a database that keeps few page states.
func openBounded(t *testing.T, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), path, Options{maxStates: boundOfStates})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func manyState(i int) (digest [32]byte, state []byte) {
	state = make([]byte, heal.MaxStateBytes)
	binary.LittleEndian.PutUint64(state, uint64(i))
	return sha256.Sum256(state), state
}

func TestPageStatesOfAForeignFileAreBoundedInAll(t *testing.T) {
	t.Parallel()
	path := pagesFile(t, 1)
	f := openSeed(t, path)
	f.exec(`BEGIN`)
	for i := range manyStates {
		digest, state := manyState(i)
		f.exec(`INSERT INTO page_states (digest, state, updated_at) VALUES (?, ?, 1)`, digest[:], state)
	}
	f.exec(`COMMIT`)
	f.close()
	db := openBounded(t, path)
	if n := len(db.Notices()); n != 1 || !strings.Contains(db.Notices()[0].Reason, fmt.Sprintf("page states are more than %d bytes", boundOfStates)) {
		t.Errorf("notices %v; want one that names the bound", db.Notices())
	}
	var total int
	if err := db.sql.QueryRow(`SELECT sum(length(state)) FROM page_states`).Scan(&total); err != nil || total > boundOfStates {
		t.Errorf("%d bytes of page states, %v; want at most %d", total, err, boundOfStates)
	}
}

func TestTheOldestOfTooManyPageStatesGo(t *testing.T) {
	t.Parallel()
	db := openBounded(t, filepath.Join(t.TempDir(), ".breadcrumb.db"))
	for i := range manyStates {
		digest, state := manyState(i)
		db.States.Verdicts.Store(digest, nil) // as if it could be read: the size is what counts here
		at := time.Unix(1_700_000_000+int64((i+5)%manyStates), 0)
		if err := db.SaveFingerprints(t.Context(), storetest.Fingerprints(1, fmt.Sprint("test ", i), "#x"), state, at); err != nil {
			t.Fatal(err)
		}
	}
	mustSave(t, db)
	var without []string
	for i := range manyStates {
		if _, state := load(t, db, fmt.Sprint("test ", i), "#x"); state == nil {
			without = append(without, fmt.Sprint("test ", i))
		}
	}
	var want []string
	for i := manyStates - 5; i < manyStates-2; i++ {
		want = append(want, fmt.Sprint("test ", i))
	}
	if diff := cmp.Diff(want, without); diff != "" {
		t.Errorf("fingerprints without their page (-want +got):\n%s", diff)
	}
	if n := db.Notices(); len(n) != 1 || !strings.HasPrefix(n[0].Reason, "3 × page state left out, the oldest") {
		t.Errorf("notices %v", n)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if len(openBounded(t, db.path).Notices()) > 0 {
		t.Error("what was saved is not taken over whole")
	}
}

func TestTheBoundOfPageStatesIs64MiB(t *testing.T) {
	t.Parallel()
	if got := freshDB(t).opts.maxStates; got != 64<<20 {
		t.Errorf("%d bytes", got)
	}
}
