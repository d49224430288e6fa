package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofrs/flock"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/untrusted"
)

// lockRetry is how often a held lock is tried again.
const lockRetry = 20 * time.Millisecond

// acquire takes the lock file beside the database. The file stays when the
// lock is given up: removing it would let two processes hold two locks.
func (db *DB) acquire(ctx context.Context) error {
	name := db.path + ".lock"
	if _, err := untrusted.Regular(name); err != nil {
		return fmt.Errorf("lock database: %w", err)
	}
	waiting, cancel := context.WithTimeout(ctx, db.opts.LockTimeout)
	defer cancel()
	lock := flock.New(name)
	held, err := lock.TryLockContext(waiting, lockRetry)
	switch {
	case held:
		db.lock = lock
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("lock database: %w", ctx.Err())
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w: waited %s for it to finish", db.path, store.ErrLocked, db.opts.LockTimeout)
	default:
		return fmt.Errorf("lock database: %w", err)
	}
}
