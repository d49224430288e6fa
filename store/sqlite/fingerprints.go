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
	link, linkErr := db.States.Link(state)
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
	return store.Wrap(errors.Join(linkErr, leftOut), "save fingerprints")
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

// insertPage writes the page of a link, or notes that it was seen again.
func insertPage(ctx context.Context, tx *sql.Tx, l record.PageLink, at float64) error {
	if l.State == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO page_states (digest, state, updated_at) VALUES (?, ?, ?)
		ON CONFLICT (digest) DO UPDATE SET updated_at = excluded.updated_at WHERE `+notOfToday, l.Digest[:], l.State, at)
	return err
}
