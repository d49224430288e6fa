package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine/flaky"
)

// RenameTest lets a test go on under another identity: its history, its
// fingerprints and its place in quarantine. It reports false and changes nothing
// when the old one is unknown or the new one has a history of its own in runs
// that everybody may trust.
func (db *DB) RenameTest(ctx context.Context, r flaky.Rename, now time.Time) (renamed bool, err error) {
	err = inTx(ctx, db.sql, func(tx *sql.Tx) error {
		old, err := testID(ctx, tx, CleanID(r.Old))
		if err != nil || old == 0 {
			return err
		}
		again, err := testID(ctx, tx, CleanID(r.New))
		if err != nil {
			return err
		}
		if again != 0 {
			taken, err := absorbTest(ctx, tx, old, again)
			if err != nil || taken {
				return err
			}
		}
		renamed = true
		return moveNames(ctx, tx, old, r, now)
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

// absorbTest gives old the rows that pull requests recorded under the new name.
func absorbTest(ctx context.Context, tx *sql.Tx, old, again int64) (taken bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM results JOIN runs ON runs.id = run
		WHERE test = ? AND origin IN `+trustedOrigins+`)`, again).Scan(&taken)
	if err != nil || taken {
		return taken, err
	}
	for _, statement := range []string{
		`UPDATE OR IGNORE results SET test = ?1 WHERE test = ?2`,
		`DELETE FROM results WHERE test = ?2 AND ?1 <> ?2`,
		`DELETE FROM tests WHERE id = ?2 AND ?1 <> ?2`,
	} {
		if _, err := tx.ExecContext(ctx, statement, old, again); err != nil {
			return false, err
		}
	}
	return false, nil
}

func moveNames(ctx context.Context, tx *sql.Tx, id int64, r flaky.Rename, now time.Time) error {
	from, to := CleanID(r.Old), CleanID(r.New)
	if _, err := tx.ExecContext(ctx, `UPDATE tests SET name = ? WHERE id = ?`, to, id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE OR IGNORE fingerprints SET test_id = ? WHERE test_id = ?`, to, from); err != nil {
		return err
	}
	n, err := affected(tx.ExecContext(ctx, `UPDATE OR IGNORE quarantine SET test_id = ? WHERE test_id = ?`, to, from))
	if err != nil || n == 0 {
		return err
	}
	if err := logChange(ctx, tx, flaky.Change{TestID: from, Released: true, Reason: "goes on as " + to}, automatic, now); err != nil {
		return err
	}
	return logChange(ctx, tx, flaky.Change{TestID: to, Reason: "was " + from}, automatic, now)
}
