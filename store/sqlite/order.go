package sqlite

import (
	"context"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// KeepOrder keeps in which order the tests of a run stand in their sources, for
// the next KnownOrder of its workflow, job and leg.
func (db *DB) KeepOrder(ctx context.Context, info engine.RunInfo, ids []string) error {
	order := record.PackOrder(ids)
	if len(order) > store.MaxDerived {
		return nil
	}
	if _, err := db.sql.ExecContext(ctx, `INSERT OR REPLACE INTO derived (name, value) VALUES (?, ?)`, record.OrderName(info), order); err != nil {
		return fmt.Errorf("keep order of tests: %w", err)
	}
	return nil
}

// KnownOrder is KnownTests in the order that was kept last, tests that are not
// in it behind the others.
func (db *DB) KnownOrder(ctx context.Context, info engine.RunInfo, reportDigest string) ([]string, error) {
	ids, err := db.KnownTests(ctx, info, reportDigest)
	if err != nil {
		return nil, err
	}
	order, err := evidenceSource{db}.Derived(ctx, record.OrderName(info))
	if err != nil {
		return nil, fmt.Errorf("read order of tests: %w", err)
	}
	record.InOrder(ids, order)
	return ids, nil
}
