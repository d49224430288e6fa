package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// LoadCheckpoint returns a judge and the runs it has not heard yet, in order; the run of
// row id run is always among them. share is as in flaky.NewJudge. Where what was
// kept does not fit the runs there are, because one came late, was merged in or
// is told again, the judge is a new one that has heard nothing.
func (db *DB) LoadCheckpoint(ctx context.Context, info engine.RunInfo, share float64, run int64) (*store.Checkpoint, error) {
	return store.LoadCheckpoint(ctx, evidenceSource{db}, info, share, run)
}

// SaveCheckpoint keeps what the judge knows, for the next Hear. The judge must have heard
// every run of h.
func (db *DB) SaveCheckpoint(ctx context.Context, h *store.Checkpoint) error {
	kept := h.Encode()
	if kept == nil {
		return nil
	}
	if _, err := db.sql.ExecContext(ctx, `INSERT OR REPLACE INTO derived (name, value) VALUES (?, ?)`, h.Name, kept); err != nil {
		return fmt.Errorf("keep what was judged: %w", err)
	}
	return nil
}

// Derived returns what was kept under a name.
func (s evidenceSource) Derived(ctx context.Context, name string) (value []byte, err error) {
	err = s.db.sql.QueryRowContext(ctx, `SELECT value FROM derived WHERE name = ?`, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return value, err
}

// evidenceMoves sums up which results belong to another test than they were
// recorded for.
func (s evidenceSource) Moves(ctx context.Context) (moves string, err error) {
	err = s.db.sql.QueryRowContext(ctx, `SELECT count(*) || ' ' || total((test * 31 + run * 1009 + attempt * 7 + was * 100003 + nth) % 1000003)
		FROM moved`).Scan(&moves)
	return moves, err
}

// NameTests fills in the identities of the tests given by their numbers.
func (db *DB) NameTests(ctx context.Context, e *store.Evidence, tests []int) error {
	return store.NameTests(ctx, evidenceSource{db}, e, tests)
}

// FindTests fills in the identities of those of the named tests that are in e.
func (db *DB) FindTests(ctx context.Context, e *store.Evidence, names []string) error {
	return store.FindTests(ctx, evidenceSource{db}, e, names)
}

func (s evidenceSource) TestNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	return s.db.names(ctx, `SELECT id, name FROM tests WHERE id IN (SELECT value FROM json_each(?))`, jsonList(ids))
}

func (s evidenceSource) TestsNamed(ctx context.Context, names []string) (map[int64]string, error) {
	return s.db.names(ctx, `SELECT id, name FROM tests WHERE name IN (SELECT value FROM json_each(?))`, jsonList(names))
}

// Evidence returns the newest runs of info's repository, oldest first, on every
// branch. Tests that never failed and never healed a locator are left out: they
// passed wherever they ran.
func (db *DB) Evidence(ctx context.Context, info engine.RunInfo) (store.Evidence, error) {
	return store.LoadEvidence(ctx, evidenceSource{db}, info)
}

// evidenceSource reads evidence from a database file.
type evidenceSource struct{ db *DB }

func (s evidenceSource) Runs(ctx context.Context, info engine.RunInfo, g *store.EvidenceBuilder) error {
	err := forEachRow(ctx, s.db.sql, func(rows *sql.Rows) error {
		var r store.EvidenceRun
		var from store.Origin
		var branch string
		var pr int
		var payload []byte
		var key record.RunKey
		if err := rows.Scan(&r.ID, &r.Attempt, &key.Workflow, &key.Job, &key.Leg, &from, &r.Commit, &branch, &pr, &r.Run.Tests, &payload); err != nil {
			return err
		}
		r.Source, r.Variant = store.SourceOf(from, branch, pr), key.Lane()
		g.AddRun(r, payload)
		return nil
	}, `SELECT id, run_attempt, workflow, job, leg, origin, commit_sha, branch, pull_request, result_count, payload_digest FROM runs
		WHERE ? = 0 OR repository_id IN (0, ?) ORDER BY `+runOrder("ASC"),
		info.RepositoryID, info.RepositoryID)
	g.KeepNewest(store.EvidenceWindow(len(g.Runs)))
	return err
}

// Failing returns the tests that failed or healed a locator, by an index of just
// such attempts.
func (s evidenceSource) Failing(ctx context.Context, runs []int64) ([]int64, error) {
	in := condition{`(status >= 2 OR healed <> 0)`, nil}
	if runs != nil {
		in = in.and(`run IN (SELECT value FROM json_each(?))`, jsonList(runs))
	}
	return column[int64](ctx, s.db.sql, `SELECT DISTINCT test FROM results INDEXED BY results_failing`+in.where()+` ORDER BY test`, in.args...)
}

// Results reads rows in the order of the key.
func (s evidenceSource) Results(ctx context.Context, g *store.EvidenceBuilder, tests, runs []int64) error {
	labels, err := s.db.names(ctx, `SELECT id, name FROM labels`)
	if err != nil {
		return err
	}
	which := condition{`test IN (SELECT value FROM json_each(?))`, []any{jsonList(tests)}}
	if runs != nil {
		which = which.and(`run IN (SELECT value FROM json_each(?))`, jsonList(runs))
	}
	group := g.ReadAttempts(labels)
	err = forEachRow(ctx, s.db.sql, func(rows *sql.Rows) error {
		var test, run, packed, signature, place int64
		if err := rows.Scan(&test, &run, &packed, &signature, &place); err != nil {
			return err
		}
		group.Add(test, run, packed, signature, place)
		return nil
	}, `SELECT test, run, attempt * 8 + status * 2 + (healed <> 0), coalesce(signature, 0), coalesce(place, 0)
		FROM results`+which.where()+` ORDER BY test, run, attempt`, which.args...)
	group.Finish()
	return err
}

// Executions counts without looking at more than the key and the status: in a
// run of many failures these are most of the rows.
func (s evidenceSource) Executions(ctx context.Context, g *store.EvidenceBuilder, tests []int64) error {
	all, onMain := g.ObservedRuns()
	return forEachRow(ctx, s.db.sql, func(rows *sql.Rows) error {
		var test int64
		var before, onMain float64
		if err := rows.Scan(&test, &before, &onMain); err != nil {
			return err
		}
		g.CountBefore(test, int(before), int(onMain))
		return nil
	}, `SELECT test, count(*), total(run IN (SELECT value FROM json_each(?)))
		FROM (SELECT DISTINCT test, run FROM results WHERE test IN (SELECT value FROM json_each(?)) AND status <> 1
			AND run IN (SELECT value FROM json_each(?))) GROUP BY test`, jsonList(onMain), jsonList(tests), jsonList(all))
}

// jsonList writes numbers or texts as json_each reads them.
func jsonList[T int64 | string](list []T) string {
	text, _ := json.Marshal(list) // neither can fail
	return string(text)
}
