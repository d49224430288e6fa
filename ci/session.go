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
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/postgres"
	"github.com/breadcrumb/action/store/sqlite"
)

// StateSession is the database of one run, from restoring what earlier runs
// kept to saving what this one adds. Fill in the exported fields, then call
// Open; Close it in the end.
type StateSession struct {
	Config  Config
	Backend state.Backend // where state is kept between runs; nil: the database file is all there is
	Self    state.Self    // the run that restores and saves
	Now     func() time.Time
	Ending  context.Context // done when the run is told to end: restoring stops then

	// Set by Open.
	DB       Database
	Notices  []engine.Notice // what of the state could not be used
	restored *state.Restored
}

// Open opens the database and restores the state into it. The error is an
// InputError where the user has to act.
func (s *StateSession) Open(ctx context.Context) error {
	s.restored = &state.Restored{}
	db, err := s.open(ctx)
	if err != nil {
		return openFault(s.Config.DB, err)
	}
	s.DB, s.Notices = db, s.restored.Notices
	if n := s.restored.Left; n > 0 {
		s.Notices = append(s.Notices, warning(fmt.Sprintf("%s of the history not read yet; a later run on the default branch takes them in", text.Count(n, "delta", "deltas"))))
	}
	return nil
}

func (s *StateSession) open(ctx context.Context) (Database, error) {
	name := s.Config.DB
	if postgres.IsURL(name) {
		return postgres.Open(ctx, name, s.Config.Info.RepositoryID)
	}
	if _, err := os.Stat(filepath.Dir(name)); err != nil {
		return nil, InputError{fmt.Errorf("folder of the database %s: %w", name, err)}
	}
	return sqlite.Open(ctx, name, s.options())
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

// options returns how the database file is opened. In a run that is not trusted
// the tests themselves could have written the file, so only what tests are meant
// to write is taken from it.
func (s *StateSession) options() sqlite.Options {
	o := sqlite.Options{Now: s.Now, DryRun: s.Config.DryRun}
	if s.Backend == nil {
		return o
	}
	o.Begin = s.restore
	if !s.Self.Info.Trusted() {
		i := s.Config.Info
		o.Local = store.Trust{RepositoryID: i.RepositoryID, Learned: true, Only: &store.OnlyRun{RunID: i.RunID, RunAttempt: i.RunAttempt, Branch: i.Branch}}
	}
	return o
}

// Whole reports whether Open read all of the history that there is.
func (s *StateSession) Whole() bool { return s.Backend == nil || s.restored.Whole() }

// restore fills a fresh database. A run that is told to end meanwhile goes on
// without the state, because it still has to write down what it recorded.
func (s *StateSession) restore(_ context.Context, db *sqlite.DB) error {
	restored, err := state.Restore(s.Ending, s.Backend, s.Self, db)
	if restored != nil {
		s.restored = restored
	}
	if errors.Is(err, context.Canceled) && s.Ending.Err() != nil {
		return db.Restart(context.WithoutCancel(s.Ending))
	}
	return err
}

// Save writes what the run recorded, the run's delta first and then the
// database. err is about the database; notKept says why the delta could not be
// saved where later runs look for it.
func (s *StateSession) Save(ctx context.Context) (notKept, err error) {
	db, ok := s.DB.(*sqlite.DB)
	if !ok { // a server: all runs write to the same database
		return nil, s.DB.Save(ctx)
	}
	if err := s.dropOldRuns(ctx, db); err != nil {
		return nil, err
	}
	d, err := db.Delta(ctx, s.Config.Info, s.Self.ReportDigest)
	if err != nil {
		return nil, fmt.Errorf("make delta: %w", err)
	}
	file := s.Config.DB + ".delta"
	if err := state.WriteDelta(d, file); errors.Is(err, store.ErrLeftOut) {
		notKept = fmt.Errorf("%w; they are in %s and in the snapshot of a run on the default branch alone", err, s.Config.DB)
	} else if err != nil {
		return nil, err
	}
	if err := db.Save(ctx); err != nil {
		return nil, fmt.Errorf("save database: %w", err)
	}
	if s.Backend == nil || s.Config.Info.Relayed { // nobody reads what a relayed run saved
		return nil, nil
	}
	if err := state.SaveDelta(ctx, s.Backend, s.Self, file); err != nil {
		return fmt.Errorf("%w; it is kept in %s", err, file), nil
	}
	return notKept, nil
}

// dropOldRuns deletes runs that are older than the settings keep. Only a trusted
// run does, and only where the state is kept elsewhere.
func (s *StateSession) dropOldRuns(ctx context.Context, db *sqlite.DB) error {
	if s.Backend == nil || !s.Self.Info.Trusted() {
		return nil
	}
	keep := store.Retention{Runs: s.Config.KeepRuns, Now: timeOf(s.Self.Info, s.Now)}
	if s.Config.KeepDays > 0 {
		// At midnight, so that what is let go goes once a day and a saved judge stays of use.
		keep.Before = keep.Now.Add(-time.Duration(s.Config.KeepDays) * 24 * time.Hour).Truncate(24 * time.Hour)
	}
	return db.Retain(ctx, keep)
}

// timeOf returns the time of a run: the forge's, or this machine's where there is no
// forge.
func timeOf(info engine.RunInfo, now func() time.Time) time.Time {
	if info.RunID == 0 || info.StartedAt.IsZero() {
		return now()
	}
	return info.StartedAt
}
