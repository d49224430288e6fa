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
	fresh, err := db.copier().Copy(ctx)
	if err != nil {
		return err
	}
	old := db.source
	db.source = fresh
	if err := errors.Join(db.absorbGrowth(ctx), old.Discard()); err != nil {
		return fmt.Errorf("take over what was appended: %w", err)
	}
	return db.release()
}

func (db *DB) absorbGrowth(ctx context.Context) error {
	r, err := db.openSource(ctx)
	if err != nil {
		return err
	}
	err = errors.Join(db.absorbSeedTables(ctx, r), r.Close())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (db *DB) absorbSeedTables(ctx context.Context, r *untrusted.Reader) error {
	grown := []table{grownFingerprintsTable(), inboxTable(), quarantineTable(r.Version)}
	// What was in quarantine when the file was read first and is not now was
	// released here, and stays released.
	grown[2].refuse = func(v []any, _ *seenIDs) error {
		if db.taken[v[0].(string)] {
			return errOurs
		}
		return nil
	}
	for _, t := range grown {
		if err := db.copyTable(ctx, r, t, nil); err != nil {
			return err
		}
	}
	if err := db.absorbHeals(ctx, r, false); err != nil {
		return err
	}
	return db.importInbox(ctx)
}
