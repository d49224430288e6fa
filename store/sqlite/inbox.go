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
	"github.com/breadcrumb/action/store/packed"
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
		runs, err := db.importRows(ctx, newWriter(tx), &left)
		if err != nil {
			return err
		}
		return applyRenames(ctx, tx, runs)
	})
	if n := left.Notice(db.path); n != nil {
		db.notices = append(db.notices, *n)
	}
	return err
}

// importRows imports the inbox, each result for the test it was recorded for. It returns
// the row ids of the runs that it made, never nil.
func (db *DB) importRows(ctx context.Context, w *writer, left *record.LeftOut) ([]int64, error) {
	d := &inboxImport{tx: w.tx, w: w, tests: map[engine.TestID]bool{}, seen: map[[sha256.Size]byte]int{}, runs: []int64{}, now: store.Unix(db.opts.Now())}
	var any bool
	if err := w.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM test_runs)`).Scan(&any); err != nil || !any {
		return d.runs, err
	}
	if err := d.readKnown(ctx); err != nil {
		return nil, err
	}
	if err := d.readInbox(ctx, left); err != nil {
		return nil, err
	}
	if err := d.flushGroup(ctx); err != nil {
		return nil, err
	}
	_, err := w.tx.ExecContext(ctx, `DELETE FROM test_runs`)
	return d.runs, err
}

// inboxImport collects inbox rows into runs.
type inboxImport struct {
	tx   *sql.Tx
	w    *writer
	have map[[sha256.Size]byte]int // rows of the seed that were imported before, by content
	runs []int64                   // row ids of those that were made
	now  float64

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
	if d.knowsRow(row) {
		return nil
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

// readKnown counts the rows of the seed that are in the history, as they were recorded.
func (d *inboxImport) readKnown(ctx context.Context) error {
	runs, err := readColumn[int64](ctx, d.tx, `SELECT id FROM runs WHERE origin = ?`, int(store.FromSeed))
	if err != nil || len(runs) == 0 {
		return err
	}
	d.have = map[[sha256.Size]byte]int{}
	e := exporter{tx: d.tx}
	return e.eachRecorded(ctx, runs, func(_ int64, r *packed.Row, test string) {
		row := record.ResultRow{Test: engine.NewTestID(test), Status: r.Status, Healed: r.Healed, ErrorType: e.labels[r.Error], Environment: e.labels[r.Environment]}
		if r.Duration.Known {
			row.Duration = r.Duration.Value
		}
		if r.At.Known {
			row.At = r.At.Value
		}
		d.have[row.Digest()]++
	})
}

// knowsRow reports whether the row is in the history already. Of n equal rows as
// many are known as were imported before.
func (d *inboxImport) knowsRow(row inboxRow) bool {
	if d.have == nil {
		return false
	}
	row.result.Attempt = 0
	key := row.result.Digest()
	d.seen[key]++
	return d.seen[key] <= d.have[key]
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
	d.runs = append(d.runs, added.RunID)
	return d.w.InsertResults(ctx, added.RunID, rows)
}
