package state_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/internal/promise"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/state/statetest"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	results "github.com/breadcrumb/action/store/packed"
	"github.com/breadcrumb/action/store/sqlite"
)

// TestSchemasTwoVersionsAwayLoseNothing meets what Breadcrumbs of two versions back and
// two ahead wrote: the older is brought up to date, of the newer what is unknown outlives
// what is written. One that says it cannot be read is left as it is.
func TestSchemasTwoVersionsAwayLoseNothing(t *testing.T) {
	t.Parallel()
	w := newSchemas(t)
	places := map[string]func(*testing.T, int){"database": w.asDatabase, "snapshot": w.asSnapshot, "delta": w.asDelta,
		"unreadable database": w.asUnreadableDatabase, "unreadable snapshot": w.asUnreadableSnapshot}
	distances := []int{-2, -1, 1, 2}
	promise.Tried(t, "schemas", len(places)*len(distances)-4)
	for place, try := range places {
		for _, away := range distances {
			if strings.HasPrefix(place, "unreadable") && away < 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s of schema %+d", place, away), func(t *testing.T) {
				t.Parallel()
				try(t, away)
			})
		}
	}
}

// schemas is a history as this version writes it.
type schemas struct {
	snapshot map[string][]byte // its files
	file     []byte            // the database in it
	version  int
	lines    string // all that it holds
}

func newSchemas(t *testing.T) *schemas {
	t.Helper()
	w := &schemas{}
	w.snapshot, _ = forgedFiles(t)
	w.file = unpacked(t, w.snapshot["snapshot.db.zst"])
	path := filepath.Join(t.TempDir(), ".breadcrumb.db")
	writeFile(t, path, w.file)
	w.version, w.lines = contents(t, path)
	return w
}

// asDatabase opens and saves the file of another version.
func (w *schemas) asDatabase(t *testing.T, away int) {
	t.Helper()
	path := w.write(t, away)
	version, lines := contents(t, path)
	if want := max(w.version, w.version+away); version != want || lines != w.lines {
		t.Errorf("schema %d holds\n%s\nwant schema %d with\n%s", version, lines, want, w.lines)
	}
	if away > 0 {
		w.checkKept(t, path)
	}
}

// asUnreadableDatabase opens the file of a version that an older one cannot read.
func (w *schemas) asUnreadableDatabase(t *testing.T, away int) {
	t.Helper()
	path := w.write(t, away)
	execute(t, path, w.unreadable(away))
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	if !errors.Is(err, store.ErrNewerSchema) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), fmt.Sprint("schema ", w.version+away)) {
		t.Errorf("opened: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !slices.Equal(before, after) {
		t.Errorf("the file was written to, %v", err)
	}
}

// unreadable declares that an older version cannot read a file.
func (w *schemas) unreadable(away int) string {
	return fmt.Sprintf(`UPDATE schema_meta SET value = '%d' WHERE key = 'compatible_since'`, w.version+away)
}

// checkKept returns an error unless a file of a newer version still has what that version
// added.
func (w *schemas) checkKept(t *testing.T, path string) {
	t.Helper()
	db := openFile(t, path)
	tails := stringsOf(t, db, `SELECT tail || ' ' || id FROM comets`)
	moods := stringsOf(t, db, `SELECT DISTINCT mood FROM packed_runs ORDER BY mood DESC`)
	if !slices.Equal(tails, []string{"3 11"}) || len(moods) == 0 || moods[0] != "red" {
		t.Errorf("kept %q, %q", tails, moods)
	}
}

// fold restores from a snapshot with the file and persists as a run of the default branch.
// It returns the quarantine that was restored, what was said, and the new snapshot.
func (w *schemas) fold(t *testing.T, file []byte) (excused []flaky.Entry, said string, folded map[string][]byte) {
	t.Helper()
	m := &statetest.Memory{}
	theirs := self(0, 0)
	m.Forge(state.Item{Name: theirs.SnapshotName(), Origin: origin(theirs)}, packed(t, w.snapshot, file))
	excused, said = quarantined(t, m.As(origin(self(500, 0))))
	s := self(1, 0)
	if _, err := session(t.Context(), t.TempDir(), m.As(origin(s)), s); err != nil {
		t.Fatal(err)
	}
	return excused, said, m.Files(s.SnapshotName())
}

