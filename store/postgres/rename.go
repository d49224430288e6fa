package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/sqlstore"
)

// moveFingerprints gives the fingerprints of a test to another id, except
// those that it has itself.
func (db *DB) moveFingerprints(ctx context.Context, tx pgx.Tx, from, to engine.TestID) error {
	rows := queryRows(ctx, tx, `SELECT locator FROM breadcrumb_fingerprints WHERE repository_id = $1 AND test_id = $2`, db.repository, from)
	locators, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, locator := range locators {
		if _, err := tx.Exec(ctx, `UPDATE breadcrumb_fingerprints SET test_id = $3, key_digest = $4
			WHERE repository_id = $1 AND key_digest = $2 AND NOT EXISTS
			(SELECT 1 FROM breadcrumb_fingerprints WHERE repository_id = $1 AND key_digest = $4)`,
			db.repository, record.KeyDigest(from, locator), to, record.KeyDigest(to, locator)); err != nil {
			return err
		}
	}
	return nil
}

// copyVetoes gives the vetoes of a test to another id, too.
func (db *DB) copyVetoes(ctx context.Context, tx pgx.Tx, from, to engine.TestID) error {
	rows := queryRows(ctx, tx, `SELECT locator, signature, who, at FROM breadcrumb_vetoes WHERE repository_id = $1 AND test_id = $2`, db.repository, from)
	type said struct {
		Locator, Signature, Who string
		At                      float64
	}
	vetoes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[said])
	if err != nil {
		return err
	}
	c := conn{db, tx}
	for _, v := range vetoes {
		if _, err := c.Exec(ctx, statements.AddVeto, sqlstore.Args{"test": to, "locator": v.Locator, "signature": v.Signature,
			"who": v.Who, "at": v.At, "digest": record.KeyDigest(to, v.Locator, v.Signature)}); err != nil {
			return err
		}
	}
	return nil
}

// copyAccepted gives the elements accepted for a test's locators to another id, too.
func (db *DB) copyAccepted(ctx context.Context, tx pgx.Tx, from, to engine.TestID) error {
	rows := queryRows(ctx, tx, `SELECT locator, fingerprint_json, who, at FROM breadcrumb_accepted WHERE repository_id = $1 AND test_id = $2`, db.repository, from)
	type element struct {
		Locator, Fingerprint, Who string
		At                        float64
	}
	accepted, err := pgx.CollectRows(rows, pgx.RowToStructByPos[element])
	if err != nil {
		return err
	}
	c := conn{db, tx}
	for _, a := range accepted {
		if _, err := c.Exec(ctx, statements.AddAccepted, sqlstore.Args{"test": to, "locator": a.Locator, "fingerprint": a.Fingerprint,
			"who": a.Who, "at": a.At, "digest": record.KeyDigest(to, a.Locator)}); err != nil {
			return err
		}
	}
	return nil
}

// RenameTests is DB.RenameTests.
func (db *DB) RenameTests(ctx context.Context, all []flaky.Rename, now time.Time) (renamed []flaky.Rename, err error) {
	for _, r := range all {
		made, err := db.renameTest(ctx, r, now)
		if err != nil {
			return renamed, err
		}
		if made {
			renamed = append(renamed, r)
		}
	}
	return renamed, nil
}

func (db *DB) renameTest(ctx context.Context, r flaky.Rename, now time.Time) (renamed bool, err error) {
	err = db.inSavepoint(ctx, func(tx pgx.Tx) error {
		renamed = false // it may be the second try
		old, known, err := db.testNumber(ctx, tx, r.Old)
		if err != nil || !known {
			return err
		}
		again, taken, err := db.testNumber(ctx, tx, r.New)
		if err != nil {
			return err
		}
		if taken {
			if taken, err = db.hasHistory(ctx, tx, again); err != nil || taken {
				return err
			}
			if err = db.moveResults(ctx, tx, old, again); err == nil {
				err = db.KeepDerived(ctx, conn{db, tx}, movesName, record.KeyDigest(old, again, now.UnixNano()))
			}
		} else {
			err = db.moveTest(ctx, tx, old, r.New)
		}
		if err != nil {
			return err
		}
		renamed = true
		if err := db.moveFingerprints(ctx, tx, r.Old, r.New); err != nil {
			return err
		}
		if err := db.copyVetoes(ctx, tx, r.Old, r.New); err != nil {
			return err
		}
		if err := db.copyAccepted(ctx, tx, r.Old, r.New); err != nil {
			return err
		}
		return db.MoveEntry(ctx, conn{db, tx}, r, now)
	})
	return renamed, store.Wrap(err, "rename test")
}

func (db *DB) testNumber(ctx context.Context, tx pgx.Tx, name engine.TestID) (id int64, known bool, err error) {
	err = tx.QueryRow(ctx, `SELECT id FROM breadcrumb_tests WHERE repository_id = $1 AND name_digest = $2`,
		db.repository, record.NameDigest(name)).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return id, err == nil, err
}

// hasHistory reports whether a test has results that everybody may trust.
func (db *DB) hasHistory(ctx context.Context, tx pgx.Tx, test int64) (has bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM breadcrumb_results r JOIN breadcrumb_runs u
		ON u.repository_id = r.repository_id AND u.id = r.run
		WHERE r.repository_id = $1 AND r.test = $2 AND u.origin IN `+store.TrustedOrigins+`)`, db.repository, test).Scan(&has)
	return has, err
}

// movesName is the name under which RenameTest saves what moveResults did last.
const movesName = "moves"

// moveResults gives the results of old to a test that pull requests know
// already. In a run that has both, they stay.
func (db *DB) moveResults(ctx context.Context, tx pgx.Tx, old, again int64) error {
	for _, statement := range []string{
		`UPDATE breadcrumb_results a SET test = $3 WHERE repository_id = $1 AND test = $2 AND NOT EXISTS
			(SELECT 1 FROM breadcrumb_results b WHERE b.repository_id = $1 AND b.test = $3 AND b.run = a.run)`,
		`DELETE FROM breadcrumb_tests WHERE repository_id = $1 AND id = $2 AND id <> $3 AND NOT EXISTS
			(SELECT 1 FROM breadcrumb_results WHERE repository_id = $1 AND test = $2)`,
	} {
		if _, err := tx.Exec(ctx, statement, db.repository, old, again); err != nil {
			return err
		}
	}
	return nil
}

// moveTest renames a test to a name that no test has.
func (db *DB) moveTest(ctx context.Context, tx pgx.Tx, id int64, to engine.TestID) error {
	_, err := tx.Exec(ctx, `UPDATE breadcrumb_tests SET name = $3, name_digest = $4 WHERE repository_id = $1 AND id = $2`,
		db.repository, id, to, record.NameDigest(to))
	return err
}
