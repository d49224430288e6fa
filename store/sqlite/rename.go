package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// RenameTest lets a test go on under another identity: its history, its
// fingerprints and its place in quarantine. It reports false and changes nothing
// when the old one is unknown or the new one has a history of its own in runs
// that everybody may trust.
func (db *DB) RenameTest(ctx context.Context, r flaky.Rename, now time.Time) (renamed bool, err error) {
	err = inTx(ctx, db.sql, func(tx *sql.Tx) error {
		old, err := testID(ctx, tx, store.CleanID(r.Old))
		if err != nil {
			return err
		}
		var ran bool // a test whose results all went elsewhere is unknown
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM results WHERE test = ?)`, old).Scan(&ran); err != nil || !ran {
			return err
		}
		again, err := testID(ctx, tx, store.CleanID(r.New))
		if err != nil {
			return err
		}
		taken, err := hasHistory(ctx, tx, again)
		if err != nil || taken {
			return err
		}
		if now, err = after(ctx, tx, old, now); err != nil {
			return err
		}
		renamed = true
		return moveNames(ctx, tx, r, now)
	})
	if err != nil {
		return false, fmt.Errorf("rename test: %w", err)
	}
	return renamed, nil
}

func testID(ctx context.Context, tx *sql.Tx, name string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT id FROM tests WHERE name = ?`, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// after returns now or, when a clock ran ahead, a time after every run of the
// test: a rename holds for the runs before it.
func after(ctx context.Context, tx *sql.Tx, test int64, now time.Time) (time.Time, error) {
	var last sql.NullFloat64
	err := tx.QueryRowContext(ctx, `SELECT max(started_at) FROM runs WHERE id IN (SELECT run FROM results WHERE test = ?)`, test).Scan(&last)
	if last.Valid && last.Float64 >= store.Unix(store.Bounded(now)) {
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

func moveNames(ctx context.Context, tx *sql.Tx, r flaky.Rename, now time.Time) error {
	from, to := store.CleanID(r.Old), store.CleanID(r.New)
	if _, err := tx.ExecContext(ctx, `INSERT INTO renames (old, new, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, from, to, store.Unix(store.Bounded(now))); err != nil {
		return err
	}
	if err := undoRenames(ctx, tx); err != nil {
		return err
	}
	if err := applyRenames(ctx, tx); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE OR IGNORE fingerprints SET test_id = ? WHERE test_id = ?`, to, from); err != nil {
		return err
	}
	n, err := affected(tx.ExecContext(ctx, `UPDATE OR IGNORE quarantine SET test_id = ? WHERE test_id = ?`, to, from))
	if err != nil || n == 0 {
		return err
	}
	if err := logChange(ctx, tx, flaky.Change{TestID: from, Released: true, Reason: "goes on as " + to}, store.Automatic, now); err != nil {
		return err
	}
	return logChange(ctx, tx, flaky.Change{TestID: to, Reason: "was " + from}, store.Automatic, now)
}
