package sqlstore

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Histories returns the last window executions of every test, newest last,
// sorted by test id. Every attempt is an execution. The rows of runs that
// everybody may trust count (default branch, local, seed) and, when info is a
// run of a pull request, those of that pull request. A window of 0 or less is
// unbounded.
func (s *Store) Histories(ctx context.Context, window int, info engine.RunInfo) ([]flaky.History, error) {
	histories, _, err := s.histories(ctx, window, countedArgs(info, math.Inf(-1)), s.sql.Results)
	return histories, err
}

// HistoriesSince is Histories over the runs that everybody may trust and that
// began at since or later. It also returns how many runs those are.
func (s *Store) HistoriesSince(ctx context.Context, window int, since time.Time) (histories []flaky.History, runs int, err error) {
	return s.histories(ctx, window, countedArgs(engine.RunInfo{}, store.Unix(since)), s.sql.Results)
}

// HistoriesOf is Histories for the named tests alone.
func (s *Store) HistoriesOf(ctx context.Context, tests []engine.TestID, window int, info engine.RunInfo) ([]flaky.History, error) {
	args := countedArgs(info, math.Inf(-1))
	args["names"], args["digests"] = nameLists(tests)
	histories, _, err := s.histories(ctx, window, args, s.sql.ResultsOf)
	return histories, err
}

// nameLists returns the names and digests by which tests are looked up.
func nameLists(tests []engine.TestID) (names []string, digests [][]byte) {
	names, digests = make([]string, len(tests)), make([][]byte, len(tests))
	for i, test := range tests {
		names[i], digests[i] = string(test), record.NameDigest(test)
	}
	return names, digests
}

// historyRuns is how many runs, the newest, histories are made of.
const historyRuns = 3000

// countedArgs are the arguments of a statement about the runs that count for
// info and began at since or later.
func countedArgs(info engine.RunInfo, since float64) Args {
	return Args{"of_repository": info.RepositoryID, "pull_request": info.PullRequest, "of_pull_request": int(store.FromPullRequest),
		"since": since, "limit": historyRuns}
}

// histories reads the histories over the runs that count, and returns how many
// runs those are. The results are read in one scan, in the order of their key.
func (s *Store) histories(ctx context.Context, window int, args Args, results string) (histories []flaky.History, runs int, err error) {
	ranks, first, err := s.runRanks(ctx, args)
	if err != nil {
		return nil, 0, fmt.Errorf("read runs: %w", err)
	}
	names, err := namesByID[engine.TestID](ctx, s.conn, s.sql.Tests, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("read tests: %w", err)
	}
	builder := store.NewHistoryBuilder(names, ranks, window)
	var test, run, packed int64
	args["day"] = first
	err = s.conn.Each(ctx, results, args, []any{&test, &run, &packed}, func() error {
		builder.Add(test, run, int(packed/4), int(packed%4))
		return nil
	})
	return builder.Histories(), len(ranks), store.Wrap(err, "read results")
}

// runRanks numbers the runs that count in the order of time. It also returns
// the first day on which any of them was recorded, where the database has it.
func (s *Store) runRanks(ctx context.Context, args Args) (ranks map[int64]int, first any, err error) {
	var newestFirst []int64
	var id int64
	var day any
	err = s.conn.Each(ctx, s.sql.CountedRuns, args, []any{&id, &day}, func() error {
		newestFirst, first = append(newestFirst, id), earlierDay(first, day)
		return nil
	})
	ranks = make(map[int64]int, len(newestFirst))
	for i, id := range newestFirst {
		ranks[id] = len(newestFirst) - 1 - i
	}
	return ranks, first, err
}

// earlierDay returns the earlier of two days, of which one may be nil.
func earlierDay(first, day any) any {
	next, dated := day.(time.Time)
	if before, known := first.(time.Time); !dated || known && !next.Before(before) {
		return first
	}
	return next
}

// namesByID returns the names that a query selects, by their row ids.
func namesByID[T ~string](ctx context.Context, conn Conn, query string, args Args) (map[int64]T, error) {
	names := map[int64]T{}
	var id int64
	var name T
	err := conn.Each(ctx, query, args, []any{&id, &name}, func() error {
		names[id] = name
		return nil
	})
	return names, err
}

// FailedLately returns the tests with a failing attempt in the last runs that
// count for info, those that failed most often first, at most limit.
func (s *Store) FailedLately(ctx context.Context, runs, limit int, info engine.RunInfo) ([]engine.TestID, error) {
	args := countedArgs(info, math.Inf(-1))
	args["runs"], args["limit"] = runs, limit
	tests, err := readColumn[engine.TestID](ctx, s.conn, s.sql.FailedLately, args)
	return tests, store.Wrap(err, "read tests that failed lately")
}

// Timeline returns what every test did in the last runs that everybody may
// trust and that began at since or later, at most limit of them. The jobs and
// legs of one attempt of a workflow run are one run.
func (s *Store) Timeline(ctx context.Context, limit int, since time.Time) (outcome.Timeline, error) {
	b := store.NewTimelineBuilder(limit)
	var first, day any
	var id, test, run, packed int64
	var k store.TimelineKey
	var r outcome.TimelineRun
	var started, ms float64
	columns := []any{&id, &day, &k.Repository, &k.Run, &k.Attempt, &k.Workflow, &started, &r.Repository, &r.Commit, &r.Branch}
	err := s.conn.Each(ctx, s.sql.TimelineRuns, countedArgs(engine.RunInfo{}, store.Unix(since)), columns, func() error {
		r.Started, first = store.FromUnix(started), earlierDay(first, day)
		b.AddRun(id, k, r)
		return nil
	})
	if err != nil {
		return outcome.Timeline{}, fmt.Errorf("read runs: %w", err)
	}
	names, err := namesByID[engine.TestID](ctx, s.conn, s.sql.Tests, nil)
	if err != nil {
		return outcome.Timeline{}, fmt.Errorf("read tests: %w", err)
	}
	labels, err := namesByID[string](ctx, s.conn, s.sql.Labels, nil)
	if err != nil {
		return outcome.Timeline{}, fmt.Errorf("read errors: %w", err)
	}
	args := Args{"day": first, "runs": b.RunIDs()}
	err = s.conn.Each(ctx, s.sql.TimelineResults, args, []any{&test, &run, &packed, &ms}, func() error {
		b.AddAttempt(test, run, packed, ms)
		return nil
	})
	return b.Timeline(names, labels), store.Wrap(err, "read results")
}
