package postgres

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// Histories is DB.Histories.
func (db *DB) Histories(ctx context.Context, window int, info engine.RunInfo) ([]flaky.History, error) {
	return db.histories(ctx, window, info, nil)
}

// HistoriesSince is DB.HistoriesSince.
func (db *DB) HistoriesSince(ctx context.Context, window int, since time.Time) (histories []flaky.History, runs int, err error) {
	ranks, first, err := db.runRanks(ctx, engine.RunInfo{}, store.Unix(since))
	if err != nil {
		return nil, 0, fmt.Errorf("read runs: %w", err)
	}
	histories, err = db.historiesOver(ctx, window, ranks, first, nil)
	return histories, len(ranks), err
}

// HistoriesOf is DB.HistoriesOf.
func (db *DB) HistoriesOf(ctx context.Context, tests []string, window int, info engine.RunInfo) ([]flaky.History, error) {
	return db.histories(ctx, window, info, nameDigests(tests))
}

// histories reads the histories of the tests whose names have these digests;
// nil stands for all tests.
func (db *DB) histories(ctx context.Context, window int, info engine.RunInfo, digests [][]byte) ([]flaky.History, error) {
	ranks, since, err := db.runRanks(ctx, info, math.Inf(-1))
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	return db.historiesOver(ctx, window, ranks, since, digests)
}

// historiesOver reads the histories over the runs in ranks. None of those was
// recorded before the day since.
func (db *DB) historiesOver(ctx context.Context, window int, ranks map[int64]int, since time.Time, digests [][]byte) ([]flaky.History, error) {
	names, err := db.names(ctx, "breadcrumb_tests")
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	rows := queryRows(ctx, db.tx, `SELECT test, run, attempt, status FROM breadcrumb_results
		WHERE repository_id = $1 AND day >= $2 AND ($3::bytea[] IS NULL OR test IN
			(SELECT id FROM breadcrumb_tests WHERE repository_id = $1 AND name_digest = ANY($3)))
		ORDER BY test, run, attempt`, db.repository, since, digests)
	s := store.NewHistoryBuilder(names, ranks, window)
	var test, run int64
	var attempt, status int
	if _, err = pgx.ForEachRow(rows, []any{&test, &run, &attempt, &status}, func() error {
		s.Add(test, run, attempt, status)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	return s.Histories(), nil
}

// FailedLately is DB.FailedLately.
func (db *DB) FailedLately(ctx context.Context, runs, limit int, info engine.RunInfo) ([]string, error) {
	rows := queryRows(ctx, db.tx, `SELECT name FROM (
			SELECT test, count(*) AS often FROM breadcrumb_results
			WHERE repository_id = $1 AND (status >= 2 OR healed) AND run IN (SELECT id FROM breadcrumb_runs WHERE repository_id = $1
				AND `+counted+` ORDER BY started_at DESC, id DESC LIMIT $4)
			GROUP BY test) AS failing
		JOIN breadcrumb_tests ON repository_id = $1 AND id = test ORDER BY often DESC, test LIMIT $5`,
		db.repository, int(store.FromPullRequest), info.PullRequest, runs, limit)
	tests, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read tests that failed lately: %w", err)
	}
	return tests, nil
}

// counted is the condition for runs that count; $2 is store.FromPullRequest
// and $3 the pull request.
const counted = `(origin IN ` + store.TrustedOrigins + ` OR (origin = $2 AND $3 <> 0 AND pull_request = $3))`

// runRanks numbers, in the order of time, the newest runs that count and began
// at from or later, in Unix seconds. It also returns the first day on which
// any of them was recorded.
func (db *DB) runRanks(ctx context.Context, info engine.RunInfo, from float64) (ranks map[int64]int, since time.Time, err error) {
	rows := queryRows(ctx, db.tx, `SELECT id, day FROM breadcrumb_runs
		WHERE repository_id = $1 AND `+counted+` AND started_at >= $5
		ORDER BY started_at DESC, run_id DESC, run_attempt DESC, workflow DESC, job DESC, leg DESC, report_digest DESC,
			ordinal DESC LIMIT $4`, db.repository, int(store.FromPullRequest), info.PullRequest, store.EvidenceRuns, from)
	var newestFirst []int64
	var id int64
	var day time.Time
	since = db.day
	_, err = pgx.ForEachRow(rows, []any{&id, &day}, func() error {
		newestFirst = append(newestFirst, id)
		if day.Before(since) {
			since = day
		}
		return nil
	})
	ranks = make(map[int64]int, len(newestFirst))
	for i, id := range newestFirst {
		ranks[id] = len(newestFirst) - 1 - i
	}
	return ranks, since, err
}
