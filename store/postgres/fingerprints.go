package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// SaveFingerprints is DB.SaveFingerprints.
func (db *DB) SaveFingerprints(ctx context.Context, fps []engine.Fingerprint, state []byte, now time.Time) error {
	link, linkErr := db.States.Link(state)
	rows, leftOut := record.FingerprintRows(fps, link)
	err := db.within(ctx, func(tx pgx.Tx) error {
		at := store.Unix(now)
		if link.State != nil {
			if _, err := tx.Exec(ctx, `INSERT INTO breadcrumb_page_states AS old (repository_id, digest, state, updated_at)
				VALUES ($1, $2, $3, $4) ON CONFLICT (repository_id, digest) DO UPDATE SET updated_at = excluded.updated_at
				WHERE excluded.updated_at NOT BETWEEN old.updated_at AND old.updated_at + 86400`,
				db.repository, link.Digest[:], link.State, at); err != nil {
				return err
			}
		}
		return db.putFingerprints(ctx, tx, rows, at)
	})
	if err != nil {
		return fmt.Errorf("save fingerprints: %w", err)
	}
	return store.Wrap(errors.Join(linkErr, leftOut), "save fingerprints")
}

// putFingerprints writes fingerprints. One that is written again unchanged keeps
// its page.
func (db *DB) putFingerprints(ctx context.Context, tx pgx.Tx, rows []record.FingerprintRow, at float64) error {
	var batch pgx.Batch
	for _, r := range rows {
		batch.Queue(`INSERT INTO breadcrumb_fingerprints AS old (repository_id, key_digest, test_id, locator, fingerprint_json,
			updated_at, page_state) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (repository_id, key_digest) DO UPDATE SET
			fingerprint_json = excluded.fingerprint_json, updated_at = excluded.updated_at,
			page_state = CASE WHEN excluded.page_state IS NOT NULL THEN excluded.page_state
				WHEN old.fingerprint_json = excluded.fingerprint_json THEN old.page_state END
			WHERE old.fingerprint_json <> excluded.fingerprint_json
				OR excluded.page_state IS NOT NULL AND old.page_state IS DISTINCT FROM excluded.page_state
				OR excluded.updated_at NOT BETWEEN old.updated_at AND old.updated_at + 86400`,
			db.repository, record.KeyDigest(r.TestID, r.Locator), r.TestID, r.Locator, r.JSON, at, r.Page)
	}
	return tx.SendBatch(ctx, &batch).Close()
}
