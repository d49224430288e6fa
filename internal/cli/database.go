package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/breadcrumb/action/engine"
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
	health.Source
	Timeline(ctx context.Context, limit int, since time.Time) (outcome.Timeline, error)
	HasTest(ctx context.Context, id engine.TestID) (bool, error)
	QuarantineAdd(ctx context.Context, e flaky.Entry, who string) error
	QuarantineRelease(ctx context.Context, testID engine.TestID, who, reason string, now time.Time) (released bool, err error)
	AddVeto(ctx context.Context, v store.Veto) error
	WithdrawVeto(ctx context.Context, v store.Veto) error
	AddLesson(ctx context.Context, l store.Lesson) error
	AddAccepted(ctx context.Context, a store.Accepted) error
	Recall(ctx context.Context, testID engine.TestID, locator string) (f engine.Fingerprint, state []byte, ok bool, err error)
	Vetoes(ctx context.Context, testID engine.TestID) ([]store.Veto, error)
	Lessons(ctx context.Context) ([]store.Lesson, error)
	Forget(ctx context.Context, what store.Learned, now time.Time) ([]store.LearnedElement, error)
	Fingerprints(ctx context.Context, testID engine.TestID, limit int) (store.Fingerprints, error)
	QuarantineLog(ctx context.Context) ([]store.LogEntry, error)
	Save(ctx context.Context) error
	Close() error
}

// What a database is opened for.
const toRead, toChange = false, true

// withDB opens an existing database, calls fn and saves what it changed. To read it
// nothing is written, no lock is taken and none is waited for.
func withDB(ctx context.Context, name string, change bool, fn func(context.Context, database) error) error {
	db, err := openDatabase(ctx, name, change)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := fn(ctx, db); err != nil || !change {
		return err
	}
	if err := db.Save(ctx); err != nil {
		return fmt.Errorf("save database: %w", err)
	}
	return nil
}

// fetchDocs has the commands that fetch the history from where CI keeps it.
const fetchDocs = "https://github.com/breadcrumb/action/blob/main/docs/state-where.md#get-it-out-or-delete-it"

// openDatabase opens an existing database to read or to change it. It refuses a file
// that does not exist: a mistyped path must not read as an empty history.
func openDatabase(ctx context.Context, name string, change bool) (db database, err error) {
	_, err = os.Stat(name)
	switch url := postgres.IsURL(name); {
	case !url && errors.Is(err, fs.ErrNotExist):
		return nil, usageError{fmt.Sprintf("no database at %s: run the tests with `breadcrumb run`, or judge a run with `breadcrumb ci`, first, or name another with --db; to fetch what CI keeps: %s", name, fetchDocs)}
	case url && change:
		db, err = postgres.Open(ctx, name, 0)
	case url:
		db, err = postgres.OpenReading(ctx, name, 0)
	case change:
		db, err = sqlite.Open(ctx, name, sqlite.Options{Now: time.Now})
	default:
		db, err = sqlite.OpenReading(ctx, name, sqlite.Options{Now: time.Now})
	}
	if err != nil {
		return nil, explainOpenError(name, err)
	}
	return db, nil
}

// packedMagic begins a snapshot or a delta: that of a Zstandard frame (RFC 8878, 3.1.1).
const packedMagic = "\x28\xb5\x2f\xfd"

// explainOpenError returns a usage error where the user can mend what keeps the
// database from opening.
func explainOpenError(name string, err error) error {
	head, _ := readStart(name, 4) // a server's address has no start
	switch {
	case errors.Is(err, store.ErrUnreadable) && string(head) == packedMagic:
		return usageError{fmt.Sprintf("%s is a compressed part of a history, no database: `breadcrumb merge %[1]s --out history.db` makes one of it, and takes the others of the history in the same command", name)}
	case errors.Is(err, store.ErrNewerSchema), errors.Is(err, store.ErrUnreadable), errors.Is(err, store.ErrURL):
		return usageError{err.Error()}
	case errors.Is(err, fs.ErrPermission):
		return usageError{fmt.Sprintf("open database: %v; who runs Breadcrumb must be able to read %s and, to change it, to write in its folder", err, name)}
	}
	return fmt.Errorf("open database: %w", err)
}
