package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/store"
)

// Timeline returns what every test did in the last runs that everybody may
// trust and that began at since or later, at most limit of them. The jobs and
// legs of one attempt of a workflow run are one run.
func (db *DB) Timeline(ctx context.Context, limit int, since time.Time) (outcome.Timeline, error) {
	w := store.NewTimelineBuilder(limit)
	if err := db.timelineRuns(ctx, w, since); err != nil {
		return outcome.Timeline{}, fmt.Errorf("read runs: %w", err)
	}
	names, err := db.names(ctx, `SELECT id, name FROM tests`)
	if err != nil {
		return outcome.Timeline{}, fmt.Errorf("read tests: %w", err)
	}
	if err := db.timelineResults(ctx, w); err != nil {
		return outcome.Timeline{}, fmt.Errorf("read results: %w", err)
	}
	return w.Timeline(names), nil
}

func (db *DB) timelineRuns(ctx context.Context, w *store.TimelineBuilder, since time.Time) error {
	counted := scope(engine.RunInfo{}).and(`started_at >= ?`, store.Unix(since))
	return forEachRow(ctx, db.sql, func(rows *sql.Rows) error {
		var id int64
		var k store.TimelineKey
		var r outcome.TimelineRun
		var started float64
		if err := rows.Scan(&id, &k.Repository, &k.Run, &k.Attempt, &k.Workflow, &started, &r.Repository, &r.Commit, &r.Branch); err != nil {
			return err
		}
		r.Started = store.FromUnix(started)
		w.AddRun(id, k, r)
		return nil
	}, `SELECT id, repository_id, run_id, run_attempt, workflow, started_at, repository, commit_sha, branch
		FROM runs`+counted.where()+` ORDER BY `+runOrder("DESC"), counted.args...)
}

func (db *DB) timelineResults(ctx context.Context, w *store.TimelineBuilder) error {
	list, err := json.Marshal(w.RunIDs())
	if err != nil {
		return err
	}
	return forEachRow(ctx, db.sql, func(rows *sql.Rows) error {
		var test, run, packed int64
		var ms float64
		if err := rows.Scan(&test, &run, &packed, &ms); err != nil {
			return err
		}
		w.AddAttempt(test, run, store.Statuses[packed/2%4], packed%2 == 1, ms)
		return nil
	}, `SELECT test, run, (attempt * 4 + status) * 2 + (healed <> 0), coalesce(duration_ms, 0) FROM results
		WHERE run IN (SELECT value FROM json_each(?)) ORDER BY test, run, attempt`, string(list))
}