// asSnapshot restores from the snapshot of another version, records a run and folds.
func (w *schemas) asSnapshot(t *testing.T, away int) {
	t.Helper()
	file, err := os.ReadFile(w.write(t, away))
	if err != nil {
		t.Fatal(err)
	}
	excused, said, folded := w.fold(t, file)
	if len(excused) != 1 || excused[0].TestID != victim || said != "" || folded == nil {
		t.Fatalf("quarantine %+v, folded %v, said %q", excused, folded != nil, said)
	}
	path := filepath.Join(t.TempDir(), "folded.db")
	writeFile(t, path, unpacked(t, folded["snapshot.db.zst"]))
	if want := max(w.version, w.version+away); schemaOf(t, path) != want || !strings.Contains(string(folded["manifest.json"]), fmt.Sprintf(`"schema":%d`, want)) {
		t.Errorf("folded into schema %d, %s", schemaOf(t, path), folded["manifest.json"])
	}
	if away > 0 {
		w.checkKept(t, path)
	}
	if _, lines := contents(t, path); strings.Count(lines, `{"_":"run"`) != strings.Count(w.lines, `{"_":"run"`)+1 {
		t.Errorf("it holds\n%s", lines)
	}
}

// asUnreadableSnapshot restores from the snapshot of a version that an older one cannot
// read.
func (w *schemas) asUnreadableSnapshot(t *testing.T, away int) {
	t.Helper()
	path := w.write(t, away)
	execute(t, path, w.unreadable(away))
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	excused, said, folded := w.fold(t, file)
	if len(excused) != 0 || folded != nil || !strings.Contains(said, "this snapshot is set aside") || !strings.Contains(said, store.ErrNewerSchema.Error()) {
		t.Errorf("quarantine %+v, folded over it: %v, said %q", excused, folded != nil, said)
	}
}

// asDelta merges the delta of another version, which of a newer one has a field and a
// kind that this version does not know.
func (w *schemas) asDelta(t *testing.T, away int) {
	t.Helper()
	d := w.read(t)
	d.Schema = w.version + away
	const comet, mood = `{"_":"comet","tail":3}`, `"mood":"blue"`
	if away > 0 {
		run := slices.IndexFunc(d.Records, func(r delta.Record) bool { _, ok := r.(*delta.Run); return ok })
		key := d.Records[run].(*delta.Run)
		d.Records = append(d.Records, &delta.Unknown{Line: comet},
			&delta.Unknown{Line: fmt.Sprintf(`{"_":"result","attempt":1,%s,"run":%q,"test":"signs in"}`, mood, key.Key.ID(key.Payload))})
	}
	path := filepath.Join(t.TempDir(), ".breadcrumb.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Begin: func(ctx context.Context, db *sqlite.DB) error {
		_, err := db.Import(ctx, d, store.Trust{RepositoryID: repository}, "delta")
		return err
	}})
	if err == nil {
		err = errors.Join(db.Save(t.Context()), db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	_, lines := contents(t, path)
	for line := range strings.Lines(w.lines) {
		if away > 0 && strings.HasPrefix(line, `{"_":"result"`) {
			continue // one of them has the field beside
		}
		if !strings.Contains(lines, line) {
			t.Errorf("it lost %s", line)
		}
	}
	if results := strings.Count(lines, `{"_":"result"`); results != strings.Count(w.lines, `{"_":"result"`) && away < 0 || results == 0 {
		t.Errorf("%d results", results)
	}
	if kept := strings.Contains(lines, comet) && strings.Contains(lines, mood); kept != (away > 0) {
		t.Errorf("what a newer version knows is kept: %v\n%s", kept, lines)
	}
}

// write writes the database as a version so far away would have.
func (w *schemas) write(t *testing.T, away int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".breadcrumb.db")
	if away > 0 {
		writeFile(t, path, w.file)
		execute(t, path, `CREATE TABLE comets (id INTEGER PRIMARY KEY, tail INTEGER)`, `INSERT INTO comets VALUES (11, 3)`,
			`ALTER TABLE packed_runs ADD COLUMN mood TEXT NOT NULL DEFAULT 'blue'`, `UPDATE packed_runs SET mood = 'red'`,
			fmt.Sprintf(`UPDATE schema_meta SET value = '%d' WHERE key = 'schema_version'`, w.version+away))
		return path
	}
	ours := filepath.Join(t.TempDir(), "ours.db")
	writeFile(t, ours, w.file)
	unpackResults(t, ours)
	execute(t, ours, `CREATE TABLE moved (test INTEGER NOT NULL, run INTEGER NOT NULL, attempt INTEGER NOT NULL, was INTEGER NOT NULL, nth INTEGER NOT NULL)`)
	steps, err := filepath.Glob("../store/sqlite/migration/*.sql")
	if err != nil || len(steps) != w.version {
		t.Fatalf("%d migrations, %v", len(steps), err)
	}
	var statements []string
	for _, step := range steps[:w.version+away] {
		text, err := os.ReadFile(step)
		if err != nil {
			t.Fatal(err)
		}
		statements = append(statements, string(text))
	}
	execute(t, path, statements...)
	copyRows(t, path, ours)
	execute(t, path, fmt.Sprintf(`INSERT OR REPLACE INTO schema_meta (key, value) VALUES ('schema_version', '%d')`, w.version+away))
	return path
}

