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

// recordHeals adds the run's events that are not there yet. A row that the
// seed wrote and nobody claimed becomes the run's.
func recordHeals(ctx context.Context, tx *sql.Tx, run store.Run, recorded *store.Recorded) error {
	digests, key := record.HealDigests{}, record.KeyOf(run.Info, run.ReportDigest)
	for _, e := range run.Heals {
		row, err := record.HealRowOf(e)
		if err != nil {
			recorded.Notices = append(recorded.Notices, engine.Notice{File: e.Source, Severity: engine.SeverityWarning,
				Reason: fmt.Sprintf("heal event of %.80q left out: %v", e.TestID, err)})
			continue
		}
		row.Run = recorded.RunID
		row.Digest = digests.Next(sha256.Sum256([]byte(row.Event)), row.Timestamp, key)
		insert := insertHeal
		if e.Outcome != engine.OutcomeHealed {
			insert = insertRefusal
		}
		added, err := insert(ctx, tx, row, store.CleanText(e.Reason, store.MaxText))
		if err != nil {
			return err
		}
		recorded.Heals += added
	}
	return nil
}

func insertHeal(ctx context.Context, tx *sql.Tx, r record.HealRow, reason string) (int, error) {
	done, err := tx.ExecContext(ctx, `INSERT INTO healing_events (id, test_id, locator, confidence, original_json,
		healed_json, timestamp, run, outcome, reason, event_json, event_digest)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'healed', nullif(?, ''), nullif(?, ''), ?)
		ON CONFLICT (event_digest) DO UPDATE SET run = excluded.run, outcome = excluded.outcome,
			event_json = excluded.event_json WHERE healing_events.run IS NULL AND excluded.run IS NOT NULL
		ON CONFLICT DO NOTHING`,
		r.ID, r.TestID, r.Locator, r.Confidence, r.OriginalJSON, r.HealedJSON, r.Timestamp, r.Run, reason, r.Event, r.Digest)
	return affected(done, err)
}

func insertRefusal(ctx context.Context, tx *sql.Tx, r record.HealRow, reason string) (int, error) {
	done, err := tx.ExecContext(ctx, `INSERT INTO heal_refusals (run, test_id, locator, confidence, reason, event_json,
		event_digest, timestamp) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (event_digest) DO UPDATE SET run = excluded.run WHERE heal_refusals.run = 0 AND excluded.run <> 0
		ON CONFLICT DO NOTHING`,
		r.Run, r.TestID, r.Locator, r.Confidence, reason, r.Event, r.Digest, r.Timestamp)
	return affected(done, err)
}

func affected(done sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}
