package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// KnownTests is DB.KnownTests.
func (db *DB) KnownTests(ctx context.Context, info engine.RunInfo, reportDigest string) ([]string, error) {
	run, day, err := db.reference(ctx, info, reportDigest)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find last run: %w", err)
	}
	rows := queryRows(ctx, db.tx, `SELECT name FROM breadcrumb_tests WHERE repository_id = $1 AND id IN
		(SELECT test FROM breadcrumb_results WHERE repository_id = $1 AND run = $2 AND day = $3) ORDER BY name COLLATE "C"`,
		db.repository, run, day)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read tests of the last run: %w", err)
	}
	return ids, nil
}

// reference finds the run that KnownTests answers from.
func (db *DB) reference(ctx context.Context, info engine.RunInfo, reportDigest string) (id int64, day time.Time, err error) {
	key := record.KeyOf(info, reportDigest)
	err = db.tx.QueryRow(ctx, `SELECT id, day FROM breadcrumb_runs
		WHERE repository_id = $1 AND left(workflow || '@', length($2)) = $2 AND job = $3 AND leg = $4 AND result_count > 0 AND NOT incomplete AND origin <> $5
		AND NOT (run_id = $6 AND run_attempt = $7 AND (run_id <> 0 OR report_digest = $8))
		AND (origin IN `+store.TrustedOrigins+` OR (origin = $9 AND pull_request = $10 AND (pull_request <> 0 OR branch = $11)))
		ORDER BY origin IN `+store.TrustedOrigins+`, started_at DESC, run_id DESC, run_attempt DESC, id DESC LIMIT 1`,
		db.repository, key.WorkflowFile(), key.Job, key.Leg, int(store.FromSeed), key.Run, key.Attempt, key.ReportDigest,
		int(store.OriginOf(info)), info.PullRequest, store.CleanID(info.Branch)).Scan(&id, &day)
	return id, day, err
}

// SameReports is DB.SameReports.
func (db *DB) SameReports(ctx context.Context, info engine.RunInfo, reportDigest string) (run int64, err error) {
	key := record.KeyOf(info, reportDigest)
	err = db.tx.QueryRow(ctx, `SELECT run_id FROM breadcrumb_runs
		WHERE repository_id = $1 AND left(workflow || '@', length($2)) = $2 AND job = $3 AND leg = $4 AND report_digest = $5
		AND run_id NOT IN (0, $6) AND $6 <> 0 ORDER BY started_at DESC, run_id DESC LIMIT 1`,
		db.repository, key.WorkflowFile(), key.Job, key.Leg, key.ReportDigest, key.Run).Scan(&run)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("look for the reports in earlier runs: %w", err)
	}
	return run, nil
}

// HasTest is DB.HasTest.
func (db *DB) HasTest(ctx context.Context, id string) (bool, error) {
	_, have, err := db.testNumber(ctx, db.tx, store.CleanID(id))
	if err != nil {
		return false, fmt.Errorf("look up test: %w", err)
	}
	return have, nil
}

// KeepOrder is DB.KeepOrder. Save writes it, as what Keep keeps.
func (db *DB) KeepOrder(_ context.Context, info engine.RunInfo, ids []string) error {
	if order := record.PackOrder(ids); len(order) <= store.MaxDerived {
		db.kept[record.OrderName(info)] = order
	}
	return nil
}

// KnownOrder is DB.KnownOrder.
func (db *DB) KnownOrder(ctx context.Context, info engine.RunInfo, reportDigest string) ([]string, error) {
	ids, err := db.KnownTests(ctx, info, reportDigest)
	if err != nil {
		return nil, err
	}
	order, err := db.source().Derived(ctx, record.OrderName(info))
	if err != nil {
		return nil, fmt.Errorf("read order of tests: %w", err)
	}
	record.InOrder(ids, order)
	return ids, nil
}
