package store

import (
	"context"
	"errors"
	"fmt"
)

// takeOver fills the working database from the file at path.
func (db *DB) takeOver(ctx context.Context) error {
	s, err := db.copier().copy(ctx)
	if err != nil {
		return err
	}
	db.source = s
	if !s.exists() {
		return migrate(ctx, db.sql, 0, schemaVersion)
	}
	db.opts.step("read")
	if err := db.absorb(ctx); err != nil {
		return err
	}
	return db.release()
}

func (db *DB) copier() copier {
	return copier{path: db.path, parent: db.parent(), pattern: tempPrefix(db.path) + "*",
		limit: db.opts.MaxBytes, step: db.opts.step}
}

// release removes the private copy unless Save will put it in the place of
// file and log.
func (db *DB) release() error {
	if db.source.recovered {
		return nil
	}
	return db.source.discard()
}

// absorb reads the private copy into an empty working database.
func (db *DB) absorb(ctx context.Context) error {
	r, err := db.openSource(ctx)
	if err != nil {
		return err
	}
	db.fileSchema = r.version
	base := min(r.version, schemaVersion)
	if base < seedVersion {
		base = seedVersion
	}
	err = errors.Join(db.absorbFrom(ctx, r, base), r.close())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (db *DB) absorbFrom(ctx context.Context, r *reader, base int) error {
	if err := migrate(ctx, db.sql, 0, base); err != nil {
		return err
	}
	if err := db.copyTables(ctx, r, base); err != nil {
		return err
	}
	if err := migrate(ctx, db.sql, base, schemaVersion); err != nil {
		return err
	}
	if err := db.absorbHeals(ctx, r, true); err != nil {
		return err
	}
	if err := db.drain(ctx); err != nil {
		return fmt.Errorf("read test_runs: %w", err)
	}
	return db.rememberQuarantine(ctx)
}

// openSource opens the private copy and refuses what is not ours to read.
func (db *DB) openSource(ctx context.Context) (*reader, error) {
	if db.source.files[0].Size() == 0 {
		return nil, unreadable(db.path, errors.New("the file is empty"))
	}
	return openChecked(ctx, db.source.copied(), db.path)
}

// openChecked opens a private file and refuses what is not ours to read. Path
// names it in errors.
func openChecked(ctx context.Context, file, path string) (*reader, error) {
	r, err := openReader(ctx, file)
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	if r.version > schemaVersion {
		return nil, errors.Join(fmt.Errorf("%s: %w: schema %d, this version knows up to %d; update Breadcrumb",
			path, ErrNewerSchema, r.version, schemaVersion), r.close())
	}
	return r, nil
}
