package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/untrusted"
)

// awaitOthers waits until no other program has the database open: what it
// wrote after the file was replaced would be lost.
func (db *DB) awaitOthers(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, db.opts.LockTimeout)
	defer cancel()
	db.opts.step("wait for other programs")
	for {
		open, err := inUse(db.path)
		if err != nil {
			return fmt.Errorf("look for other programs: %w", err)
		}
		if !open {
			return nil
		}
		if untrusted.Pause(waiting) != nil && ctx.Err() == nil {
			return fmt.Errorf("%s: %w: end it and run again; waited %s", db.path, store.ErrInUse, db.opts.LockTimeout)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// catchUp takes over what another program, such as a running test, appended to
// the file since it was read. The lock keeps other Breadcrumbs away, so only
// the seed's tables can have grown.
func (db *DB) catchUp(ctx context.Context) error {
	now, err := untrusted.Stat(db.path)
	if err != nil {
		return err
	}
	if now.Same(&db.source) {
		return nil
	}
	if !now.Exists() || !db.source.Exists() || !os.SameFile(now.Files[0], db.source.Files[0]) {
		return fmt.Errorf("%s: %w: run again to take over what it holds now", db.path, store.ErrChanged)
	}
	db.opts.step("catch up")
	old := db.source
	if err := db.copySource(ctx); err != nil {
		db.source = old
		return err
	}
	if err := errors.Join(db.readSource(ctx, db.loadAppended), old.Discard()); err != nil {
		return fmt.Errorf("take over what was appended: %w", err)
	}
	return db.releaseSource()
}
