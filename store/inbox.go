package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
)

// inboxRow is a row of test_runs that a seed tool wrote.
type inboxRow struct {
	id     int64
	result resultRow
	at     float64
}

// inboxKey identifies a row by everything in it, its id apart: another copy of the
// file may number it otherwise.
type inboxKey [sha256.Size]byte

// drain moves the rows of test_runs into runs of their own. The seed keeps no
// runs, so in order of time a new one begins whenever a test comes again. Rows
// that are in the history already, from another copy of the file, are dropped.
func (db *DB) drain(ctx context.Context) error {
	left := leftOut{what: "row of test_runs"}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		var any bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM test_runs)`).Scan(&any); err != nil || !any {
			return err
		}
		if err := unsettle(ctx, tx); err != nil {
			return err
		}
		if err := db.drainIn(ctx, tx, &left); err != nil {
			return err
		}
		return settle(ctx, tx)
	})
	if n := left.notice(db.path); n != nil {
		db.notices = append(db.notices, *n)
	}
	return err
}

// drainIn drains with every result at the test it was recorded for.
func (db *DB) drainIn(ctx context.Context, tx *sql.Tx, left *leftOut) error {
	d, err := newDrain(ctx, db, tx)
	if err != nil {
		return err
	}
	defer d.w.close()
	if err := d.readInbox(ctx, left); err != nil {
		return err
	}
	if err := d.flush(ctx); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM test_runs`)
	return err
}

// drainer gathers inbox rows into runs.
type drainer struct {
	db    *DB
	tx    *sql.Tx
	w     *writer
	last  int64 // newest run before draining began
	again bool  // seed rows were drained before
	now   float64

	group []inboxRow
	tests map[string]bool // of the group
	time  float64
	seen  map[inboxKey]int // rows at this time, by content
}

func newDrain(ctx context.Context, db *DB, tx *sql.Tx) (*drainer, error) {
	d := &drainer{db: db, tx: tx, tests: map[string]bool{}, seen: map[inboxKey]int{}, now: unix(bounded(db.opts.Now()))}
	err := tx.QueryRowContext(ctx, `SELECT coalesce(max(id), 0), coalesce(max(origin = ?), 0) FROM runs`, int(fromSeed)).Scan(&d.last, &d.again)
	if err != nil {
		return nil, err
	}
	d.w, err = newWriter(ctx, tx)
	return d, err
}

func (d *drainer) readInbox(ctx context.Context, left *leftOut) error {
	rows, err := d.tx.QueryContext(ctx, `SELECT id, test_id, status, duration_ms, healing_occurred,
		coalesce(error_type, ''), coalesce(environment, ''), timestamp FROM test_runs ORDER BY timestamp, id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row, err := scanInbox(rows)
		if err != nil {
			left.add(err)
			continue
		}
		if err := d.take(ctx, row); err != nil {
			return err
		}
	}
	return rows.Err()
}

func scanInbox(rows *sql.Rows) (inboxRow, error) {
	var r inboxRow
	var status string
	var healed int64
	var took sql.NullFloat64
	if err := rows.Scan(&r.id, &r.result.test, &status, &took, &healed, &r.result.errorType, &r.result.environment, &r.at); err != nil {
		return r, err
	}
	for i, s := range statuses {
		if string(s) == status {
			r.result.status = i
			r.result.healed = healed != 0
			r.result.at = r.at
			if took.Valid {
				r.result.duration = duration(took.Float64)
			}
			return r, nil
		}
	}
	return r, fmt.Errorf("row %d: status %.20q is none of passed, failed, error, skipped", r.id, status)
}

func (d *drainer) take(ctx context.Context, row inboxRow) error {
	if row.at != d.time {
		d.time = row.at
		clear(d.seen)
	}
	known, err := d.known(ctx, row)
	if err != nil || known {
		return err
	}
	if d.tests[row.result.test] {
		if err := d.flush(ctx); err != nil {
			return err
		}
	}
	d.tests[row.result.test] = true
	d.group = append(d.group, row)
	return nil
}

// known reports whether the row is in the history already. Of n equal rows as
// many are known as were drained before.
func (d *drainer) known(ctx context.Context, row inboxRow) (bool, error) {
	if !d.again {
		return false, nil
	}
	h := sha256.New()
	row.result.attempt = 0
	row.result.hash(h)
	hashInt(h, int64(boolInt(row.result.healed)))
	key := inboxKey(h.Sum(nil))
	d.seen[key]++
	var have int
	err := d.tx.QueryRowContext(ctx, `SELECT count(*) FROM results r JOIN tests t ON t.id = r.test JOIN runs ON runs.id = r.run
		LEFT JOIN labels e ON e.id = r.error LEFT JOIN labels v ON v.id = r.environment
		WHERE t.name = ? AND r.run <= ? AND runs.origin = ? AND r.at = ? AND r.status = ? AND r.duration_ms IS ? AND r.healed = ?
		AND coalesce(e.name, '') = ? AND coalesce(v.name, '') = ?`,
		row.result.test, d.last, int(fromSeed), row.at, row.result.status, row.result.duration, boolInt(row.result.healed),
		row.result.errorType, row.result.environment).Scan(&have)
	return d.seen[key] <= have, err
}

// flush records the group as one run.
func (d *drainer) flush(ctx context.Context) error {
	if len(d.group) == 0 {
		return nil
	}
	rows := make([]resultRow, len(d.group))
	for i, row := range d.group {
		rows[i] = row.result
		rows[i].attempt = 1
	}
	payload := payloadDigest(rows)
	run := runRow{key: runKey{reportDigest: "seed:" + hex.EncodeToString(payload)}, origin: fromSeed,
		startedAt: d.group[0].at, recordedAt: d.now, results: len(rows), payload: payload}
	clear(d.tests)
	d.group = d.group[:0]
	next, err := d.w.nextOrdinal(ctx, run.key)
	if err != nil {
		return err
	}
	run.ordinal = next
	id, err := d.w.insertRun(ctx, run)
	if err != nil {
		return fmt.Errorf("record seed run: %w", err)
	}
	return d.db.insertResults(ctx, d.w, id, rows)
}
