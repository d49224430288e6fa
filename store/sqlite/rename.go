package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/packed"
)

// RenameTest gives the history, the fingerprints and the quarantine entry of a
// test to another id. It returns false and changes nothing when the old id is
// unknown or the new one has results of its own in runs that everybody may
// trust.
func (db *DB) RenameTest(ctx context.Context, r flaky.Rename, now time.Time) (renamed bool, err error) {
	err = inTx(ctx, db.sql, func(tx *sql.Tx) error {
		old, err := findTest(ctx, tx, r.Old)
		if err != nil {
			return err
		}
		runs, err := runsOf(ctx, tx, old)
		if err != nil || len(runs) == 0 { // a test whose results were all renamed is unknown
			return err
		}
		again, err := findTest(ctx, tx, r.New)
		if err != nil {
			return err
		}
		taken, err := hasHistory(ctx, tx, again)
		if err != nil || taken {
			return err
		}
		if now, err = timeAfterRuns(ctx, tx, runs, now); err != nil {
			return err
		}
		renamed = true
		return db.moveNames(ctx, tx, r, now)
	})
	return renamed, store.Wrap(err, "rename test")
}

func findTest(ctx context.Context, tx *sql.Tx, name engine.TestID) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT id FROM tests WHERE name = ?`, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// timeAfterRuns returns now or, when a clock ran ahead, a time after every one of the runs:
// a rename applies to the runs before it.
func timeAfterRuns(ctx context.Context, tx *sql.Tx, runs []int64, now time.Time) (time.Time, error) {
	var last sql.NullFloat64
	err := tx.QueryRowContext(ctx, `SELECT max(started_at) FROM runs WHERE id IN (SELECT value FROM json_each(?))`, idList(runs)).Scan(&last)
	if last.Valid && last.Float64 >= store.Unix(now) {
		return store.FromUnix(last.Float64).Add(time.Millisecond), err
	}
	return now, err
}

// hasHistory reports whether a test has results that everybody may trust.
func hasHistory(ctx context.Context, tx *sql.Tx, test int64) (has bool, err error) {
	runs, err := runsOf(ctx, tx, test)
	if err != nil {
		return false, err
	}
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE id IN (SELECT value FROM json_each(?))
		AND origin IN `+store.TrustedOrigins+`)`, idList(runs)).Scan(&has)
	return has, err
}

func (db *DB) moveNames(ctx context.Context, tx *sql.Tx, r flaky.Rename, now time.Time) error {
	from, to := r.Old, r.New
	if _, err := tx.ExecContext(ctx, `INSERT INTO renames (old, new, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, from, to, store.Unix(now)); err != nil {
		return err
	}
	if err := applyRenames(ctx, tx, nil); err != nil {
		return err
	}
	for _, statement := range []string{
		`INSERT INTO vetoes (test_id, locator, signature, who, at) SELECT ?, locator, signature, who, at
			FROM vetoes WHERE test_id = ? ON CONFLICT (test_id, locator, signature)` + saidFirst,
		`INSERT INTO accepted (test_id, locator, fingerprint_json, who, at) SELECT ?, locator, fingerprint_json, who, at
			FROM accepted WHERE test_id = ?` + largerAccepted,
	} {
		if _, err := tx.ExecContext(ctx, statement, to, from); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE OR IGNORE fingerprints SET test_id = ? WHERE test_id = ?`, to, from); err != nil {
		return err
	}
	return db.MoveEntry(ctx, conn{db, tx}, r, now)
}

// rename is one rename of a test.
type rename struct {
	to engine.TestID
	at float64
}

// renames holds the renames of every test, oldest first.
type renames map[engine.TestID][]rename

// followRenames returns the present name of a result that was recorded under a name
// in a run that started at a time, and since when it has that name. Every step goes
// forward in time, so that a circle of renames ends.
func (r renames) followRenames(name engine.TestID, at float64) (present engine.TestID, since float64) {
	for {
		list := r[name]
		i := slices.IndexFunc(list, func(next rename) bool { return next.at > at })
		if i < 0 {
			return name, at
		}
		name, at = list[i].to, list[i].at
	}
}

func readRenames(ctx context.Context, tx *sql.Tx) (renames, error) {
	all := renames{}
	var old engine.TestID
	var r rename
	err := forEachRow(ctx, tx, []any{&old, &r.to, &r.at}, func() error {
		all[old] = append(all[old], r)
		return nil
	}, `SELECT old, new, at FROM renames ORDER BY at, new`)
	return all, err
}

// renamedResults is the results of one test in one run.
type renamedResults struct {
	test  int64
	name  engine.TestID
	to    engine.TestID
	since float64 // time of the rename to to
}

