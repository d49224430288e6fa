package sqlite

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/store/packed"
)

// unpackResults gives a file of ours the table of results that it had before they were
// packed, and its version.
func unpackResults(tb testing.TB, f *seedFile) {
	tb.Helper()
	type row struct {
		run int64
		packed.Row
	}
	var rows []row
	if err := eachResult(tb.Context(), f.db, nil, func(run int64, r *packed.Row) error {
		rows = append(rows, row{run, *r})
		return nil
	}); err != nil {
		tb.Fatal(err)
	}
	f.exec(`CREATE TABLE results (test INTEGER NOT NULL, run INTEGER NOT NULL, attempt INTEGER NOT NULL, status INTEGER NOT NULL, duration_ms REAL,
		healed INTEGER NOT NULL, error INTEGER, environment INTEGER, at REAL, signature INTEGER, place INTEGER, PRIMARY KEY (test, run, attempt)) WITHOUT ROWID`)
	number := func(n packed.Number) any {
		if n.Known {
			return n.Value
		}
		return nil
	}
	for _, r := range rows {
		f.exec(`INSERT INTO results VALUES (?1, ?2, ?3, ?4, ?5, ?6, nullif(?7, 0), nullif(?8, 0), ?9, nullif(?10, 0), nullif(?11, 0))`, r.Test, r.run, r.Attempt, r.Status,
			number(r.Duration), r.Healed, r.Error, r.Environment, number(r.At), r.Signature, r.Place)
	}
	f.exec(`DROP TABLE packed_runs`)
	unpackMoves(tb, f)
	f.exec(`UPDATE schema_meta SET value = ? WHERE key = 'schema_version'`, packedVersion-1)
}

// unpackMoves gives a file of ours the table of moved results that it had before they were
// packed, and its version.
func unpackMoves(tb testing.TB, f *seedFile) {
	tb.Helper()
	all, err := readMoves(tb.Context(), f.db, nil)
	if err != nil {
		tb.Fatal(err)
	}
	f.exec(`CREATE TABLE moved (test INTEGER NOT NULL, run INTEGER NOT NULL, attempt INTEGER NOT NULL, was INTEGER NOT NULL, nth INTEGER NOT NULL,
		PRIMARY KEY (test, run, attempt)) WITHOUT ROWID`)
	for run := range all {
		moves, err := all.of(run)
		if err != nil {
			tb.Fatal(err)
		}
		for _, m := range moves {
			f.exec(`INSERT INTO moved VALUES (?, ?, ?, ?, ?)`, m.Now.Test, run, m.Now.Attempt, m.Was.Test, m.Was.Attempt)
		}
	}
	f.exec(`DROP TABLE packed_moves`)
	f.exec(`UPDATE schema_meta SET value = ? WHERE key = 'schema_version'`, movesVersion-1)
}

// ofOldResults is a file of runs × tests results as the last version wrote it that did
// not pack them.
func ofOldResults(tb testing.TB, runs, tests int) string {
	tb.Helper()
	path := bigFile(tb, runs, tests)
	f := openSeed(tb, path)
	f.exec("PRAGMA journal_mode=DELETE")
	unpackResults(tb, f)
	f.close()
	return path
}

func TestResultsOfAnOlderFileArePacked(t *testing.T) {
	t.Parallel()
	want := dumpFile(t, bigFile(t, 3, 200))
	path := ofOldResults(t, 3, 200)
	if diff := cmp.Diff(want, dumpFile(t, path)); diff != "" {
		t.Error(diff)
	}
	checkLeftOut(t, path, want, map[string]string{
		"of no run":           `INSERT INTO results (test, run, attempt, status, healed) VALUES (1, 999, 1, 0, 0)`,
		"of no test":          `INSERT INTO results (test, run, attempt, status, healed) VALUES (999, 1, 1, 0, 0)`,
		"with no label":       `INSERT INTO results (test, run, attempt, status, healed, place) VALUES (1, 1, 9, 2, 0, 999)`,
		"of no status":        `INSERT INTO results (test, run, attempt, status, healed) VALUES (1, 1, 9, 7, 0)`,
		"that took for ever":  `INSERT INTO results (test, run, attempt, status, healed, duration_ms) VALUES (1, 1, 9, 0, 0, 9e999)`,
		"that took a text":    `INSERT INTO results (test, run, attempt, status, healed, duration_ms) VALUES (1, 1, 9, 0, 0, 'long')`,
		"of attempt minus 1":  `INSERT INTO results (test, run, attempt, status, healed) VALUES (1, 1, -1, 0, 0)`,
		"of a fraction's run": `INSERT INTO results (test, run, attempt, status, healed) VALUES (1, 1.5, 1, 0, 0)`,
	})
}

// checkLeftOut inserts one row at a time that makes no sense into a file, which holds as
// much as before for it, and says so.
func checkLeftOut(t *testing.T, path, want string, rows map[string]string) {
	t.Helper()
	for name, bad := range rows {
		t.Run(name, func(t *testing.T) {
			path := copyFiles(t, path)
			f := openSeed(t, path)
			f.exec(bad)
			f.close()
			db := mustOpen(t, path)
			if len(db.Notices()) != 1 {
				t.Errorf("notices %v, want one", db.Notices())
			}
			if diff := cmp.Diff(want, dump(t, db.sql)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestResultsInNoOrderArePacked(t *testing.T) {
	t.Parallel()
	path := ofOldResults(t, 3, 50)
	want := dumpFile(t, path)
	f := openSeed(t, path)
	f.exec(`CREATE TABLE other AS SELECT * FROM results ORDER BY duration_ms, test`)
	f.exec(`DROP TABLE results`)
	f.exec(`ALTER TABLE other RENAME TO results`)
	f.close()
	if diff := cmp.Diff(want, dumpFile(t, path)); diff != "" {
		t.Error(diff)
	}
}

func TestPackedResultsThatMakeNoSenseAreLeftOut(t *testing.T) {
	t.Parallel()
	path := bigFile(t, 4, 20)
	var foreign packed.Writer
	for _, r := range []packed.Row{{Test: 1, Attempt: 1}, {Test: 999, Attempt: 1}} {
		if err := foreign.Add(&r); err != nil {
			t.Fatal(err)
		}
	}
	f := openSeed(t, path)
	f.exec(`UPDATE packed_runs SET packed = substr(packed, 1, 30) WHERE run = 1`)
	f.exec(`UPDATE packed_runs SET packed = ?, results = 2 WHERE run = 2`, foreign.Bytes())
	f.exec(`UPDATE packed_runs SET results = 7 WHERE run = 3`)
	f.exec(`INSERT INTO packed_runs VALUES (999, 1, x'01'), (?, 1, x'01')`, int64(math.MaxInt64))
	f.close()
	db := mustOpen(t, path)
	stats, err := db.Stats(t.Context())
	if err != nil || stats.Results != 20 || stats.Runs != 4 {
		t.Errorf("%+v, %v; want the results of one run", stats, err)
	}
	if len(db.Notices()) != 1 || !strings.HasPrefix(db.Notices()[0].Reason, "5 × row of packed_runs left out") {
		t.Errorf("notices %v", db.Notices())
	}
}
