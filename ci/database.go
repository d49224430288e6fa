package ci

import (
	"context"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// Database is the history that a run is recorded in and judged by: a
// sqlite.DB or a postgres.DB.
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
	LoadCheckpoint(ctx context.Context, info engine.RunInfo, share float64, run int64) (*store.Checkpoint, error)
	SaveCheckpoint(ctx context.Context, c *store.Checkpoint) error
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
