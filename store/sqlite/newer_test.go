package sqlite

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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

// newerBy makes the file at path one of a version so far ahead, as that version would
// have it: with a column more in every table and two tables more.
func newerBy(t *testing.T, path string, ahead int, statements ...string) {
	t.Helper()
	db := openPlain(t, path)
	tables, err := readColumn[string](t.Context(), db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil || len(tables) < 20 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	var all []string
	for _, table := range tables {
		all = append(all, `ALTER TABLE `+table+` ADD COLUMN mood TEXT NOT NULL DEFAULT 'grey'`,
			`UPDATE `+table+` SET mood = 'blue'`)
	}
	all = append(all, `CREATE TABLE comets (id INTEGER PRIMARY KEY AUTOINCREMENT, "order" REAL, tail TEXT, ice BLOB)`,
		`CREATE TABLE meteors (test_id TEXT, n INTEGER, PRIMARY KEY (test_id, n)) WITHOUT ROWID`,
		`INSERT INTO comets VALUES (7, 1.5, 'long', x'00ff'), (9, NULL, 'short', NULL)`,
		`INSERT INTO meteors VALUES ('pays', 1), ('pays', 2)`,
		`INSERT INTO schema_meta (key, value) VALUES ('colour', 'red')`,
		fmt.Sprintf(`UPDATE schema_meta SET value = '%d' WHERE key = 'schema_version'`, schemaVersion+ahead))
	for _, s := range append(all, statements...) {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// filledOwn is a saved database of ours with a row in nearly every table.
func filledOwn(t *testing.T) string {
	t.Helper()
	path := bigFile(t, 2, 5)
	db := mustOpen(t, path)
	run := storetest.Run(2, 5)
	run.Heals = []engine.HealEvent{storetest.Heal("a", 1700000500), storetest.Refusal("b")}
	recordRun(t, db, run)
	page := []byte("page")
	sum := sha256.Sum256(page)
	mergeAll(t, db, &delta.Delta{Schema: schemaVersion, Records: []delta.Record{&delta.Page{State: page, UpdatedAt: 3},
		&delta.Fingerprint{Test: "a", Locator: "#x", JSON: `{"tag":"a"}`, UpdatedAt: 3, Page: sum[:]}, &delta.Veto{Test: "a", Locator: "#x", Signature: "s", Who: "ada", At: 1},
		&delta.Lesson{Was: "x", Now: "y", Who: "ada", At: 1}, &delta.Accepted{Test: "a", Locator: "#y", JSON: `{"tag":"a"}`, Who: "ada", At: 1},
		&delta.Unknown{Line: `{"_":"comet","tail":3}`}, &delta.Retention{Before: 5}}})
	if err := db.QuarantineAdd(t.Context(), flaky.Entry{TestID: "pays", Reason: "PROJ-1", Since: time.Unix(1_700_000_000, 0)}, "ada"); err != nil {
		t.Fatal(err)
	}
	mustSave(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// newerContents returns what a newer version finds of its own in a file: how many rows of
// each table have its column filled, and its tables.
func newerContents(t *testing.T, path string) string {
	t.Helper()
	db := openPlain(t, path)
	var out strings.Builder
	for _, table := range append(slices.Clone(dumpTables), "renames", "retention", "unknown_lines") {
		for _, mood := range []string{"blue", "grey"} {
			n, err := readColumn[int](t.Context(), db, `SELECT count(*) FROM `+table+` WHERE mood = ?`, mood)
			if err != nil {
				t.Fatalf("%s: %v", table, err)
			}
			fmt.Fprintf(&out, "%s %s %d\n", table, mood, n[0])
		}
	}
	meta, err := readColumn[string](t.Context(), db, `SELECT key || ' ' || value FROM schema_meta ORDER BY key`)
	if err != nil {
		t.Fatal(err)
	}
	return out.String() + dumpTable(t, db, "comets") + dumpTable(t, db, "meteors") + strings.Join(meta, "\n")
}

func TestWhatANewerVersionAddedOutlivesTheWriteOfAnOlderOne(t *testing.T) {
	t.Parallel()
	for _, ahead := range []int{1, 2, 9} {
		t.Run(fmt.Sprintf("schema %+d", ahead), func(t *testing.T) {
			t.Parallel()
			path := filledOwn(t)
			newerBy(t, path, ahead)
			before := newerContents(t, path)
			db := mustOpen(t, path)
			facts, err := db.Facts(t.Context())
			if err != nil || facts.Schema != schemaVersion+ahead || db.FileSchema() != schemaVersion+ahead {
				t.Errorf("%+v of a file of %d, %v", facts, db.FileSchema(), err)
			}
			said := noticed(db)
			if unread := db.Unread(); len(unread) > 0 || said != db.Newer() {
				t.Errorf("a whole file of a newer schema: %v is unread, noticed %q, newer %q", unread, said, db.Newer())
			}
			for _, want := range []string{fmt.Sprint("schema ", schemaVersion+ahead), fmt.Sprint("up to ", schemaVersion), "table comets", "column ", "update Breadcrumb"} {
				if !strings.Contains(said, want) {
					t.Errorf("%q does not say %q", said, want)
				}
			}
			mustSave(t, db)
			if diff := cmp.Diff(before, newerContents(t, path)); diff != "" {
				t.Errorf("saved (-before +after):\n%s", diff)
			}
			recordRun(t, db, storetest.Run(3, 6))
			mergeAll(t, db, &delta.Delta{Schema: schemaVersion, Records: []delta.Record{&delta.Rename{Old: "a", New: "z", At: 1e12}}})
			mustSave(t, db)
			after := newerContents(t, path)
			for line := range strings.Lines(before) {
				if strings.Contains(line, " blue ") && !strings.HasPrefix(line, "derived") && !strings.Contains(after, line) {
					t.Errorf("lost: %s", line)
				}
			}
			for _, want := range []string{"runs grey 1\n", "packed_runs grey 1\n", "[7 1.5 long [0 255]]", "colour red"} {
				if !strings.Contains(after, want) {
					t.Errorf("no %q in\n%s", want, after)
				}
			}
		})
	}
}

func noticed(db *DB) string {
	var said []string
	for _, n := range db.Notices() {
		said = append(said, n.Reason)
	}
	return strings.Join(said, "\n")
}

func TestANewerDatabaseThatCannotBeReadWholeIsRefusedAndNotTouched(t *testing.T) {
	t.Parallel()
	for says, statement := range map[string]string{
		"it does not say that an older one can read it":                                    `DELETE FROM schema_meta WHERE key = 'compatible_since'`,
		fmt.Sprintf("only a Breadcrumb that knows schema %d can read it", schemaVersion+1): fmt.Sprintf(`UPDATE schema_meta SET value = '%d' WHERE key = 'compatible_since'`, schemaVersion+1),
		`compatible_since "later" is no version`:                                           `UPDATE schema_meta SET value = 'later' WHERE key = 'compatible_since'`,
		"row of packed_runs":                                                               `UPDATE packed_runs SET packed = x'02' || substr(packed, 2)`,
		"row of heal_refusals":                                                             `UPDATE heal_refusals SET event_digest = 'short'`,
		"it has no table vetoes":                                                           `DROP TABLE vetoes`,
		"table lessons has no column who":                                                  `ALTER TABLE lessons DROP COLUMN who`,
		"column labels.kind is part of its key":                                            `DROP TABLE labels; CREATE TABLE labels (id INTEGER, name TEXT, kind TEXT, PRIMARY KEY (id, kind))`,
		"the default of column comets.at":                                                  `ALTER TABLE comets ADD COLUMN at TEXT DEFAULT 'it''s'`,
		`the name of column comets.a"b`:                                                    `ALTER TABLE comets ADD COLUMN "a""b" TEXT`,
		`the type of column comets.size is "DECIMAL(1,2)"`:                                 `ALTER TABLE comets ADD COLUMN size DECIMAL(1,2)`,
		`"no name" is no name of a table`:                                                  `CREATE TABLE "no name" (a)`,
		"stars is not a plain table":                                                       `CREATE VIRTUAL TABLE stars USING fts5(name)`,
		"column comets.twice is computed":                                                  `ALTER TABLE comets ADD COLUMN twice REAL AS ("order" * 2)`,
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			path := filledOwn(t)
			newerBy(t, path, 1, statement)
			before := files(t, path)
			db, err := Open(t.Context(), path, Options{})
			if err == nil {
				db.Close()
			}
			if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), path) {
				t.Fatalf("got %v", err)
			}
			if !errors.Is(err, store.ErrNewerSchema) && !errors.Is(err, store.ErrUnreadable) {
				t.Errorf("%v", err)
			}
			if diff := cmp.Diff(before, files(t, path)); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
		})
	}
}

// TestWhatANewerVersionAddedIsMerged merges databases of newer versions, of which each has
// something that the other lacks.
func TestWhatANewerVersionAddedIsMerged(t *testing.T) {
	t.Parallel()
	other := filledOwn(t)
	newerBy(t, other, 2, `INSERT INTO meteors VALUES ('pays', 3)`,
		`UPDATE comets SET tail = 'other' WHERE id = 7`, `ALTER TABLE fingerprints ADD COLUMN shape INTEGER`, `UPDATE fingerprints SET shape = 5`)
	for name, into := range map[string]string{"one of this version": filledOwn(t), "none": filepath.Join(t.TempDir(), "new.db"), "a newer one": filledOwn(t)} {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "a newer") {
				newerBy(t, into, 1, `UPDATE packed_runs SET mood = 'grey'`, `UPDATE runs SET mood = 'red'`)
			}
			db, from := mustOpen(t, into), mustOpen(t, other)
			for range 2 { // a merge again changes nothing
				if err := db.MergeFrom(t.Context(), from); err != nil {
					t.Fatal(err)
				}
			}
			if said := noticed(db); !strings.Contains(said, fmt.Sprint("schema ", schemaVersion+2)) {
				t.Errorf("said %q", said)
			}
			mustSave(t, db)
			after := newerContents(t, into)
			runs, tails := "runs blue 3\n", []string{"other", "short"}
			if strings.HasPrefix(name, "a newer") {
				runs, tails = "runs blue 0\n", []string{"long", "other", "short"}
			}
			for _, want := range []string{runs, "packed_runs blue 3\n", "fingerprints blue 1\n", "healing_events blue 1\n", "[pays 3]", fmt.Sprint("compatible_since ", compatibleSince), fmt.Sprint("schema_version ", schemaVersion+2)} {
				if !strings.Contains(after, want) {
					t.Errorf("no %q in\n%s", want, after)
				}
			}
			got, err := readColumn[string](t.Context(), openPlain(t, into), `SELECT tail FROM comets ORDER BY tail`)
			if diff := cmp.Diff(tails, got); err != nil || diff != "" {
				t.Errorf("comets, %v: %s", err, diff)
			}
			if shapes, err := readColumn[int](t.Context(), openPlain(t, into), `SELECT shape FROM fingerprints`); err != nil || !slices.Equal(shapes, []int{5}) {
				t.Errorf("shapes %v, %v", shapes, err)
			}
		})
	}
}

// TestOfAFileThatTestsCouldHaveWrittenNothingUnknownIsTaken opens it as a run that is not
// trusted does.
func TestOfAFileThatTestsCouldHaveWrittenNothingUnknownIsTaken(t *testing.T) {
	t.Parallel()
	path := filledOwn(t)
	newerBy(t, path, 1)
	begin := func(ctx context.Context, db *DB) error { return nil }
	db, err := Open(t.Context(), path, Options{Begin: begin, Local: store.Trust{Learned: true, Only: &store.OnlyRun{RunID: 99}}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if facts, err := db.Facts(t.Context()); err != nil || facts.Schema != schemaVersion || strings.Contains(noticed(db), "comets") {
		t.Errorf("%+v, %v, %s", facts, err, noticed(db))
	}
}
