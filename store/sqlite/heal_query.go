package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Heals returns heal events, oldest first, with the database as their Source.
// A row that holds no usable event is left out with a notice.
func (db *DB) Heals(ctx context.Context, q store.HealQuery) ([]engine.HealEvent, []engine.Notice, error) {
	limit := q.Newest
	if limit == 0 {
		limit = -1 // all
	}
	var events []engine.HealEvent
	var notices []engine.Notice
	err := forEachRow(ctx, db.sql, func(rows *sql.Rows) error {
		var r record.HealRow
		var id int64
		if err := rows.Scan(&id, &r.TestID, &r.Locator, &r.Confidence, &r.OriginalJSON, &r.HealedJSON, &r.Timestamp, &r.Event); err != nil {
			return err
		}
		e, err := r.HealEvent(db.path)
		if err != nil {
			notices = append(notices, record.BadHeal(db.path, id, err))
			return nil
		}
		events = append(events, e)
		return nil
	}, `SELECT * FROM (SELECT `+healSelect(q)+healWhere+` ORDER BY timestamp DESC, id DESC LIMIT ?) ORDER BY timestamp, id`,
		append(healArgs(q), limit)...)
	if err != nil {
		return nil, nil, fmt.Errorf("read heal events: %w", err)
	}
	return events, notices, nil
}

// CountHeals returns how many heal events a query selects, whatever its Newest,
// those that Heals leaves out included.
func (db *DB) CountHeals(ctx context.Context, q store.HealQuery) (n int, err error) {
	table := "healing_events"
	if q.Refused {
		table = "heal_refusals"
	}
	if err := db.sql.QueryRowContext(ctx, `SELECT count(*) FROM `+table+healWhere, healArgs(q)...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count heal events: %w", err)
	}
	return n, nil
}

// healWhere takes the arguments of healArgs.
const healWhere = ` WHERE (? = 0 OR run = ?) AND (NOT ? OR run IS NULL) AND (? = '' OR test_id = ?) AND timestamp >= ?`

func healArgs(q store.HealQuery) []any {
	id := store.CleanID(q.Test)
	return []any{q.Run, q.Run, q.Unclaimed, id, id, q.SinceUnix()}
}

func healSelect(q store.HealQuery) string {
	if q.Refused {
		return `id, test_id, locator, confidence, '', '', timestamp, event_json FROM heal_refusals`
	}
	return `id, test_id, locator, confidence, original_json, healed_json, timestamp, coalesce(event_json, '') FROM healing_events`
}
