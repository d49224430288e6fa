package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/record"
)

// Mark remembers which rows are there, so that Delta exports only newer ones.
// A database is marked when it is opened, after Options.Begin.
func (db *DB) Mark(ctx context.Context) error {
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		m := &db.marked
		if err := tx.QueryRowContext(ctx, `SELECT coalesce((SELECT max(id) FROM runs), 0), coalesce((SELECT max(id) FROM healing_events), 0),
			coalesce((SELECT max(id) FROM heal_refusals), 0), coalesce((SELECT max(id) FROM quarantine_log), 0),
			coalesce((SELECT max(id) FROM renames), 0), coalesce((SELECT max(id) FROM unknown_lines), 0)`).
			Scan(&m.run, &m.heal, &m.refusal, &m.change, &m.rename, &m.unknown); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DROP TABLE IF EXISTS temp.marked_fingerprints; DROP TABLE IF EXISTS temp.marked_quarantine;
			CREATE TEMP TABLE marked_fingerprints AS SELECT test_id, locator, updated_at FROM fingerprints;
			CREATE UNIQUE INDEX temp.marked_fingerprint ON marked_fingerprints (test_id, locator);
			CREATE TEMP TABLE marked_quarantine AS SELECT test_id, quarantined_at FROM quarantine`)
		return err
	})
	return store.Wrap(err, "mark database")
}

// Delta returns what was recorded since the database was marked, as the delta
// of the run that info and reportDigest name.
func (db *DB) Delta(ctx context.Context, info engine.RunInfo, reportDigest string) (*delta.Delta, error) {
	key := deltaKey(record.KeyOf(info, reportDigest))
	return db.export(ctx, db.marked, &key)
}

// Everything returns all records of the database without row ids, so that two
// databases with the same content return the same.
func (db *DB) Everything(ctx context.Context) (*delta.Delta, error) {
	return db.export(ctx, mark{run: -1}, nil)
}

func (db *DB) export(ctx context.Context, since mark, key *delta.Key) (*delta.Delta, error) {
	e := exporter{since: since, all: since.run < 0, out: &delta.Delta{Run: key, Schema: schemaVersion}}
	done := errors.New("nothing of it is to stay")
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		e.tx = tx
		if err := undoRenames(ctx, tx); err != nil {
			return err
		}
		for _, step := range []func(context.Context) error{e.runs, e.results, e.seedResults, e.heals, e.refusals, e.fingerprints,
			e.pages, e.quarantine, e.changes, e.renames, e.unknown, e.retention} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		return done
	})
	if !errors.Is(err, done) {
		return nil, fmt.Errorf("export database: %w", err)
	}
	return e.out, nil
}

// exporter makes records of rows.
type exporter struct {
	tx    *sql.Tx
	since mark
	all   bool
	out   *delta.Delta
	ids   map[int64]string // identities of runs by row id
}

func (e *exporter) add(r delta.Record) { e.out.Records = append(e.out.Records, r) }

// records exports a record for every row of a query. blank returns an empty one
// and where the columns go.
func (e *exporter) records(ctx context.Context, blank func() (delta.Record, []any), query string, args ...any) error {
	return forEachRow(ctx, e.tx, func(rows *sql.Rows) error {
		r, columns := blank()
		e.add(r)
		return rows.Scan(columns...)
	}, query, args...)
}

func deltaKey(k record.RunKey) delta.Key {
	return delta.Key{RepositoryID: k.Repository, RunID: k.Run, RunAttempt: k.Attempt, Workflow: k.Workflow, Job: k.Job, Leg: k.Leg, ReportDigest: k.ReportDigest}
}

func keyOfDelta(k delta.Key) record.RunKey {
	return record.RunKey{Repository: k.RepositoryID, Run: k.RunID, Attempt: k.RunAttempt, Workflow: k.Workflow, Job: k.Job, Leg: k.Leg, ReportDigest: k.ReportDigest}
}

const runColumns = `id, repository_id, run_id, run_attempt, workflow, job, leg, report_digest, origin, repository, commit_sha,
	head_sha, branch, pull_request, fork, incomplete, started_at, recorded_at, result_count, payload_digest`

func scanRun(rows interface{ Scan(...any) error }) (id int64, r *delta.Run, err error) {
	r = &delta.Run{}
	err = rows.Scan(&id, &r.Key.RepositoryID, &r.Key.RunID, &r.Key.RunAttempt, &r.Key.Workflow, &r.Key.Job, &r.Key.Leg,
		&r.Key.ReportDigest, &r.Origin, &r.Repository, &r.Commit, &r.Head, &r.Branch, &r.PullRequest, &r.Fork, &r.Incomplete,
		&r.StartedAt, &r.RecordedAt, &r.Results, &r.Payload)
	return id, r, err
}

// runs exports the runs except those that importInbox made of the seed's rows:
// how rows are grouped there differs between databases.
func (e *exporter) runs(ctx context.Context) error {
	e.ids = map[int64]string{}
	return forEachRow(ctx, e.tx, func(rows *sql.Rows) error {
		id, r, err := scanRun(rows)
		if err != nil || r.Origin == int(store.FromSeed) {
			return err
		}
		e.ids[id] = r.Key.ID(r.Payload)
		if id > e.since.run {
			e.add(r)
		}
		return nil
	}, `SELECT `+runColumns+` FROM runs`)
}

func (e *exporter) results(ctx context.Context) error {
	return forEachRow(ctx, e.tx, func(rows *sql.Rows) error {
		r := &delta.Result{}
		var run int64
		var status int
		if err := rows.Scan(&r.Test, &run, &r.Attempt, &status, &r.DurationMS, &r.Healed, &r.Error, &r.Environment, &r.At, &r.Signature, &r.Place); err != nil {
			return err
		}
		var ok bool
		if r.Run, ok = e.ids[run]; !ok {
			return nil
		}
		r.Status = string(store.Statuses[status])
		e.add(r)
		return nil
	}, `SELECT t.name, r.run, r.attempt, r.status, r.duration_ms, r.healed <> 0, coalesce(e.name, ''), coalesce(v.name, ''), r.at, coalesce(s.name, ''), coalesce(p.name, '')
		FROM tests t CROSS JOIN results r ON r.test = t.id AND r.run > ? LEFT JOIN labels e ON e.id = r.error
		LEFT JOIN labels v ON v.id = r.environment LEFT JOIN labels s ON s.id = r.signature LEFT JOIN labels p ON p.id = r.place`, e.since.run)
}

// seedResults numbers equal rows, counting new and old ones.
func (e *exporter) seedResults(ctx context.Context) error {
	var fresh bool
	if err := e.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE origin = ? AND id > ?)`, int(store.FromSeed), e.since.run).Scan(&fresh); err != nil || !fresh {
		return err
	}
	type content struct {
		test, status, failure, environment string
		at, took                           float64
		healed                             bool
	}
	seen := map[content]int{}
	return forEachRow(ctx, e.tx, func(rows *sql.Rows) error {
		r := &delta.SeedResult{}
		var run int64
		var status int
		if err := rows.Scan(&run, &r.Test, &status, &r.DurationMS, &r.Healed, &r.Error, &r.Environment, &r.At); err != nil {
			return err
		}
		r.Status = string(store.Statuses[status])
		c := content{r.Test, r.Status, r.Error, r.Environment, r.At, math.Inf(-1), r.Healed}
		if r.DurationMS != nil {
			c.took = *r.DurationMS
		}
		seen[c]++
		if r.Nth = seen[c]; run > e.since.run {
			e.add(r)
		}
		return nil
	}, `SELECT r.run, t.name, r.status, r.duration_ms, r.healed <> 0, coalesce(e.name, ''), coalesce(v.name, ''), coalesce(r.at, 0)
		FROM results r JOIN runs ON runs.id = r.run AND origin = ? JOIN tests t ON t.id = r.test LEFT JOIN labels e ON e.id = r.error
		LEFT JOIN labels v ON v.id = r.environment ORDER BY r.run`, int(store.FromSeed))
}

