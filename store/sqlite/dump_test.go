package sqlite

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// dumpTables are in the order a dump lists them.
var dumpTables = []string{"schema_meta", "fingerprints", "page_states", "healing_events", "test_runs", "quarantine", "tests", "labels",
	"runs", "packed_runs", "packed_moves", "heal_refusals", "quarantine_log", "vetoes", "lessons", "accepted", "forgotten"}

// dump returns every row of every table as text.
func dump(tb testing.TB, db *sql.DB) string {
	tb.Helper()
	var out strings.Builder
	for _, table := range dumpTables {
		out.WriteString(dumpTable(tb, db, table))
	}
	return out.String()
}

// dumpTable returns the rows of one table, sorted.
func dumpTable(tb testing.TB, db *sql.DB, table string) string {
	tb.Helper()
	rows, err := db.QueryContext(tb.Context(), "SELECT * FROM "+table)
	if err != nil {
		tb.Fatalf("dump %s: %v", table, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		tb.Fatalf("dump %s: %v", table, err)
	}
	var lines []string
	for rows.Next() {
		values := make([]any, len(columns))
		targets := make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			tb.Fatalf("dump %s: %v", table, err)
		}
		lines = append(lines, fmt.Sprintf("  %v\n", values))
	}
	if err := rows.Err(); err != nil {
		tb.Fatalf("dump %s: %v", table, err)
	}
	slices.Sort(lines)
	return fmt.Sprintf("%s %v\n", table, columns) + strings.Join(lines, "")
}

// dumpFile opens, dumps and closes the database at path, changing nothing.
func dumpFile(tb testing.TB, path string) string {
	tb.Helper()
	db, err := Open(tb.Context(), path, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	return dump(tb, db.sql)
}

// files returns the names and contents in the directory of path, lock aside.
func files(tb testing.TB, path string) map[string]string {
	tb.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		tb.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".lock") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		if err != nil {
			text = []byte(err.Error())
		}
		found[e.Name()] = string(text)
	}
	return found
}

// copyFiles copies a database with its sidecars as a killed program leaves
// them, and returns the copy's path.
func copyFiles(tb testing.TB, path string) string {
	tb.Helper()
	to := filepath.Join(tb.TempDir(), filepath.Base(path))
	for _, suffix := range []string{"", "-wal", "-journal"} {
		text, err := os.ReadFile(path + suffix)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(to+suffix, text, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return to
}
