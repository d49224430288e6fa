package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/breadcrumb/action/store/untrusted"
)

// OpenReading reads the database at path into a working copy in the system's
// temporary directory. Nothing is written beside the file and no lock is taken;
// Save fails with ErrReadOnly. The file is not brought up to date, the copy is.
// Errors to branch on: fs.ErrNotExist, ErrNewerSchema, ErrUnreadable.
func OpenReading(ctx context.Context, path string, opts Options) (*DB, error) {
	db, err := newDB(path, opts)
	if err != nil {
		return nil, err
	}
	if err := db.openReading(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func (db *DB) openReading(ctx context.Context) (err error) {
	if db.dir, err = os.MkdirTemp("", "breadcrumb-read-*"); err != nil {
		return fmt.Errorf("make private directory: %w", err)
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
	if _, err := db.sql.ExecContext(ctx, `PRAGMA query_only(ON)`); err != nil {
		return fmt.Errorf("make the copy read-only: %w", err)
	}
	return nil
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
