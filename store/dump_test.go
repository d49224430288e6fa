package store

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
var dumpTables = []string{"schema_meta", "fingerprints", "healing_events", "test_runs", "quarantine", "tests", "labels",
	"runs", "results", "heal_refusals", "quarantine_log"}

// dump returns every row of every table as text.
func dump(t testing.TB, db *sql.DB) string {
	t.Helper()
	var out strings.Builder
	for _, table := range dumpTables {
		rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+table)
		if err != nil {
			t.Fatalf("dump %s: %v", table, err)
		}
		columns, _ := rows.Columns()
		fmt.Fprintf(&out, "%s %v\n", table, columns)
		var lines []string
		for rows.Next() {
			values := make([]any, len(columns))
			targets := make([]any, len(columns))
			for i := range values {
				targets[i] = &values[i]
			}
			if err := rows.Scan(targets...); err != nil {
				t.Fatalf("dump %s: %v", table, err)
			}
			lines = append(lines, fmt.Sprintf("  %v\n", values))
		}
		if err := rows.Err(); err != nil {
			t.Fatalf("dump %s: %v", table, err)
		}
		rows.Close()
		slices.Sort(lines)
		out.WriteString(strings.Join(lines, ""))
	}
	return out.String()
}

// dumpFile opens, dumps and closes the database at path, changing nothing.
func dumpFile(t testing.TB, path string) string {
	t.Helper()
	db, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	return dump(t, db.sql)
}

// files returns the names and contents in the directory of path, lock aside.
func files(t testing.TB, path string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
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
func copyFiles(t testing.TB, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(path))
	for _, suffix := range sourceSuffixes {
		text, err := os.ReadFile(path + suffix)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+suffix, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return to
}
