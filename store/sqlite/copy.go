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

// errNotWhole means that some rows of a table must be checked one by one.
var errNotWhole = errors.New("not every row is as it should be")

// bulkCopy copies a table in one statement, several times as fast as row by
// row. It does so only when every row is good: typed, within bounds, and of a
// test, a run and labels that were copied. Otherwise it copies nothing and
// returns false.
//
// The file is attached as it is read elsewhere: unchanging, read-only and with
// an untrusted schema, after Reader.Check found a plain table without computed
// columns and without damage. Only typed columns are selected.
func (db *DB) bulkCopy(ctx context.Context, r *untrusted.Reader, t table) (bool, error) {
	if _, err := db.sql.ExecContext(ctx, `ATTACH ? AS hostile`, untrusted.DSN(r.File, "mode=ro", "immutable=1")); err != nil {
		return false, ctx.Err()
	}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error { return bulkInsert(ctx, tx, t) })
	if _, detachErr := db.sql.ExecContext(context.WithoutCancel(ctx), `DETACH hostile`); detachErr != nil {
		return false, fmt.Errorf("copy %s: %w", t.name, detachErr)
	}
	return err == nil, ctx.Err()
}

func bulkInsert(ctx context.Context, tx *sql.Tx, t table) error {
	names, conditions := make([]string, len(t.columns)), make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i], conditions[i] = c.Name, c.Condition()
	}
	list := strings.Join(names, ", ")
	copied, err := affectedRows(tx.ExecContext(ctx, `INSERT INTO main.`+t.name+` (`+list+`) SELECT `+list+` FROM hostile.`+t.name+` NOT INDEXED
		WHERE `+strings.Join(conditions, " AND ")+` AND `+t.bounds))
	if err != nil {
		return err
	}
	var whole bool
	if err := tx.QueryRowContext(ctx, `SELECT count(*) = ?1 FROM hostile.`+t.name+` NOT INDEXED`, copied).Scan(&whole); err != nil {
		return err
	}
	if whole {
		err = tx.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT 1 FROM main.`+t.name+` WHERE `+t.dangling()+`)`).Scan(&whole)
	}
	if err == nil && !whole {
		err = errNotWhole
	}
	return err
}

func (db *DB) copyTable(ctx context.Context, r *untrusted.Reader, t table, seen *seenIDs) error {
	there, err := r.Check(ctx, t.name, t.columns)
	if err == nil && !there && !t.optional {
		err = fmt.Errorf("it has no table %s", t.name)
	}
	if err != nil {
		return untrusted.Unreadable(db.path, err)
	}
	if !there {
		return nil
	}
	if t.bounds != "" {
		if whole, err := db.bulkCopy(ctx, r, t); whole || err != nil {
			return err
		}
	}
	left := record.LeftOut{What: "row of " + t.name}
	err = inTx(ctx, db.sql, func(tx *sql.Tx) error { return t.copyRows(ctx, tx, r, seen, &left) })
	return db.reportCopied(t.name, &left, err)
}

// reportCopied notes the rows of a table that were left out, and returns the fault that
// ended copying it: ours or, as unreadable, the file's.
func (db *DB) reportCopied(table string, left *record.LeftOut, err error) error {
	if n := left.Notice(db.path); n != nil {
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
		names[i] = c.Name
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

// dangling is the condition for rows that refer to nothing.
func (t table) dangling() string {
	var conditions []string
	for _, c := range t.columns {
		if to, refers := t.refers[c.Name]; refers {
			conditions = append(conditions, fmt.Sprintf("%s IS NOT NULL AND %[1]s NOT IN (SELECT id FROM %s)", c.Name, to))
		}
	}
	return strings.Join(conditions, " OR ")
}
