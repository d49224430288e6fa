package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"

	"github.com/breadcrumb/action/store/packed"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/untrusted"
)

// packResults packs the table of results that a file of an older version has. Two halves
// are read at once, that of the tests with the lower row ids and the other one: a year of
// a large suite is ten million rows.
func (db *DB) packResults(ctx context.Context, r *untrusted.Reader, t table, seen *seenIDs) error {
	if _, err := db.checkTable(ctx, r, t); err != nil {
		return err
	}
	tests := slices.Sorted(maps.Keys(seen.ids["tests"]))
	middle := int64(0)
	if len(tests) > 0 {
		middle = tests[len(tests)/2]
	}
	lower, upper := newResultPacker(t, seen), newResultPacker(t, seen)
	done := make(chan error, 1)
	go func() { done <- upper.readFile(ctx, r.File, `test > ?`, middle) }()
	err := errors.Join(lower.read(ctx, r, `test <= ? OR test IS NULL`, middle), <-done)
	if err == nil {
		err = lower.join(upper)
	}
	if err == nil {
		err = inTx(ctx, db.sql, func(tx *sql.Tx) error { return lower.write(ctx, tx) })
	}
	return db.reportCopied(t.name, &lower.left, err)
}

// readFile reads the rows of a file that meet a condition.
func (p *resultPacker) readFile(ctx context.Context, file, where string, middle int64) error {
	r, err := untrusted.OpenReader(ctx, file)
	if err != nil {
		return err
	}
	return errors.Join(p.read(ctx, r, where, middle), r.Close())
}

func (p *resultPacker) read(ctx context.Context, r *untrusted.Reader, where string, middle int64) error {
	return r.RowsWhere(ctx, p.table.name, p.table.columns, where, func(values []any) error {
		err := untrusted.ReadRow(p.table.columns, values)
		if err == nil {
			err = p.table.checkRow(values, p.seen)
		}
		if err != nil {
			p.left.Add(err)
			return nil
		}
		p.add(values)
		return nil
	}, middle)
}

// join adds the rows of another packer, which mostly come after these.
func (p *resultPacker) join(other *resultPacker) error {
	p.left.Join(other.left)
	for run, rows := range other.late {
		p.late[run] = append(p.late[run], rows...)
	}
	for run, w := range other.runs {
		if err := packed.Each(w.Bytes(), func(r *packed.Row) error {
			p.addRow(run, r)
			return nil
		}); err != nil {
			return err
		}
		delete(other.runs, run)
	}
	return nil
}

// resultPacker packs rows of a table in the order of its key, run by run.
type resultPacker struct {
	table table
	seen  *seenIDs
	left  record.LeftOut

	runs map[int64]*packed.Writer
	late map[int64][]packed.Row // those that came in another order
}

func newResultPacker(t table, seen *seenIDs) *resultPacker {
	return &resultPacker{table: t, seen: seen, left: record.LeftOut{What: "row of " + t.name}, runs: map[int64]*packed.Writer{}, late: map[int64][]packed.Row{}}
}

// add adds a row with the columns of the table of results.
func (p *resultPacker) add(v []any) {
	label := func(i int) (id int64) {
		if i < len(v) {
			id, _ = v[i].(int64)
		}
		return id
	}
	row := packed.Row{Test: label(0), Attempt: label(2), Status: int(label(3)), Duration: numberOf(v[4]), Healed: label(5) != 0, At: numberOf(v[8]),
		Error: label(6), Environment: label(7), Signature: label(9), Place: label(10)}
	p.addRow(label(1), &row)
}

func (p *resultPacker) addRow(run int64, row *packed.Row) {
	if p.runs[run] == nil {
		p.runs[run] = &packed.Writer{}
	}
	if p.runs[run].Add(row) != nil {
		p.late[run] = append(p.late[run], *row)
	}
}

// write writes the runs.
func (p *resultPacker) write(ctx context.Context, tx *sql.Tx) error {
	for _, run := range slices.Sorted(maps.Keys(p.runs)) {
		w := p.runs[run]
		if late := p.late[run]; len(late) > 0 {
			if err := packed.Each(w.Bytes(), func(r *packed.Row) error {
				late = append(late, *r)
				return nil
			}); err != nil {
				return workError{err}
			}
			sortResults(late)
			late = slices.CompactFunc(late, func(a, b packed.Row) bool { return a.Key() == b.Key() })
			if err := writeResults(ctx, tx, run, late); err != nil {
				return workError{err}
			}
			continue
		}
		if err := writePacked(ctx, tx, run, w); err != nil {
			return workError{err}
		}
	}
	return nil
}
