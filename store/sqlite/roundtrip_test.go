package sqlite

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	_ "embed" // the seed tool

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/storetest"
)

// filledSeed is a version 2 database with some of everything, closed.
func filledSeed(tb testing.TB) string {
	tb.Helper()
	f := newSeed(tb, 2)
	f.exec(seedSaveFingerprint, "a", "#login-btn", seedFingerprint("a", "#login-btn", "login-btn"), 1700000000.25)
	f.heal("a", "#login-btn", 1700000001.5)
	f.heal("b", "#login-btn", 1700000002.5)
	for i, status := range []string{"passed", "failed", "passed"} {
		f.run("a", status, 1700000000+float64(i)*10)
		f.run("b", "passed", 1700000001+float64(i)*10)
	}
	f.exec(seedQuarantine, "b", "auto: Chronic (fliprate threshold 0.30)", 1700000100.0)
	f.close()
	return f.path
}

func mustOpen(tb testing.TB, path string) *DB {
	tb.Helper()
	db, err := Open(tb.Context(), path, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

func mustSave(tb testing.TB, db *DB) {
	tb.Helper()
	if err := db.Save(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

// saveOver opens, saves and closes the database at path.
func saveOver(tb testing.TB, path string) {
	tb.Helper()
	db := mustOpen(tb, path)
	mustSave(tb, db)
	if err := db.Close(); err != nil {
		tb.Fatal(err)
	}
}

func TestSeedDatabaseIsReadWhole(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, filledSeed(t))
	if len(db.Notices()) > 0 {
		t.Errorf("notices: %v", db.Notices())
	}
	stats, err := db.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := store.Stats{Fingerprints: 1, Heals: 2, Tests: 2, Runs: 3, Results: 6, Quarantined: 1}
	if diff := cmp.Diff(want, stats); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	histories, err := db.Histories(t.Context(), 20, engine.RunInfo{})
	if err != nil {
		t.Fatal(err)
	}
	wantHistories := []flaky.History{
		{TestID: "a", Statuses: []engine.Status{"passed", "failed", "passed"}},
		{TestID: "b", Statuses: []engine.Status{"passed", "passed", "passed"}},
	}
	if diff := cmp.Diff(wantHistories, histories); diff != "" {
		t.Errorf("histories (-want +got):\n%s", diff)
	}
	mustSave(t, db)
}

// seedColumns are the seed's columns of every table that stays the seed's.
var seedColumns = map[string][]string{
	"schema_meta":    {"key TEXT", "value TEXT"},
	"fingerprints":   {"test_id TEXT", "locator TEXT", "fingerprint_json TEXT", "updated_at REAL"},
	"healing_events": {"id INTEGER", "test_id TEXT", "locator TEXT", "confidence REAL", "original_json TEXT", "healed_json TEXT", "timestamp REAL"},
	"test_runs": {"id INTEGER", "test_id TEXT", "status TEXT", "duration_ms REAL", "healing_occurred INTEGER",
		"error_type TEXT", "environment TEXT", "timestamp REAL"},
	"quarantine": {"test_id TEXT", "reason TEXT", "quarantined_at REAL", "auto_unquarantine INTEGER"},
}

func TestSavedTablesKeepTheSeedsColumnsFirst(t *testing.T) {
	t.Parallel()
	path := filledSeed(t)
	saveOver(t, path)
	f := openSeed(t, path)
	for table, want := range seedColumns {
		got, demanded := columnsOf(t, f.db, table)
		for _, column := range demanded {
			if !slices.Contains(want, column) {
				t.Errorf("%s: our column %s refuses the seed's rows", table, column)
			}
		}
		if len(got) < len(want) {
			t.Fatalf("%s has columns %v", table, got)
		}
		if diff := cmp.Diff(want, got[:len(want)]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table, diff)
		}
	}
}

// columnsOf returns the columns of a table as "name TYPE" and, of those, the
// ones that an INSERT must give.
func columnsOf(tb testing.TB, db *sql.DB, table string) (all, demanded []string) {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), `SELECT name || ' ' || type, "notnull" AND dflt_value IS NULL AND NOT pk FROM pragma_table_info(?)`, table)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var column string
		var must bool
		if err := rows.Scan(&column, &must); err != nil {
			tb.Fatal(err)
		}
		all = append(all, column)
		if must {
			demanded = append(demanded, column)
		}
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return all, demanded
}

