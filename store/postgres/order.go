package postgres

import (
	"context"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// KeepOrder is DB.KeepOrder. Save writes it, as what Keep keeps.
func (db *DB) KeepOrder(_ context.Context, info engine.RunInfo, ids []string) error {
	if order := record.PackOrder(ids); len(order) <= store.MaxDerived {
		db.kept[record.OrderName(info)] = order
	}
	return nil
}

// KnownOrder is DB.KnownOrder.
func (db *DB) KnownOrder(ctx context.Context, info engine.RunInfo, reportDigest string) ([]string, error) {
	ids, err := db.KnownTests(ctx, info, reportDigest)
	if err != nil {
		return nil, err
	}
	order, err := db.source().Derived(ctx, record.OrderName(info))
	if err != nil {
		return nil, fmt.Errorf("read order of tests: %w", err)
	}
	record.InOrder(ids, order)
	return ids, nil
}
