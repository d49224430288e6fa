package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/breadcrumb/action/store"
)

// Facts returns the schema version, the row counts and the watermark.
func (db *DB) Facts(ctx context.Context) (store.Facts, error) {
	f := store.Facts{Schema: schemaVersion}
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

// Stale returns how many fingerprints were not seen since then.
func (db *DB) Stale(ctx context.Context, since time.Time) (n int, err error) {
	err = db.sql.QueryRowContext(ctx, `SELECT count(*) FROM fingerprints WHERE updated_at < ?`, store.Unix(since)).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count stale fingerprints: %w", err)
	}
	return n, nil
}

// FileSchema returns the schema version of the file that was opened, 0 when
// there was none.
func (db *DB) FileSchema() int { return db.fileSchema }

// Stats counts the rows of every table.
func (db *DB) Stats(ctx context.Context) (store.Stats, error) {
	var s store.Stats
	err := db.sql.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM fingerprints), (SELECT count(*) FROM page_states),
		(SELECT count(*) FROM healing_events), (SELECT count(*) FROM heal_refusals),
		(SELECT count(*) FROM tests WHERE EXISTS (SELECT 1 FROM results WHERE test = tests.id)), (SELECT count(*) FROM runs),
		(SELECT count(*) FROM results), (SELECT count(*) FROM quarantine), (SELECT count(*) FROM quarantine_log)`).Scan(
		&s.Fingerprints, &s.PageStates, &s.Heals, &s.Refusals, &s.Tests, &s.Runs, &s.Results, &s.Quarantined, &s.QuarantineLog)
	if err != nil {
		return store.Stats{}, fmt.Errorf("count rows: %w", err)
	}
	return s, nil
}
