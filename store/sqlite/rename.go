package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// RenameTests gives the history, the fingerprints and the quarantine entry of each test
// to another id, and returns the renames that were made. One is not made whose old id is
// unknown or whose new one has results of its own in runs that everybody may trust.
func (db *DB) RenameTests(ctx context.Context, all []flaky.Rename, now time.Time) ([]flaky.Rename, error) {
	return store.RenameTests(ctx, all, now, db.renameAtOnce)
}

// renameAtOnce makes renames of which none is about a test of another. However many they
// are, every result is looked at once.
func (db *DB) renameAtOnce(ctx context.Context, all []flaky.Rename, now time.Time) (renamed []flaky.Rename, err error) {
	err = inTx(ctx, db.sql, func(tx *sql.Tx) error {
		pasts, err := pastsOf(ctx, tx, all)
		if err != nil {
			return err
		}
		insert := newBatch(tx, `INSERT INTO renames (old, new, at) VALUES `, 3, ` ON CONFLICT DO NOTHING`)
		var times []time.Time
		for _, r := range all {
			past, known := pasts[r.Old] // a test whose results were all renamed is unknown
			if !known || pasts[r.New].trusted {
				continue
			}
			at := past.after(now)
			if err := insert.addRow(ctx, []any{r.Old, r.New, store.Unix(at)}); err != nil {
				return err
			}
			renamed, times = append(renamed, r), append(times, at)
		}
		if len(renamed) == 0 {
			return nil
		}
		if err := insert.flushRows(ctx); err != nil {
			return err
		}
		if err := applyRenames(ctx, tx, nil); err != nil {
			return err
		}
		for i, r := range renamed {
			if err := db.moveNames(ctx, tx, r, times[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return renamed, err
}

// past is what the runs of a test are together.
type past struct {
	trusted bool    // everybody may trust one of them
	last    float64 // when the last of them began
}

// after returns now or, when a clock ran ahead, a time after every one of the runs: a
// rename applies to the runs before it.
func (p past) after(now time.Time) time.Time {
	if p.last >= store.Unix(now) {
		return store.FromUnix(p.last).Add(time.Millisecond)
	}
	return now
}

// pastsOf returns the pasts of those tests that renames are about and that have results, by
// their names.
func pastsOf(ctx context.Context, tx *sql.Tx, all []flaky.Rename) (map[engine.TestID]past, error) {
	var names []engine.TestID
	for _, r := range all {
		names = append(names, r.Old, r.New)
	}
	list, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	tests := map[int64]engine.TestID{}
	var id int64
	var name engine.TestID
	if err := forEachRow(ctx, tx, []any{&id, &name}, func() error {
		tests[id] = name
		return nil
	}, `SELECT id, name FROM tests WHERE name IN (SELECT value FROM json_each(?))`, string(list)); err != nil {
		return nil, err
	}
	runs := map[int64]past{}
	var run past
	if err := forEachRow(ctx, tx, []any{&id, &run.last, &run.trusted}, func() error {
		runs[id] = run
		return nil
	}, `SELECT id, started_at, origin IN `+store.TrustedOrigins+` FROM runs`); err != nil {
		return nil, err
	}
	pasts := map[engine.TestID]past{}
	return pasts, eachTestRun(ctx, tx, func(test, run int64) {
		if name, asked := tests[test]; asked {
			have, of := pasts[name], runs[run]
			pasts[name] = past{have.trusted || of.trusted, max(have.last, of.last)}
		}
	})
}

// moveNames gives a renamed test what is kept under its name.
func (db *DB) moveNames(ctx context.Context, tx *sql.Tx, r flaky.Rename, now time.Time) error {
	from, to := r.Old, r.New
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
