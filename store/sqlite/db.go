package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlstore"
	"github.com/breadcrumb/action/store/untrusted"
)

// Defaults of Options.
const (
	defaultMaxBytes    = 512 << 20
	defaultLockTimeout = 30 * time.Second
)

// Options says how to open a database. The zero value is the default.
type Options struct {
	// MaxBytes is the largest database read, write-ahead log included; 0
	// means 512 MiB.
	MaxBytes int64
	// LockTimeout is how long to wait for another Breadcrumb; 0 means 30 s.
	LockTimeout time.Duration
	// Now is the clock for rows that carry no time of their own; nil gives
	// them the Unix epoch.
	Now func() time.Time

	// DryRun keeps nothing: no lock is taken, nothing is written beside the file, and
	// Save fails with ErrReadOnly.
	DryRun bool

	// Begin, when set, fills the empty working database by LoadFile and
	// Import before the file at the path is merged into it.
	Begin func(context.Context, *DB) error
	// Local says which records of that file are imported; only with Begin.
	Local store.Trust

	// step is called with the name of each step just before it is taken; for
	// tests.
	step func(name string)
	// maxStates bounds the bytes of page states, maxStatesBytes when it is 0; less in
	// tests.
	maxStates int
	// maxLocal bounds the results of the file at the path that Delta holds,
	// maxLocalResults when it is 0; less in tests.
	maxLocal int
}

// DB is an open database: a working copy that Save puts in the place of the
// file it was read from. Its methods may not be called concurrently with Save
// or Close.
type DB struct {
	*sqlstore.Store

	path    string // absolute
	opts    Options
	lock    *flock.Flock
	work    string // working database file
	dir     string // private directory for it, "" for the one of path
	sql     *sql.DB
	made    bool           // the working database's tables
	source  untrusted.Copy // copy of the file at path
	notices []engine.Notice
	marked  mark

	fileSchema int        // of the file at path, 0 without one
	newer      newerParts // what the working database holds of a newer version

	loadingMu sync.Mutex
	loading   *sql.Stmt // on the working database, nil before it is used

	// taken holds the tests in quarantine when the file was loaded. It tells
	// what another program adds later from what was released here.
	taken map[engine.TestID]bool
}

// tempParent is the directory of temporary files.
func (db *DB) tempParent() string {
	return cmp.Or(db.dir, filepath.Dir(db.path))
}

// createWorking makes an empty working file. It is a throw-away, so nothing is
// synced before Save.
func (db *DB) createWorking() error {
	f, err := os.CreateTemp(db.tempParent(), tempPrefix(db.path)+"*")
	if err != nil {
		return err
	}
	db.work = f.Name()
	if err := f.Close(); err != nil {
		return err
	}
	db.sql, err = sql.Open("sqlite", untrusted.DSN(db.work, "_pragma=journal_mode(MEMORY)", "_pragma=synchronous(OFF)",
		"_pragma=locking_mode(EXCLUSIVE)", "_pragma=cache_size(-8192)", "_pragma=trusted_schema(OFF)"))
	if err != nil {
		return err
	}
	db.sql.SetMaxOpenConns(1)
	return nil
}

// clearWorking removes the working database.
func (db *DB) clearWorking() error {
	var errs []error
	if db.sql != nil {
		errs = append(errs, db.sql.Close())
	}
	if db.work != "" {
		errs = append(errs, untrusted.RemoveDatabase(db.work))
	}
	db.sql, db.work, db.made, db.loading, db.newer = nil, "", false, nil, newerParts{}
	return errors.Join(errs...)
}

// Notices returns what Unread and Newer say.
func (db *DB) Notices() []engine.Notice {
	newer := db.Newer()
	if newer == "" {
		return db.notices
	}
	return append(slices.Clip(db.notices), engine.Notice{File: db.path, Severity: engine.SeverityWarning, Reason: newer})
}

// Unread returns which parts of the file could not be loaded, and why.
func (db *DB) Unread() []engine.Notice { return db.notices }

// Newer says that the file has a schema newer than this package's, and what of that is kept
// in it; it is "" for any other file.
func (db *DB) Newer() string {
	if db.newer.version == 0 {
		return ""
	}
	return db.newer.String()
}

// Path returns the absolute path of the database.
func (db *DB) Path() string { return db.path }

// Close removes the working files and releases the lock. What was not saved is
// lost. Closing twice does nothing.
func (db *DB) Close() error {
	return store.Wrap(errors.Join(db.clearWorking(), db.source.Discard(), os.RemoveAll(db.dir), db.lock.Close()), "close database")
}

// mark holds the highest row ids when the database was marked: rows beyond
// them are new.
type mark struct {
	run, heal, refusal, change, rename, unknown, veto, lesson, accepted, forgotten int64
}

// tempPrefix begins the names of all temporary files of the database at path.
func tempPrefix(path string) string { return filepath.Base(path) + ".tmp-" }

// inTx runs fn in a transaction that commits only when fn succeeds.
func inTx(ctx context.Context, db *sql.DB, fn func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := fn(tx); err != nil {
		_ = tx.Rollback()
		return err
	}
	return store.Wrap(tx.Commit(), "commit")
}

// Current reports whether the files at the path are still those that were
// read.
func (db *DB) Current() bool {
	now, err := untrusted.Stat(db.path)
	return err == nil && now.Same(&db.source)
}

// Size returns the bytes that the database at the path had when it was read,
// its log included.
func (db *DB) Size() int64 { return db.source.Size() }

// queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// forEachRow scans every row of a query into columns and calls row.
func forEachRow(ctx context.Context, q queryer, columns []any, row func() error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(columns...); err != nil {
			return err
		}
		if err := row(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// readColumn returns the values of a query's one column.
func readColumn[T any](ctx context.Context, q queryer, query string, args ...any) (values []T, err error) {
	var v T
	err = forEachRow(ctx, q, []any{&v}, func() error {
		values = append(values, v)
		return nil
	}, query, args...)
	return values, err
}
