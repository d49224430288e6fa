package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine"
)

// Fingerprints are some of a database's fingerprints.
type Fingerprints struct {
	List    []engine.Fingerprint // sorted by test and locator
	Total   int                  // how many there are
	Notices []engine.Notice      // of rows that hold no fingerprint and were left out
}

// Fingerprints returns the first fingerprints, at most limit, of one test, or
// of all for "".
func (db *DB) Fingerprints(ctx context.Context, testID string, limit int) (Fingerprints, error) {
	const where = ` FROM fingerprints WHERE ? = '' OR test_id = ?`
	id := CleanID(testID)
	var f Fingerprints
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
		f.add(db.path, test, locator, text)
	}
	if err := rows.Err(); err != nil {
		return f, fmt.Errorf("read fingerprints: %w", err)
	}
	return f, nil
}

// Fingerprints is DB.Fingerprints.
func (db *Postgres) Fingerprints(ctx context.Context, testID string, limit int) (Fingerprints, error) {
	const where = ` FROM breadcrumb_fingerprints WHERE repository_id = $1 AND ($2 = '' OR test_id = $2)`
	id := CleanID(testID)
	var f Fingerprints
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
		f.add(db.name, test, locator, text)
		return nil
	})
	if err != nil {
		return f, fmt.Errorf("read fingerprints: %w", err)
	}
	return f, nil
}

func (f *Fingerprints) add(database, test, locator, text string) {
	one, err := readFingerprint(text)
	if err != nil {
		f.Notices = append(f.Notices, engine.Notice{File: database, Severity: engine.SeverityWarning,
			Reason: fmt.Sprintf("fingerprint of %.80q in %.80q left out: %v", locator, test, err)})
		return
	}
	one.TestID, one.Locator = test, locator
	f.List = append(f.List, one)
}
