package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine/outcome"
)

// Timeline is DB.Timeline.
func (db *Postgres) Timeline(ctx context.Context, limit int, since time.Time) (outcome.Timeline, error) {
	w := newWeaving(limit)
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
	return w.timeline(names), nil
}

// timelineRuns adds the runs and returns the first day that any of them was
// recorded on.
func (db *Postgres) timelineRuns(ctx context.Context, w *weaving, since time.Time) (first time.Time, err error) {
	rows, err := db.tx.Query(ctx, `SELECT id, day, run_id, run_attempt, workflow, started_at, repository, commit_sha, branch
		FROM breadcrumb_runs WHERE repository_id = $1 AND `+postgresScope+` AND started_at >= $4
		ORDER BY started_at DESC, run_id DESC, run_attempt DESC, workflow DESC, job DESC, leg DESC, report_digest DESC,
			ordinal DESC LIMIT $5`, db.repository, int(fromPullRequest), 0, unix(bounded(since)), evidenceRuns)
	if err != nil {
		return first, err
	}
	first = db.day
	k := columnKey{repository: db.repository}
	var id int64
	var day time.Time
	var r outcome.TimelineRun
	var started float64
	_, err = pgx.ForEachRow(rows, []any{&id, &day, &k.run, &k.attempt, &k.workflow, &started, &r.Repository, &r.Commit, &r.Branch}, func() error {
		r.Started = fromUnix(started)
		w.addRun(id, k, r)
		if day.Before(first) {
			first = day
		}
		return nil
	})
	return first, err
}

func (db *Postgres) timelineResults(ctx context.Context, w *weaving, since time.Time) error {
	rows, err := db.tx.Query(ctx, `SELECT test, run, status, healed, coalesce(duration_ms, 0) FROM breadcrumb_results
		WHERE repository_id = $1 AND day >= $2 AND run = ANY($3) ORDER BY test, run, attempt`,
		db.repository, since, slices.Collect(maps.Keys(w.columns)))
	if err != nil {
		return err
	}
	var test, run int64
	var status int
	var healed bool
	var ms float64
	_, err = pgx.ForEachRow(rows, []any{&test, &run, &status, &healed, &ms}, func() error {
		w.addAttempt(test, run, statuses[status], healed, ms)
		return nil
	})
	return err
}
