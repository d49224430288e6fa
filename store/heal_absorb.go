package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/breadcrumb/action/engine"
)

// healColumns are those of the seed, then our own.
var healColumns = []column{
	{"id", kindInt, false}, {"test_id", kindID, false}, {"locator", kindID, false}, {"confidence", kindReal, false},
	{"original_json", kindJSON, false}, {"healed_json", kindJSON, false}, {"timestamp", kindReal, false},
	{"run", kindInt, true}, {"event_json", kindJSON, true}, {"event_digest", kindDigest, true},
}

const seedHealColumns = 7

// healColumnsOf returns the columns that a file of the given version has.
func healColumnsOf(version int) []column {
	if version <= seedVersion {
		return healColumns[:seedHealColumns]
	}
	return healColumns
}

// healRowOf makes a row of values that readRow has read.
func healRowOf(v []any) healRow {
	r := healRow{id: v[0], testID: v[1].(string), locator: v[2].(string), confidence: v[3].(float64),
		original: v[4].(string), healed: v[5].(string), timestamp: v[6].(float64)}
	if len(v) > seedHealColumns {
		r.run = v[7]
		r.event, _ = v[8].(string)
		r.digest, _ = v[9].([]byte)
	}
	return r
}

// absorbHeals takes over the rows of healing_events that are not there yet.
// The first time they keep their ids.
func (db *DB) absorbHeals(ctx context.Context, r *reader, first bool) error {
	columns := healColumnsOf(r.version)
	if _, err := r.check(ctx, "healing_events", columns); err != nil {
		return unreadable(db.path, err)
	}
	left := leftOut{what: "row of healing_events"}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		digests := healDigests{}
		return r.rows(ctx, "healing_events", columns, func(values []any) error {
			if err := readRow(columns, values); err != nil {
				left.add(err)
				return nil
			}
			row := healRowOf(values)
			if !first {
				row.id = nil
			}
			if row.digest == nil {
				row.digest = digests.next(row.seedDigest(), row.timestamp, runKey{})
			}
			if _, err := insertHeal(ctx, tx, row, ""); err != nil {
				return workError{err}
			}
			return nil
		})
	})
	if n := left.notice(db.path); n != nil {
		db.notices = append(db.notices, *n)
	}
	var fault workError
	if errors.As(err, &fault) {
		return fmt.Errorf("copy healing_events: %w", fault.error)
	}
	if err != nil {
		return unreadable(db.path, fmt.Errorf("table healing_events: %w", err))
	}
	return nil
}

// HealQuery selects heal events.
type HealQuery struct {
	Run int64 // of this run; 0: of all
	// Unclaimed: only rows that the seed appended and no run holds yet.
	Unclaimed bool
	// Refused: refusals instead of heals.
	Refused bool
	Test    string    // of this test; "": of all
	Since   time.Time // that happened then or later; zero: whenever
	Newest  int       // so many, the newest; 0: all
}

// since returns Unix seconds, of which none come before those of the zero time.
func (q HealQuery) since() float64 {
	if q.Since.IsZero() {
		return -math.MaxFloat64
	}
	return unix(bounded(q.Since))
}

// Heals returns heal events, oldest first, with the database as their Source.
// A row that holds no usable event is left out with a notice.
func (db *DB) Heals(ctx context.Context, q HealQuery) ([]engine.HealEvent, []engine.Notice, error) {
	limit := q.Newest
	if limit == 0 {
		limit = -1 // all
	}
	rows, err := db.sql.QueryContext(ctx, `SELECT * FROM (SELECT `+q.columns()+healWhere+` ORDER BY timestamp DESC, id DESC LIMIT ?) ORDER BY timestamp, id`,
		append(q.args(), limit)...)
	if err != nil {
		return nil, nil, fmt.Errorf("read heal events: %w", err)
	}
	defer rows.Close()
	var events []engine.HealEvent
	var notices []engine.Notice
	for rows.Next() {
		var r healRow
		var id int64
		if err := rows.Scan(&id, &r.testID, &r.locator, &r.confidence, &r.original, &r.healed, &r.timestamp, &r.event); err != nil {
			return nil, nil, fmt.Errorf("read heal events: %w", err)
		}
		e, err := r.healEvent(db.path)
		if err != nil {
			notices = append(notices, badHeal(db.path, id, err))
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
func (db *DB) CountHeals(ctx context.Context, q HealQuery) (n int, err error) {
	table := "healing_events"
	if q.Refused {
		table = "heal_refusals"
	}
	if err := db.sql.QueryRowContext(ctx, `SELECT count(*) FROM `+table+healWhere, q.args()...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count heal events: %w", err)
	}
	return n, nil
}

// healWhere takes the arguments of args.
const healWhere = ` WHERE (? = 0 OR run = ?) AND (NOT ? OR run IS NULL) AND (? = '' OR test_id = ?) AND timestamp >= ?`

func (q HealQuery) args() []any {
	id := CleanID(q.Test)
	return []any{q.Run, q.Run, q.Unclaimed, id, id, q.since()}
}

func (q HealQuery) columns() string {
	if q.Refused {
		return `id, test_id, locator, confidence, '', '', timestamp, event_json FROM heal_refusals`
	}
	return `id, test_id, locator, confidence, original_json, healed_json, timestamp, coalesce(event_json, '') FROM healing_events`
}

func badHeal(file string, id any, err error) engine.Notice {
	return engine.Notice{File: file, Severity: engine.SeverityWarning,
		Reason: fmt.Sprintf("healing_events row %d left out: %v", id, err)}
}
