package mcp

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/postgres"
	"github.com/breadcrumb/action/store/sqlite"
)

// Archive is the one database that a server answers from.
type Archive interface {
	// With calls fn with what the database holds now.
	With(ctx context.Context, fn func(context.Context, Reading) error) error
	// Is reports whether path names the database.
	Is(path string) bool
	// Name is the database's for people, without a password.
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
	HasTest(ctx context.Context, id string) (bool, error)
	HistoriesOf(ctx context.Context, tests []string, window int, info engine.RunInfo) ([]flaky.History, error)
	Timeline(ctx context.Context, limit int, since time.Time) (outcome.Timeline, error)
	QuarantineLog(ctx context.Context) ([]store.LogEntry, error)
	CountHeals(ctx context.Context, q store.HealQuery) (int, error)
}

// rows is what the database says of itself.
type rows interface {
	FileSchema() int
	Facts(ctx context.Context) (store.Facts, error)
	Stale(ctx context.Context, since time.Time) (int, error)
	Fingerprints(ctx context.Context, testID string, limit int) (store.Fingerprints, error)
}

var (
	_ Database = (*sqlite.DB)(nil)
	_ Database = (*postgres.DB)(nil)
)

// OpenArchive opens the database at a path or postgres:// URL to see that it
// can be read. The error says in words what is to be done.
func OpenArchive(ctx context.Context, name string) (Archive, error) {
	var a Archive = &server{url: name}
	if !postgres.IsURL(name) {
		a = newFile(name)
	}
	err := a.With(ctx, func(context.Context, Reading) error { return nil })
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// told returns an error of the store with those as problems that a user can
// mend.
func told(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing(name)
	case errors.Is(err, store.ErrNewerSchema), errors.Is(err, store.ErrUnreadable), errors.Is(err, store.ErrURL), errors.Is(err, store.ErrInUse):
		return Problem(err.Error())
	}
	return err
}

// missing is the error for a database that is not there.
type missing string

func (m missing) Error() string {
	return "no database at " + string(m) + ": `breadcrumb ci` makes one, or start the server with --db"
}

// Is implements [errors.Is]: it is an fs.ErrNotExist.
func (m missing) Is(target error) bool { return target == fs.ErrNotExist }

// server is an archive on a PostgreSQL server. Every use has a connection of
// its own, so that nothing is held open between questions.
type server struct{ url string }

func (s *server) With(ctx context.Context, fn func(context.Context, Reading) error) (err error) {
	db, err := postgres.OpenReading(ctx, s.url, 0)
	if err != nil {
		return told("", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fn(ctx, Reading{Database: db})
}

func (s *server) Is(path string) bool { return path == s.url || path == s.Name() }

func (s *server) Name() string { return postgres.Name(s.url) }

func (s *server) Close() error { return nil }
