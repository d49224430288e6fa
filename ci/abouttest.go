package ci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store"
)

// aboutTest carries out a command on a test's quarantine. The database is the
// file that the job has, or what the backend keeps; without either nothing can be
// said.
func (o *order) aboutTest(ctx context.Context, c comment.Command) error {
	test := c.Test()
	if test == "" {
		o.reply.NeedsTest(c.Verb)
		return nil
	}
	if o.deps.Backend == nil && !store.IsPostgres(o.cfg.DB) && !exists(o.cfg.DB) {
		o.reply.Failed(c.Verb+" a test", "this job has no history: give it the permission `actions: read`, or restore the database in a step before")
		return nil
	}
	v := o.vault(ctx)
	db, err := openDB(ctx, o.cfg, v.options())
	if err != nil {
		return err
	}
	defer db.Close()
	if c.Verb == "explain" {
		return o.explain(ctx, db, test)
	}
	change := o.quarantine
	if c.Verb == "release" {
		change = o.release
	}
	tell, err := change(ctx, db, test)
	if err != nil {
		return err
	}
	lost, err := v.save(ctx, db)
	if err != nil {
		return err
	}
	if lost != nil {
		o.deps.Log.Error(lost.Error())
		o.reply.Failed(c.Verb+" a test", "it could not be saved; the job's log says why")
		return nil
	}
	tell()
	return nil
}

// vault keeps one change of the quarantine. What a person decided counts for
// everybody, whatever pull request the comment stands on.
func (o *order) vault(ctx context.Context) *vault {
	o.changes++
	info := o.cfg.Info
	info.PullRequest, info.DefaultBranch = 0, true
	return &vault{
		cfg: o.cfg, backend: o.deps.Backend, now: o.deps.Now, ending: ctx, restored: &state.Restored{},
		self: state.Self{Info: info, ReportDigest: fmt.Sprintf("comment %d, change %d", o.said.CommentID, o.changes), DefaultBranch: o.cfg.DefaultBranch},
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// reason is what the log says of a change by command.
func (o *order) reason() string {
	return fmt.Sprintf("by %s in a comment on pull request %d", o.said.Sender, o.said.PullRequest)
}

// quarantine puts a test into quarantine and returns what tells of it.
func (o *order) quarantine(ctx context.Context, db Database, test string) (tell func(), err error) {
	known, err := db.HasTest(ctx, test)
	if err != nil {
		return nil, fmt.Errorf("look up test: %w", err)
	}
	entry := flaky.Entry{TestID: test, Reason: o.reason(), Since: o.deps.Now()}
	if err := db.QuarantineAdd(ctx, entry, o.said.Sender); err != nil {
		return nil, err
	}
	return func() { o.reply.Quarantined(test, known) }, nil
}

// release takes a test out of quarantine and returns what tells of it.
func (o *order) release(ctx context.Context, db Database, test string) (tell func(), err error) {
	was, err := db.QuarantineRelease(ctx, test, o.said.Sender, o.reason(), o.deps.Now())
	if err != nil {
		return nil, err
	}
	return func() { o.reply.Released(test, was) }, nil
}

// explain says what the database knows of a test.
func (o *order) explain(ctx context.Context, db Database, test string) error {
	e := comment.Explanation{Test: test}
	var err error
	if e.Known, err = db.HasTest(ctx, test); err != nil {
		return fmt.Errorf("look up test: %w", err)
	}
	id := store.CleanID(test)
	histories, err := db.HistoriesOf(ctx, []string{id}, historyWindow, o.cfg.Info)
	if err != nil {
		return fmt.Errorf("read histories: %w", err)
	}
	for _, s := range flaky.Evaluate(histories, nil, flaky.PolicySeed).TestHealths {
		if s.TestID == id {
			e.Standing = s
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
	o.reply.Explain(e)
	return nil
}
