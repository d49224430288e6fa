package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/breadcrumb/action/store/packed"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/untrusted"
)

// runMoves are the packed moves of runs, by row id: which of their results renames gave to
// other tests.
type runMoves map[int64][]byte

// of returns the moves of a run.
func (m runMoves) of(run int64) (packed.Moves, error) {
	if m[run] == nil {
		return nil, nil
	}
	moves, err := packed.ReadMoves(m[run])
	if err != nil {
		err = fmt.Errorf("moved results of run %d: %w", run, err)
	}
	return moves, err
}

// readMoves returns the moves of runs; nil stands for all runs.
func readMoves(ctx context.Context, q queryer, runs []int64) (runMoves, error) {
	query, args := `SELECT run, packed FROM packed_moves`, []any(nil)
	if runs != nil {
		query, args = query+` WHERE run IN (SELECT value FROM json_each(?))`, []any{idList(runs)}
	}
	all := runMoves{}
	var run int64
	var moves sql.RawBytes
	err := forEachRow(ctx, q, []any{&run, &moves}, func() error {
		all[run] = slices.Clone(moves)
		return nil
	}, query, args...)
	return all, err
}

// writeMoves replaces the moves of a run.
func writeMoves(ctx context.Context, tx *sql.Tx, run int64, moves packed.Moves) error {
	if len(moves) == 0 {
		_, err := tx.ExecContext(ctx, `DELETE FROM packed_moves WHERE run = ?`, run)
		return err
	}
	all, err := moves.Pack()
	if err != nil {
		return fmt.Errorf("moved results of run %d: %w", run, err)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO packed_moves (run, sum, packed) VALUES (?, ?, ?)
		ON CONFLICT (run) DO UPDATE SET sum = excluded.sum, packed = excluded.packed`, run, sumOfMoves(run, all), all)
	return err
}

// sumOfMoves returns a checksum of the moves of a run, of 40 bits: a million of them can be
// added up.
func sumOfMoves(run int64, moves []byte) int64 {
	sum := sha256.Sum256(binary.AppendVarint(slices.Clone(moves), run))
	return int64(binary.LittleEndian.Uint64(sum[:8]) & (1<<40 - 1))
}

// undoMoves gives every result of a run back to the test that it was recorded for, in the
// place of the rows.
func undoMoves(moves packed.Moves, rows []packed.Row) []packed.Row {
	if len(moves) == 0 {
		return rows
	}
	for i := range rows {
		was := moves.Recorded(rows[i].Key())
		rows[i].Test, rows[i].Attempt = was.Test, was.Attempt
	}
	sortResults(rows)
	return slices.CompactFunc(rows, func(a, b packed.Row) bool { return a.Key() == b.Key() })
}

// movesOf returns the moves in a map, by the keys that the results have now.
func movesOf(was map[packed.Key]packed.Key) packed.Moves {
	moves := make(packed.Moves, 0, len(was))
	for _, now := range slices.SortedFunc(maps.Keys(was), packed.Key.Compare) {
		moves = append(moves, packed.Move{Now: now, Was: was[now]})
	}
	return moves
}

// refuseMoves refuses moves that cannot be read or are of no test.
func refuseMoves(v []any, seen *seenIDs) error {
	all := v[2].([]byte)
	if v[1] != sumOfMoves(v[0].(int64), all) {
		return errors.New("its checksum is another's")
	}
	moves, err := packed.ReadMoves(all)
	if err != nil {
		return err
	}
	tests := seen.ids["tests"]
	if slices.ContainsFunc(moves, func(m packed.Move) bool { return !tests[m.Now.Test] || !tests[m.Was.Test] }) {
		return errors.New("it refers to nothing")
	}
	return nil
}

// packMoves packs the table of moves that a file of an older version has, a result a row.
func (db *DB) packMoves(ctx context.Context, r *untrusted.Reader, t table, seen *seenIDs) error {
	if there, err := db.checkTable(ctx, r, t); err != nil || !there {
		return err
	}
	left, runs := record.LeftOut{What: "row of " + t.name}, map[int64]map[packed.Key]packed.Key{}
	err := r.RowsWhere(ctx, t.name, t.columns, "", func(values []any) error {
		err := untrusted.ReadRow(t.columns, values)
		if err == nil {
			err = t.checkRow(values, seen)
		}
		if err != nil {
			left.Add(err)
			return nil
		}
		test, run, attempt, was, nth := values[0].(int64), values[1].(int64), values[2].(int64), values[3].(int64), values[4].(int64)
		if runs[run] == nil {
			runs[run] = map[packed.Key]packed.Key{}
		}
		runs[run][packed.Key{Test: test, Attempt: attempt}] = packed.Key{Test: was, Attempt: nth}
		return nil
	})
	if err == nil {
		err = inTx(ctx, db.sql, func(tx *sql.Tx) error {
			for _, run := range slices.Sorted(maps.Keys(runs)) {
				if err := writeMoves(ctx, tx, run, movesOf(runs[run])); errors.Is(err, packed.ErrOrder) {
					left.Add(err)
				} else if err != nil {
					return workError{err}
				}
			}
			return nil
		})
	}
	return db.reportCopied(t.name, &left, err)
}
