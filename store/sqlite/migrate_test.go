package sqlite

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/golden"
)

// A new database is copied, and is the one that the migrations make.
func TestTheEmptyDatabaseIsAsTheMigrationsMakeIt(t *testing.T) {
	dir := t.TempDir()
	migrated := openPlain(t, filepath.Join(dir, "migrated.db"))
	if err := migrate(t.Context(), migrated, 0, schemaVersion); err != nil {
		t.Fatal(err)
	}
	want := describe(t, migrated)
	if err := migrated.Close(); err != nil {
		t.Fatal(err)
	}
	if golden.Update() {
		packEmpty(t, filepath.Join(dir, "migrated.db"))
		return // the program has the last one
	}
	empty, err := unpackEmpty()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "empty.db")
	if err := os.WriteFile(file, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, describe(t, openPlain(t, file))); diff != "" {
		t.Errorf("migration/empty.db.gz (-migrated +packed; -update rewrites it):\n%s", diff)
	}
}

func openPlain(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// describe returns all that a database holds: its header, its schema in order and its
// rows.
func describe(t *testing.T, db *sql.DB) string {
	t.Helper()
	var out strings.Builder
	for _, query := range []string{
		"PRAGMA application_id", "PRAGMA user_version", "PRAGMA page_size", "PRAGMA page_count", "PRAGMA freelist_count",
		"PRAGMA encoding", "PRAGMA auto_vacuum", "PRAGMA journal_mode", "PRAGMA integrity_check",
		"SELECT type || ' ' || name || ' ' || tbl_name || ' ' || rootpage || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY rowid",
	} {
		values, err := readColumn[string](context.Background(), db, query)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(query + "\n  " + strings.Join(values, "\n  ") + "\n")
	}
	return out.String() + dump(t, db)
}

func packEmpty(t *testing.T, file string) {
	t.Helper()
	image, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	to, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := to.Write(image); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("migration", "empty.db.gz"), packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
