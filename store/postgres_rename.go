package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine/flaky"
)

// RenameTest is DB.RenameTest.
func (db *Postgres) RenameTest(ctx context.Context, r flaky.Rename, now time.Time) (renamed bool, err error) {
	err = db.within(ctx, func(tx pgx.Tx) error {
		old, known, err := db.testNumber(ctx, tx, CleanID(r.Old))
		if err != nil || !known {
			return err
		}
		again, taken, err := db.testNumber(ctx, tx, CleanID(r.New))
		if err != nil {
			return err
		}
		if taken {
			if taken, err = db.absorbTest(ctx, tx, old, again); err != nil || taken {
				return err
			}
		}
		renamed = true
		return db.moveNames(ctx, tx, old, r, now)
	})
	if err != nil {
		return false, fmt.Errorf("rename test: %w", err)
	}
	return renamed, nil
}

func (db *Postgres) testNumber(ctx context.Context, tx pgx.Tx, name string) (id int64, known bool, err error) {
	sum := sha256.Sum256([]byte(name))
	err = tx.QueryRow(ctx, `SELECT id FROM breadcrumb_tests WHERE repository_id = $1 AND name_digest = $2`,
		db.repository, sum[:]).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return id, err == nil, err
}

// absorbTest gives old the rows that pull requests recorded under the new name.
func (db *Postgres) absorbTest(ctx context.Context, tx pgx.Tx, old, again int64) (taken bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM breadcrumb_results r JOIN breadcrumb_runs u
		ON u.repository_id = r.repository_id AND u.id = r.run
		WHERE r.repository_id = $1 AND r.test = $2 AND u.origin IN `+trustedOrigins+`)`, db.repository, again).Scan(&taken)
	if err != nil || taken || old == again {
		return taken, err
	}
	for _, statement := range []string{
		`DELETE FROM breadcrumb_results a WHERE repository_id = $1 AND test = $3 AND EXISTS (SELECT 1 FROM breadcrumb_results b
			WHERE b.repository_id = $1 AND b.test = $2 AND b.run = a.run AND b.attempt = a.attempt)`,
		`UPDATE breadcrumb_results SET test = $2 WHERE repository_id = $1 AND test = $3`,
	} {
		if _, err := tx.Exec(ctx, statement, db.repository, old, again); err != nil {
			return false, err
		}
	}
	_, err = tx.Exec(ctx, `DELETE FROM breadcrumb_tests WHERE repository_id = $1 AND id = $2`, db.repository, again)
	return false, err
}

func (db *Postgres) moveNames(ctx context.Context, tx pgx.Tx, id int64, r flaky.Rename, now time.Time) error {
	from, to := CleanID(r.Old), CleanID(r.New)
	sum := sha256.Sum256([]byte(to))
	if _, err := tx.Exec(ctx, `UPDATE breadcrumb_tests SET name = $3, name_digest = $4 WHERE repository_id = $1 AND id = $2`,
		db.repository, id, to, sum[:]); err != nil {
		return err
	}
	if err := db.moveFingerprints(ctx, tx, from, to); err != nil {
		return err
	}
	done, err := tx.Exec(ctx, `UPDATE breadcrumb_quarantine SET test_id = $3, test_digest = $4
		WHERE repository_id = $1 AND test_digest = $2 AND NOT EXISTS
		(SELECT 1 FROM breadcrumb_quarantine WHERE repository_id = $1 AND test_digest = $4)`,
		db.repository, keyDigest(from), to, keyDigest(to))
	if err != nil || done.RowsAffected() == 0 {
		return err
	}
	if err := db.logChange(ctx, tx, flaky.Change{TestID: from, Released: true, Reason: "goes on as " + to}, automatic, now); err != nil {
		return err
	}
	return db.logChange(ctx, tx, flaky.Change{TestID: to, Reason: "was " + from}, automatic, now)
}
