package sqlite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store/packed"
	"github.com/breadcrumb/action/store/storetest"
)

// renamedFile is a file with runs of tests of which half were renamed.
func renamedFile(tb testing.TB, runs, tests int) string {
	tb.Helper()
	path := tb.TempDir() + "/.breadcrumb.db"
	db, err := Open(tb.Context(), path, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	for n := range runs {
		run := ran(engine.RunInfo{RepositoryID: 7, RunID: int64(n + 1), DefaultBranch: true}, n, "passed")
		run.Results = nil
		for test := range tests {
			run.Results = append(run.Results, storetest.Result(fmt.Sprint("old ", test), "failed", "passed"))
		}
		if _, err := db.RecordRun(tb.Context(), run); err != nil {
			tb.Fatal(err)
		}
	}
	var renames []flaky.Rename
	for test := range tests / 2 {
		renames = append(renames, flaky.Rename{Old: engine.TestID(fmt.Sprint("old ", test)), New: engine.TestID(fmt.Sprint("new ", test))})
	}
	if made, err := db.RenameTests(tb.Context(), renames, time.Unix(1_900_000_000, 0)); len(made) != tests/2 || err != nil {
		tb.Fatalf("%d renames, %v", len(made), err)
	}
	if err := db.Save(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return path
}

func TestMovesOfAnOlderFileArePacked(t *testing.T) {
	t.Parallel()
	path := renamedFile(t, 3, 8)
	want := dumpFile(t, path)
	if n := strings.Count(want[strings.Index(want, "packed_moves"):strings.Index(want, "heal_refusals")], "\n"); n != 4 {
		t.Fatalf("%d lines of moves, want a heading and 3 runs:\n%s", n, want)
	}
	older := copyFiles(t, path)
	f := openSeed(t, older)
	f.exec("PRAGMA journal_mode=DELETE")
	unpackMoves(t, f)
	f.close()
	if diff := cmp.Diff(want, dumpFile(t, older)); diff != "" {
		t.Error(diff)
	}
	checkLeftOut(t, older, want, map[string]string{
		"of no run":           `INSERT INTO moved VALUES (1, 999, 1, 2, 1)`,
		"of no test":          `INSERT INTO moved VALUES (999, 1, 1, 2, 1)`,
		"from no test":        `INSERT INTO moved VALUES (1, 1, 9, 999, 1)`,
		"of a text":           `INSERT INTO moved VALUES (1, 1, 9, 'two', 1)`,
		"of a fraction's run": `INSERT INTO moved VALUES (1, 1.5, 9, 2, 1)`,
	})
}

func TestPackedMovesThatMakeNoSenseAreLeftOut(t *testing.T) {
	t.Parallel()
	path := renamedFile(t, 4, 6)
	foreign, err := packed.Moves{{Now: packed.Key{Test: 1, Attempt: 1}, Was: packed.Key{Test: 999, Attempt: 1}}}.Pack()
	if err != nil {
		t.Fatal(err)
	}
	f := openSeed(t, path)
	f.exec(`UPDATE packed_moves SET packed = substr(packed, 1, 9) WHERE run = 1`)
	f.exec(`UPDATE packed_moves SET packed = ?, sum = ? WHERE run = 2`, foreign, sumOfMoves(2, foreign))
	f.exec(`UPDATE packed_moves SET sum = sum + 1 WHERE run = 3`)
	f.exec(`INSERT INTO packed_moves VALUES (999, ?, ?)`, sumOfMoves(999, foreign), foreign)
	f.close()
	db := mustOpen(t, path)
	if len(db.Notices()) != 1 || !strings.HasPrefix(db.Notices()[0].Reason, "4 × row of packed_moves left out") {
		t.Errorf("notices %v", db.Notices())
	}
	if left, err := readMoves(t.Context(), db.sql, nil); len(left) != 1 || err != nil {
		t.Errorf("moves of %d runs, %v; want one", len(left), err)
	}
}
