package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
)

// LoadCheckpoint returns a judge and the runs it has not heard yet, in order; the run of
// row id run is always among them. share is as in flaky.NewJudge. Where what was
// kept does not fit the runs there are, because one came late, was merged in or
// is told again, the judge is a new one that has heard nothing.
func (db *DB) LoadCheckpoint(ctx context.Context, info engine.RunInfo, share float64, run int64) (*store.Checkpoint, error) {
	return store.LoadCheckpoint(ctx, evidenceSource{db}, info, share, run)
}

// SaveCheckpoint keeps what the judge knows, for the next Hear. The judge must have heard
// every run of h.
func (db *DB) SaveCheckpoint(ctx context.Context, h *store.Checkpoint) error {
	kept := h.Encode()
	if kept == nil {
		return nil
	}
	if _, err := db.sql.ExecContext(ctx, `INSERT OR REPLACE INTO derived (name, value) VALUES (?, ?)`, h.Name, kept); err != nil {
		return fmt.Errorf("keep what was judged: %w", err)
	}
	return nil
}

// Derived returns what was kept under a name.
func (s evidenceSource) Derived(ctx context.Context, name string) (value []byte, err error) {
	err = s.db.sql.QueryRowContext(ctx, `SELECT value FROM derived WHERE name = ?`, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return value, err
}

// evidenceMoves sums up which results belong to another test than they were
// recorded for.
func (s evidenceSource) Moves(ctx context.Context) (moves string, err error) {
	err = s.db.sql.QueryRowContext(ctx, `SELECT count(*) || ' ' || total((test * 31 + run * 1009 + attempt * 7 + was * 100003 + nth) % 1000003)
		FROM moved`).Scan(&moves)
	return moves, err
}

// NameTests fills in the identities of the tests given by their numbers.
func (db *DB) NameTests(ctx context.Context, e *store.Evidence, tests []int) error {
	return store.NameTests(ctx, evidenceSource{db}, e, tests)
}

// FindTests fills in the identities of those of the named tests that are in e.
func (db *DB) FindTests(ctx context.Context, e *store.Evidence, names []string) error {
	return store.FindTests(ctx, evidenceSource{db}, e, names)
}

func (s evidenceSource) TestNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	return s.db.names(ctx, `SELECT id, name FROM tests WHERE id IN (SELECT value FROM json_each(?))`, jsonList(ids))
}

func (s evidenceSource) TestsNamed(ctx context.Context, names []string) (map[int64]string, error) {
	return s.db.names(ctx, `SELECT id, name FROM tests WHERE name IN (SELECT value FROM json_each(?))`, jsonList(names))
}
