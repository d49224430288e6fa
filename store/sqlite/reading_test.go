package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

func openReading(t *testing.T, path string) *DB {
	t.Helper()
	db, err := OpenReading(t.Context(), path, Options{})
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

// filesIn are the names and bytes of a directory's files.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}

func TestReadingLeavesFileAndFolderAsTheyWere(t *testing.T) {
	seed := newSeed(t, 2)
	seed.run("test_login", "passed", 1_700_000_000)
	seed.heal("test_login", "#login-btn", 1_700_000_001)
	seed.close()
	dir := filepath.Dir(seed.path)
	before := filesIn(t, dir)
	t.Setenv("TMPDIR", t.TempDir())

	db := openReading(t, seed.path)
	stats, err := db.Stats(t.Context())
	if err != nil || stats.Results != 1 || stats.Heals != 1 || db.FileSchema() != 2 {
		t.Fatalf("%+v of schema %d, %v", stats, db.FileSchema(), err)
	}
	if err := db.Save(t.Context()); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Save: %v", err)
	}
	if err := db.QuarantineAdd(t.Context(), flaky.Entry{TestID: "test_login", Since: time.Unix(1, 0)}, "eve"); err == nil {
		t.Error("the copy can be written to")
	}
	if diff := cmp.Diff(before, filesIn(t, dir)); diff != "" {
		t.Errorf("the folder changed: %.300s", diff)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if left := filesIn(t, os.TempDir()); len(left) > 0 {
		t.Errorf("Close left %d files", len(left))
	}
}

func TestReadingKnowsWhenTheFileIsAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, ".breadcrumb.db")
	seed := newSeed(t, 1)
	seed.heal("test_login", "#a", 1)
	seed.close()
	if err := os.Rename(seed.path, path); err != nil {
		t.Fatal(err)
	}
	db := openReading(t, path)
	if !db.Current() {
		t.Fatal("a file that nobody touched is not current")
	}
	other := newSeed(t, 1)
	other.heal("test_login", "#b", 1)
	other.close()
	if err := os.Rename(other.path, path); err != nil {
		t.Fatal(err)
	}
	if db.Current() {
		t.Error("a replaced file is current")
	}
	if heals, _, err := db.Heals(t.Context(), store.HealQuery{}); err != nil || len(heals) != 1 || heals[0].Locator != "#a" {
		t.Errorf("what was read is gone: %v, %v", heals, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if db.Current() {
		t.Error("a file that is gone is current")
	}
}

func TestReadingRefusesWhatItCannotRead(t *testing.T) {
	newer := newSeed(t, 1)
	newer.exec(`UPDATE schema_meta SET value = '99'`)
	newer.close()
	garbage := filepath.Join(t.TempDir(), "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		filepath.Join(t.TempDir(), "none.db"): fs.ErrNotExist, newer.path: store.ErrNewerSchema, garbage: store.ErrUnreadable, t.TempDir(): store.ErrUnreadable,
	} {
		t.Setenv("TMPDIR", t.TempDir())
		db, err := OpenReading(t.Context(), path, Options{})
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
		if db != nil {
			_ = db.Close()
		}
		if left := filesIn(t, os.TempDir()); len(left) > 0 {
			t.Errorf("%s: %d files left behind", path, len(left))
		}
	}
}
