package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"

	"github.com/breadcrumb/action/engine"
)

// AppendHeals adds heals and refusals that happened outside of a recorded run,
// as a healing test library does. The run that records the same event later
// makes it its own. Events that cannot be stored are left out and the error
// wraps ErrLeftOut; an event that is there already is not added again.
func (db *DB) AppendHeals(ctx context.Context, events []engine.HealEvent) error {
	left := leftOut{what: "heal event"}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		digests := healDigests{}
		for _, e := range events {
			row, err := rowOfHeal(e)
			if err != nil {
				left.add(fmt.Errorf("%.80q: %w", e.TestID, err))
				continue
			}
			row.digest = digests.next(sha256.Sum256([]byte(row.event)), row.timestamp, runKey{})
			insert := insertHeal
			if e.Outcome != engine.OutcomeHealed {
				insert, row.run = insertRefusal, int64(noRun)
			}
			if _, err := insert(ctx, tx, row, cleanText(e.Reason, maxText)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("append heals: %w", err)
	}
	if err := left.err(); err != nil {
		return fmt.Errorf("append heals: %w", err)
	}
	return nil
}

// noRun stands in heal_refusals, whose run is never NULL, for no run.
const noRun = 0
