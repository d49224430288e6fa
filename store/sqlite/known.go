package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// KnownTests returns the ids, sorted, of the tests in the last run of info's
// workflow, job and leg, to find tests that are missing now. A workflow is its
// file, on whatever branch. The last run is of info's own pull request or
// branch or, when there is none, a trusted one. This very run (same run id and
// attempt, or locally the same reportDigest), incomplete runs, runs without
// results and rows of seed tools do not count.
func (db *DB) KnownTests(ctx context.Context, info engine.RunInfo, reportDigest string) ([]string, error) {
	run, err := db.reference(ctx, info, reportDigest)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find last run: %w", err)
	}
	ids, err := column[string](ctx, db.sql, `SELECT name FROM tests WHERE EXISTS
		(SELECT 1 FROM results WHERE test = tests.id AND run = ?) ORDER BY name`, run)
	if err != nil {
		return nil, fmt.Errorf("read tests of the last run: %w", err)
	}
	return ids, nil
}

// reference finds the run that KnownTests answers from.
func (db *DB) reference(ctx context.Context, info engine.RunInfo, reportDigest string) (id int64, err error) {
	key := record.KeyOf(info, reportDigest)
	file := key.WorkflowFile()
	own := store.OriginOf(info)
	err = db.sql.QueryRowContext(ctx, `SELECT id FROM runs
		WHERE substr(workflow || '@', 1, length(?)) = ? AND job = ? AND leg = ? AND result_count > 0 AND NOT incomplete AND origin <> ?
		AND (? = 0 OR repository_id IN (0, ?))
		AND NOT (run_id = ? AND run_attempt = ? AND (run_id <> 0 OR report_digest = ?))
		AND (origin IN `+store.TrustedOrigins+` OR (origin = ? AND pull_request = ? AND (pull_request <> 0 OR branch = ?)))
		ORDER BY origin IN `+store.TrustedOrigins+`, started_at DESC, run_id DESC, run_attempt DESC, id DESC LIMIT 1`,
		file, file, key.Job, key.Leg, int(store.FromSeed), key.Repository, key.Repository,
		key.Run, key.Attempt, key.ReportDigest, int(own), info.PullRequest, store.CleanID(info.Branch)).Scan(&id)
	return id, err
}

// SameReports returns the run id of the newest other run of the same workflow,
// job and leg whose reports have this digest; 0 when there is none or info has
// no run id.
func (db *DB) SameReports(ctx context.Context, info engine.RunInfo, reportDigest string) (run int64, err error) {
	key := record.KeyOf(info, reportDigest)
	file := key.WorkflowFile()
	err = db.sql.QueryRowContext(ctx, `SELECT run_id FROM runs
		WHERE substr(workflow || '@', 1, length(?)) = ? AND job = ? AND leg = ? AND report_digest = ? AND run_id NOT IN (0, ?) AND ? <> 0
		AND (? = 0 OR repository_id = ?) ORDER BY started_at DESC, run_id DESC LIMIT 1`,
		file, file, key.Job, key.Leg, key.ReportDigest, key.Run, key.Run, key.Repository, key.Repository).Scan(&run)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("look for the reports in earlier runs: %w", err)
	}
	return run, nil
}

// HasTest reports whether the test ever ran.
func (db *DB) HasTest(ctx context.Context, id string) (bool, error) {
	var have bool
	err := db.sql.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM tests JOIN results ON test = tests.id WHERE name = ?)`, store.CleanID(id)).Scan(&have)
	if err != nil {
		return false, fmt.Errorf("look up test: %w", err)
	}
	return have, nil
}

// LastRun returns the run that was recorded last, and false when there is
// none.
func (db *DB) LastRun(ctx context.Context) (store.RunFacts, bool, error) {
	var f store.RunFacts
	var started, recorded float64
	var from store.Origin
	err := db.sql.QueryRowContext(ctx, `SELECT id, repository_id, repository, run_id, run_attempt, workflow, job, leg,
		report_digest, ordinal, commit_sha, head_sha, branch, pull_request, fork, origin, incomplete, started_at,
		recorded_at, result_count FROM runs ORDER BY recorded_at DESC, id DESC LIMIT 1`).Scan(
		&f.ID, &f.Info.RepositoryID, &f.Info.Repository, &f.Info.RunID, &f.Info.RunAttempt, &f.Info.Workflow, &f.Info.Job,
		&f.Info.Leg, &f.ReportDigest, &f.Ordinal, &f.Info.Commit, &f.Info.HeadSHA, &f.Info.Branch, &f.Info.PullRequest,
		&f.Info.Fork, &from, &f.Incomplete, &started, &recorded, &f.Results)
	if errors.Is(err, sql.ErrNoRows) {
		return store.RunFacts{}, false, nil
	}
	if err != nil {
		return store.RunFacts{}, false, fmt.Errorf("read last run: %w", err)
	}
	f.Info.StartedAt, f.RecordedAt, f.Info.DefaultBranch = store.FromUnix(started), store.FromUnix(recorded), from == store.FromDefault
	return f, true, nil
}

// KeepOrder saves in which order the tests of a run stand in their sources,
// for the next KnownOrder of its workflow, job and leg.
func (db *DB) KeepOrder(ctx context.Context, info engine.RunInfo, ids []string) error {
	order := record.PackOrder(ids)
	if len(order) > store.MaxDerived {
		return nil
	}
	if _, err := db.sql.ExecContext(ctx, `INSERT OR REPLACE INTO derived (name, value) VALUES (?, ?)`, record.OrderName(info), order); err != nil {
		return fmt.Errorf("keep order of tests: %w", err)
	}
	return nil
}

// KnownOrder is KnownTests in the order that was saved last; tests without a
// place in it come last.
func (db *DB) KnownOrder(ctx context.Context, info engine.RunInfo, reportDigest string) ([]string, error) {
	ids, err := db.KnownTests(ctx, info, reportDigest)
	if err != nil {
		return nil, err
	}
	order, err := evidenceSource{db}.Derived(ctx, record.OrderName(info))
	if err != nil {
		return nil, fmt.Errorf("read order of tests: %w", err)
	}
	record.InOrder(ids, order)
	return ids, nil
}
