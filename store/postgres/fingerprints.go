package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Fingerprints is DB.Fingerprints.
func (db *DB) Fingerprints(ctx context.Context, testID string, limit int) (store.Fingerprints, error) {
	const where = ` FROM breadcrumb_fingerprints WHERE repository_id = $1 AND ($2 = '' OR test_id = $2)`
	id := store.CleanID(testID)
	var f store.Fingerprints
	if err := db.tx.QueryRow(ctx, `SELECT count(*)`+where, db.repository, id).Scan(&f.Total); err != nil {
		return f, fmt.Errorf("count fingerprints: %w", err)
	}
	rows, err := db.tx.Query(ctx, `SELECT test_id, locator, fingerprint_json`+where+`
		ORDER BY convert_to(test_id, 'UTF8'), convert_to(locator, 'UTF8') LIMIT $3`, db.repository, id, limit)
	if err != nil {
		return f, fmt.Errorf("read fingerprints: %w", err)
	}
	var test, locator, text string
	_, err = pgx.ForEachRow(rows, []any{&test, &locator, &text}, func() error {
		record.AddFingerprint(&f, db.name, test, locator, text)
		return nil
	})
	if err != nil {
		return f, fmt.Errorf("read fingerprints: %w", err)
	}
	return f, nil
}
