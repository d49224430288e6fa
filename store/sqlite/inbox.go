package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// inboxRow is a row of test_runs that a seed tool wrote.
type inboxRow struct {
	id     int64
	result record.ResultRow
	at     float64
}

// importInbox moves the rows of test_runs into runs of their own. The seed keeps
// no runs, so in order of time a new run begins whenever a test comes again.
// Rows that are in the history already, from another copy of the file, are
// dropped.
func (db *DB) importInbox(ctx context.Context) error {
	left := record.LeftOut{What: "row of test_runs"}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		var any bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM test_runs)`).Scan(&any); err != nil || !any {
			return err
		}
		if err := undoRenames(ctx, tx); err != nil {
			return err
		}
		if err := db.importRows(ctx, newWriter(tx), &left); err != nil {
			return err
		}
		return applyRenames(ctx, tx)
	})
	if n := left.Notice(db.path); n != nil {
		db.notices = append(db.notices, *n)
	}
	return err
}

// importRows imports the inbox while every result is at the test it was
// recorded for.
func (db *DB) importRows(ctx context.Context, w *writer, left *record.LeftOut) error {
	d := &inboxImport{tx: w.tx, w: w, tests: map[engine.TestID]bool{}, seen: map[[sha256.Size]byte]int{}, now: store.Unix(db.opts.Now())}
	if err := w.tx.QueryRowContext(ctx, `SELECT coalesce(max(id), 0), coalesce(max(origin = ?), 0) FROM runs`, int(store.FromSeed)).Scan(&d.last, &d.again); err != nil {
		return err
	}
	if err := d.readInbox(ctx, left); err != nil {
		return err
	}
	if err := d.flushGroup(ctx); err != nil {
		return err
	}
	_, err := w.tx.ExecContext(ctx, `DELETE FROM test_runs`)
	return err
}

// inboxImport collects inbox rows into runs.
type inboxImport struct {
	tx    *sql.Tx
	w     *writer
	last  int64 // newest run before the import began
	again bool  // rows of the seed were imported before
	now   float64

	group []inboxRow
	tests map[engine.TestID]bool // of the group
	time  float64
	seen  map[[sha256.Size]byte]int // rows at this time, by content
}

func (d *inboxImport) readInbox(ctx context.Context, left *record.LeftOut) error {
	var r inboxRow
	var status string
	var healed int64
	var took sql.NullFloat64
	columns := []any{&r.id, &r.result.Test, &status, &took, &healed, &r.result.ErrorType, &r.result.Environment, &r.at}
	return forEachRow(ctx, d.tx, columns, func() error {
		r.result.Status = slices.Index(store.Statuses[:], engine.Status(status))
		if r.result.Status < 0 {
			left.Add(fmt.Errorf("row %d: status %.20q is none of passed, failed, error, skipped", r.id, status))
			return nil
		}
		r.result.Healed, r.result.At, r.result.Duration = healed != 0, r.at, nil
		if took.Valid {
			r.result.Duration = record.Duration(took.Float64)
		}
		return d.addRow(ctx, r)
	}, `SELECT id, test_id, status, duration_ms, healing_occurred,
		coalesce(error_type, ''), coalesce(environment, ''), timestamp FROM test_runs ORDER BY timestamp, id`)
}

// addRow adds a row to the group, which is recorded first when it holds the test.
func (d *inboxImport) addRow(ctx context.Context, row inboxRow) error {
	if row.at != d.time {
		d.time = row.at
		clear(d.seen)
	}
	known, err := d.knowsRow(ctx, row)
	if err != nil || known {
		return err
	}
	if d.tests[row.result.Test] {
		if err := d.flushGroup(ctx); err != nil {
			return err
		}
	}
	d.tests[row.result.Test] = true
	d.group = append(d.group, row)
	return nil
}

// knowsRow reports whether the row is in the history already. Of n equal rows as
// many are known as were imported before.
func (d *inboxImport) knowsRow(ctx context.Context, row inboxRow) (bool, error) {
	if !d.again {
		return false, nil
	}
	row.result.Attempt = 0
	key := row.result.Digest()
	d.seen[key]++
	var have int
	err := d.tx.QueryRowContext(ctx, `SELECT count(*) FROM results r JOIN tests t ON t.id = r.test JOIN runs ON runs.id = r.run
		LEFT JOIN labels e ON e.id = r.error LEFT JOIN labels v ON v.id = r.environment
		WHERE t.name = ? AND r.run <= ? AND runs.origin = ? AND r.at = ? AND r.status = ? AND r.duration_ms IS ? AND r.healed = ?
		AND coalesce(e.name, '') = ? AND coalesce(v.name, '') = ?`,
		row.result.Test, d.last, int(store.FromSeed), row.at, row.result.Status, row.result.Duration, row.result.Healed,
		row.result.ErrorType, row.result.Environment).Scan(&have)
	return d.seen[key] <= have, err
}

// flushGroup records the group as one run.
func (d *inboxImport) flushGroup(ctx context.Context) error {
	if len(d.group) == 0 {
		return nil
	}
	rows := make([]record.ResultRow, len(d.group))
	for i, row := range d.group {
		rows[i] = row.result
		rows[i].Attempt = 1
	}
	payload := record.PayloadDigest(rows)
	run := record.RunRow{Key: record.RunKey{ReportDigest: "seed:" + hex.EncodeToString(payload)}, Origin: store.FromSeed,
		StartedAt: d.group[0].at, RecordedAt: d.now, Results: len(rows), Payload: payload}
	clear(d.tests)
	d.group = d.group[:0]
	added, err := d.w.addRun(ctx, run)
	if err != nil {
		return fmt.Errorf("record seed run: %w", err)
	}
	return d.w.InsertResults(ctx, added.RunID, rows)
}
