package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/postgres"
	"github.com/breadcrumb/action/store/sqlite"
)

// Archive is the one database that a server answers from, a file or a PostgreSQL
// server.
type Archive interface {
	// With calls fn with what the database holds now.
	With(ctx context.Context, fn func(context.Context, Reading) error) error
	// Is reports whether path names the database.
	Is(path string) bool
	// Name is what people call the database, without a password.
	Name() string
	Close() error
}

// Reading is a database while it is read.
type Reading struct {
	Database
	Size     int64    // bytes of the file, 0 for a server
	Leftover []string // files of a program that was killed, or is running
}

// Database is what is read.
type Database interface {
	health.Source
	tests
	rows
}

// tests is what is known of single tests.
type tests interface {
	HasTest(ctx context.Context, id engine.TestID) (bool, error)
	HistoriesOf(ctx context.Context, tests []engine.TestID, window int, info engine.RunInfo) ([]flaky.History, error)
	Timeline(ctx context.Context, limit int, since time.Time) (outcome.Timeline, error)
	QuarantineLog(ctx context.Context) ([]store.LogEntry, error)
	CountHeals(ctx context.Context, q store.HealQuery) (int, error)
}

// rows is what the database says about its own contents.
type rows interface {
	FileSchema() int
	Newer() string
	Unread() []engine.Notice
	Facts(ctx context.Context) (store.Facts, error)
	Stale(ctx context.Context, since time.Time) (int, error)
	Fingerprints(ctx context.Context, testID engine.TestID, limit int) (store.Fingerprints, error)
	LocatorUses(ctx context.Context, locators []string, limit int) (store.Fingerprints, error)
}

var (
	_ Database = (*sqlite.DB)(nil)
	_ Database = (*postgres.DB)(nil)
)

// OpenArchive returns the archive at a path or postgres:// URL, after reading it
// once. The error says what to do.
func OpenArchive(ctx context.Context, name string) (Archive, error) {
	var a Archive = &postgresArchive{url: name}
	if !postgres.IsURL(name) {
		a = &fileArchive{name: name, turn: make(chan struct{}, 1)}
	}
	err := a.With(ctx, func(context.Context, Reading) error { return nil })
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// databaseProblem returns an error of the store, as a Problem where the user can
// do something about it.
func databaseProblem(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missingDatabase(name)
	case errors.Is(err, store.ErrNewerSchema), errors.Is(err, store.ErrUnreadable), errors.Is(err, store.ErrURL), errors.Is(err, store.ErrInUse):
		return Problem(err.Error())
	}
	return err
}

// missingDatabase is the error for a database that is not there.
type missingDatabase string

func (m missingDatabase) Error() string {
	return "no database at " + string(m) + ": `breadcrumb ci` makes one, or start the server with --db"
}

// Is implements [errors.Is]: it is an fs.ErrNotExist.
func (m missingDatabase) Is(target error) bool { return target == fs.ErrNotExist }

// postgresArchive is an archive on a PostgreSQL server. Every use has a connection of
// its own, so that nothing is held open between questions.
type postgresArchive struct{ url string }

func (s *postgresArchive) With(ctx context.Context, fn func(context.Context, Reading) error) (err error) {
	db, err := postgres.OpenReading(ctx, s.url, 0)
	if err != nil {
		return databaseProblem("", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fn(ctx, Reading{Database: db})
}

func (s *postgresArchive) Is(path string) bool { return path == s.url || path == s.Name() }

func (s *postgresArchive) Name() string { return postgres.Name(s.url) }

func (s *postgresArchive) Close() error { return nil }

// fileArchive is an archive in a database file. The file is read again only when
// it has changed, for instance because a new snapshot took its place.
type fileArchive struct {
	name string        // as the user gave it
	turn chan struct{} // holds one value while the archive is locked
	db   *sqlite.DB    // nil when nothing is kept; used under the lock
}

func (f *fileArchive) With(ctx context.Context, fn func(context.Context, Reading) error) error {
	if err := f.lock(ctx); err != nil {
		return err
	}
	defer func() { <-f.turn }()
	if err := f.refresh(ctx); err != nil {
		return err
	}
	return fn(ctx, Reading{Database: f.db, Size: f.db.Size(), Leftover: health.Leftovers(f.name)})
}

// lock waits until no other question uses the database.
func (f *fileArchive) lock(ctx context.Context) error {
	select {
	case f.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the database: %w", ctx.Err())
	}
}

// refresh reads the file when it has changed.
func (f *fileArchive) refresh(ctx context.Context) error {
	if f.db != nil && f.db.Current() {
		return nil
	}
	if err := f.closeDatabase(); err != nil {
		return err
	}
	db, err := sqlite.OpenReading(ctx, f.name, sqlite.Options{})
	if err != nil {
		return databaseProblem(f.name, err)
	}
	f.db = db
	return nil
}

func (f *fileArchive) closeDatabase() error {
	if f.db == nil {
		return nil
	}
	err := f.db.Close()
	f.db = nil
	return err
}

// Is compares names first; only to follow links it looks at the disk.
func (f *fileArchive) Is(path string) bool {
	asked, err1 := filepath.Abs(path)
	own, err2 := filepath.Abs(f.name)
	if err := errors.Join(err1, err2); err != nil || asked == own {
		return err == nil
	}
	realAsked, err1 := filepath.EvalSymlinks(asked)
	realOwn, err2 := filepath.EvalSymlinks(own)
	return errors.Join(err1, err2) == nil && realAsked == realOwn
}

func (f *fileArchive) Name() string { return f.name }

// Close waits for the question that is being answered.
func (f *fileArchive) Close() error {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	return f.closeDatabase()
}

// resolveTest returns the identity of the test that an argument names: the cleaned name
// that answers show, a line that Playwright prints, or a part that no other test has. A
// name that may be several tests is a Problem; one that is none is returned as it is.
func resolveTest(ctx context.Context, db Database, asked string) (engine.TestID, error) {
	id := engine.NewTestID(asked)
	if asked == "" {
		return "", nil
	}
	if known, err := db.HasTest(ctx, id); known || err != nil {
		return id, err
	}
	names, err := testNames(ctx, db)
	if err != nil {
		return "", err
	}
	if i := slices.IndexFunc(names, func(name engine.TestID) bool { return answerText(string(name)) == asked }); i >= 0 {
		return names[i], nil
	}
	found, similar := identity.FindName(names, asked)
	if len(similar) > 0 {
		var shown []string
		for _, name := range similar {
			shown = append(shown, answerText(string(name)))
		}
		return "", Problem(fmt.Sprintf("no test is called %q; these hold it: %q", answerText(asked), shown))
	}
	return cmp.Or(found, id), nil
}

// testNames returns the tests that ran.
func testNames(ctx context.Context, db Database) ([]engine.TestID, error) {
	histories, _, err := db.HistoriesSince(ctx, 1, time.Unix(0, 0))
	if err != nil {
		return nil, err
	}
	all := make([]engine.TestID, len(histories))
	for i, h := range histories {
		all[i] = h.TestID
	}
	return all, nil
}
