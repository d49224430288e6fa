package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

func compareKeys(a, b packed.Key) int {
	switch {
	case a.Less(b):
		return -1
	case b.Less(a):
		return 1
	}
	return 0
}

func sortResults(rows []packed.Row) {
	slices.SortStableFunc(rows, func(a, b packed.Row) int { return compareKeys(a.Key(), b.Key()) })
}

// moves are the results of one run that renames gave to other tests: the keys that they
// were recorded under by those that they have now.
type moves map[packed.Key]packed.Key

// recorded returns the key that a result was recorded under.
func (m moves) recorded(r *packed.Row) packed.Key {
	if was, moved := m[r.Key()]; moved {
		return was
	}
	return r.Key()
}

// undo returns the results of a run as those of the tests that they were recorded for.
func (m moves) undo(rows []packed.Row) []packed.Row {
	if len(m) == 0 {
		return rows
	}
	return m.undoInPlace(slices.Clone(rows))
}

// undoInPlace is undo of rows that nobody else needs.
func (m moves) undoInPlace(rows []packed.Row) []packed.Row {
	if len(m) == 0 {
		return rows
	}
	for i := range rows {
		was := m.recorded(&rows[i])
		rows[i].Test, rows[i].Attempt = was.Test, was.Attempt
	}
	sortResults(rows)
	return slices.CompactFunc(rows, func(a, b packed.Row) bool { return a.Key() == b.Key() })
}

// readMoves returns the moves of runs by their row ids; nil stands for all runs.
func readMoves(ctx context.Context, q queryer, runs []int64) (map[int64]moves, error) {
	query, args := `SELECT run, test, attempt, was, nth FROM moved`, []any(nil)
	if runs != nil {
		query, args = query+` WHERE run IN (SELECT value FROM json_each(?))`, []any{idList(runs)}
	}
	all := map[int64]moves{}
	var run int64
	var now, was packed.Key
	err := forEachRow(ctx, q, []any{&run, &now.Test, &now.Attempt, &was.Test, &was.Attempt}, func() error {
		if all[run] == nil {
			all[run] = moves{}
		}
		all[run][now] = was
		return nil
	}, query, args...)
	return all, err
}

// writeMoves replaces the moves of runs. They are in no index of runs, so that those of many
// runs are best deleted at once.
func writeMoves(ctx context.Context, tx *sql.Tx, fresh map[int64]moves) error {
	if len(fresh) == 0 {
		return nil
	}
	runs := slices.Sorted(maps.Keys(fresh))
	if _, err := tx.ExecContext(ctx, `DELETE FROM moved WHERE run IN (SELECT value FROM json_each(?))`, idList(runs)); err != nil {
		return err
	}
	insert := newBatch(tx, `INSERT INTO moved (test, run, attempt, was, nth) VALUES `, 5, "")
	for _, run := range runs {
		m := fresh[run]
		for _, now := range slices.SortedFunc(maps.Keys(m), compareKeys) {
			if err := insert.addRow(ctx, []any{now.Test, run, now.Attempt, m[now].Test, m[now].Attempt}); err != nil {
				return err
			}
		}
	}
	return insert.flushRows(ctx)
}