// applyRenames gives the results of runs, nil for all, to the tests that they were
// renamed to. The outcome depends only on the results and renames that are there, not on
// the order in which they came. In a run that has results of the new name already,
// the old name stays; only a run of the seed's rows, which were grouped by us,
// holds both.
func applyRenames(ctx context.Context, tx *sql.Tx, runs []int64) error {
	a := renaming{tx: tx, tests: map[int64]engine.TestID{}, w: newWriter(tx)}
	var err error
	if a.all, err = readRenames(ctx, tx); err != nil || len(a.all) == 0 {
		return err
	}
	var id int64
	var name engine.TestID
	if err := forEachRow(ctx, tx, []any{&id, &name}, func() error {
		a.tests[id] = name
		return nil
	}, `SELECT id, name FROM tests WHERE name IN (SELECT old FROM renames)`); err != nil {
		return err
	}
	if a.moved, err = readMoves(ctx, tx, runs); err != nil {
		return err
	}
	due, err := a.dueRuns(ctx, runs)
	if err != nil {
		return err
	}
	for _, run := range due {
		if err := a.renameRun(ctx, run); err != nil {
			return store.Wrap(err, "rename the results of a run")
		}
	}
	return nil
}

// renaming applies renames to the results of one run after the other.
type renaming struct {
	tx    *sql.Tx
	w     *writer
	all   renames
	tests map[int64]engine.TestID // those that were ever renamed, by row id
	moved map[int64]moves         // by run
}

// dueRuns returns which of the runs have results of tests that were renamed.
func (a *renaming) dueRuns(ctx context.Context, runs []int64) (due []int64, err error) {
	err = eachResult(ctx, a.tx, runs, func(run int64, r *packed.Row) error {
		if len(due) > 0 && due[len(due)-1] == run {
			return nil
		}
		if a.moved[run] == nil && a.tests[r.Test] == "" {
			return nil
		}
		due = append(due, run)
		return nil
	})
	return due, err
}

// renameRun gives the results of a run to the tests that they were renamed to.
func (a *renaming) renameRun(ctx context.Context, run int64) error {
	have, err := readResults(ctx, a.tx, run)
	if err != nil {
		return err
	}
	var started float64
	var from int
	if err := a.tx.QueryRowContext(ctx, `SELECT started_at, origin FROM runs WHERE id = ?`, run).Scan(&started, &from); err != nil {
		return err
	}
	rows, moved := slices.Clone(a.moved[run].undo(have)), moves{}
	for _, b := range orderMoves(a.dueMoves(rows, started)) {
		to, err := a.w.tests.numberName(ctx, string(b.to))
		if err != nil {
			return err
		}
		b.moveResults(rows, to, store.Origin(from) == store.FromSeed, moved)
	}
	sortResults(rows)
	if slices.Equal(rows, have) && maps.Equal(moved, a.moved[run]) {
		return nil
	}
	if err := writeMoves(ctx, a.tx, run, moved); err != nil {
		return err
	}
	return writeResults(ctx, a.tx, run, rows)
}

// orderMoves returns the moves of a run so that a name that another test of the run takes
// is given on first. Of several that take one name the first to be renamed comes first.
func orderMoves(due []renamedResults) []renamedResults {
	slices.SortFunc(due, func(a, b renamedResults) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.name, b.name))
	})
	waiting := make(map[engine.TestID][]renamedResults, len(due))
	for _, b := range due {
		waiting[b.name] = append(waiting[b.name], b)
	}
	ordered := make([]renamedResults, 0, len(due))
	var add func(name engine.TestID)
	add = func(name engine.TestID) {
		moves := waiting[name]
		delete(waiting, name)
		for _, b := range moves {
			add(b.to)
		}
		ordered = append(ordered, moves...)
	}
	for _, b := range due {
		add(b.name)
	}
	return ordered
}

// moveResults gives the results of a test in a run to another test, and notes which keys
// they had.
func (b renamedResults) moveResults(rows []packed.Row, to int64, seed bool, moved moves) {
	taken := int64(0)
	for i := range rows {
		if rows[i].Test == to {
			taken = max(taken, rows[i].Attempt)
		}
	}
	if taken > 0 && !seed {
		return
	}
	if seed { // the seed's rows are all attempt 1: renamed ones get higher numbers
		taken = max(taken, 1)
	}
	for i := range rows {
		if r := &rows[i]; r.Test == b.test && (r.Attempt == 1 || !seed) {
			was := moved.recorded(r)
			delete(moved, r.Key())
			r.Test, r.Attempt = to, r.Attempt+taken
			moved[r.Key()] = was
		}
	}
}

// dueMoves lists the results of a run whose test was renamed.
func (a *renaming) dueMoves(rows []packed.Row, started float64) []renamedResults {
	due := map[renamedResults]bool{}
	for i := range rows {
		name, renamed := a.tests[rows[i].Test]
		if !renamed {
			continue
		}
		at := started
		if rows[i].At.Known {
			at = rows[i].At.Value
		}
		if to, since := a.all.followRenames(name, at); to != name {
			due[renamedResults{rows[i].Test, name, to, since}] = true
		}
	}
	return slices.Collect(maps.Keys(due))
}
