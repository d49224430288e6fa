package sqlite

import (
	"context"
	"fmt"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Fingerprints returns the first fingerprints, at most limit, of one test, or
// of all for "".
func (db *DB) Fingerprints(ctx context.Context, testID string, limit int) (store.Fingerprints, error) {
	const where = ` FROM fingerprints WHERE ? = '' OR test_id = ?`
	id := store.CleanID(testID)
	var f store.Fingerprints
	if err := db.sql.QueryRowContext(ctx, `SELECT count(*)`+where, id, id).Scan(&f.Total); err != nil {
		return f, fmt.Errorf("count fingerprints: %w", err)
	}
	rows, err := db.sql.QueryContext(ctx, `SELECT test_id, locator, fingerprint_json`+where+` ORDER BY test_id, locator LIMIT ?`, id, id, limit)
	if err != nil {
		return f, fmt.Errorf("read fingerprints: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var test, locator, text string
		if err := rows.Scan(&test, &locator, &text); err != nil {
			return f, fmt.Errorf("read fingerprints: %w", err)
		}
		record.AddFingerprint(&f, db.path, test, locator, text)
	}
	if err := rows.Err(); err != nil {
		return f, fmt.Errorf("read fingerprints: %w", err)
	}
	return f, nil
}
