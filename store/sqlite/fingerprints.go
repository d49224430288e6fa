package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// SaveFingerprints saves fingerprints under their TestID and Locator, which
// both must be set, and replaces what was there. An unchanged fingerprint is
// written again only after a day, so that a run which learns nothing new
// writes nothing. State is the page on which all of them were taken, as
// heal.Page.State returns it, or nil: then an unchanged fingerprint keeps its
// page. A page is stored once, however many tests see it. All is written in
// one transaction.
//
// A fingerprint that cannot be stored, or a state that heal.ReadState refuses,
// is left out; the rest is saved and the error wraps ErrLeftOut.
func (db *DB) SaveFingerprints(ctx context.Context, fps []engine.Fingerprint, state []byte, now time.Time) error {
	link, linkErr := db.states.Link(state)
	rows, leftOut := record.FingerprintRows(fps, link)
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		at := store.Unix(now)
		if err := insertPage(ctx, tx, link, at); err != nil {
			return err
		}
		return insertFingerprints(ctx, tx, rows, at)
	})
	if err != nil {
		return fmt.Errorf("save fingerprints: %w", err)
	}
	if err := errors.Join(linkErr, leftOut); err != nil {
		return fmt.Errorf("save fingerprints: %w", err)
	}
	return nil
}

// LoadFingerprint returns the fingerprint of a test's locator and, if known,
// the state of the page on which it was taken, for heal.ReadState; ok is false
// when there is no fingerprint. An error together with ok wraps ErrLeftOut:
// the fingerprint is good, its page is not.
func (db *DB) LoadFingerprint(ctx context.Context, testID, locator string) (f engine.Fingerprint, state []byte, ok bool, err error) {
	testID, locator = store.CleanID(testID), store.CleanID(locator)
	var text string
	err = db.sql.QueryRowContext(ctx, `SELECT fingerprint_json, state FROM fingerprints LEFT JOIN page_states ON digest = page_state
		WHERE test_id = ? AND locator = ?`, testID, locator).Scan(&text, &state)
	if errors.Is(err, sql.ErrNoRows) {
		return engine.Fingerprint{}, nil, false, nil
	}
	if err != nil {
		return engine.Fingerprint{}, nil, false, fmt.Errorf("load fingerprint: %w", err)
	}
	return db.states.Loaded(db.path, testID, locator, text, state)
}

func insertFingerprints(ctx context.Context, tx *sql.Tx, rows []record.FingerprintRow, at float64) error {
	insert := newBatch(tx, `INSERT INTO fingerprints (test_id, locator, fingerprint_json, updated_at, page_state, page_state_of)
		VALUES `, 6, replaceFingerprint+unlessTheSame)
	for _, r := range rows {
		if err := insert.add(ctx, []any{r.TestID, r.Locator, r.JSON, at, r.Page, r.PageOf}); err != nil {
			return err
		}
	}
	return insert.flush(ctx)
}

// Fingerprints returns the first fingerprints, at most limit, of one test, or
// of all for "".
func (db *DB) Fingerprints(ctx context.Context, testID string, limit int) (store.Fingerprints, error) {
	const where = ` FROM fingerprints WHERE ? = '' OR test_id = ?`
	id := store.CleanID(testID)
	var f store.Fingerprints
	if err := db.sql.QueryRowContext(ctx, `SELECT count(*)`+where, id, id).Scan(&f.Total); err != nil {
		return f, fmt.Errorf("count fingerprints: %w", err)
	}
	err := forEachRow(ctx, db.sql, func(rows *sql.Rows) error {
		var test, locator, text string
		if err := rows.Scan(&test, &locator, &text); err != nil {
			return err
		}
		record.AddFingerprint(&f, db.path, test, locator, text)
		return nil
	}, `SELECT test_id, locator, fingerprint_json`+where+` ORDER BY test_id, locator LIMIT ?`, id, id, limit)
	if err != nil {
		return f, fmt.Errorf("read fingerprints: %w", err)
	}
	return f, nil
}

// insertPage writes the page of a link, or notes that it was seen again.
func insertPage(ctx context.Context, tx *sql.Tx, l record.PageLink, at float64) error {
	if l.State == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO page_states (digest, state, updated_at) VALUES (?, ?, ?)
		ON CONFLICT (digest) DO UPDATE SET updated_at = excluded.updated_at WHERE `+notOfToday, l.Digest[:], l.State, at)
	return err
}
