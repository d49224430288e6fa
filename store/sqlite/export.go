package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/packed"
	"github.com/breadcrumb/action/store/record"
)

// Mark remembers which rows are there, so that Delta exports only newer ones.
// A database is marked when it is opened, after Options.Begin.
func (db *DB) Mark(ctx context.Context) error {
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		m := &db.marked
		if err := tx.QueryRowContext(ctx, `SELECT coalesce((SELECT max(id) FROM runs), 0), coalesce((SELECT max(id) FROM healing_events), 0),
			coalesce((SELECT max(id) FROM heal_refusals), 0), coalesce((SELECT max(id) FROM quarantine_log), 0),
			coalesce((SELECT max(id) FROM renames), 0), coalesce((SELECT max(id) FROM unknown_lines), 0),
			coalesce((SELECT max(id) FROM vetoes), 0), coalesce((SELECT max(id) FROM lessons), 0),
			coalesce((SELECT max(id) FROM accepted), 0), coalesce((SELECT max(id) FROM forgotten), 0)`).
			Scan(&m.run, &m.heal, &m.refusal, &m.change, &m.rename, &m.unknown, &m.veto, &m.lesson, &m.accepted, &m.forgotten); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `DROP TABLE IF EXISTS temp.marked_fingerprints; DROP TABLE IF EXISTS temp.marked_quarantine;
			CREATE TEMP TABLE marked_fingerprints AS SELECT test_id, locator, updated_at FROM fingerprints;
			CREATE UNIQUE INDEX temp.marked_fingerprint ON marked_fingerprints (test_id, locator);
			CREATE TEMP TABLE marked_quarantine AS SELECT test_id, quarantined_at, auto_unquarantine <> 0 AS auto FROM quarantine
				UNION ALL SELECT test_id, quarantined_at, 1 FROM quarantine_aside`)
		return err
	})
	return store.Wrap(err, "mark database")
}

// Delta returns what was recorded since the database was marked, as the delta
// of the run that info and reportDigest name.
func (db *DB) Delta(ctx context.Context, info engine.RunInfo, reportDigest string) (*delta.Delta, error) {
	key := deltaKey(record.KeyOf(info, reportDigest))
	return db.exportSince(ctx, db.marked, &key)
}

// Everything returns all records of the database without row ids, so that two
// databases with the same content return the same.
func (db *DB) Everything(ctx context.Context) (*delta.Delta, error) {
	return db.exportSince(ctx, mark{run: -1}, nil)
}

// Learned returns what tests heal by: the elements that tests learned and people
// accepted, their pages, and what people said of them. No run is in it.
func (db *DB) Learned(ctx context.Context) (*delta.Delta, error) {
	e := exporter{since: mark{run: -1}, all: true, out: &delta.Delta{Schema: schemaVersion}}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		e.tx = tx
		return e.exportLearned(ctx)
	})
	return e.out, store.Wrap(err, "export what was learned")
}

