package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// AppendHeals adds heals and refusals that happened outside of a recorded run,
// as a healing test library does. The run that records the same event later
// makes it its own. Events that cannot be stored are left out and the error
// wraps ErrLeftOut; an event that is there already is not added again.
func (db *DB) AppendHeals(ctx context.Context, events []engine.HealEvent) error {
	left := record.LeftOut{What: "heal event"}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		digests := record.HealDigests{}
		for _, e := range events {
			row, err := record.HealRowOf(e)
			if err != nil {
				left.Add(fmt.Errorf("%.80q: %w", e.TestID, err))
				continue
			}
			row.Digest = digests.Next(sha256.Sum256([]byte(row.Event)), row.Timestamp, record.RunKey{})
			insert := insertHeal
			if e.Outcome != engine.OutcomeHealed {
				insert, row.Run = insertRefusal, int64(noRun)
			}
			if _, err := insert(ctx, tx, row, store.CleanText(e.Reason, store.MaxText)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("append heals: %w", err)
	}
	if err := left.Err(); err != nil {
		return fmt.Errorf("append heals: %w", err)
	}
	return nil
}

// noRun stands in heal_refusals, whose run is never NULL, for no run.
const noRun = 0
