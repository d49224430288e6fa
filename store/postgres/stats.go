package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/breadcrumb/action/store"
)

// FileSchema is the version of the schema, which is always this package's.
func (db *DB) FileSchema() int { return schemaVersion }

// Facts is DB.Facts. A server has no watermark of its own.
func (db *DB) Facts(ctx context.Context) (store.Facts, error) {
	rows, err := db.Stats(ctx)
	return store.Facts{Schema: schemaVersion, Rows: rows}, err
}

// Stale is DB.Stale.
func (db *DB) Stale(ctx context.Context, since time.Time) (n int, err error) {
	err = db.tx.QueryRow(ctx, `SELECT count(*) FROM breadcrumb_fingerprints WHERE repository_id = $1 AND updated_at < $2`,
		db.repository, store.Unix(store.Bounded(since))).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count stale fingerprints: %w", err)
	}
	return n, nil
}
