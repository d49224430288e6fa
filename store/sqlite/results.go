package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/packed"
)

// eachRun calls fn with the packed results of runs, by row id; nil stands for all runs.
// The bytes are reused.
func eachRun(ctx context.Context, q queryer, runs []int64, fn func(run int64, results []byte) error) error {
	query, args := `SELECT run, packed FROM packed_runs`, []any(nil)
	if runs != nil {
		query, args = query+` WHERE run IN (SELECT value FROM json_each(?))`, []any{idList(runs)}
	}
	var run int64
	var results sql.RawBytes
	return forEachRow(ctx, q, []any{&run, &results}, func() error { return fn(run, results) }, query+` ORDER BY run`, args...)
}

// idList returns row ids as json_each reads them.
func idList(ids []int64) string {
	text, _ := json.Marshal(ids) // numbers always marshal
	return string(text)
}

// eachResult calls fn with every result of runs, run by run and in the order of test and
// attempt; nil stands for all runs. The row is reused.
func eachResult(ctx context.Context, q queryer, runs []int64, fn func(run int64, r *packed.Row) error) error {
	return eachRun(ctx, q, runs, func(run int64, results []byte) error {
		return ofRun(run, results, packed.Each, func(r *packed.Row) error { return fn(run, r) })
	})
}

// ofRun calls fn with every result of a run that each, packed.Each or packed.EachHead,
// reads.
func ofRun(run int64, results []byte, each func([]byte, func(*packed.Row) error) error, fn func(*packed.Row) error) error {
	err := each(results, fn)
	if errors.Is(err, packed.ErrDamaged) {
		err = fmt.Errorf("results of run %d: %w", run, err)
	}
	return err
}

// testNumbers numbers tests from 0 in the order in which they are first asked for. The
// results of a run come in the order of its tests, mostly the same as in the run before:
// then the next number is the one, and tens of millions of results need no look-up each.
type testNumbers struct {
	ids  []int64 // by number
	of   map[int64]int
	last int // the number that was returned last
}

// find returns the number of the test with a row id.
func (t *testNumbers) find(test int64) int {
	if t.last < len(t.ids) && t.ids[t.last] == test {
		return t.last
	}
	if next := t.last + 1; next < len(t.ids) && t.ids[next] == test {
		t.last = next
		return next
	}
	n, known := t.of[test]
	if !known {
		if t.of == nil {
			t.of = map[int64]int{}
		}
		n = len(t.ids)
		t.ids, t.of[test] = append(t.ids, test), n
	}
	t.last = n
	return n
}

// readResults returns the results of a run.
func readResults(ctx context.Context, q queryer, run int64) (rows []packed.Row, err error) {
	err = eachResult(ctx, q, []int64{run}, func(_ int64, r *packed.Row) error {
		rows = append(rows, *r)
		return nil
	})
	return rows, err
}

// writeResults replaces the results of a run, which must be in order.
func writeResults(ctx context.Context, tx *sql.Tx, run int64, rows []packed.Row) error {
	var w packed.Writer
	for i := range rows {
		if err := w.Add(&rows[i]); err != nil {
			return fmt.Errorf("run %d: %w", run, err)
		}
	}
	return writePacked(ctx, tx, run, &w)
}

func writePacked(ctx context.Context, tx *sql.Tx, run int64, w *packed.Writer) error {
	if w.Len() == 0 {
		_, err := tx.ExecContext(ctx, `DELETE FROM packed_runs WHERE run = ?`, run)
		return err
	}
	results := w.Bytes()
	if len(results) > store.MaxInput {
		return fmt.Errorf("the %d results of a run take %d bytes, more than the %d that are read again", w.Len(), len(results), store.MaxInput)
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO packed_runs (run, results, packed) VALUES (?, ?, ?)
		ON CONFLICT (run) DO UPDATE SET results = excluded.results, packed = excluded.packed`, run, w.Len(), results)
	return err
}

func sortResults(rows []packed.Row) {
	slices.SortStableFunc(rows, func(a, b packed.Row) int { return a.Key().Compare(b.Key()) })
}
