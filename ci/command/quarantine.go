package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

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
		r.reply.Failed(c.Verb+" a test", r.whyNoHistory())
		return nil
	}
	what := c.Verb + " a test"
	if c.Verb == "explain" {
		r.openHistory(ctx, what, func(session *ci.StateSession) error { return r.explain(ctx, session.DB, test) })
		return nil
	}
	change := r.quarantine
	if c.Verb == "release" {
		change = r.release
	}
	var writeReply func()
	if r.changeHistory(ctx, what, func(session *ci.StateSession) (err error) {
		writeReply, err = change(ctx, session, test)
		return err
	}) {
		writeReply()
	}
	return nil
}

// openHistory opens the history for use and reports whether all went well. What did
// not is answered, and is the fault that the run ends with.
func (r *commandRun) openHistory(ctx context.Context, what string, use func(*ci.StateSession) error) bool {
	session := r.newSession(ctx)
	err := session.Open(ctx)
	if err != nil {
		return r.failHistory(what, "the history could not be opened", err)
	}
	defer session.DB.Close()
	for _, n := range session.Notices {
		r.deps.Log.Warn(n.Reason, "item", n.File)
	}
	if err := use(session); err != nil {
		return r.failHistory(what, "the history could not be used", err)
	}
	return true
}

func (r *commandRun) failHistory(what, why string, err error) bool {
	r.faults = append(r.faults, fmt.Errorf("%s: %w", what, err))
	r.reply.Failed(what, why+"; the job's log says more")
	return false
}

// changeHistory makes one change of the history and reports whether it is kept. Why it
// is not is answered.
func (r *commandRun) changeHistory(ctx context.Context, what string, change func(*ci.StateSession) error) (kept bool) {
	return r.openHistory(ctx, what, func(session *ci.StateSession) error {
		if err := change(session); err != nil {
			return err
		}
		notKept, err := session.Save(ctx)
		if notKept != nil {
			r.deps.Log.Error(notKept.Error())
			r.reply.Failed(what, explainNotKept(notKept))
		}
		kept = err == nil && notKept == nil
		return err
	}) && kept
}

// explainNotKept says why a change of the history could not be saved.
func explainNotKept(err error) string {
	if errors.Is(err, state.ErrReadOnly) {
		return "this run may not write where the history is kept"
	}
	return "it could not be saved; the job's log says why"
}

// whyNoHistory says why a command that needs the history did nothing.
func (r *commandRun) whyNoHistory() string {
	if r.deps.NoHistory != nil {
		return r.deps.NoHistory.Error()
	}
	return "this job has no history: give it the permission `actions: read`, or restore the database in a step before"
}

// hasHistory reports whether there is a history to read and to change.
func (r *commandRun) hasHistory() bool {
	return r.deps.NoHistory == nil && (r.deps.Backend != nil || postgres.IsURL(r.cfg.DB) || exists(r.cfg.DB))
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
func (r *commandRun) quarantine(ctx context.Context, session *ci.StateSession, test string) (writeReply func(), err error) {
	id := engine.NewTestID(test)
	known, err := session.DB.HasTest(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("look up test: %w", err)
	}
	entry := flaky.Entry{TestID: id, Reason: r.reason(), Since: r.decidedAt()}
	if err := session.DB.QuarantineAdd(ctx, entry, r.event.Sender); err != nil {
		return nil, err
	}
	return func() {
		r.decided = true
		r.reply.Quarantined(test, known)
	}, nil
}

// release takes a test out of quarantine. writeReply is for when that is saved. Of a
// history that could not be read whole nobody knows whether the test is there.
func (r *commandRun) release(ctx context.Context, session *ci.StateSession, test string) (writeReply func(), err error) {
	released, err := session.DB.QuarantineRelease(ctx, engine.NewTestID(test), r.event.Sender, r.reason(), r.decidedAt())
	if err != nil {
		return nil, err
	}
	if !released && !session.Whole() {
		return func() {
			r.reply.Failed("release a test", "the history could not be read whole, so whether it is in quarantine is not known; the job's log says more")
		}, nil
	}
	return func() {
		r.decided = r.decided || released
		r.reply.Released(test, released)
	}, nil
}

// decidedAt is when a person decided: the forge's time of the run, and this machine's
// where the forge names none.
func (r *commandRun) decidedAt() time.Time {
	if at := r.cfg.Info.StartedAt; !at.IsZero() {
		return at
	}
	return r.deps.Now()
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
