package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/untrusted"
)

// begin fills the working database by Options.Begin, marks it, and merges the
// file at the path.
func (db *DB) begin(ctx context.Context) error {
	if err := migrate(ctx, db.sql, 0, schemaVersion); err != nil {
		return err
	}
	if err := db.opts.Begin(ctx, db); err != nil {
		return err
	}
	if err := db.Mark(ctx); err != nil {
		return err
	}
	s, err := db.copier().Copy(ctx)
	if err != nil {
		return err
	}
	db.source = s
	if !s.Exists() {
		return db.rememberQuarantine(ctx)
	}
	db.opts.step("read")
	if err := db.mergeSource(ctx); err != nil {
		return err
	}
	if err := db.rememberQuarantine(ctx); err != nil {
		return err
	}
	return db.release()
}

// mergeSource merges the private copy of the file at the path.
func (db *DB) mergeSource(ctx context.Context) error {
	other := &DB{path: db.path, opts: db.opts, taken: map[string]bool{}, source: db.source}
	err := other.createWorking()
	if err == nil {
		err = other.absorb(ctx)
	}
	if err == nil {
		err = db.mergeFrom(ctx, other, db.opts.Local)
	}
	other.source.Dir = "" // it stays ours
	return errors.Join(err, other.Close())
}

// MergeFrom merges all that another open database holds.
func (db *DB) MergeFrom(ctx context.Context, other *DB) error {
	return db.mergeFrom(ctx, other, store.Trust{})
}

func (db *DB) mergeFrom(ctx context.Context, other *DB, trust store.Trust) error {
	db.notices = append(db.notices, other.notices...)
	all, err := other.Everything(ctx)
	if err != nil {
		return err
	}
	done, err := db.Import(ctx, all, trust, filepath.Base(other.path))
	if err != nil {
		return err
	}
	db.notices = append(db.notices, done.Notices...)
	return nil
}

// AbsorbFile fills a working database that nothing was merged into yet from a
// database file of our own making that may have been tampered with, such as a
// snapshot. The file must have no log beside it and stay as it is meanwhile.
// After an error the working database is empty again. Errors to branch on:
// ErrNewerSchema, ErrUnreadable.
func (db *DB) AbsorbFile(ctx context.Context, file string) error {
	if err := db.absorbFile(ctx, file); err != nil {
		return errors.Join(err, db.Restart(ctx))
	}
	return nil
}

func (db *DB) absorbFile(ctx context.Context, file string) error {
	if err := db.clear(); err != nil {
		return err
	}
	if err := db.createWorking(); err != nil {
		return fmt.Errorf("create working database: %w", err)
	}
	r, err := openChecked(ctx, file, filepath.Base(file))
	if err != nil {
		return err
	}
	err = errors.Join(db.absorbFrom(ctx, r, max(min(r.Version, schemaVersion), seedVersion)), r.Close())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Restart begins with an empty working database again.
func (db *DB) Restart(ctx context.Context) error {
	db.notices = nil
	if err := db.clear(); err != nil {
		return err
	}
	if err := db.createWorking(); err != nil {
		return err
	}
	return migrate(context.WithoutCancel(ctx), db.sql, 0, schemaVersion)
}

// clear removes the working database.
func (db *DB) clear() error {
	err := errors.Join(db.sql.Close(), untrusted.RemoveDatabase(db.work))
	db.sql, db.work = nil, ""
	return err
}

// MergeDelta merges a delta whose origin is trusted. File names it in notices.
func (db *DB) MergeDelta(ctx context.Context, d *delta.Delta, file string) error {
	done, err := db.Import(ctx, d, store.Trust{}, file)
	db.notices = append(db.notices, done.Notices...)
	return err
}