// read returns all that the history holds.
func (w *schemas) read(t *testing.T) *delta.Delta {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".breadcrumb.db")
	writeFile(t, path, w.file)
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all, err := db.Everything(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// contents opens and saves a database and returns its schema and all that it holds, a
// record a line.
func contents(t *testing.T, path string) (version int, lines string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all, err := db.Everything(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	body, _, err := all.Body()
	if err := errors.Join(err, db.Save(t.Context())); err != nil {
		t.Fatal(err)
	}
	return schemaOf(t, path), string(body)
}

func writeFile(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// unpackResults adds the table of results that older versions have instead of packed ones.
func unpackResults(t *testing.T, path string) {
	t.Helper()
	execute(t, path, `CREATE TABLE results (test INTEGER NOT NULL, run INTEGER NOT NULL, attempt INTEGER NOT NULL, status INTEGER NOT NULL, duration_ms REAL,
		healed INTEGER NOT NULL, error INTEGER, environment INTEGER, at REAL, signature INTEGER, place INTEGER)`)
	db := openFile(t, path)
	defer db.Close()
	var run int64
	var bytes []byte
	if err := db.QueryRowContext(t.Context(), `SELECT run, packed FROM packed_runs`).Scan(&run, &bytes); err != nil {
		t.Fatal(err)
	}
	if err := results.Each(bytes, func(r *results.Row) error {
		_, err := db.ExecContext(t.Context(), `INSERT INTO results (test, run, attempt, status, duration_ms, healed) VALUES (?, ?, ?, ?, ?, ?)`,
			r.Test, run, r.Attempt, r.Status, r.Duration.Value, r.Healed)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// openFile opens a database file without Breadcrumb.
func openFile(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func execute(t *testing.T, path string, statements ...string) {
	t.Helper()
	db := openFile(t, path)
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func schemaOf(t *testing.T, path string) (version int) {
	t.Helper()
	db := openFile(t, path)
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), `SELECT value FROM schema_meta WHERE key = 'schema_version'`).Scan(&version); err != nil {
		t.Fatal(err)
	}
	return version
}

// copyRows fills the tables of a database from those of a newer one, as far as they have
// the columns.
func copyRows(t *testing.T, path, from string) {
	t.Helper()
	db := openFile(t, path)
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `ATTACH ? AS ours`, from); err != nil {
		t.Fatal(err)
	}
	for _, table := range stringsOf(t, db, `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`) {
		columns := strings.Join(stringsOf(t, db, `SELECT name FROM pragma_table_info(?, 'main')`, table), ", ")
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf(`INSERT OR REPLACE INTO main.%s (%s) SELECT %s FROM ours.%s`, table, columns, columns, table)); err != nil {
			t.Fatalf("%s: %v", table, err)
		}
	}
}

func stringsOf(t *testing.T, db *sql.DB, query string, args ...any) (all []string) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	for found.Next() {
		var s string
		if err := found.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
