package ci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// Database is the history that a run is recorded in and judged by: a
// store.DB or a store.Postgres.
type Database interface {
	past
	histories
	roll
	bench
	hand
	lessons
	keeper
}

// lessons is what is known of the elements that tests use.
type lessons interface {
	SaveFingerprints(ctx context.Context, fps []engine.Fingerprint, state []byte, now time.Time) error
	LoadFingerprint(ctx context.Context, testID, locator string) (f engine.Fingerprint, state []byte, ok bool, err error)
}

// past is what is known of earlier runs.
type past interface {
	Hear(ctx context.Context, info engine.RunInfo, share float64, run int64) (*store.Hearing, error)
	Keep(ctx context.Context, h *store.Hearing) error
	NameTests(ctx context.Context, e *store.Evidence, tests []int) error
	FindTests(ctx context.Context, e *store.Evidence, names []string) error
	KnownTests(ctx context.Context, info engine.RunInfo, reportDigest string) ([]string, error)
	SameReports(ctx context.Context, info engine.RunInfo, reportDigest string) (run int64, err error)
	KeepOrder(ctx context.Context, info engine.RunInfo, ids []string) error
	KnownOrder(ctx context.Context, info engine.RunInfo, reportDigest string) ([]string, error)
}

// histories is what is shown of earlier runs.
type histories interface {
	Histories(ctx context.Context, window int, info engine.RunInfo) ([]flaky.History, error)
	HistoriesOf(ctx context.Context, tests []string, window int, info engine.RunInfo) ([]flaky.History, error)
	FailedLately(ctx context.Context, runs, limit int, info engine.RunInfo) ([]string, error)
}

// roll takes a run in.
type roll interface {
	RecordRun(ctx context.Context, run store.Run) (store.Recorded, error)
	RenameTest(ctx context.Context, r flaky.Rename, now time.Time) (renamed bool, err error)
}

// bench is the quarantine and the settings that decide over it.
type bench interface {
	Quarantine(ctx context.Context) ([]flaky.Entry, error)
	ApplyChanges(ctx context.Context, changes []flaky.Change, now time.Time) error
	Settings(ctx context.Context) (map[string]string, error)
	LogSetting(ctx context.Context, name, value, who string, now time.Time) error
}

// hand is the quarantine in the hands of a person.
type hand interface {
	HasTest(ctx context.Context, id string) (bool, error)
	QuarantineAdd(ctx context.Context, e flaky.Entry, who string) error
	QuarantineRelease(ctx context.Context, testID, who, reason string, now time.Time) (released bool, err error)
	QuarantineLog(ctx context.Context) ([]store.LogEntry, error)
}

// keeper is the database as a whole.
type keeper interface {
	Path() string
	Notices() []engine.Notice
	Save(ctx context.Context) error
	Close() error
}

// openDB opens the database. What the user has to mend is an InputError.
func openDB(ctx context.Context, cfg Config, o store.Options) (Database, error) {
	db, err := open(ctx, cfg, o)
	if err != nil {
		return nil, openFault(cfg.DB, err)
	}
	return db, nil
}

func openFault(name string, err error) error {
	switch {
	case errors.Is(err, store.ErrNewerSchema), errors.Is(err, store.ErrUnreadable), errors.Is(err, store.ErrURL):
		return InputError{err}
	case errors.Is(err, fs.ErrPermission):
		return InputError{fmt.Errorf("open database: %w; who runs Breadcrumb must be able to read %s and to write in its folder", err, name)}
	}
	return fmt.Errorf("open database: %w", err)
}

func open(ctx context.Context, cfg Config, o store.Options) (Database, error) {
	if store.IsPostgres(cfg.DB) {
		return store.OpenPostgres(ctx, cfg.DB, cfg.Info.RepositoryID)
	}
	if _, err := os.Stat(filepath.Dir(cfg.DB)); err != nil {
		return nil, InputError{fmt.Errorf("folder of the database %s: %w", cfg.DB, err)}
	}
	return store.Open(ctx, cfg.DB, o)
}

// nameOf is what people are told of the database: the path they gave, or the
// server without the password.
func nameOf(cfg Config, db Database) string {
	if store.IsPostgres(cfg.DB) {
		return db.Path()
	}
	return cfg.DB
}