func TestTheSeedsStatementsWorkOnOurFileAndAreReadBack(t *testing.T) {
	t.Parallel()
	path := filledSeed(t)
	saveOver(t, path)
	f := openSeed(t, path)
	f.exec(strings.ReplaceAll(seedV1+seedV2, "CREATE TABLE", "CREATE TABLE IF NOT EXISTS"))
	f.exec(`CREATE INDEX IF NOT EXISTS idx_test_runs_test_id ON test_runs (test_id, timestamp)`)
	f.exec(seedSaveFingerprint, "a", "#login-btn", seedFingerprint("a", "#login-btn", "renamed"), 1800000000.0)
	f.heal("c", "#new", 1800000001)
	f.run("a", "failed", 1800000002)
	f.run("c", "error", 1800000003)
	f.exec(seedQuarantine, "c", "auto: Flaky (fliprate threshold 0.30)", 1800000004.0)
	f.exec("DELETE FROM quarantine WHERE test_id = ?", "b")
	f.close()

	db := mustOpen(t, path)
	histories, err := db.Histories(t.Context(), 20, engine.RunInfo{})
	if err != nil {
		t.Fatal(err)
	}
	want := []flaky.History{
		{TestID: "a", Statuses: []engine.Status{"passed", "failed", "passed", "failed"}},
		{TestID: "b", Statuses: []engine.Status{"passed", "passed", "passed"}},
		{TestID: "c", Statuses: []engine.Status{"error"}},
	}
	if diff := cmp.Diff(want, histories); diff != "" {
		t.Errorf("histories (-want +got):\n%s", diff)
	}
	entries, err := db.Quarantine(t.Context())
	if err != nil || len(entries) != 1 || entries[0].TestID != "c" || !entries[0].AutoUnquarantine {
		t.Errorf("quarantine %v, %v; want c alone", entries, err)
	}
	stats, err := db.Stats(t.Context())
	if err != nil || stats.Heals != 3 || stats.Fingerprints != 1 {
		t.Errorf("%+v, %v; want 3 heals and 1 fingerprint", stats, err)
	}
}

// seedTool does with Python's sqlite3 what the seed's FingerprintStore,
// TestTracker and QuarantineManager do with a database that exists.
//
//go:embed testdata/seed_tool.py
var seedTool string

func TestTheSeedsOwnLanguageWorksOnOurFile(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("CI has no python3")
		}
		t.Skip("needs python3")
	}
	path := filledSeed(t)
	db := mustOpen(t, path)
	run := storetest.Run(1, 5)
	run.Heals = []engine.HealEvent{storetest.Heal("a", 1700000500)}
	recordRun(t, db, run)
	if err := db.SaveFingerprints(t.Context(), storetest.Fingerprints(1, "py", "#py"), storetest.PageState(t, "py"), time.Unix(1700000600, 0)); err != nil {
		t.Fatal(err)
	}
	mustSave(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", seedTool, path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if diff := cmp.Diff(fmt.Sprint("version ", schemaVersion)+"\nheals 3 fingerprints 2\nnewest heal #login-btn button\nsaved\n", string(out)); diff != "" {
		t.Errorf("the seed sees (-want +got):\n%s", diff)
	}
	db = mustOpen(t, path)
	if f, state, ok, err := db.LoadFingerprint(t.Context(), "py", "#py"); f.Tag != "a" || state != nil || !ok || err != nil {
		t.Errorf("after the seed rewrote a fingerprint: %+v, %d bytes of page, %v, %v; want the seed's, no page", f, len(state), ok, err)
	}
	mustSave(t, db)
	stats, err := db.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := store.Stats{Fingerprints: 2, Heals: 4, Tests: 8, Runs: 5, Results: 13, Quarantined: 2}
	if diff := cmp.Diff(want, stats); diff != "" {
		t.Errorf("rows after the seed wrote (-want +got):\n%s", diff)
	}
}
