package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/storetest"
	"github.com/breadcrumb/action/store/untrusted"
)

// altered is a seed database changed by SQL statements.
func altered(tb testing.TB, statements ...string) string {
	tb.Helper()
	path := filledSeed(tb)
	f := openSeed(tb, path)
	f.exec("PRAGMA journal_mode=DELETE")
	for _, s := range statements {
		f.exec(s)
	}
	f.close()
	return path
}

// alteredOwn is a database of ours changed by SQL statements.
func alteredOwn(tb testing.TB, statements ...string) string {
	tb.Helper()
	return alter(tb, bigFile(tb, 2, 5), statements)
}

// alteredOld is one of the last version that did not pack results.
func alteredOld(tb testing.TB, statements ...string) string {
	tb.Helper()
	return alter(tb, ofOldResults(tb, 2, 5), statements)
}

func alter(tb testing.TB, path string, statements []string) string {
	tb.Helper()
	f := openSeed(tb, path)
	f.exec("PRAGMA journal_mode=DELETE")
	for _, s := range statements {
		f.exec(s)
	}
	f.close()
	return path
}

func written(tb testing.TB, text string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), ".breadcrumb.db")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
	return path
}

func read(tb testing.TB, path string) string {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func TestWhatIsNoDatabaseOfOursIsRefusedAndNotTouched(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path string
		want error
		says string
	}{
		"newer schema":          {altered(t, fmt.Sprintf(`UPDATE schema_meta SET value = '%d'`, schemaVersion+1)), store.ErrNewerSchema, fmt.Sprint("schema ", schemaVersion+1)},
		"schema of nonsense":    {altered(t, `UPDATE schema_meta SET value = 'DROP'`), store.ErrUnreadable, `"DROP" is no version`},
		"schema below one":      {altered(t, `UPDATE schema_meta SET value = '-1'`), store.ErrUnreadable, "is no version"},
		"empty file":            {written(t, ""), store.ErrUnreadable, "empty"},
		"text":                  {written(t, "not a database, only text that goes on for a while\n"), store.ErrUnreadable, "not a database"},
		"other database":        {altered(t, `DROP TABLE healing_events`), store.ErrUnreadable, "no table healing_events"},
		"seed table missing":    {altered(t, `DROP TABLE fingerprints`), store.ErrUnreadable, "no table fingerprints"},
		"column missing":        {altered(t, `ALTER TABLE healing_events DROP COLUMN confidence`), store.ErrUnreadable, "no column confidence"},
		"own table missing":     {alteredOwn(t, `DROP TABLE packed_runs`), store.ErrUnreadable, "no table packed_runs"},
		"older table missing":   {alteredOld(t, `DROP TABLE results`), store.ErrUnreadable, "no table results"},
		"truncated":             {written(t, read(t, bigFile(t, 2, 300))[:20_000]), store.ErrUnreadable, "malformed"},
		"view for a table":      {altered(t, `ALTER TABLE quarantine RENAME TO q`, `CREATE VIEW quarantine AS SELECT * FROM q`), store.ErrUnreadable, "quarantine is not a plain table"},
		"virtual table":         {altered(t, `DROP TABLE test_runs`, `CREATE VIRTUAL TABLE test_runs USING fts5(test_id, status, duration_ms, healing_occurred, error_type, environment, timestamp)`), store.ErrUnreadable, "test_runs is not a plain table"},
		"computed column":       {altered(t, `DROP TABLE quarantine`, `CREATE TABLE quarantine (test_id TEXT, reason TEXT AS (hex(zeroblob(100000000))), quarantined_at REAL, auto_unquarantine INTEGER)`), store.ErrUnreadable, "quarantine.reason is computed"},
		"computed and stored":   {altered(t, `DROP TABLE quarantine`, `CREATE TABLE quarantine (test_id TEXT, reason TEXT AS (test_id) STORED, quarantined_at REAL, auto_unquarantine INTEGER)`), store.ErrUnreadable, "quarantine.reason is computed"},
		"schema table computed": {altered(t, `DROP TABLE schema_meta`, `CREATE TABLE schema_meta (key TEXT, value TEXT AS ('2'))`), store.ErrUnreadable, "schema_meta.value is computed"},
	} {
		t.Run(name, func(t *testing.T) {
			before := files(t, c.path)
			db, err := Open(t.Context(), c.path, Options{})
			if err == nil {
				db.Close()
			}
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.path) {
				t.Errorf("got %v; want %v naming the file and %q", err, c.want, c.says)
			}
			if diff := cmp.Diff(before, files(t, c.path)); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
			if strings.Contains(name, "own table") || strings.Contains(name, "older table") || strings.Contains(name, "seed table") || strings.Contains(name, "view for") ||
				strings.Contains(name, "virtual") || strings.Contains(name, "quarantine") || strings.HasPrefix(name, "computed") {
				return // healing_events itself is whole
			}
			if _, _, err := ReadSeedHeals(t.Context(), c.path); !errors.Is(err, c.want) {
				t.Errorf("ReadSeedHeals: got %v; want %v", err, c.want)
			}
		})
	}
}

func TestAFileOverTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	path := filledSeed(t)
	if _, err := Open(t.Context(), path, Options{MaxBytes: 4096}); !errors.Is(err, store.ErrUnreadable) {
		t.Errorf("got %v; want ErrUnreadable", err)
	}
}

func TestOnlyPlainFilesAreOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filledSeed(t)
	for _, link := range []string{"db", "side-wal", "lock.lock"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "side"), []byte(read(t, target)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"db", "side", "lock", "."} {
		if _, err := Open(t.Context(), filepath.Join(dir, name), Options{}); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
	if diff := cmp.Diff(1, len(files(t, target))); diff != "" {
		t.Error("files appeared beside the link's target")
	}
}

