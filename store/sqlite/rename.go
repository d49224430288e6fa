package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
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
		var ran bool // a test whose results were all renamed is unknown
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM results WHERE test = ?)`, old).Scan(&ran); err != nil || !ran {
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
		if now, err = timeAfterRuns(ctx, tx, old, now); err != nil {
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

// timeAfterRuns returns now or, when a clock ran ahead, a time after every run of the
// test: a rename applies to the runs before it.
func timeAfterRuns(ctx context.Context, tx *sql.Tx, test int64, now time.Time) (time.Time, error) {
	var last sql.NullFloat64
	err := tx.QueryRowContext(ctx, `SELECT max(started_at) FROM runs WHERE id IN (SELECT run FROM results WHERE test = ?)`, test).Scan(&last)
	if last.Valid && last.Float64 >= store.Unix(now) {
		return store.FromUnix(last.Float64).Add(time.Millisecond), err
	}
	return now, err
}

// hasHistory reports whether a test has results that everybody may trust.
func hasHistory(ctx context.Context, tx *sql.Tx, test int64) (has bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM results JOIN runs ON runs.id = run
		WHERE test = ? AND origin IN `+store.TrustedOrigins+`)`, test).Scan(&has)
	return has, err
}

func (db *DB) moveNames(ctx context.Context, tx *sql.Tx, r flaky.Rename, now time.Time) error {
	from, to := r.Old, r.New
	if _, err := tx.ExecContext(ctx, `INSERT INTO renames (old, new, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, from, to, store.Unix(now)); err != nil {
		return err
	}
	if err := undoRenames(ctx, tx); err != nil {
		return err
	}
	if err := applyRenames(ctx, tx); err != nil {
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

// undoRenames gives every result back to the test it was recorded for.
func undoRenames(ctx context.Context, tx *sql.Tx) error {
	var any bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM moved)`).Scan(&any); err != nil || !any {
		return err
	}
	for _, statement := range []string{
		// Copy them first: the key that one result leaves may be another's.
		`DROP TABLE IF EXISTS temp.back`,
		`CREATE TEMP TABLE back AS SELECT was AS test, run, nth AS attempt, status, duration_ms, healed, error, environment, at, signature, place
			FROM moved JOIN results USING (test, run, attempt)`,
		`DELETE FROM results WHERE (test, run, attempt) IN (SELECT test, run, attempt FROM moved)`,
		`INSERT INTO results (test, run, attempt, status, duration_ms, healed, error, environment, at, signature, place)
			SELECT test, run, attempt, status, duration_ms, healed, error, environment, at, signature, place FROM temp.back WHERE true ON CONFLICT DO NOTHING`,
		`DELETE FROM moved`,
		`DROP TABLE temp.back`,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// renamedResults is the results of one test in one run.
type renamedResults struct {
	test, run int64
	name, to  engine.TestID
	since     float64 // time of the rename to to
	seed      bool
}

// applyRenames gives results to the tests that they were renamed to. The
// outcome depends only on the results and renames that are there, not on the
// order in which they came. In a run that has results of the new name already,
// the old name stays; only a run of the seed's rows, which were grouped by us,
// holds both.
func applyRenames(ctx context.Context, tx *sql.Tx) error {
	all, err := readRenames(ctx, tx)
	if err != nil || len(all) == 0 {
		return err
	}
	due, err := dueMoves(ctx, tx, all)
	if err != nil {
		return err
	}
	for _, b := range orderMoves(due) {
		if err := b.moveResults(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// orderMoves returns the moves so that a name that another test of the run takes is
// given on first. Of several that take one name the first to be renamed comes first.
func orderMoves(due []renamedResults) []renamedResults {
	slices.SortFunc(due, func(a, b renamedResults) int {
		return cmp.Or(cmp.Compare(a.since, b.since), cmp.Compare(a.name, b.name), cmp.Compare(a.run, b.run))
	})
	type place struct {
		run  int64
		name engine.TestID
	}
	waiting := make(map[place][]renamedResults, len(due))
	for _, b := range due {
		at := place{b.run, b.name}
		waiting[at] = append(waiting[at], b)
	}
	ordered := make([]renamedResults, 0, len(due))
	var add func(at place)
	add = func(at place) {
		moves := waiting[at]
		delete(waiting, at)
		for _, b := range moves {
			add(place{b.run, b.to})
		}
		ordered = append(ordered, moves...)
	}
	for _, b := range due {
		add(place{b.run, b.name})
	}
	return ordered
}

func (b renamedResults) moveResults(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO tests (name) VALUES (?) ON CONFLICT DO NOTHING`, b.to); err != nil {
		return err
	}
	to, err := findTest(ctx, tx, b.to)
	if err != nil {
		return err
	}
	var taken int
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(attempt), 0) FROM results WHERE test = ? AND run = ?`, to, b.run).Scan(&taken); err != nil {
		return err
	}
	if taken > 0 && !b.seed {
		return nil
	}
	if b.seed { // the seed's rows are all attempt 1: renamed ones get higher numbers
		taken = max(taken, 1)
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO moved (test, run, attempt, was, nth) SELECT ?1, run, attempt + ?2, test, attempt
		FROM results WHERE test = ?3 AND run = ?4 AND (attempt = 1 OR NOT ?5)`, to, taken, b.test, b.run, b.seed); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE results SET test = ?1, attempt = attempt + ?2 WHERE test = ?3 AND run = ?4 AND (attempt = 1 OR NOT ?5)`,
		to, taken, b.test, b.run, b.seed)
	return err
}

// dueMoves lists the results whose test was renamed.
func dueMoves(ctx context.Context, tx *sql.Tx, all renames) ([]renamedResults, error) {
	var due []renamedResults
	var b renamedResults
	var at float64
	err := forEachRow(ctx, tx, []any{&b.test, &b.name, &b.run, &at, &b.seed}, func() error {
		if b.to, b.since = all.followRenames(b.name, at); b.to != b.name {
			due = append(due, b)
		}
		return nil
	}, `SELECT DISTINCT t.id, t.name, r.run, coalesce(r.at, started_at), origin = ? FROM tests t
		JOIN results r ON r.test = t.id JOIN runs ON runs.id = r.run WHERE t.name IN (SELECT old FROM renames)`, int(store.FromSeed))
	return due, err
}
