// Package postgres keeps the history of many repositories on a PostgreSQL
// server. It answers as store/sqlite does.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlstore"
)

// saveDerived writes the values that Save is to write, in the order of their
// names, as every run does.
func (db *DB) saveDerived(ctx context.Context) error {
	err := db.inSavepoint(ctx, func(tx pgx.Tx) error {
		for _, name := range slices.Sorted(maps.Keys(db.Unsaved)) {
			if err := db.KeepDerived(ctx, conn{db, tx}, name, db.Unsaved[name]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep what was judged: %w", err)
	}
	clear(db.Unsaved)
	return nil
}

// DB is the history of one repository in a database that many repositories
// share. Everything between Open and Save is one transaction, read committed:
// runs at the same time see what the others saved, and a run that is killed
// leaves nothing. The methods do what those of sqlite.DB do; they may not be
// called concurrently.
type DB struct {
	*sqlstore.Store

	name       string // the URL without user and password
	conn       *pgx.Conn
	tx         pgx.Tx
	repository int64
	flat       bool      // the server has no partitions
	day        time.Time // the server's, UTC
	newer      int       // version of a schema that a newer Breadcrumb has made, 0 for ours
}

// Notices returns what Newer says.
func (db *DB) Notices() []engine.Notice {
	newer := db.Newer()
	if newer == "" {
		return nil
	}
	return []engine.Notice{{File: db.name, Severity: engine.SeverityWarning, Reason: newer}}
}

// Unread returns nothing: rows are checked when they are read.
func (db *DB) Unread() []engine.Notice { return nil }

// Newer says that a newer Breadcrumb has migrated the schema; it is "" for a schema that
// this package knows.
func (db *DB) Newer() string {
	if db.newer == 0 {
		return ""
	}
	return fmt.Sprintf("a newer Breadcrumb has brought it to schema %d, and this one knows up to %d: what it knows is read and written, and the rest stays as it is; update Breadcrumb", db.newer, schemaVersion)
}

// FileSchema is the version of the schema: that of this package, or a newer one.
func (db *DB) FileSchema() int { return max(schemaVersion, db.newer) }

// Facts is DB.Facts. A server has no watermark of its own.
func (db *DB) Facts(ctx context.Context) (store.Facts, error) {
	rows, err := db.Stats(ctx)
	return store.Facts{Schema: db.FileSchema(), Rows: rows}, err
}

// ApplyChanges is DB.ApplyChanges. Changes are made in the order of the tests,
// so that runs at the same time wait for each other and never in a circle.
func (db *DB) ApplyChanges(ctx context.Context, changes []flaky.Change, now time.Time) error {
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b flaky.Change) int { return cmp.Compare(a.TestID, b.TestID) })
	return db.Store.ApplyChanges(ctx, changes, now)
}

// Path returns the database's URL without user and password.
func (db *DB) Path() string { return db.name }

// Save commits what was recorded and starts the next transaction.
func (db *DB) Save(ctx context.Context) error {
	err := db.saveDerived(ctx)
	if err == nil {
		err = db.tx.Commit(ctx)
	}
	if err != nil {
		return fmt.Errorf("save to %s: %w", db.name, err)
	}
	return db.startTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
}

// startTx starts the transaction of the run.
func (db *DB) startTx(ctx context.Context, options pgx.TxOptions) (err error) {
	db.tx, err = db.conn.BeginTx(ctx, options)
	return store.Wrap(err, "begin")
}

// closeTimeout is how long Close waits for a server that does not answer.
const closeTimeout = 2 * time.Second

// Close closes the connection. What was not saved is lost. Closing twice does
// nothing.
func (db *DB) Close() error {
	if db.conn == nil {
		return nil
	}
	// The context of the run may be cancelled already.
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := db.conn.Close(ctx)
	db.conn, db.tx = nil, nil
	return store.Wrap(err, "close database")
}

// queryRows returns the rows of a query. Reading them returns the query's own error.
func queryRows(ctx context.Context, tx pgx.Tx, text string, args ...any) pgx.Rows {
	rows, _ := tx.Query(ctx, text, args...)
	return rows
}

// maxTries is how often changes are tried that the server refuses because of
// another run.
const maxTries = 5

// inSavepoint runs fn so that all its changes are made or none, and the transaction
// of the run stays usable. Rows are written in an order that all runs keep; where
// two wait for each other nevertheless, the server makes one give way, which lets
// go of what fn changed and calls it again.
func (db *DB) inSavepoint(ctx context.Context, fn func(pgx.Tx) error) (err error) {
	for range maxTries {
		if err = pgx.BeginFunc(ctx, db.tx, fn); !gaveWay(err) || ctx.Err() != nil {
			return err
		}
	}
	return fmt.Errorf("tried %d times: %w", maxTries, err)
}

// gaveWay reports whether the server ended a statement because of another run:
// they waited for each other, or could not both have run alone.
func gaveWay(err error) bool {
	const deadlock, serialization = "40P01", "40001"
	failed, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (failed.Code == deadlock || failed.Code == serialization)
}