func TestRowsThatMakeNoSenseAreLeftOutWithANotice(t *testing.T) {
	t.Parallel()
	path := alteredOld(t,
		`INSERT INTO results (test, run, attempt, status, healed) VALUES (999, 1, 1, 0, 0), (1, 999, 1, 0, 0), (1, 1, 7, 4, 0),
			(1, 1, -1, -1, 0), (1, 1, 9223372036854775807, 0, 0), (1, 1, 8, 'passed', 0), (1, 1, 9, 0, 5)`,
		`INSERT INTO healing_events (id, test_id, locator, confidence, original_json, healed_json, timestamp)
			VALUES (9223372036854775807, 'a', 'b', 0.5, '{}', '{}', 1), (5, 'a', 'b', 9e999, '{}', '{}', 1)`,
		`INSERT INTO fingerprints (test_id, locator, fingerprint_json, updated_at) VALUES ('big', 'l', zeroblob(20000000), 1), ('blob', 'l', x'00', 1), ('fine', 'l', '{}', 1)`,
		`UPDATE runs SET fork = 77`,
		`INSERT INTO runs SELECT 7, repository_id, 7, run_attempt, workflow, job, leg, report_digest, ordinal, origin, repository, commit_sha, head_sha,
			branch, pull_request, fork, incomplete, started_at, recorded_at, result_count, payload_digest, workflow_id, 'pr-12' FROM runs WHERE id = 1`,
		`CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END`,
	)
	db := mustOpen(t, path)
	stats, err := db.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := store.Stats{Fingerprints: 1, Tests: 5, Runs: 2, Results: 11}
	if diff := cmp.Diff(want, stats); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	var reasons []string
	for _, n := range db.Notices() {
		reasons = append(reasons, n.Reason)
	}
	wantReasons := []string{
		"2 × row of fingerprints left out; the first: fingerprint_json is missing or too large",
		"1 × row of runs left out; the first: it is of no workflow or merge group",
		"6 × row of results left out; the first: attempt -1 is none",
		"2 × row of healing_events left out; the first: confidence holds no finite number",
	}
	if diff := cmp.Diff(wantReasons, reasons); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	if _, _, err := db.LastRun(t.Context()); err != nil {
		t.Error(err)
	}
	recordRun(t, db, storetest.Run(9, 5))
	mustSave(t, db)
}

func TestASupposedJournalCannotNameAnotherFile(t *testing.T) {
	t.Parallel()
	path := fileWithJournal(t)
	victim := written(t, "precious")
	name := victim
	sum := uint32(0)
	for _, c := range []byte(name) {
		sum += uint32(c)
	}
	be := func(n uint32) string { return string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) }
	tail := name + be(uint32(len(name))) + be(sum) + "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
	journal := read(t, path+untrusted.JournalSuffix) + tail
	if err := os.WriteFile(path+untrusted.JournalSuffix, []byte(journal), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, store.ErrUnreadable) {
		t.Errorf("got %v; want ErrUnreadable", err)
	}
	if read(t, victim) != "precious" {
		t.Error("the file that the journal names was touched")
	}
}

func TestCancelledOpenLeavesNothing(t *testing.T) {
	t.Parallel()
	path := filledSeed(t)
	before := files(t, path)
	for stop := 1; stop < 12; stop++ {
		ctx, cancel := context.WithCancel(t.Context())
		steps := 0
		db, err := Open(ctx, path, Options{step: func(string) {
			if steps++; steps == stop {
				cancel()
			}
		}})
		if err == nil {
			err = errors.Join(db.Save(ctx), db.Close())
		}
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("step %d: got %v; want context.Canceled", stop, err)
		}
		if diff := cmp.Diff(before, files(t, path)); diff != "" {
			t.Errorf("step %d (-before +after):\n%s", stop, diff)
		}
	}
}

func TestTheSavedFileIsCompactPlainAndKeepsItsMode(t *testing.T) {
	t.Parallel()
	path := filledSeed(t)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	saveOver(t, path)
	if found := files(t, path); len(found) != 1 {
		t.Errorf("%d files beside the database", len(found))
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v; want 0640", info.Mode(), err)
	}
	var mode, check string
	f := openReadOnly(t, path)
	if err := errors.Join(f.QueryRow(`PRAGMA journal_mode`).Scan(&mode), f.QueryRow(`PRAGMA integrity_check`).Scan(&check)); err != nil {
		t.Fatal(err)
	}
	if mode != "delete" || check != "ok" {
		t.Errorf("journal mode %q, integrity %q", mode, check)
	}
}

func openReadOnly(tb testing.TB, path string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("sqlite", untrusted.DSN(path, "mode=ro", "immutable=1"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db
}

func TestLeftoversOfAKilledRunAreRemovedAndNothingElse(t *testing.T) {
	t.Parallel()
	path := filledSeed(t)
	dir := filepath.Dir(path)
	ours := []string{".breadcrumb.db.tmp-123", ".breadcrumb.db.tmp-123-journal", ".breadcrumb.db.tmp-9/db-wal"}
	theirs := []string{".breadcrumb.db.tmp-x", ".breadcrumb.db.bak", "x.breadcrumb.db.tmp-1", ".breadcrumb.db.tmp-1.txt"}
	for _, name := range append(ours, theirs...) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := mustOpen(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	for i, name := range append(ours, theirs...) {
		_, err := os.Stat(filepath.Join(dir, name))
		if gone := errors.Is(err, fs.ErrNotExist); gone != (i < len(ours)) {
			t.Errorf("%s: gone %v", name, gone)
		}
	}
}
