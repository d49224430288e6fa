package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/jackc/pgx/v5"
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
	if err := db.takeOver(ctx); err != nil {
		return err
	}
	if !db.source.exists() {
		return fmt.Errorf("%s: %w", db.path, fs.ErrNotExist)
	}
	if err := db.source.discard(); err != nil {
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
	now, err := look(db.path)
	return err == nil && now.same(&db.source)
}

// Size returns the bytes that the database at the path had when it was read,
// its log included.
func (db *DB) Size() int64 { return db.source.size() }

// OpenPostgresReading connects to the database that a URL names to read one
// state of it. Its schema must be this version's: nothing is created. Repository
// and errors are those of OpenPostgres.
func OpenPostgresReading(ctx context.Context, url string, repository int64) (*Postgres, error) {
	return connectPostgres(ctx, url, repository, (*Postgres).beginReading)
}

// beginReading starts a transaction that sees one state and cannot write.
func (db *Postgres) beginReading(ctx context.Context) error {
	version, err := db.version(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("read schema version: %w", err)
	case version > postgresVersion:
		return fmt.Errorf("schema %d: %w", version, ErrNewerSchema)
	case version < postgresVersion:
		return fmt.Errorf("%w: its schema is %d, this version reads %d; the next `breadcrumb ci` brings it up to date", ErrUnreadable, version, postgresVersion)
	}
	if err := db.conn.QueryRow(ctx, `SELECT current_date`).Scan(&db.day); err != nil {
		return fmt.Errorf("ask for the server's day: %w", err)
	}
	db.tx, err = db.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return nil
}
