package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Heals is DB.Heals. No seed tool writes here, so nothing is ever unclaimed.
func (db *DB) Heals(ctx context.Context, q store.HealQuery) ([]engine.HealEvent, []engine.Notice, error) {
	rows := queryRows(ctx, db.tx, `SELECT id, event_json FROM (SELECT id, event_json, timestamp`+healsFrom+`
		ORDER BY timestamp DESC, id DESC LIMIT NULLIF($7::BIGINT, 0)) AS newest ORDER BY timestamp, id`,
		append(db.healArgs(q), q.Newest)...)
	var events []engine.HealEvent
	var notices []engine.Notice
	var id int64
	var r record.HealRow
	_, err := pgx.ForEachRow(rows, []any{&id, &r.Event}, func() error {
		e, err := r.HealEvent(db.name)
		if err != nil {
			notices = append(notices, record.BadHeal(db.name, id, err))
			return nil
		}
		events = append(events, e)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read heal events: %w", err)
	}
	return events, notices, nil
}

// CountHeals is DB.CountHeals.
func (db *DB) CountHeals(ctx context.Context, q store.HealQuery) (n int, err error) {
	if err := db.tx.QueryRow(ctx, `SELECT count(*)`+healsFrom, db.healArgs(q)...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count heal events: %w", err)
	}
	return n, nil
}

// healsFrom takes the arguments of healArgs.
const healsFrom = ` FROM breadcrumb_heals WHERE repository_id = $1 AND refused = $2 AND ($3 = 0 OR run = $3) AND NOT $4
	AND ($5 = '' OR test_id = $5) AND timestamp >= $6`

func (db *DB) healArgs(q store.HealQuery) []any {
	return []any{db.repository, q.Refused, q.Run, q.Unclaimed, store.CleanID(q.Test), q.SinceUnix()}
}
