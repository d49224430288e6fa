package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// LoadCheckpoint is store.LoadCheckpoint of this database.
func (db *DB) LoadCheckpoint(ctx context.Context, info engine.RunInfo, share float64, run int64) (*store.Checkpoint, error) {
	return store.LoadCheckpoint(ctx, evidenceSource{db}, info, share, run)
}

// Moves returns a checksum of the results that a rename gave to another test.
func (s evidenceSource) Moves(ctx context.Context) (moves string, err error) {
	err = s.db.sql.QueryRowContext(ctx, `SELECT count(*) || ' ' || total((test * 31 + run * 1009 + attempt * 7 + was * 100003 + nth) % 1000003)
		FROM moved`).Scan(&moves)
	return moves, err
}

// NameTests fills in the ids of the tests with these numbers.
func (db *DB) NameTests(ctx context.Context, e *store.Evidence, tests []int) error {
	return store.NameTests(ctx, evidenceSource{db}, e, tests)
}

// FindTests fills in the ids of those of the named tests that are in e.
func (db *DB) FindTests(ctx context.Context, e *store.Evidence, names []string) error {
	return store.FindTests(ctx, evidenceSource{db}, e, names)
}

func (s evidenceSource) TestNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	return s.db.names(ctx, `SELECT id, name FROM tests WHERE id IN (SELECT value FROM json_each(?))`, jsonList(ids))
}

func (s evidenceSource) TestsNamed(ctx context.Context, names []string) (map[int64]string, error) {
	return s.db.names(ctx, `SELECT id, name FROM tests WHERE name IN (SELECT value FROM json_each(?))`, jsonList(names))
}

// Evidence is store.LoadEvidence of this database.
func (db *DB) Evidence(ctx context.Context, info engine.RunInfo) (store.Evidence, error) {
	return store.LoadEvidence(ctx, evidenceSource{db}, info)
}

// evidenceSource reads evidence from a database file.
type evidenceSource struct{ db *DB }

// Derived returns the value saved under a name.
func (s evidenceSource) Derived(ctx context.Context, name string) ([]byte, error) {
	return s.db.Derived(ctx, name)
}

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
		r.Source, r.Variant = store.SourceOf(from, branch, pr), key.Variant()
		g.AddRun(r, payload)
		return nil
	}, `SELECT id, run_attempt, workflow, job, leg, origin, commit_sha, branch, pull_request, result_count, payload_digest FROM runs
		WHERE ? = 0 OR repository_id IN (0, ?) ORDER BY `+runOrder("ASC"),
		info.RepositoryID, info.RepositoryID)
	g.KeepNewest(store.EvidenceWindow(len(g.Runs)))
	return err
}

// Failing uses an index that holds only failed and healed attempts.
func (s evidenceSource) Failing(ctx context.Context, runs []int64) ([]int64, error) {
	in := condition{`(status >= 2 OR healed <> 0)`, nil}
	if runs != nil {
		in = in.and(`run IN (SELECT value FROM json_each(?))`, jsonList(runs))
	}
	return column[int64](ctx, s.db.sql, `SELECT DISTINCT test FROM results INDEXED BY results_failing`+in.where()+` ORDER BY test`, in.args...)
}

// Results reads the rows in the order of their key.
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

// Executions reads no more than the key and the status, which are in an index:
// a run with many failures has most of the rows.
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

// jsonList returns a list as json_each reads it.
func jsonList[T int64 | string](list []T) string {
	text, _ := json.Marshal(list) // neither can fail
	return string(text)
}
