package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Heals is DB.Heals. No seed tool writes here, so nothing is ever unclaimed.
func (db *DB) Heals(ctx context.Context, q store.HealQuery) ([]engine.HealEvent, []engine.Notice, error) {
	rows, err := db.tx.Query(ctx, `SELECT id, event_json FROM (SELECT id, event_json, timestamp`+healsFrom+`
		ORDER BY timestamp DESC, id DESC LIMIT NULLIF($7::BIGINT, 0)) AS newest ORDER BY timestamp, id`,
		append(db.healArgs(q), q.Newest)...)
	if err != nil {
		return nil, nil, fmt.Errorf("read heal events: %w", err)
	}
	var events []engine.HealEvent
	var notices []engine.Notice
	var id int64
	var r record.HealRow
	_, err = pgx.ForEachRow(rows, []any{&id, &r.Event}, func() error {
		e, err := r.HealEvent(db.name)
		if err != nil {
			notices = append(notices, record.BadHeal(db.name, id, err))
			return nil
		}
		events = append(events, e)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read heal events: %w", err)
	}
	return events, notices, nil
}

// CountHeals is DB.CountHeals.
func (db *DB) CountHeals(ctx context.Context, q store.HealQuery) (n int, err error) {
	if err := db.tx.QueryRow(ctx, `SELECT count(*)`+healsFrom, db.healArgs(q)...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count heal events: %w", err)
	}
	return n, nil
}

// healsFrom takes the arguments of healArgs.
const healsFrom = ` FROM breadcrumb_heals WHERE repository_id = $1 AND refused = $2 AND ($3 = 0 OR run = $3) AND NOT $4
	AND ($5 = '' OR test_id = $5) AND timestamp >= $6`

func (db *DB) healArgs(q store.HealQuery) []any {
	return []any{db.repository, q.Refused, q.Run, q.Unclaimed, store.CleanID(q.Test), q.SinceUnix()}
}

// LastRun is DB.LastRun.
func (db *DB) LastRun(ctx context.Context) (store.RunFacts, bool, error) {
	var f store.RunFacts
	var started, recorded float64
	var from int
	err := db.tx.QueryRow(ctx, `SELECT id, repository_id, repository, run_id, run_attempt, workflow, job, leg,
		report_digest, ordinal, commit_sha, head_sha, branch, pull_request, fork, origin, incomplete, started_at,
		recorded_at, result_count FROM breadcrumb_runs WHERE repository_id = $1 ORDER BY recorded_at DESC, id DESC LIMIT 1`,
		db.repository).Scan(&f.ID, &f.Info.RepositoryID, &f.Info.Repository, &f.Info.RunID, &f.Info.RunAttempt, &f.Info.Workflow,
		&f.Info.Job, &f.Info.Leg, &f.ReportDigest, &f.Ordinal, &f.Info.Commit, &f.Info.HeadSHA, &f.Info.Branch,
		&f.Info.PullRequest, &f.Info.Fork, &from, &f.Incomplete, &started, &recorded, &f.Results)
	if errors.Is(err, pgx.ErrNoRows) {
		return store.RunFacts{}, false, nil
	}
	if err != nil {
		return store.RunFacts{}, false, fmt.Errorf("read last run: %w", err)
	}
	f.Info.StartedAt, f.RecordedAt, f.Info.DefaultBranch = store.FromUnix(started), store.FromUnix(recorded), store.Origin(from) == store.FromDefault
	return f, true, nil
}

// Stats counts the rows of the repository.
func (db *DB) Stats(ctx context.Context) (store.Stats, error) {
	var s store.Stats
	err := db.tx.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM breadcrumb_fingerprints WHERE repository_id = $1),
		(SELECT count(*) FROM breadcrumb_page_states WHERE repository_id = $1),
		(SELECT count(*) FROM breadcrumb_heals WHERE repository_id = $1 AND NOT refused),
		(SELECT count(*) FROM breadcrumb_heals WHERE repository_id = $1 AND refused),
		(SELECT count(*) FROM breadcrumb_tests WHERE repository_id = $1),
		(SELECT count(*) FROM breadcrumb_runs WHERE repository_id = $1),
		(SELECT count(*) FROM breadcrumb_results WHERE repository_id = $1),
		(SELECT count(*) FROM breadcrumb_quarantine WHERE repository_id = $1),
		(SELECT count(*) FROM breadcrumb_quarantine_log WHERE repository_id = $1)`, db.repository).Scan(
		&s.Fingerprints, &s.PageStates, &s.Heals, &s.Refusals, &s.Tests, &s.Runs, &s.Results, &s.Quarantined, &s.QuarantineLog)
	if err != nil {
		return store.Stats{}, fmt.Errorf("count rows: %w", err)
	}
	return s, nil
}
