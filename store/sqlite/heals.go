package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/untrusted"
)

// InsertHeal is sqlstore.Writer.InsertHeal. An event that no run has recorded yet,
// as one that the seed wrote, becomes that of the row's run.
func (w *writer) InsertHeal(ctx context.Context, r record.HealRow) (int, error) {
	if r.Refused {
		return affectedRows(w.tx.ExecContext(ctx, `INSERT INTO heal_refusals (run, test_id, locator, confidence, reason, event_json,
		event_digest, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (event_digest) DO UPDATE SET run = excluded.run WHERE heal_refusals.run = 0 AND excluded.run <> 0
		ON CONFLICT DO NOTHING`,
			r.Run, r.TestID, r.Locator, r.Confidence, r.Reason, r.Event, r.Digest, r.Timestamp))
	}
	return affectedRows(w.tx.ExecContext(ctx, `INSERT INTO healing_events (id, test_id, locator, confidence, original_json,
		healed_json, timestamp, run, outcome, reason, event_json, event_digest)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'healed', nullif(?, ''), nullif(?, ''), ?)
		ON CONFLICT (event_digest) DO UPDATE SET run = excluded.run, outcome = excluded.outcome,
			event_json = excluded.event_json WHERE healing_events.run IS NULL AND excluded.run IS NOT NULL
		ON CONFLICT DO NOTHING`,
		r.ID, r.TestID, r.Locator, r.Confidence, r.OriginalJSON, r.HealedJSON, r.Timestamp, r.Run, r.Reason, r.Event, r.Digest))
}

// loadHeals copies the rows of healing_events that are not there yet. On the
// first load they keep their row ids.
func (db *DB) loadHeals(ctx context.Context, r *untrusted.Reader, first bool) error {
	columns := untrusted.Columns(healColumns, r.Version)
	known := len(columns)
	if first {
		columns = append(columns, db.newer.columnsOf("healing_events")...)
	}
	if _, err := r.Check(ctx, "healing_events", columns); err != nil {
		return untrusted.Unreadable(db.path, err)
	}
	left := record.LeftOut{What: "row of healing_events"}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		w, digests := newWriter(tx), record.HealDigests{}
		return r.Rows(ctx, "healing_events", columns, func(values []any) error {
			if err := untrusted.ReadRow(columns, values); err != nil {
				left.Add(err)
				return nil
			}
			row := healRowOf(values[:known])
			if !first {
				row.ID = nil
			}
			if row.Digest == nil {
				row.Digest = digests.Next(row.SeedDigest(), row.Timestamp, record.RunKey{})
			}
			if _, err := w.InsertHeal(ctx, row); err != nil {
				return workError{err}
			}
			return keepHealColumns(ctx, tx, row.Digest, columns[known:], values[known:])
		})
	})
	return db.reportCopied("healing_events", &left, err)
}

// keepHealColumns keeps what a newer version has of an event in columns of its own.
func keepHealColumns(ctx context.Context, tx *sql.Tx, digest []byte, columns []untrusted.Column, values []any) error {
	for i, c := range columns {
		if _, err := tx.ExecContext(ctx, "UPDATE healing_events SET "+untrusted.Quote(c.Name)+" = ? WHERE event_digest = ?", values[i], digest); err != nil {
			return workError{err}
		}
	}
	return nil
}

// AppendHeals adds heals and refusals that happened outside of a recorded run,
// as a healing test library does. A run that records the same event later
// takes it over. Events that cannot be stored are left out and the error wraps
// ErrLeftOut; an event that is there already is not added again.
func (db *DB) AppendHeals(ctx context.Context, events []engine.HealEvent) error {
	left := record.LeftOut{What: "heal event"}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		w, digests := newWriter(tx), record.HealDigests{}
		for _, e := range events {
			row, err := record.HealRowOf(e)
			if err != nil {
				left.Add(fmt.Errorf("%.80q: %w", e.TestID, err))
				continue
			}
			row.Digest = digests.Next(sha256.Sum256([]byte(row.Event)), row.Timestamp, record.RunKey{})
			if row.Refused {
				row.Run = int64(noRun)
			}
			if _, err := w.InsertHeal(ctx, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = left.Err()
	}
	return store.Wrap(err, "append heals")
}

// noRun means no run in heal_refusals, whose column run is never NULL.
const noRun = 0