// heals exports the events that are new or that a new run recorded.
func (e *exporter) heals(ctx context.Context) error {
	return forEachRow(ctx, e.tx, func(rows *sql.Rows) error {
		h := &delta.Heal{Kind: delta.KindHeal}
		var run sql.NullInt64
		if err := rows.Scan(&h.Test, &h.Locator, &h.Confidence, &h.Original, &h.Healed, &h.Timestamp, &run, &h.Reason, &h.Event, &h.Digest); err != nil {
			return err
		}
		h.Run = e.ids[run.Int64]
		e.add(h)
		return nil
	}, `SELECT test_id, locator, confidence, original_json, healed_json, timestamp, run, coalesce(reason, ''), coalesce(event_json, ''),
		event_digest FROM healing_events WHERE event_digest IS NOT NULL AND (id > ? OR run > ?)`, e.since.heal, e.since.run)
}

func (e *exporter) refusals(ctx context.Context) error {
	return forEachRow(ctx, e.tx, func(rows *sql.Rows) error {
		h := &delta.Heal{Kind: delta.KindRefusal}
		var run int64
		if err := rows.Scan(&h.Test, &h.Locator, &h.Confidence, &h.Timestamp, &run, &h.Reason, &h.Event, &h.Digest); err != nil {
			return err
		}
		h.Run = e.ids[run]
		e.add(h)
		return nil
	}, `SELECT test_id, locator, confidence, timestamp, run, reason, event_json, event_digest FROM heal_refusals WHERE id > ?`, e.since.refusal)
}

