package ci

import (
	"context"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store/postgres"
	"github.com/breadcrumb/action/store/sqlite"
)

// save writes down what the run recorded, before anybody is told of it, and
// closes the database. stopped is the error that ended the steps before; a run
// that was told to end is saved all the same. The error is stopped or that of
// saving; with an outcome, the verdict stands nevertheless.
func (r *run) save(ctx context.Context, stopped error) error {
	if r.session == nil {
		return stopped
	}
	defer r.session.DB.Close()
	switch {
	case errors.Is(stopped, errEnded) && !r.cfg.DryRun:
		_, err := r.session.Save(ctx)
		return errors.Join(stopped, err)
	case stopped != nil:
		return stopped
	case !r.cfg.DryRun:
		if err := r.saveHistory(ctx); err != nil {
			return err
		}
	}
	if err := r.ending.Err(); err != nil {
		return fmt.Errorf("ended before the run was told: %w; it is recorded", err)
	}
	return nil
}

func (r *run) saveHistory(ctx context.Context) (err error) {
	r.progress("saving the history")
	if r.notKept, err = r.session.Save(ctx); err != nil {
		return err
	}
	r.outcome.Database = r.cfg.DB
	if postgres.IsURL(r.cfg.DB) {
		r.outcome.Database = r.session.DB.Path() // without the password
	}
	if db, ok := r.session.DB.(*sqlite.DB); ok {
		r.facts, err = db.Facts(ctx)
	}
	return err
}

// persist saves a new snapshot of the state for later runs, where all went well
// and this run is one of the default branch. What keeps it from being saved is told with
// the outcome. stopped is the error that ended the steps before.
func (r *run) persist(ctx context.Context, stopped error) {
	s := r.session
	if stopped != nil || r.cfg.DryRun || s.Backend == nil {
		return
	}
	_, r.notFolded = state.Fold(ctx, s.Backend, s.Self, s.restored, state.NewSnapshot{Database: r.cfg.DB, Facts: r.facts, Now: timeOf(r.cfg.Info, r.deps.Now)})
}
