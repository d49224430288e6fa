package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/gofrs/flock"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlstore"
	"github.com/breadcrumb/action/store/untrusted"
)

// Open loads the database at path into a working copy, or starts an empty one
// when there is no file. The file is never written to. Errors to branch on:
// ErrNewerSchema, ErrUnreadable, ErrLocked.
func Open(ctx context.Context, path string, opts Options) (*DB, error) {
	return openBy(ctx, path, opts, (*DB).openLocked)
}

func openBy(ctx context.Context, path string, opts Options, open func(*DB, context.Context) error) (*DB, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("locate database: %w", err)
	}
	opts.MaxBytes, opts.LockTimeout = cmp.Or(opts.MaxBytes, defaultMaxBytes), cmp.Or(opts.LockTimeout, defaultLockTimeout)
	opts.maxStates, opts.maxLocal = cmp.Or(opts.maxStates, maxStatesBytes), cmp.Or(opts.maxLocal, maxLocalResults)
	if opts.Now == nil {
		opts.Now = func() time.Time { return time.Unix(0, 0) }
	}
	if opts.step == nil {
		opts.step = func(string) {}
	}
	db := makeDB(full, opts)
	if err := open(db, ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func (db *DB) openLocked(ctx context.Context) error {
	if err := db.claim(ctx); err != nil {
		return err
	}
	db.opts.step("create working file")
	if err := db.createWorking(); err != nil {
		return fmt.Errorf("create working database: %w", err)
	}
	if db.opts.Begin != nil {
		return db.beginMerged(ctx)
	}
	if err := db.loadSource(ctx); err != nil {
		return err
	}
	return db.Mark(ctx)
}

// beginMerged fills the working database by Options.Begin, marks it, and merges the
// file at the path.
func (db *DB) beginMerged(ctx context.Context) error {
	if err := db.opts.Begin(ctx, db); err != nil {
		return err
	}
	if err := db.makeTables(ctx); err != nil {
		return err
	}
	if err := db.Mark(ctx); err != nil {
		return err
	}
	if err := db.copySource(ctx); err != nil {
		return err
	}
	if !db.source.Exists() {
		return db.rememberQuarantine(ctx)
	}
	db.opts.step("read")
	if err := db.mergeSource(ctx); err != nil {
		return err
	}
	if err := db.rememberQuarantine(ctx); err != nil {
		return err
	}
	return db.releaseSource()
}

// claim makes the database this process's own until Close. In a dry run it makes a
// private folder for the working copy instead.
func (db *DB) claim(ctx context.Context) error {
	if db.opts.DryRun {
		return db.makePrivate()
	}
	db.opts.step("lock")
	if err := db.acquireLock(ctx); err != nil {
		return err
	}
	db.opts.step("sweep")
	if err := removeLeftovers(db.path); err != nil {
		return fmt.Errorf("remove leftovers of a killed run: %w", err)
	}
	return nil
}

// makePrivate makes a folder for the working copy, so that nothing is written beside
// the file.
func (db *DB) makePrivate() (err error) {
	db.dir, err = os.MkdirTemp("", "breadcrumb-read-*")
	return store.Wrap(err, "make private directory")
}

// makeDB returns the database at an absolute path, not open yet.
func makeDB(path string, opts Options) *DB {
	db := &DB{path: path, opts: opts, lock: flock.New(path + ".lock"), taken: map[engine.TestID]bool{}}
	db.Store = sqlstore.New(conn{db: db}, &statements, path)
	return db
}

// removeLeftovers removes the temporary files that a killed run left beside path. The
// lock is held, so no living run owns any of them.
func removeLeftovers(path string) error {
	ours := regexp.MustCompile("^" + regexp.QuoteMeta(tempPrefix(path)) + `[0-9]+(-wal|-shm|-journal)?$`)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if ours.MatchString(e.Name()) {
			errs = append(errs, os.RemoveAll(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	return errors.Join(errs...)
}

// lockRetry is how often a held lock is tried again.
const lockRetry = 20 * time.Millisecond

// acquireLock locks the lock file beside the database. The file stays after the
// lock is released: removing it would let two processes hold two locks.
func (db *DB) acquireLock(ctx context.Context) error {
	if _, err := untrusted.Regular(db.lock.Path()); err != nil {
		return fmt.Errorf("lock database: %w", err)
	}
	waiting, cancel := context.WithTimeout(ctx, db.opts.LockTimeout)
	defer cancel()
	held, err := db.lock.TryLockContext(waiting, lockRetry)
	switch {
	case held:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("lock database: %w", ctx.Err())
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w: waited %s for it to finish", db.path, store.ErrLocked, db.opts.LockTimeout)
	default:
		return fmt.Errorf("lock database: %w", err)
	}
}

// OpenReading loads the database at path into a working copy in the system's
// temporary directory. Nothing is written beside the file and no lock is
// taken; Save fails with ErrReadOnly. The copy is migrated, the file is not.
// Errors to branch on: fs.ErrNotExist, ErrNewerSchema, ErrUnreadable.
func OpenReading(ctx context.Context, path string, opts Options) (*DB, error) {
	return openBy(ctx, path, opts, (*DB).openReading)
}

func (db *DB) openReading(ctx context.Context) (err error) {
	if err := db.makePrivate(); err != nil {
		return err
	}
	if err := db.createWorking(); err != nil {
		return fmt.Errorf("create working database: %w", err)
	}
	if err := db.loadSource(ctx); err != nil {
		return err
	}
	if !db.source.Exists() {
		return fmt.Errorf("%s: %w", db.path, fs.ErrNotExist)
	}
	if err := db.source.Discard(); err != nil {
		return err
	}
	_, err = db.sql.ExecContext(ctx, `PRAGMA query_only(ON)`)
	return store.Wrap(err, "make the copy read-only")
}
