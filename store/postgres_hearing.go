package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/engine"
)

// Evidence is DB.Evidence.
func (db *Postgres) Evidence(ctx context.Context, info engine.RunInfo) (Evidence, error) {
	return evidence(ctx, db, info)
}

// Hear is DB.Hear.
func (db *Postgres) Hear(ctx context.Context, info engine.RunInfo, share float64, run int64) (*Hearing, error) {
	return hear(ctx, db, info, share, run)
}

// Keep is DB.Keep. What is kept is written by Save alone: every run of the
// repository writes the same row, and none may wait for the whole of another.
func (db *Postgres) Keep(_ context.Context, h *Hearing) error {
	if kept := h.kept(); kept != nil {
		db.kept[h.key] = kept
	}
	return nil
}

// saveKept writes what Keep was given.
func (db *Postgres) saveKept(ctx context.Context) error {
	for name, value := range db.kept {
		if err := db.derive(ctx, db.tx, name, value); err != nil {
			return fmt.Errorf("keep what was judged: %w", err)
		}
	}
	clear(db.kept)
	return nil
}

func (db *Postgres) derive(ctx context.Context, tx pgx.Tx, name string, value []byte) error {
	_, err := tx.Exec(ctx, `INSERT INTO breadcrumb_derived (repository_id, name, value) VALUES ($1, $2, $3)
		ON CONFLICT (repository_id, name) DO UPDATE SET value = excluded.value`, db.repository, name, value)
	return err
}

// NameTests is DB.NameTests.
func (db *Postgres) NameTests(ctx context.Context, e *Evidence, tests []int) error {
	return name(ctx, db, e, e.idsOf(tests))
}

// FindTests is DB.FindTests.
func (db *Postgres) FindTests(ctx context.Context, e *Evidence, names []string) error {
	return find(ctx, db, e, names)
}

func (db *Postgres) evidenceRuns(ctx context.Context, _ engine.RunInfo, g *gathering) error {
	var all int
	if err := db.tx.QueryRow(ctx, `SELECT count(*) FROM breadcrumb_runs WHERE repository_id = $1`, db.repository).Scan(&all); err != nil {
		return err
	}
	rows, err := db.tx.Query(ctx, `SELECT id, day, run_attempt, workflow, job, leg, origin, commit_sha, branch, pull_request, result_count, payload_digest
		FROM breadcrumb_runs WHERE repository_id = $1 ORDER BY started_at DESC, run_id DESC, run_attempt DESC, workflow DESC,
		job DESC, leg DESC, report_digest DESC, ordinal DESC LIMIT $2`, db.repository, windowOf(all))
	if err != nil {
		return err
	}
	var r EvidenceRun
	var from, pr int
	var branch string
	var day time.Time
	var payload []byte
	var key runKey
	g.since = db.day
	_, err = pgx.ForEachRow(rows, []any{&r.ID, &day, &r.Attempt, &key.workflow, &key.job, &key.leg, &from, &r.Commit, &branch, &pr, &r.Run.Tests, &payload}, func() error {
		r.Source, r.Variant = witness(origin(from), branch, pr), key.lane()
		g.Runs, g.payloads, g.results = append(g.Runs, r), append(g.payloads, slices.Clone(payload)), append(g.results, int64(r.Run.Tests))
		if day.Before(g.since) {
			g.since = day
		}
		return nil
	})
	slices.Reverse(g.Runs)
	slices.Reverse(g.payloads)
	slices.Reverse(g.results)
	g.rank()
	return err
}

// movesName is the name under which is kept what moveResults did last.
const movesName = "moves"

func (db *Postgres) evidenceMoves(ctx context.Context, g *gathering) error {
	last, err := db.derived(ctx, movesName)
	g.moves = string(last)
	return err
}

func (db *Postgres) derived(ctx context.Context, name string) (value []byte, err error) {
	if value, unsaved := db.kept[name]; unsaved {
		return value, nil
	}
	err = db.tx.QueryRow(ctx, `SELECT value FROM breadcrumb_derived WHERE repository_id = $1 AND name = $2`, db.repository, name).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return value, err
}

// failing asks in all runs by the index of failing attempts and in some by that
// of runs.
func (db *Postgres) failing(ctx context.Context, runs []int64) ([]int64, error) {
	rows, err := db.tx.Query(ctx, `SELECT DISTINCT test FROM breadcrumb_results WHERE repository_id = $1 AND (status >= 2 OR healed)
		AND ($2::bigint[] IS NULL OR run = ANY($2)) ORDER BY test`, db.repository, runs)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

func (db *Postgres) evidenceResults(ctx context.Context, g *gathering, tests, runs []int64) error {
	labels, err := db.names(ctx, "breadcrumb_labels")
	if err != nil {
		return err
	}
	rows, err := db.tx.Query(ctx, `SELECT test, run, attempt::bigint * 8 + status * 2 + CASE WHEN healed THEN 1 ELSE 0 END,
		coalesce(signature, 0), coalesce(place, 0) FROM breadcrumb_results WHERE repository_id = $1 AND day >= $2 AND test = ANY($3)
		AND ($4::bigint[] IS NULL OR run = ANY($4)) ORDER BY test, run, attempt`, db.repository, g.since, tests, runs)
	if err != nil {
		return err
	}
	group := group{g: g, labels: labels, rank: -1}
	last := int64(-1)
	var test, run, packed, signature, place int64
	_, err = pgx.ForEachRow(rows, []any{&test, &run, &packed, &signature, &place}, func() error {
		if test != last {
			group.finish()
			last = test
			group.test = g.number(test)
		}
		group.add(run, packed, signature, place)
		return nil
	})
	group.finish()
	return err
}

func (db *Postgres) executions(ctx context.Context, g *gathering, tests []int64) error {
	all, onMain := g.heardRuns()
	rows, err := db.tx.Query(ctx, `SELECT test, count(*), count(*) FILTER (WHERE run = ANY($5)) FROM
		(SELECT DISTINCT test, run FROM breadcrumb_results WHERE repository_id = $1 AND day >= $2 AND test = ANY($3)
			AND status <> 1 AND run = ANY($4)) AS executed GROUP BY test`, db.repository, g.since, tests, all, onMain)
	if err != nil {
		return err
	}
	var test int64
	var before, ofMain int
	_, err = pgx.ForEachRow(rows, []any{&test, &before, &ofMain}, func() error {
		n := g.number(test)
		g.before[n], g.onMain[n] = before, ofMain
		return nil
	})
	return err
}

func (db *Postgres) testNames(ctx context.Context, ids []int64) (map[int64]string, error) {
	return db.namesFrom(ctx, `SELECT id, name FROM breadcrumb_tests WHERE repository_id = $1 AND id = ANY($2)`, ids)
}

func (db *Postgres) testsNamed(ctx context.Context, names []string) (map[int64]string, error) {
	return db.namesFrom(ctx, `SELECT id, name FROM breadcrumb_tests WHERE repository_id = $1 AND name_digest = ANY($2)`, nameDigests(names))
}