func (db *DB) exportSince(ctx context.Context, since mark, key *delta.Key) (*delta.Delta, error) {
	e := exporter{since: since, all: since.run < 0, out: &delta.Delta{Run: key, Schema: schemaVersion}}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		e.tx = tx
		for _, export := range []func(context.Context) error{e.exportRuns, e.exportResults, e.exportSeedResults, e.exportTables} {
			if err := export(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
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

	withSeed bool             // the runs that importInbox made are exported as others are
	ids      map[int64]string // identities of runs by row id
	fresh    []int64          // row ids of those that are exported

	tests, labels map[int64]string // by row id, read when they are needed
}

func (e *exporter) addRecord(r delta.Record) { e.out.Records = append(e.out.Records, r) }

func deltaKey(k record.RunKey) delta.Key {
	return delta.Key{RepositoryID: k.Repository, RunID: k.Run, RunAttempt: k.Attempt, Workflow: k.Workflow, Job: k.Job, Leg: k.Leg, ReportDigest: k.ReportDigest}
}

func keyOfDelta(k delta.Key) record.RunKey {
	return record.RunKey{Repository: k.RepositoryID, Run: k.RunID, Attempt: k.RunAttempt, Workflow: k.Workflow, Job: k.Job, Leg: k.Leg, ReportDigest: k.ReportDigest}
}

const runColumns = `id, repository_id, run_id, run_attempt, workflow, job, leg, report_digest, origin, repository, commit_sha,
	head_sha, branch, pull_request, fork, incomplete, started_at, recorded_at, result_count, payload_digest, workflow_id, pull_requests`

// runTargets returns where runColumns are scanned to.
func runTargets(id *int64, r *delta.Run) []any {
	return []any{id, &r.Key.RepositoryID, &r.Key.RunID, &r.Key.RunAttempt, &r.Key.Workflow, &r.Key.Job, &r.Key.Leg,
		&r.Key.ReportDigest, &r.Origin, &r.Repository, &r.Commit, &r.Head, &r.Branch, &r.PullRequest, &r.Fork, &r.Incomplete,
		&r.StartedAt, &r.RecordedAt, &r.Results, &r.Payload, &r.WorkflowID, &r.PullRequests}
}

// exportRuns exports the runs except those that importInbox made of the seed's
// rows, unless withSeed: how rows are grouped there differs between databases.
func (e *exporter) exportRuns(ctx context.Context) error {
	e.ids, e.fresh = map[int64]string{}, []int64{}
	var id int64
	var r delta.Run
	return forEachRow(ctx, e.tx, runTargets(&id, &r), func() error {
		if r.Origin == int(store.FromSeed) && !e.withSeed {
			return nil
		}
		e.ids[id] = r.Key.ID(r.Payload)
		if run := r; id > e.since.run {
			e.addRecord(&run)
			e.fresh = append(e.fresh, id)
		}
		return nil
	}, `SELECT `+runColumns+` FROM runs`)
}

func (e *exporter) exportResults(ctx context.Context) error {
	return e.eachRecorded(ctx, e.fresh, func(run int64, r *packed.Row, test string) {
		e.addRecord(&delta.Result{Run: e.ids[run], Test: test, Attempt: int(r.Attempt), Status: string(store.Statuses[r.Status]), DurationMS: pointer(r.Duration),
			Healed: r.Healed, Error: e.labels[r.Error], Environment: e.labels[r.Environment], At: pointer(r.At), Signature: e.labels[r.Signature], Place: e.labels[r.Place]})
	})
}

func pointer(n packed.Number) *float64 {
	if !n.Known {
		return nil
	}
	return &n.Value
}

// eachRecorded calls fn with the results of runs as they were recorded, before any rename.
// The row is reused.
func (e *exporter) eachRecorded(ctx context.Context, runs []int64, fn func(run int64, r *packed.Row, test string)) error {
	if len(runs) == 0 {
		return nil
	}
	if e.tests == nil {
		var err error
		if e.tests, err = namesOf(ctx, e.tx, "tests"); err != nil {
			return err
		}
		if e.labels, err = namesOf(ctx, e.tx, "labels"); err != nil {
			return err
		}
		delete(e.labels, 0) // no label
	}
	moved, err := readMoves(ctx, e.tx, runs)
	if err != nil {
		return err
	}
	last, moves := int64(-1), packed.Moves(nil)
	return eachResult(ctx, e.tx, runs, func(run int64, r *packed.Row) error {
		if run != last || last < 0 {
			last = run
			var err error
			if moves, err = moved.of(run); err != nil {
				return err
			}
		}
		was := moves.Recorded(r.Key())
		r.Test, r.Attempt = was.Test, was.Attempt
		fn(run, r, e.tests[was.Test])
		return nil
	})
}

// namesOf returns the names of a table of (id, name).
func namesOf(ctx context.Context, q queryer, table string) (map[int64]string, error) {
	names := map[int64]string{}
	var id int64
	var name string
	err := forEachRow(ctx, q, []any{&id, &name}, func() error {
		names[id] = name
		return nil
	}, "SELECT id, name FROM "+table)
	return names, err
}

// exportSeedResults numbers equal rows, counting new and old ones.
func (e *exporter) exportSeedResults(ctx context.Context) error {
	runs, err := readColumn[int64](ctx, e.tx, `SELECT id FROM runs WHERE origin = ? ORDER BY id`, int(store.FromSeed))
	if err != nil || len(runs) == 0 || runs[len(runs)-1] <= e.since.run || e.withSeed {
		return err
	}
	type content struct {
		test, status, failure, environment string
		at, took                           float64
		healed                             bool
	}
	seen := map[content]int{}
	return e.eachRecorded(ctx, runs, func(run int64, row *packed.Row, test string) {
		r := delta.SeedResult{Test: test, Status: string(store.Statuses[row.Status]), DurationMS: pointer(row.Duration), Healed: row.Healed,
			Error: e.labels[row.Error], Environment: e.labels[row.Environment], At: row.At.Value}
		c := content{r.Test, r.Status, r.Error, r.Environment, r.At, math.Inf(-1), r.Healed}
		if r.DurationMS != nil {
			c.took = *r.DurationMS
		}
		seen[c]++
		if r.Nth = seen[c]; run > e.since.run {
			e.addRecord(&r)
		}
	})
}

// exportTables exports the tables of which a row is a record.
func (e *exporter) exportTables(ctx context.Context) error {
	entries := ""
	if !e.all {
		entries = ` WHERE NOT EXISTS (SELECT 1 FROM marked_quarantine m WHERE m.test_id = q.test_id AND m.quarantined_at = q.quarantined_at AND m.auto = q.auto)
			OR EXISTS (SELECT 1 FROM quarantine_log l WHERE l.test_id = q.test_id AND l.id > @change)`
	}
	return cmp.Or(
		// Events that are new or that a new run recorded.
		exportTable(ctx, e, delta.Heal{Kind: delta.KindHeal}, `SELECT test_id, locator, confidence, original_json, healed_json, timestamp, run,
			coalesce(reason, ''), coalesce(event_json, ''), event_digest FROM healing_events
			WHERE event_digest IS NOT NULL AND (id > @heal OR run > @run)`),
		exportTable(ctx, e, delta.Heal{Kind: delta.KindRefusal}, `SELECT test_id, locator, confidence, '', '', timestamp, run, reason, event_json,
			event_digest FROM heal_refusals WHERE id > @refusal`),
		e.exportLearned(ctx),
		exportTable(ctx, e, delta.Quarantine{}, `SELECT test_id, reason, quarantined_at, auto, coalesce(environment, ''), coalesce(owner, ''), coalesce(commits, '')
			FROM (SELECT test_id, reason, quarantined_at, auto_unquarantine <> 0 AS auto, environment, owner, commits FROM quarantine
				UNION ALL SELECT test_id, reason, quarantined_at, 1, environment, owner, commits FROM quarantine_aside) q`+entries),
		exportTable(ctx, e, delta.Change{}, `SELECT at, test_id, action, who, reason, tier, flip_rate FROM quarantine_log WHERE id > @change`),
		exportTable(ctx, e, delta.Rename{}, `SELECT old, new, at FROM renames WHERE id > @rename`),
		exportTable(ctx, e, delta.Unknown{}, `SELECT line FROM unknown_lines WHERE id > @unknown`),
		exportTable(ctx, e, delta.Retention{}, `SELECT before FROM retention`))
}

// exportLearned exports the tables that tests heal by.
func (e *exporter) exportLearned(ctx context.Context) error {
	changed := ""
	if !e.all {
		changed = ` WHERE NOT EXISTS (SELECT 1 FROM marked_fingerprints m
			WHERE m.test_id = f.test_id AND m.locator = f.locator AND m.updated_at = f.updated_at)`
	}
	return cmp.Or(
		exportTable(ctx, e, delta.Fingerprint{}, `SELECT test_id, locator, fingerprint_json, updated_at, page_state FROM fingerprints f`+changed),
		// The pages of those fingerprints. A page is as old as its newest fingerprint,
		// whatever its row says.
		exportTable(ctx, e, delta.Page{}, `SELECT state, young FROM page_states JOIN (SELECT page_state, max(updated_at) AS young
			FROM fingerprints f`+changed+` GROUP BY page_state) ON page_state = digest`),
		exportTable(ctx, e, delta.Veto{}, `SELECT at, locator, signature, test_id, who FROM vetoes WHERE id > @veto`),
		exportTable(ctx, e, delta.Lesson{}, `SELECT at, now, was, who FROM lessons WHERE id > @lesson`),
		exportTable(ctx, e, delta.Accepted{}, `SELECT at, fingerprint_json, locator, test_id, who FROM accepted WHERE id > @accepted`),
		exportTable(ctx, e, delta.Forgotten{}, `SELECT at, locator, test_id FROM forgotten WHERE id > @forgotten`))
}

// exportTable exports a record like blank for every row of a query.
func exportTable[R any, P interface {
	*R
	delta.Record
}](ctx context.Context, e *exporter, blank R, query string) error {
	r, run := blank, sql.NullInt64{}
	since := []any{sql.Named("run", e.since.run), sql.Named("heal", e.since.heal), sql.Named("refusal", e.since.refusal),
		sql.Named("change", e.since.change), sql.Named("rename", e.since.rename), sql.Named("unknown", e.since.unknown),
		sql.Named("veto", e.since.veto), sql.Named("lesson", e.since.lesson), sql.Named("accepted", e.since.accepted), sql.Named("forgotten", e.since.forgotten)}
	return forEachRow(ctx, e.tx, scanTargets(P(&r), &run), func() error {
		one := r
		if h, is := any(&one).(*delta.Heal); is {
			h.Run = e.ids[run.Int64]
		}
		e.addRecord(P(&one))
		return nil
	}, query, since...)
}

// scanTargets returns where the columns of a record's row are scanned to; run is for
// the row id of the run.
func scanTargets(r delta.Record, run *sql.NullInt64) []any {
	switch r := r.(type) {
	case *delta.Heal:
		return []any{&r.Test, &r.Locator, &r.Confidence, &r.Original, &r.Healed, &r.Timestamp, run, &r.Reason, &r.Event, &r.Digest}
	case *delta.Fingerprint:
		return []any{&r.Test, &r.Locator, &r.JSON, &r.UpdatedAt, &r.Page}
	case *delta.Page:
		return []any{&r.State, &r.UpdatedAt}
	case *delta.Quarantine:
		return []any{&r.Test, &r.Reason, &r.Since, &r.Auto, &r.Environment, &r.Owner, &r.Commits}
	case *delta.Change:
		return []any{&r.At, &r.Test, &r.Action, &r.Who, &r.Reason, &r.Tier, &r.FlipRate}
	case *delta.Rename:
		return []any{&r.Old, &r.New, &r.At}
	case *delta.Veto:
		return []any{&r.At, &r.Locator, &r.Signature, &r.Test, &r.Who}
	case *delta.Lesson:
		return []any{&r.At, &r.Now, &r.Was, &r.Who}
	case *delta.Accepted:
		return []any{&r.At, &r.JSON, &r.Locator, &r.Test, &r.Who}
	case *delta.Forgotten:
		return []any{&r.At, &r.Locator, &r.Test}
	case *delta.Unknown:
		return []any{&r.Line}
	case *delta.Retention:
		return []any{&r.Before}
	}
	return nil
}
