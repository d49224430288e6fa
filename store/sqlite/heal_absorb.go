package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/untrusted"
)

// healColumns are those of the seed, then our own.
var healColumns = []untrusted.Column{
	untrusted.Required("id", untrusted.Int), untrusted.Required("test_id", untrusted.ID), untrusted.Required("locator", untrusted.ID), untrusted.Required("confidence", untrusted.Real),
	untrusted.Required("original_json", untrusted.JSON), untrusted.Required("healed_json", untrusted.JSON), untrusted.Required("timestamp", untrusted.Real),
	untrusted.Optional("run", untrusted.Int), untrusted.Optional("event_json", untrusted.JSON), untrusted.Optional("event_digest", untrusted.Digest),
}

const seedHealColumns = 7

// healColumnsOf returns the columns that a file of the given version has.
func healColumnsOf(version int) []untrusted.Column {
	if version <= seedVersion {
		return healColumns[:seedHealColumns]
	}
	return healColumns
}

// healRowOf makes a row of values that readRow has read.
func healRowOf(v []any) record.HealRow {
	r := record.HealRow{ID: v[0], TestID: v[1].(string), Locator: v[2].(string), Confidence: v[3].(float64),
		OriginalJSON: v[4].(string), HealedJSON: v[5].(string), Timestamp: v[6].(float64)}
	if len(v) > seedHealColumns {
		r.Run = v[7]
		r.Event, _ = v[8].(string)
		r.Digest, _ = v[9].([]byte)
	}
	return r
}

// loadHeals takes over the rows of healing_events that are not there yet.
// The first time they keep their ids.
func (db *DB) loadHeals(ctx context.Context, r *untrusted.Reader, first bool) error {
	columns := healColumnsOf(r.Version)
	if _, err := r.Check(ctx, "healing_events", columns); err != nil {
		return untrusted.Unreadable(db.path, err)
	}
	left := record.LeftOut{What: "row of healing_events"}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		digests := record.HealDigests{}
		return r.Rows(ctx, "healing_events", columns, func(values []any) error {
			if err := untrusted.ReadRow(columns, values); err != nil {
				left.Add(err)
				return nil
			}
			row := healRowOf(values)
			if !first {
				row.ID = nil
			}
			if row.Digest == nil {
				row.Digest = digests.Next(row.SeedDigest(), row.Timestamp, record.RunKey{})
			}
			if _, err := insertHeal(ctx, tx, row, ""); err != nil {
				return workError{err}
			}
			return nil
		})
	})
	if n := left.Notice(db.path); n != nil {
		db.notices = append(db.notices, *n)
	}
	var fault workError
	if errors.As(err, &fault) {
		return fmt.Errorf("copy healing_events: %w", fault.error)
	}
	if err != nil {
		return untrusted.Unreadable(db.path, fmt.Errorf("table healing_events: %w", err))
	}
	return nil
}

// Heals returns heal events, oldest first, with the database as their Source.
// A row that holds no usable event is left out with a notice.
func (db *DB) Heals(ctx context.Context, q store.HealQuery) ([]engine.HealEvent, []engine.Notice, error) {
	limit := q.Newest
	if limit == 0 {
		limit = -1 // all
	}
	rows, err := db.sql.QueryContext(ctx, `SELECT * FROM (SELECT `+healSelect(q)+healWhere+` ORDER BY timestamp DESC, id DESC LIMIT ?) ORDER BY timestamp, id`,
		append(healArgs(q), limit)...)
	if err != nil {
		return nil, nil, fmt.Errorf("read heal events: %w", err)
	}
	defer rows.Close()
	var events []engine.HealEvent
	var notices []engine.Notice
	for rows.Next() {
		var r record.HealRow
		var id int64
		if err := rows.Scan(&id, &r.TestID, &r.Locator, &r.Confidence, &r.OriginalJSON, &r.HealedJSON, &r.Timestamp, &r.Event); err != nil {
			return nil, nil, fmt.Errorf("read heal events: %w", err)
		}
		e, err := r.HealEvent(db.path)
		if err != nil {
			notices = append(notices, record.BadHeal(db.path, id, err))
			continue
		}
		events = append(events, e)
	}
	if err := rows.Err(); err != nil {
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
