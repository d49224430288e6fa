package sqlite

import (
	"context"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/untrusted"
)

// takeOver fills the working database from the file at path.
func (db *DB) takeOver(ctx context.Context) error {
	s, err := db.copier().Copy(ctx)
	if err != nil {
		return err
	}
	db.source = s
	if !s.Exists() {
		return migrate(ctx, db.sql, 0, schemaVersion)
	}
	db.opts.step("read")
	if err := db.absorb(ctx); err != nil {
		return err
	}
	return db.release()
}

func (db *DB) copier() untrusted.Copier {
	return untrusted.Copier{Path: db.path, Parent: db.parent(), Pattern: tempPrefix(db.path) + "*",
		Limit: db.opts.MaxBytes, Step: db.opts.step}
}

// release removes the private copy unless Save will put it in the place of
// file and log.
func (db *DB) release() error {
	if db.source.Recovered {
		return nil
	}
	return db.source.Discard()
}

// absorb reads the private copy into an empty working database.
func (db *DB) absorb(ctx context.Context) error {
	r, err := db.openSource(ctx)
	if err != nil {
		return err
	}
	db.fileSchema = r.Version
	base := min(r.Version, schemaVersion)
	if base < seedVersion {
		base = seedVersion
	}
	err = errors.Join(db.absorbFrom(ctx, r, base), r.Close())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (db *DB) absorbFrom(ctx context.Context, r *untrusted.Reader, base int) error {
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
	if err := db.importInbox(ctx); err != nil {
		return fmt.Errorf("read test_runs: %w", err)
	}
	return db.rememberQuarantine(ctx)
}

// openSource opens the private copy and refuses what is not ours to read.
func (db *DB) openSource(ctx context.Context) (*untrusted.Reader, error) {
	if db.source.Files[0].Size() == 0 {
		return nil, untrusted.Unreadable(db.path, errors.New("the file is empty"))
	}
	return openChecked(ctx, db.source.File(), db.path)
}

// openChecked opens a private file and refuses what is not ours to read. Path
// names it in errors.
func openChecked(ctx context.Context, file, path string) (*untrusted.Reader, error) {
	r, err := untrusted.OpenReader(ctx, file)
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	if err != nil {
		return nil, untrusted.Unreadable(path, err)
	}
	if r.Version > schemaVersion {
		return nil, errors.Join(fmt.Errorf("%s: %w: schema %d, this version knows up to %d; update Breadcrumb",
			path, store.ErrNewerSchema, r.Version, schemaVersion), r.Close())
	}
	return r, nil
}
