package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/store"
)

// Timeline is DB.Timeline.
func (db *DB) Timeline(ctx context.Context, limit int, since time.Time) (outcome.Timeline, error) {
	w := store.NewTimelineBuilder(limit)
	day, err := db.timelineRuns(ctx, w, since)
	if err != nil {
		return outcome.Timeline{}, fmt.Errorf("read runs: %w", err)
	}
	names, err := db.names(ctx, "breadcrumb_tests")
	if err != nil {
		return outcome.Timeline{}, fmt.Errorf("read tests: %w", err)
	}
	if err := db.timelineResults(ctx, w, day); err != nil {
		return outcome.Timeline{}, fmt.Errorf("read results: %w", err)
	}
	return w.Timeline(names), nil
}

// timelineRuns adds the runs and returns the first day on which any of them
// was recorded.
func (db *DB) timelineRuns(ctx context.Context, w *store.TimelineBuilder, since time.Time) (first time.Time, err error) {
	rows := queryRows(ctx, db.tx, `SELECT id, day, run_id, run_attempt, workflow, started_at, repository, commit_sha, branch
		FROM breadcrumb_runs WHERE repository_id = $1 AND `+counted+` AND started_at >= $4
		ORDER BY started_at DESC, run_id DESC, run_attempt DESC, workflow DESC, job DESC, leg DESC, report_digest DESC,
			ordinal DESC LIMIT $5`, db.repository, int(store.FromPullRequest), 0, store.Unix(since), store.EvidenceRuns)
	first = db.day
	k := store.TimelineKey{Repository: db.repository}
	var id int64
	var day time.Time
	var r outcome.TimelineRun
	var started float64
	_, err = pgx.ForEachRow(rows, []any{&id, &day, &k.Run, &k.Attempt, &k.Workflow, &started, &r.Repository, &r.Commit, &r.Branch}, func() error {
		r.Started = store.FromUnix(started)
		w.AddRun(id, k, r)
		if day.Before(first) {
			first = day
		}
		return nil
	})
	return first, err
}

func (db *DB) timelineResults(ctx context.Context, w *store.TimelineBuilder, since time.Time) error {
	rows := queryRows(ctx, db.tx, `SELECT test, run, status, healed, coalesce(duration_ms, 0) FROM breadcrumb_results
		WHERE repository_id = $1 AND day >= $2 AND run = ANY($3) ORDER BY test, run, attempt`,
		db.repository, since, w.RunIDs())
	var test, run int64
	var status int
	var healed bool
	var ms float64
	_, err := pgx.ForEachRow(rows, []any{&test, &run, &status, &healed, &ms}, func() error {
		w.AddAttempt(test, run, store.Statuses[status], healed, ms)
		return nil
	})
	return err
}
