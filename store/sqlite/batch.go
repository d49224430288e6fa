package sqlite

import (
	"context"
	"database/sql"
	"strings"
)

// batchRows is how many rows one INSERT writes: a statement costs the driver
// several times as much as a row.
const batchRows = 64

// batch inserts rows of one table many at a time, in a transaction.
type batch struct {
	tx          *sql.Tx
	head, clash string
	width       int
	full        *sql.Stmt // of batchRows rows, prepared when it is needed; ends with tx
	changed     int       // rows that were added or, by clash, updated
	values      []any
}

// newBatch takes the statement up to VALUES, the number of columns, and the ON
// CONFLICT clause for rows that are there already.
func newBatch(tx *sql.Tx, head string, width int, clash string) *batch {
	return &batch{tx: tx, head: head, clash: clash, width: width}
}

func (b *batch) statementText(rows int) string {
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", b.width), ",") + ")"
	return b.head + strings.TrimSuffix(strings.Repeat(row+",", rows), ",") + b.clash
}

// addRow adds a copy of a row's values.
func (b *batch) addRow(ctx context.Context, values []any) error {
	b.values = append(b.values, values...)
	if len(b.values) < b.width*batchRows {
		return nil
	}
	if b.full == nil {
		var err error
		if b.full, err = b.tx.PrepareContext(ctx, b.statementText(batchRows)); err != nil {
			return workError{err}
		}
	}
	return b.countChanged(b.full.ExecContext(ctx, b.values...))
}

// flushRows writes the rows that are left.
func (b *batch) flushRows(ctx context.Context) error {
	if len(b.values) == 0 {
		return nil
	}
	return b.countChanged(b.tx.ExecContext(ctx, b.statementText(len(b.values)/b.width), b.values...))
}

func (b *batch) countChanged(result sql.Result, err error) error {
	b.values = b.values[:0]
	n, err := affectedRows(result, err)
	b.changed += n
	if err != nil {
		return workError{err}
	}
	return nil
}

func affectedRows(done sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	return int(n), err
}

// workError is a fault of the working database; other errors are faults of the
// file.
type workError struct{ error }

// Unwrap returns the fault.
func (e workError) Unwrap() error { return e.error }
