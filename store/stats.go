package store

import (
	"context"
	"fmt"
)

// Stats counts the rows of a database.
type Stats struct {
	Fingerprints  int
	PageStates    int
	Heals         int
	Refusals      int
	Tests         int
	Runs          int
	Results       int // attempts
	Quarantined   int
	QuarantineLog int
}

// Stats counts the rows of every table.
func (db *DB) Stats(ctx context.Context) (Stats, error) {
	var s Stats
	err := db.sql.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM fingerprints), (SELECT count(*) FROM page_states),
		(SELECT count(*) FROM healing_events), (SELECT count(*) FROM heal_refusals), (SELECT count(*) FROM tests), (SELECT count(*) FROM runs),
		(SELECT count(*) FROM results), (SELECT count(*) FROM quarantine), (SELECT count(*) FROM quarantine_log)`).Scan(
		&s.Fingerprints, &s.PageStates, &s.Heals, &s.Refusals, &s.Tests, &s.Runs, &s.Results, &s.Quarantined, &s.QuarantineLog)
	if err != nil {
		return Stats{}, fmt.Errorf("count rows: %w", err)
	}
	return s, nil
}
