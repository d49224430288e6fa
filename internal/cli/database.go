package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/postgres"
	"github.com/breadcrumb/action/store/sqlite"
)

// dbUsage describes --db to the commands that read a database.
const dbUsage = "Breadcrumb's database: `FILE` or postgres:// URL"

// database is what the commands need of SQLite and PostgreSQL alike.
type database interface {
	quarantineStore
	historyReader
	Save(ctx context.Context) error
	Close() error
}

// quarantineStore reads and changes the quarantine.
type quarantineStore interface {
	HasTest(ctx context.Context, id string) (bool, error)
	QuarantineAdd(ctx context.Context, e flaky.Entry, who string) error
	QuarantineRelease(ctx context.Context, testID, who, reason string, now time.Time) (released bool, err error)
	QuarantineLog(ctx context.Context) ([]store.LogEntry, error)
}

// historyReader reads what a report shows of the history.
type historyReader interface {
	health.Source
	Timeline(ctx context.Context, limit int, since time.Time) (outcome.Timeline, error)
}

// withDB opens an existing database to read it. Nothing is written, no lock is
// taken and none is waited for.
func withDB(ctx context.Context, name string, fn func(context.Context, database) error) error {
	return openExisting(ctx, name, fn, func(ctx context.Context) (database, error) {
		if postgres.IsURL(name) {
			return postgres.OpenReading(ctx, name, 0)
		}
		return sqlite.OpenReading(ctx, name, sqlite.Options{Now: time.Now})
	})
}

// openExisting refuses a file that does not exist: a mistyped path must not read
// as an empty history.
func openExisting(ctx context.Context, name string, fn func(context.Context, database) error, open func(context.Context) (database, error)) error {
	if _, err := os.Stat(name); !postgres.IsURL(name) && errors.Is(err, fs.ErrNotExist) {
		return usageError{fmt.Sprintf("no database at %s: name it with --db, or run `breadcrumb ci` first", name)}
	}
	db, err := open(ctx)
	if err != nil {
		return explainOpenError(name, err)
	}
	defer db.Close()
	return fn(ctx, db)
}

// explainOpenError returns a usage error where the user can mend what keeps the
// database from opening.
func explainOpenError(name string, err error) error {
	switch {
	case errors.Is(err, store.ErrNewerSchema), errors.Is(err, store.ErrUnreadable), errors.Is(err, store.ErrURL):
		return usageError{err.Error()}
	case errors.Is(err, fs.ErrPermission):
		return usageError{fmt.Sprintf("open database: %v; who runs Breadcrumb must be able to read %s and, to change it, to write in its folder", err, name)}
	}
	return fmt.Errorf("open database: %w", err)
}
