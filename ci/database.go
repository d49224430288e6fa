package ci

import (
	"context"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/store"
)

// Database is the history that a run is recorded in and judged by: a
// sqlite.DB or a postgres.DB.
type Database interface {
	history
	suites
	executions
	runRecorder
	quarantineTable
	manualQuarantine
	elements
	corrections
	databaseFile
}

// elements is what is known of the elements that tests use.
type elements interface {
	SaveFingerprints(ctx context.Context, fps []engine.Fingerprint, state []byte, now time.Time) error
	LoadFingerprint(ctx context.Context, testID engine.TestID, locator string) (f engine.Fingerprint, state []byte, ok bool, err error)
	Recall(ctx context.Context, testID engine.TestID, locator string) (f engine.Fingerprint, state []byte, ok bool, err error)
	Fingerprints(ctx context.Context, testID engine.TestID, limit int) (store.Fingerprints, error)
	LocatorUses(ctx context.Context, locators []string, limit int) (store.Fingerprints, error)
	Vetoes(ctx context.Context, testID engine.TestID) ([]store.Veto, error)
	Lessons(ctx context.Context) ([]store.Lesson, error)
}

// corrections is where what people say of elements and words is kept.
type corrections interface {
	AddVeto(ctx context.Context, v store.Veto) error
	WithdrawVeto(ctx context.Context, v store.Veto) error
	AddLesson(ctx context.Context, l store.Lesson) error
	AddAccepted(ctx context.Context, a store.Accepted) error
}

// history is what earlier runs taught.
type history interface {
	LoadCheckpoint(ctx context.Context, info engine.RunInfo, run int64) (*store.Checkpoint, error)
	CountSuite(ctx context.Context, c *store.Checkpoint) (int, error)
	SaveCheckpoint(ctx context.Context, c *store.Checkpoint) error
	NameTests(ctx context.Context, e *store.Evidence, tests []int) error
	FindTests(ctx context.Context, e *store.Evidence, names []engine.TestID) error
	LastTests(ctx context.Context, info engine.RunInfo, reportDigest string, base *store.Base) (store.LastTests, bool, error)
	Base(ctx context.Context, info engine.RunInfo, reportDigest string, run int64) (base outcome.Base, found bool, err error)
	SameReports(ctx context.Context, info engine.RunInfo, reportDigest string) (run int64, err error)
}

// suites is where tests stood in earlier runs.
type suites interface {
	KeepOrder(ctx context.Context, info engine.RunInfo, ids []engine.TestID) error
	KnownOrder(ctx context.Context, info engine.RunInfo, reportDigest string) ([]engine.TestID, error)
	KeepPlaces(ctx context.Context, info engine.RunInfo, ids []engine.TestID, suite store.Suite) error
	KnownPlaces(ctx context.Context, info engine.RunInfo, ids []engine.TestID) (store.Suite, error)
}

// executions is how tests ended in earlier runs.
type executions interface {
	Histories(ctx context.Context, window int, info engine.RunInfo) ([]flaky.History, error)
	HistoriesOf(ctx context.Context, tests []engine.TestID, window int, info engine.RunInfo) ([]flaky.History, error)
	FailedLately(ctx context.Context, runs, limit int, info engine.RunInfo) ([]engine.TestID, error)
	TestsIn(ctx context.Context, runs []int64) ([]engine.TestID, error)
}

// runRecorder records runs.
type runRecorder interface {
	RecordRun(ctx context.Context, run store.Run) (store.Recorded, error)
	RecordHeals(ctx context.Context, run store.Run, recorded store.Recorded) ([]engine.Notice, error)
	RenameTests(ctx context.Context, all []flaky.Rename, now time.Time) (renamed []flaky.Rename, err error)
}

// quarantineTable is the quarantine and the settings that decide over it.
type quarantineTable interface {
	Quarantine(ctx context.Context) ([]flaky.Entry, error)
	ApplyChanges(ctx context.Context, changes []flaky.Change, now time.Time) error
	Settings(ctx context.Context) (map[string]string, error)
	LogSetting(ctx context.Context, name, value, who string, now time.Time) error
}

// manualQuarantine is the quarantine as people change it.
type manualQuarantine interface {
	HasTest(ctx context.Context, id engine.TestID) (bool, error)
	QuarantineAdd(ctx context.Context, e flaky.Entry, who string) error
	QuarantineRelease(ctx context.Context, testID engine.TestID, who, reason string, now time.Time) (released bool, err error)
	QuarantineLog(ctx context.Context) ([]store.LogEntry, error)
}

// databaseFile is the database as a whole.
type databaseFile interface {
	Path() string
	Notices() []engine.Notice
	Save(ctx context.Context) error
	Close() error
}
