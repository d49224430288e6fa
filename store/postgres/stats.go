package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/store"
)

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

// FileSchema is the version of the schema: always that of this package.
func (db *DB) FileSchema() int { return schemaVersion }

// Facts is DB.Facts. A server has no watermark of its own.
func (db *DB) Facts(ctx context.Context) (store.Facts, error) {
	rows, err := db.Stats(ctx)
	return store.Facts{Schema: schemaVersion, Rows: rows}, err
}

// Stale is DB.Stale.
func (db *DB) Stale(ctx context.Context, since time.Time) (n int, err error) {
	err = db.tx.QueryRow(ctx, `SELECT count(*) FROM breadcrumb_fingerprints WHERE repository_id = $1 AND updated_at < $2`,
		db.repository, store.Unix(since)).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count stale fingerprints: %w", err)
	}
	return n, nil
}
