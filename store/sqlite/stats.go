package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/breadcrumb/action/store"
)

// Stats counts the rows of every table.
func (db *DB) Stats(ctx context.Context) (store.Stats, error) {
	n, err := db.Store.Stats(ctx)
	if err != nil {
		return n, err
	}
	tests, err := testsIn(ctx, db.sql, nil)
	n.Tests = len(tests)
	return n, store.Wrap(err, "count tests")
}

// Facts returns the schema version, the row counts and the watermark.
func (db *DB) Facts(ctx context.Context) (store.Facts, error) {
	f := store.Facts{Schema: max(schemaVersion, db.newer.version)}
	var err error
	if f.Rows, err = db.Stats(ctx); err != nil {
		return f, err
	}
	var mark sql.NullFloat64
	if err := db.sql.QueryRowContext(ctx, `SELECT max(before) FROM retention`).Scan(&mark); err != nil {
		return f, fmt.Errorf("read watermark: %w", err)
	}
	if mark.Valid {
		f.Watermark = store.FromUnix(mark.Float64)
	}
	return f, nil
}

// FileSchema returns the schema version of the file that was opened, 0 when
// there was none.
func (db *DB) FileSchema() int { return db.fileSchema }
