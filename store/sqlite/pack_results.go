package sqlite

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/breadcrumb/action/store/packed"
	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/untrusted"
)

// packResults packs the table of results that a file of an older version has.
func (db *DB) packResults(ctx context.Context, r *untrusted.Reader, t table, seen *seenIDs) error {
	if _, err := db.checkTable(ctx, r, t); err != nil {
		return err
	}
	p := resultPacker{runs: map[int64]*packed.Writer{}, late: map[int64][]packed.Row{}}
	left := record.LeftOut{What: "row of " + t.name}
	err := r.Rows(ctx, t.name, t.columns, func(values []any) error {
		err := untrusted.ReadRow(t.columns, values)
		if err == nil {
			err = t.checkRow(values, seen)
		}
		if err != nil {
			left.Add(err)
			return nil
		}
		p.add(values)
		return nil
	})
	if err == nil {
		err = inTx(ctx, db.sql, func(tx *sql.Tx) error { return p.write(ctx, tx) })
	}
	return db.reportCopied(t.name, &left, err)
}

// resultPacker packs rows of a table in the order of its key, run by run.
type resultPacker struct {
	runs map[int64]*packed.Writer
	late map[int64][]packed.Row // those that came in another order
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
	run := label(1)
	if p.runs[run] == nil {
		p.runs[run] = &packed.Writer{}
	}
	if p.runs[run].Add(&row) != nil {
		p.late[run] = append(p.late[run], row)
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
