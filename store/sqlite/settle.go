package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/breadcrumb/action/store"
)

// rename is one of the renames of a test.
type rename struct {
	to string
	at float64
}

// renames are those of every test, oldest first.
type renames map[string][]rename

// follow returns the name under which a result goes on that was recorded under
// a name in a run that started at a time. Times rise from step to step, so no
// circle is walked twice.
func (r renames) follow(name string, at float64) string {
	for {
		list := r[name]
		i := slices.IndexFunc(list, func(next rename) bool { return next.at > at })
		if i < 0 {
			return name
		}
		name, at = list[i].to, list[i].at
	}
}

func readRenames(ctx context.Context, tx *sql.Tx) (renames, error) {
	rows, err := tx.QueryContext(ctx, `SELECT old, new, at FROM renames ORDER BY at, new`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := renames{}
	for rows.Next() {
		var old string
		var r rename
		if err := rows.Scan(&old, &r.to, &r.at); err != nil {
			return nil, err
		}
		all[old] = append(all[old], r)
	}
	return all, rows.Err()
}

// undoRenames gives every result back to the test it was recorded for.
func undoRenames(ctx context.Context, tx *sql.Tx) error {
	var any bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM moved)`).Scan(&any); err != nil || !any {
		return err
	}
	for _, statement := range []string{
		// Aside first: a place that one result left may be another's now.
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
	name, to  string
	seed      bool
}

// applyRenames gives results to the tests that their names were changed to. What
// comes of it depends on the results and renames that are there, not on their
// order of arrival. In a run that has the new test already, the old one stays;
// only a run of the seed's rows, whose bounds mean nothing, holds both.
func applyRenames(ctx context.Context, tx *sql.Tx) error {
	all, err := readRenames(ctx, tx)
	if err != nil || len(all) == 0 {
		return err
	}
	due, err := dueMoves(ctx, tx, all)
	if err != nil {
		return err
	}
	slices.SortFunc(due, func(a, b renamedResults) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.run, b.run)) })
	for _, b := range due {
		if err := b.move(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

func (b renamedResults) move(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO tests (name) VALUES (?) ON CONFLICT DO NOTHING`, b.to); err != nil {
		return err
	}
	to, err := testID(ctx, tx, b.to)
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
	if b.seed { // the seed's own rows are all attempt 1, so what was moved is told apart
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

// dueMoves lists the results whose test goes on under another name.
func dueMoves(ctx context.Context, tx *sql.Tx, all renames) ([]renamedResults, error) {
	rows, err := tx.QueryContext(ctx, `SELECT DISTINCT t.id, t.name, r.run, coalesce(r.at, started_at), origin = ? FROM tests t
		JOIN results r ON r.test = t.id JOIN runs ON runs.id = r.run WHERE t.name IN (SELECT old FROM renames)`, int(store.FromSeed))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var due []renamedResults
	for rows.Next() {
		var b renamedResults
		var at float64
		if err := rows.Scan(&b.test, &b.name, &b.run, &at, &b.seed); err != nil {
			return nil, err
		}
		if b.to = all.follow(b.name, at); b.to != b.name {
			due = append(due, b)
		}
	}
	return due, rows.Err()
}
