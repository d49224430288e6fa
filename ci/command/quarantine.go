package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store/postgres"
)

// useHistory carries out a command about one test: quarantine, release or
// explain. The history is the database file of the job, or what the backend
// keeps; without either nothing can be said.
func (r *commandRun) useHistory(ctx context.Context, c comment.Command) error {
	test := c.Test()
	if test == "" {
		r.reply.NeedsTest(c.Verb)
		return nil
	}
	if !r.hasHistory() {
		r.reply.Failed(c.Verb+" a test", noHistory)
		return nil
	}
	session := r.newSession(ctx)
	if err := session.Open(ctx); err != nil {
		return err
	}
	defer session.DB.Close()
	if c.Verb == "explain" {
		return r.explain(ctx, session.DB, test)
	}
	change := r.quarantine
	if c.Verb == "release" {
		change = r.release
	}
	writeReply, err := change(ctx, session.DB, test)
	if err != nil {
		return err
	}
	notKept, err := session.Save(ctx)
	if err != nil {
		return err
	}
	if notKept != nil {
		r.deps.Log.Error(notKept.Error())
		r.reply.Failed(c.Verb+" a test", explainNotKept(notKept))
		return nil
	}
	writeReply()
	return nil
}

// explainNotKept says why a change of the history could not be saved.
func explainNotKept(err error) string {
	if errors.Is(err, state.ErrReadOnly) {
		return "this run may not write where the history is kept"
	}
	return "it could not be saved; the job's log says why"
}

// noHistory says why a command that needs the history did nothing.
const noHistory = "this job has no history: give it the permission `actions: read`, or restore the database in a step before"

// hasHistory reports whether there is a history to read and to change.
func (r *commandRun) hasHistory() bool {
	return r.deps.Backend != nil || postgres.IsURL(r.cfg.DB) || exists(r.cfg.DB)
}

// newSession is for one change of the history. What a person decided counts
// for everybody, whatever pull request the comment stands on.
func (r *commandRun) newSession(ctx context.Context) *ci.StateSession {
	r.changes++
	info := r.cfg.Info
	info.PullRequest, info.DefaultBranch = 0, true
	return &ci.StateSession{
		Config: r.cfg, Backend: r.deps.Backend, Now: r.deps.Now, Ending: ctx,
		Self: state.Self{Info: info, ReportDigest: fmt.Sprintf("comment %d, change %d", r.event.CommentID, r.changes), DefaultBranch: r.cfg.DefaultBranch},
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// quarantine puts a test into quarantine. writeReply is for when that is saved.
func (r *commandRun) quarantine(ctx context.Context, db ci.Database, test string) (writeReply func(), err error) {
	id := engine.NewTestID(test)
	known, err := db.HasTest(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("look up test: %w", err)
	}
	entry := flaky.Entry{TestID: id, Reason: r.reason(), Since: r.deps.Now()}
	if err := db.QuarantineAdd(ctx, entry, r.event.Sender); err != nil {
		return nil, err
	}
	return func() { r.reply.Quarantined(test, known) }, nil
}

// release takes a test out of quarantine. writeReply is for when that is saved.
func (r *commandRun) release(ctx context.Context, db ci.Database, test string) (writeReply func(), err error) {
	released, err := db.QuarantineRelease(ctx, engine.NewTestID(test), r.event.Sender, r.reason(), r.deps.Now())
	if err != nil {
		return nil, err
	}
	return func() { r.reply.Released(test, released) }, nil
}

// reason is what the quarantine's log says of a change by command.
func (r *commandRun) reason() string {
	return fmt.Sprintf("by %s in a comment on pull request %d", r.event.Sender, r.event.PullRequest)
}

// explain replies with what the database knows of a test.
func (r *commandRun) explain(ctx context.Context, db ci.Database, test string) error {
	id := engine.NewTestID(test)
	e := comment.Explanation{Test: test}
	var err error
	if e.Known, err = db.HasTest(ctx, id); err != nil {
		return fmt.Errorf("look up test: %w", err)
	}
	histories, err := db.HistoriesOf(ctx, []engine.TestID{id}, flaky.HistoryWindow, r.cfg.Info)
	if err != nil {
		return fmt.Errorf("read histories: %w", err)
	}
	for _, health := range flaky.Evaluate(histories, nil, flaky.PolicySeed).TestHealths {
		if health.TestID == id {
			e.Health = health
		}
	}
	entries, err := db.Quarantine(ctx)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.TestID == id {
			e.Quarantine = &entry
		}
	}
	log, err := db.QuarantineLog(ctx)
	if err != nil {
		return err
	}
	for _, l := range log {
		if l.Change.TestID == id {
			e.Who = l.Who
		}
	}
	r.reply.Explain(e)
	return nil
}
