package ci

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// aboutTest carries out a command on a test's quarantine. The database is the
// file that the job has; without one nothing can be said.
func (o *order) aboutTest(ctx context.Context, c comment.Command) error {
	test := c.Test()
	if test == "" {
		o.reply.NeedsTest(c.Verb)
		return nil
	}
	if _, err := os.Stat(o.cfg.DB); !store.IsPostgres(o.cfg.DB) && errors.Is(err, fs.ErrNotExist) {
		o.reply.Failed(c.Verb+" a test", "this job has no database; restore it in a step before")
		return nil
	}
	db, err := openDB(ctx, o.cfg, store.Options{Now: o.deps.Now})
	if err != nil {
		return err
	}
	defer db.Close()
	switch c.Verb {
	case "explain":
		return o.explain(ctx, db, test)
	case "release":
		err = o.release(ctx, db, test)
	default:
		err = o.quarantine(ctx, db, test)
	}
	if err != nil {
		return err
	}
	if err := db.Save(ctx); err != nil {
		return fmt.Errorf("save database: %w", err)
	}
	return nil
}

// reason is what the log says of a change by command.
func (o *order) reason() string {
	return fmt.Sprintf("by %s in a comment on pull request %d", o.said.Sender, o.said.PullRequest)
}

func (o *order) quarantine(ctx context.Context, db Database, test string) error {
	known, err := db.HasTest(ctx, test)
	if err != nil {
		return fmt.Errorf("look up test: %w", err)
	}
	entry := flaky.Entry{TestID: test, Reason: o.reason(), Since: o.deps.Now()}
	if err := db.QuarantineAdd(ctx, entry, o.said.Sender); err != nil {
		return err
	}
	o.reply.Quarantined(test, known)
	return nil
}

func (o *order) release(ctx context.Context, db Database, test string) error {
	was, err := db.QuarantineRelease(ctx, test, o.said.Sender, o.reason(), o.deps.Now())
	if err != nil {
		return err
	}
	o.reply.Released(test, was)
	return nil
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
	for _, s := range flaky.Evaluate(histories, nil, flaky.PolicySeed).Standings {
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
