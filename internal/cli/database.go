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
	"github.com/breadcrumb/action/standing"
	"github.com/breadcrumb/action/store"
)

// dbUsage describes --db to the commands that read a database.
const dbUsage = "Breadcrumb's database: `FILE` or postgres:// URL"

// database is the history as the commands for people use it.
type database interface {
	ledger
	chronicle
	Save(ctx context.Context) error
	Close() error
}

// ledger is the quarantine as people change it.
type ledger interface {
	HasTest(ctx context.Context, id string) (bool, error)
	QuarantineAdd(ctx context.Context, e flaky.Entry, who string) error
	QuarantineRelease(ctx context.Context, testID, who, reason string, now time.Time) (released bool, err error)
	QuarantineLog(ctx context.Context) ([]store.LogEntry, error)
}

// chronicle is the past as a report tells it.
type chronicle interface {
	standing.Chronicle
	Timeline(ctx context.Context, limit int, since time.Time) (outcome.Timeline, error)
}

// withDB opens an existing database to read it. Nothing is written, no lock is
// taken and none is waited for.
func withDB(ctx context.Context, name string, fn func(context.Context, database) error) error {
	return use(ctx, name, fn, func(ctx context.Context) (database, error) {
		if store.IsPostgres(name) {
			return store.OpenPostgresReading(ctx, name, 0)
		}
		return store.OpenReading(ctx, name, store.Options{Now: time.Now})
	})
}

// use opens what is there; a mistyped path must not read as empty.
func use(ctx context.Context, name string, fn func(context.Context, database) error, open func(context.Context) (database, error)) error {
	if _, err := os.Stat(name); !store.IsPostgres(name) && errors.Is(err, fs.ErrNotExist) {
		return usageError{fmt.Sprintf("no database at %s: name it with --db, or run `breadcrumb ci` first", name)}
	}
	db, err := open(ctx)
	if err != nil {
		return openFault(name, err)
	}
	defer db.Close()
	return fn(ctx, db)
}

// openFault says what the user has to mend so that the database opens.
func openFault(name string, err error) error {
	switch {
	case errors.Is(err, store.ErrNewerSchema), errors.Is(err, store.ErrUnreadable), errors.Is(err, store.ErrURL):
		return usageError{err.Error()}
	case errors.Is(err, fs.ErrPermission):
		return usageError{fmt.Sprintf("open database: %v; who runs Breadcrumb must be able to read %s and, to change it, to write in its folder", err, name)}
	}
	return fmt.Errorf("open database: %w", err)
}
