package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// Histories returns the last window executions of every test, newest last,
// sorted by test id. Every attempt is an execution. The rows of runs that
// everybody may trust count (default branch, local, seed) and, when info is a
// run of a pull request, those of that pull request. A window of 0 or less is
// unbounded.
func (db *DB) Histories(ctx context.Context, window int, info engine.RunInfo) ([]flaky.History, error) {
	histories, _, err := db.histories(ctx, window, scope(info), condition{})
	return histories, err
}

// HistoriesSince is Histories over the runs that everybody may trust and that
// began at since or later. It also returns how many runs those are.
func (db *DB) HistoriesSince(ctx context.Context, window int, since time.Time) (histories []flaky.History, runs int, err error) {
	return db.histories(ctx, window, scope(engine.RunInfo{}).and(`started_at >= ?`, store.Unix(since)), condition{})
}

// HistoriesOf is Histories for the named tests alone.
func (db *DB) HistoriesOf(ctx context.Context, tests []string, window int, info engine.RunInfo) ([]flaky.History, error) {
	ids := make([]string, len(tests))
	for i, id := range tests {
		ids[i] = store.CleanID(id)
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, fmt.Errorf("list tests: %w", err)
	}
	named := condition{`test IN (SELECT id FROM tests WHERE name IN (SELECT value FROM json_each(?)))`, []any{string(list)}}
	histories, _, err := db.histories(ctx, window, scope(info), named)
	return histories, err
}

// FailedLately returns the tests with a failing attempt in the last runs that
// count for info, those that failed most often first, at most limit.
func (db *DB) FailedLately(ctx context.Context, runs, limit int, info engine.RunInfo) ([]string, error) {
	counted := scope(info)
	tests, err := column[string](ctx, db.sql, `SELECT (SELECT name FROM tests WHERE id = test) FROM results INDEXED BY results_failing
		WHERE (status >= 2 OR healed <> 0) AND run IN (SELECT id FROM runs`+counted.where()+` ORDER BY started_at DESC, id DESC LIMIT ?)
		GROUP BY test ORDER BY count(*) DESC, test LIMIT ?`, append(counted.args, runs, limit)...)
	if err != nil {
		return nil, fmt.Errorf("read tests that failed lately: %w", err)
	}
	return tests, nil
}

// histories reads the histories of the tests over the runs that count, and
// returns how many runs those are.
func (db *DB) histories(ctx context.Context, window int, counted, tests condition) (histories []flaky.History, runs int, err error) {
	ranks, err := db.runRanks(ctx, counted)
	if err != nil {
		return nil, 0, fmt.Errorf("read runs: %w", err)
	}
	names, err := db.names(ctx, `SELECT id, name FROM tests`)
	if err != nil {
		return nil, 0, fmt.Errorf("read tests: %w", err)
	}
	histories, err = db.scanHistories(ctx, window, ranks, names, tests)
	if err != nil {
		return nil, 0, fmt.Errorf("read results: %w", err)
	}
	return histories, len(ranks), nil
}

// condition is an SQL condition with its arguments; the zero value holds for
// every row.
type condition struct {
	text string
	args []any
}

// where returns the clause of the condition.
func (c condition) where() string {
	if c.text == "" {
		return ""
	}
	return " WHERE " + c.text
}

func (c condition) and(text string, args ...any) condition {
	return condition{c.text + " AND " + text, append(slices.Clip(c.args), args...)}
}

// scope is the condition on runs that count for info.
func scope(info engine.RunInfo) condition {
	return condition{`((origin IN ` + store.TrustedOrigins + ` AND (? = 0 OR repository_id IN (0, ?)))
		OR (origin = ? AND ? <> 0 AND pull_request = ? AND repository_id = ?))`,
		[]any{info.RepositoryID, info.RepositoryID, int(store.FromPullRequest), info.PullRequest, info.PullRequest, info.RepositoryID}}
}

// runRanks numbers the runs that count in the order of time.
func (db *DB) runRanks(ctx context.Context, counted condition) (map[int64]int, error) {
	ids, err := column[int64](ctx, db.sql, `SELECT id FROM runs`+counted.where()+` ORDER BY `+runOrder("ASC"), counted.args...)
	ranks := make(map[int64]int, len(ids))
	for rank, id := range ids {
		ranks[id] = rank
	}
	return ranks, err
}

// names returns the names that query selects, by their ids.
func (db *DB) names(ctx context.Context, query string, args ...any) (map[int64]string, error) {
	names := map[int64]string{}
	err := forEachRow(ctx, db.sql, func(rows *sql.Rows) error {
		var id int64
		var name string
		if err := rows.Scan(&id, &name); err != nil {
			return err
		}
		names[id] = name
		return nil
	}, query, args...)
	return names, err
}

// scanHistories reads the results in one scan, in the order of their key.
func (db *DB) scanHistories(ctx context.Context, window int, ranks map[int64]int, names map[int64]string, tests condition) ([]flaky.History, error) {
	s := store.NewHistoryBuilder(names, ranks, window)
	err := forEachRow(ctx, db.sql, func(rows *sql.Rows) error {
		var test, run, packed int64
		if err := rows.Scan(&test, &run, &packed); err != nil {
			return err
		}
		s.Add(test, run, int(packed/4), int(packed%4))
		return nil
	}, `SELECT test, run, attempt * 4 + status FROM results`+tests.where()+` ORDER BY test, run, attempt`, tests.args...)
	return s.Histories(), err
}
