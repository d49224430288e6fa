package sqlite

import (
	"context"
	"database/sql"
	"math"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Retain deletes what is not to be kept. What stays depends only on what is
// there, so that it is the same whether rows are deleted before or after a
// merge. Before never becomes earlier than it was, so that a delta which comes
// late brings nothing back. Trusted rows and those of other runs are counted
// apart.
func (db *DB) Retain(ctx context.Context, keep store.Retention) error {
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		before, err := raiseWatermark(ctx, tx, keep)
		if err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM packed_moves WHERE run IN (SELECT id FROM runs WHERE started_at < ?1)`,
			`DELETE FROM healing_events WHERE timestamp < ?1 AND timestamp <> 0`,
			`DELETE FROM heal_refusals WHERE timestamp < ?1 AND timestamp <> 0`,
		} {
			if _, err := tx.ExecContext(ctx, statement, before); err != nil {
				return err
			}
		}
		lost, err := readColumn[int64](ctx, tx, `DELETE FROM packed_runs WHERE run IN (SELECT id FROM runs WHERE started_at < ?1) RETURNING run`, before)
		if err != nil {
			return err
		}
		var thinned []int64
		if keep.Runs > 0 {
			behind, less, err := retainRuns(ctx, tx, keep)
			if err != nil {
				return err
			}
			lost, thinned = append(lost, behind...), less
		}
		if len(lost) > 0 {
			if err := dropDerived(ctx, tx); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM runs WHERE (result_count > 0 OR started_at < ?) AND id NOT IN (SELECT run FROM packed_runs)
			AND id NOT IN (SELECT run FROM healing_events WHERE run IS NOT NULL) AND id NOT IN (SELECT run FROM heal_refusals)`, before); err != nil {
			return err
		}
		// Where a result of the new name is gone, one of the old name may take it.
		if len(thinned) == 0 {
			return nil
		}
		return applyRenames(ctx, tx, thinned)
	})
	return store.Wrap(err, "let go old runs")
}

// dropDerived deletes what was worked out of results that are gone.
func dropDerived(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM derived WHERE name NOT LIKE ? || '%'`, record.OrderPrefix)
	return err
}

// raiseWatermark sets the watermark unless it is later already, and returns it. A
// clock that ran ahead would delete every run until that time comes.
func raiseWatermark(ctx context.Context, tx *sql.Tx, keep store.Retention) (float64, error) {
	if _, err := tx.ExecContext(ctx, `DELETE FROM retention WHERE before > ?`, store.UnixOrLatest(keep.Now)); err != nil {
		return 0, err
	}
	if !keep.Before.IsZero() {
		if _, err := tx.ExecContext(ctx, `INSERT INTO retention (id, before) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET before = max(before, excluded.before)`,
			store.Unix(keep.Before)); err != nil {
			return 0, err
		}
	}
	var mark sql.NullFloat64
	err := tx.QueryRowContext(ctx, `SELECT max(before) FROM retention`).Scan(&mark)
	if !mark.Valid {
		return math.Inf(-1), err
	}
	return mark.Float64, err
}
