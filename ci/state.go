package ci

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
)

// grace is how long a run that is told to end still has to write down what it
// recorded: a cancelled job is killed 7.5 s after the first signal.
const grace = 2500 * time.Millisecond

// vault restores the state a run begins with and persists what it adds.
type vault struct {
	cfg      Config
	backend  state.Backend // nil: the database file alone is the state
	self     state.Self
	now      func() time.Time
	restored *state.Restored
	ending   context.Context // done when the run is told to end
}

func newVault(ctx context.Context, cfg Config, d Deps, got collected) *vault {
	return &vault{cfg: cfg, backend: d.Backend, now: d.Now, ending: ctx, restored: &state.Restored{},
		self: state.Self{Info: cfg.Info, ReportDigest: reportDigest(got.files), DefaultBranch: cfg.DefaultBranch}}
}

// options returns how the database is opened. On a run that is not trusted the
// file was in the hands of the very tests that are judged, so only what tests
// are meant to write is taken of it.
func (v *vault) options() store.Options {
	o := store.Options{Now: v.now}
	if v.backend == nil {
		return o
	}
	o.Begin = v.restore
	if !v.self.Info.Trusted() {
		i := v.cfg.Info
		o.Local = store.Trust{RepositoryID: i.RepositoryID, Learned: true, Only: &store.OnlyRun{RunID: i.RunID, RunAttempt: i.RunAttempt, Branch: i.Branch}}
	}
	return o
}

// restore fills a fresh database. A run that is told to end meanwhile goes on
// without: what it recorded is still to be written down.
func (v *vault) restore(_ context.Context, db *store.DB) error {
	restored, err := state.Restore(v.ending, v.backend, v.self, db)
	if restored != nil {
		v.restored = restored
	}
	if errors.Is(err, context.Canceled) && v.ending.Err() != nil {
		return db.Restart(context.WithoutCancel(v.ending))
	}
	return err
}

// notices tells what of the state could not be used.
func (v *vault) notices() []engine.Notice {
	notices := v.restored.Notices
	if n := v.restored.Left; n > 0 {
		notices = append(notices, warning(fmt.Sprintf("%s of the history not read yet; a later run on the default branch takes them in", plural(n, "delta", "deltas"))))
	}
	return notices
}

// deltaFile is where the run's delta is written: beside the database.
func (v *vault) deltaFile() string { return v.cfg.DB + ".delta" }

// save writes down what the run recorded, before anybody is told: the delta,
// then the database. The error is of the database; that the delta could not be
// saved elsewhere is told by lost.
func (v *vault) save(ctx context.Context, db Database) (lost, err error) {
	file, ok := db.(*store.DB)
	if !ok { // the server is where all runs meet
		return nil, db.Save(ctx)
	}
	return v.saveFile(ctx, file)
}

// saveFile is save for a database file.
func (v *vault) saveFile(ctx context.Context, db *store.DB) (lost, err error) {
	if err := v.retain(ctx, db); err != nil {
		return nil, err
	}
	d, err := db.Delta(ctx, v.cfg.Info, v.self.ReportDigest)
	if err != nil {
		return nil, fmt.Errorf("make delta: %w", err)
	}
	if err := state.WriteDelta(d, v.deltaFile()); err != nil {
		return nil, err
	}
	if err := db.Save(ctx); err != nil {
		return nil, fmt.Errorf("save database: %w", err)
	}
	if v.backend == nil || v.cfg.Info.Relayed { // nobody reads what such a run saved
		return nil, nil
	}
	if err := state.SaveDelta(ctx, v.backend, v.self, v.deltaFile()); err != nil {
		return fmt.Errorf("%w; it is kept in %s", err, v.deltaFile()), nil
	}
	return nil, nil
}

// retain lets go of old runs where state is folded: a pull request's run sees
// what there is.
func (v *vault) retain(ctx context.Context, db *store.DB) error {
	if v.backend == nil || !v.self.Info.Trusted() {
		return nil
	}
	keep := store.Keep{Runs: v.cfg.KeepRuns}
	if v.cfg.KeepDays > 0 {
		keep.Before = v.now().Add(-time.Duration(v.cfg.KeepDays) * 24 * time.Hour)
	}
	return db.Retain(ctx, keep)
}

// fold saves a new snapshot on the default branch.
func (v *vault) fold(ctx context.Context, facts store.Facts) error {
	if v.backend == nil {
		return nil
	}
	_, err := state.Fold(ctx, v.backend, v.self, v.restored, v.cfg.DB, facts, v.now())
	return err
}

// lasting is a context that ends some time after the one it comes of.
func lasting(ctx context.Context, after time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(after, cancel) })
	return longer, func() { stop(); cancel() }
}