// changed is the condition for fingerprints that changed since the mark.
func (e *exporter) changed() string {
	if e.all {
		return ""
	}
	return ` WHERE NOT EXISTS (SELECT 1 FROM marked_fingerprints m WHERE m.test_id = f.test_id AND m.locator = f.locator AND m.updated_at = f.updated_at)`
}

func (e *exporter) fingerprints(ctx context.Context) error {
	return e.records(ctx, func() (delta.Record, []any) {
		f := &delta.Fingerprint{}
		return f, []any{&f.Test, &f.Locator, &f.JSON, &f.UpdatedAt, &f.Page}
	}, `SELECT test_id, locator, fingerprint_json, updated_at, page_state FROM fingerprints f`+e.changed())
}

// pages exports the pages of those fingerprints. A page is as old as its
// newest fingerprint, whatever its row says.
func (e *exporter) pages(ctx context.Context) error {
	return e.records(ctx, func() (delta.Record, []any) {
		p := &delta.Page{}
		return p, []any{&p.State, &p.UpdatedAt}
	}, `SELECT state, young FROM page_states JOIN (SELECT page_state, max(updated_at) AS young FROM fingerprints f`+e.changed()+`
		GROUP BY page_state) ON page_state = digest`)
}

// quarantine exports the entries that are new or changed.
func (e *exporter) quarantine(ctx context.Context) error {
	where := ""
	args := []any{}
	if !e.all {
		where = ` WHERE NOT EXISTS (SELECT 1 FROM marked_quarantine m WHERE m.test_id = q.test_id AND m.quarantined_at = q.quarantined_at)
			OR EXISTS (SELECT 1 FROM quarantine_log l WHERE l.test_id = q.test_id AND l.id > ?)`
		args = append(args, e.since.change)
	}
	return e.records(ctx, func() (delta.Record, []any) {
		q := &delta.Quarantine{}
		return q, []any{&q.Test, &q.Reason, &q.Since, &q.Auto, &q.Environment, &q.Owner, &q.Commits}
	}, `SELECT test_id, reason, quarantined_at, auto_unquarantine <> 0, coalesce(environment, ''), coalesce(owner, ''), coalesce(commits, '')
		FROM quarantine q`+where, args...)
}

func (e *exporter) changes(ctx context.Context) error {
	return e.records(ctx, func() (delta.Record, []any) {
		c := &delta.Change{}
		return c, []any{&c.At, &c.Test, &c.Action, &c.Who, &c.Reason, &c.Tier, &c.FlipRate}
	}, `SELECT at, test_id, action, who, reason, tier, flip_rate FROM quarantine_log WHERE id > ?`, e.since.change)
}

func (e *exporter) renames(ctx context.Context) error {
	return e.records(ctx, func() (delta.Record, []any) {
		r := &delta.Rename{}
		return r, []any{&r.Old, &r.New, &r.At}
	}, `SELECT old, new, at FROM renames WHERE id > ?`, e.since.rename)
}

func (e *exporter) unknown(ctx context.Context) error {
	return e.records(ctx, func() (delta.Record, []any) {
		u := &delta.Unknown{}
		return u, []any{&u.Line}
	}, `SELECT line FROM unknown_lines WHERE id > ?`, e.since.unknown)
}

func (e *exporter) retention(ctx context.Context) error {
	return e.records(ctx, func() (delta.Record, []any) {
		r := &delta.Retention{}
		return r, []any{&r.Before}
	}, `SELECT before FROM retention`)
}
