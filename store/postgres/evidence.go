package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// Evidence is DB.Evidence.
func (db *DB) Evidence(ctx context.Context, info engine.RunInfo) (store.Evidence, error) {
	return store.LoadEvidence(ctx, db.source(), info)
}

// evidenceSource reads evidence from a server.
type evidenceSource struct {
	db    *DB
	since time.Time // day on which the first of the runs was recorded
}

func (db *DB) source() *evidenceSource { return &evidenceSource{db: db, since: db.day} }

// LoadCheckpoint is DB.Hear.
func (db *DB) LoadCheckpoint(ctx context.Context, info engine.RunInfo, share float64, run int64) (*store.Checkpoint, error) {
	return store.LoadCheckpoint(ctx, db.source(), info, share, run)
}

// NameTests is DB.NameTests.
func (db *DB) NameTests(ctx context.Context, e *store.Evidence, tests []int) error {
	return store.NameTests(ctx, db.source(), e, tests)
}

// FindTests is DB.FindTests.
func (db *DB) FindTests(ctx context.Context, e *store.Evidence, names []string) error {
	return store.FindTests(ctx, db.source(), e, names)
}

func (s *evidenceSource) Runs(ctx context.Context, _ engine.RunInfo, g *store.EvidenceBuilder) error {
	var all int
	if err := s.db.tx.QueryRow(ctx, `SELECT count(*) FROM breadcrumb_runs WHERE repository_id = $1`, s.db.repository).Scan(&all); err != nil {
		return err
	}
	rows := queryRows(ctx, s.db.tx, `SELECT id, day, run_attempt, workflow, job, leg, origin, commit_sha, branch, pull_request, result_count, payload_digest
		FROM breadcrumb_runs WHERE repository_id = $1 ORDER BY started_at DESC, run_id DESC, run_attempt DESC, workflow DESC,
		job DESC, leg DESC, report_digest DESC, ordinal DESC LIMIT $2`, s.db.repository, store.EvidenceWindow(all))
	var r store.EvidenceRun
	var from, pr int
	var branch string
	var day time.Time
	var payload []byte
	var key record.RunKey
	_, err := pgx.ForEachRow(rows, []any{&r.ID, &day, &r.Attempt, &key.Workflow, &key.Job, &key.Leg, &from, &r.Commit, &branch, &pr, &r.Run.Tests, &payload}, func() error {
		r.Source, r.Variant = store.SourceOf(store.Origin(from), branch, pr), key.Variant()
		g.AddRun(r, payload)
		if day.Before(s.since) {
			s.since = day
		}
		return nil
	})
	g.Reverse()
	g.KeepNewest(len(g.Runs))
	return err
}

// Derived returns the value saved under a name.
func (s *evidenceSource) Derived(ctx context.Context, name string) ([]byte, error) {
	return s.db.Derived(ctx, name)
}

// movesName is the name under which moveResults saves what it did last.
const movesName = "moves"

func (s *evidenceSource) Moves(ctx context.Context) (string, error) {
	last, err := s.db.Derived(ctx, movesName)
	return string(last), err
}

// Failing uses the index of failed attempts for all runs, and the index of
// runs for some.
func (s *evidenceSource) Failing(ctx context.Context, runs []int64) ([]int64, error) {
	rows := queryRows(ctx, s.db.tx, `SELECT DISTINCT test FROM breadcrumb_results WHERE repository_id = $1 AND (status >= 2 OR healed)
		AND ($2::bigint[] IS NULL OR run = ANY($2)) ORDER BY test`, s.db.repository, runs)
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

func (s *evidenceSource) Results(ctx context.Context, g *store.EvidenceBuilder, tests, runs []int64) error {
	labels, err := s.db.names(ctx, "breadcrumb_labels")
	if err != nil {
		return err
	}
	rows := queryRows(ctx, s.db.tx, `SELECT test, run, attempt::bigint * 8 + status * 2 + CASE WHEN healed THEN 1 ELSE 0 END,
		coalesce(signature, 0), coalesce(place, 0) FROM breadcrumb_results WHERE repository_id = $1 AND day >= $2 AND test = ANY($3)
		AND ($4::bigint[] IS NULL OR run = ANY($4)) ORDER BY test, run, attempt`, s.db.repository, s.since, tests, runs)
	group := g.ReadAttempts(labels)
	var test, run, packed, signature, place int64
	_, err = pgx.ForEachRow(rows, []any{&test, &run, &packed, &signature, &place}, func() error {
		group.Add(test, run, packed, signature, place)
		return nil
	})
	group.Finish()
	return err
}

func (s *evidenceSource) Executions(ctx context.Context, g *store.EvidenceBuilder, tests []int64) error {
	all, onMain := g.ObservedRuns()
	rows := queryRows(ctx, s.db.tx, `SELECT test, count(*), count(*) FILTER (WHERE run = ANY($5)) FROM
		(SELECT DISTINCT test, run FROM breadcrumb_results WHERE repository_id = $1 AND day >= $2 AND test = ANY($3)
			AND status <> 1 AND run = ANY($4)) AS executed GROUP BY test`, s.db.repository, s.since, tests, all, onMain)
	var test int64
	var before, ofMain int
	_, err := pgx.ForEachRow(rows, []any{&test, &before, &ofMain}, func() error {
		g.CountBefore(test, before, ofMain)
		return nil
	})
	return err
}

func (s *evidenceSource) TestNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	return s.db.namesFrom(ctx, `SELECT id, name FROM breadcrumb_tests WHERE repository_id = $1 AND id = ANY($2)`, ids)
}

func (s *evidenceSource) TestsNamed(ctx context.Context, names []string) (map[int64]string, error) {
	return s.db.namesFrom(ctx, `SELECT id, name FROM breadcrumb_tests WHERE repository_id = $1 AND name_digest = ANY($2)`, nameDigests(names))
}
