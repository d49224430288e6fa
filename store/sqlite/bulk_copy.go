package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/breadcrumb/action/store/untrusted"
)

// errNotWhole says that a table has rows which must be looked at one by one.
var errNotWhole = errors.New("not every row is as it should be")

// bulkCopy copies the results of a file in one statement, several times as
// fast as row by row, when every one of them is as it should be: typed, in
// bounds, and of a test, a run and labels that were taken over. It reports
// false, and has copied nothing, when one is not.
//
// The file is attached as it is read elsewhere: unchanging, read-only, its
// schema not trusted, and after reader.check found a plain table without
// computed columns whose pages hang together. Only typed columns are selected.
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
	copied, err := affected(tx.ExecContext(ctx, `INSERT INTO main.`+t.name+` (`+list+`) SELECT `+list+` FROM hostile.`+t.name+` NOT INDEXED
		WHERE `+strings.Join(conditions, " AND ")+` AND `+t.bounds))
	if err != nil {
		return err
	}
	var whole bool
	if err := tx.QueryRowContext(ctx, `SELECT count(*) = ?1 FROM hostile.`+t.name+` NOT INDEXED`, copied).Scan(&whole); err != nil {
		return err
	}
	if whole {
		err = tx.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT 1 FROM main.`+t.name+` WHERE `+t.dangling+`)`).Scan(&whole)
	}
	if err == nil && !whole {
		err = errNotWhole
	}
	return err
}
