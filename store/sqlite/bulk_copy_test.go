package sqlite

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/store/untrusted"
)

func TestResultsCopiedInBulkAreThoseCopiedRowByRow(t *testing.T) {
	t.Parallel()
	path := bigFile(t, 3, 200)
	want := dumpFile(t, path)
	db := mustOpen(t, path)
	if _, err := db.sql.Exec(`DELETE FROM results`); err != nil {
		t.Fatal(err)
	}
	r, err := untrusted.OpenReader(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	whole, err := db.bulkCopy(t.Context(), r, tableNamed("results", schemaVersion))
	if err != nil || !whole {
		t.Fatalf("copied in bulk: %v, %v", whole, err)
	}
	if diff := cmp.Diff(want, dump(t, db.sql)); diff != "" {
		t.Error(diff)
	}

	for name, bad := range map[string]string{
		"of no run":           `INSERT INTO results (test, run, attempt, status, healed) VALUES (1, 999, 1, 0, 0)`,
		"of no test":          `INSERT INTO results (test, run, attempt, status, healed) VALUES (999, 1, 1, 0, 0)`,
		"with no label":       `INSERT INTO results (test, run, attempt, status, healed, place) VALUES (1, 1, 9, 2, 0, 999)`,
		"of no status":        `INSERT INTO results (test, run, attempt, status, healed) VALUES (1, 1, 9, 7, 0)`,
		"that took for ever":  `INSERT INTO results (test, run, attempt, status, healed, duration_ms) VALUES (1, 1, 9, 0, 0, 9e999)`,
		"that took a text":    `INSERT INTO results (test, run, attempt, status, healed, duration_ms) VALUES (1, 1, 9, 0, 0, 'long')`,
		"of attempt minus 1":  `INSERT INTO results (test, run, attempt, status, healed) VALUES (1, 1, -1, 0, 0)`,
		"of a fraction's run": `INSERT INTO results (test, run, attempt, status, healed) VALUES (1, 1.5, 1, 0, 0)`,
	} {
		t.Run(name, func(t *testing.T) {
			path := copyFiles(t, path)
			f := openSeed(t, path)
			f.exec(bad)
			f.close()
			r, err := untrusted.OpenReader(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			fresh := mustOpen(t, copyFiles(t, path))
			if len(fresh.Notices()) != 1 {
				t.Errorf("notices %v, want one", fresh.Notices())
			}
			if diff := cmp.Diff(want, dump(t, fresh.sql)); diff != "" {
				t.Error(diff)
			}
			if _, err := fresh.sql.Exec(`DELETE FROM results`); err != nil {
				t.Fatal(err)
			}
			if whole, err := fresh.bulkCopy(t.Context(), r, tableNamed("results", schemaVersion)); whole || err != nil {
				t.Errorf("copied in bulk: %v, %v", whole, err)
			}
		})
	}
}
