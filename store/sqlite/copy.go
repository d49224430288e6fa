package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/breadcrumb/action/store/record"
	"github.com/breadcrumb/action/store/untrusted"
)

func (db *DB) copyTable(ctx context.Context, r *untrusted.Reader, t table, seen *seenIDs) error {
	if there, err := db.checkTable(ctx, r, t); err != nil || !there {
		return err
	}
	left := record.LeftOut{What: "row of " + t.name}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error { return t.copyRows(ctx, tx, r, seen, &left) })
	return db.reportCopied(t.name, &left, err)
}

// checkTable reports whether the file has a table, which can be read.
func (db *DB) checkTable(ctx context.Context, r *untrusted.Reader, t table) (bool, error) {
	there, err := r.Check(ctx, t.name, t.columns)
	if err == nil && !there && !t.optional {
		err = fmt.Errorf("it has no table %s", t.name)
	}
	if err != nil && db.newer.version != 0 {
		return false, err
	}
	if err != nil {
		return false, untrusted.Unreadable(db.path, err)
	}
	return there, nil
}

// reportCopied notes the rows of a table that were left out, and returns the fault that
// ended copying it: ours or, as unreadable, the file's. Of a newer file no row is left out.
func (db *DB) reportCopied(table string, left *record.LeftOut, err error) error {
	if n := left.Notice(db.path); n != nil {
		if err == nil && db.newer.version != 0 {
			return errors.New(n.Reason) // a newer version may know what it is
		}
		db.notices = append(db.notices, *n)
	}
	var fault workError
	if errors.As(err, &fault) {
		return fmt.Errorf("copy %s: %w", table, fault.error)
	}
	if err != nil {
		return untrusted.Unreadable(db.path, fmt.Errorf("table %s: %w", table, err))
	}
	return nil
}

func (t table) copyRows(ctx context.Context, tx *sql.Tx, r *untrusted.Reader, seen *seenIDs, left *record.LeftOut) error {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = untrusted.Quote(c.Name)
	}
	insert := newBatch(tx, "INSERT INTO "+t.name+" ("+strings.Join(names, ", ")+") VALUES ", len(names), t.clash)
	err := r.Rows(ctx, t.name, t.columns, func(values []any) error {
		err := untrusted.ReadRow(t.columns, values)
		if err == nil {
			err = t.checkRow(values, seen)
		}
		if errors.Is(err, errOurs) {
			return nil
		}
		if err != nil {
			left.Add(err)
			return nil
		}
		return insert.addRow(ctx, values)
	})
	if err != nil {
		return err
	}
	return insert.flushRows(ctx)
}

// checkRow returns why a well-typed row is left out, nil for a good one, whose id is
// noted.
func (t table) checkRow(v []any, seen *seenIDs) error {
	for i, c := range t.columns {
		if to, refers := t.refers[c.Name]; refers && v[i] != nil && !seen.ids[to][v[i].(int64)] {
			return errors.New("it refers to nothing")
		}
	}
	if t.refuse != nil {
		if err := t.refuse(v, seen); err != nil {
			return err
		}
	}
	if ids := seen.ids[t.name]; ids != nil {
		ids[v[0].(int64)] = true
	}
	return nil
}
