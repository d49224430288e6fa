package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// RecordRun is DB.RecordRun. A run that another process recorded and did not
// save yet is waited for.
func (db *DB) RecordRun(ctx context.Context, run store.Run) (store.Recorded, error) {
	var recorded store.Recorded
	err := db.within(ctx, func(tx pgx.Tx) (err error) {
		if recorded, err = db.recordResults(ctx, tx, run); err != nil {
			return fmt.Errorf("results: %w", err)
		}
		if err := db.recordHeals(ctx, tx, run, &recorded); err != nil {
			return fmt.Errorf("heal events: %w", err)
		}
		return nil
	})
	return recorded, store.Wrap(err, "record run")
}

func (db *DB) recordResults(ctx context.Context, tx pgx.Tx, run store.Run) (store.Recorded, error) {
	rows := record.ResultRows(run)
	row := record.RunRowOf(run, rows)
	id, ordinal, err := db.insertRun(ctx, tx, row)
	if errors.Is(err, pgx.ErrNoRows) {
		return db.knownRun(ctx, tx, row)
	}
	if err != nil {
		return store.Recorded{}, err
	}
	recorded := store.Recorded{RunID: id, At: store.FromUnix(row.RecordedAt), Conflict: ordinal > 0, Results: len(rows)}
	return recorded, db.copyResults(ctx, tx, id, rows)
}

// insertRun returns pgx.ErrNoRows when the run is there.
func (db *DB) insertRun(ctx context.Context, tx pgx.Tx, r record.RunRow) (id int64, ordinal int, err error) {
	err = tx.QueryRow(ctx, `INSERT INTO breadcrumb_runs (repository_id, key_digest, payload_digest, day, run_id, run_attempt,
		workflow, job, leg, report_digest, ordinal, origin, repository, commit_sha, head_sha, branch, pull_request, fork,
		incomplete, started_at, recorded_at, result_count)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
			(SELECT count(*) FROM breadcrumb_runs WHERE repository_id = $1 AND key_digest = $2),
			$11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
		ON CONFLICT (repository_id, key_digest, payload_digest) DO NOTHING RETURNING id, ordinal`,
		db.repository, record.KeyDigest(r.Key.Args()...), r.Payload, db.day, r.Key.Run, r.Key.Attempt,
		r.Key.Workflow, r.Key.Job, r.Key.Leg, r.Key.ReportDigest, int(r.Origin), r.Repository, r.Commit, r.Head, r.Branch,
		r.PullRequest, r.Fork, r.Incomplete, r.StartedAt, r.RecordedAt, r.Results).Scan(&id, &ordinal)
	return id, ordinal, err
}

func (db *DB) knownRun(ctx context.Context, tx pgx.Tx, r record.RunRow) (store.Recorded, error) {
	known := store.Recorded{Duplicate: true}
	var at float64
	err := tx.QueryRow(ctx, `SELECT id, recorded_at FROM breadcrumb_runs
		WHERE repository_id = $1 AND key_digest = $2 AND payload_digest = $3`,
		db.repository, record.KeyDigest(r.Key.Args()...), r.Payload).Scan(&known.RunID, &at)
	known.At = store.FromUnix(at)
	return known, err
}

// copyResults writes the rows of a run with COPY.
func (db *DB) copyResults(ctx context.Context, tx pgx.Tx, run int64, rows []record.ResultRow) error {
	var tests, labels []string
	for _, r := range rows {
		tests = append(tests, string(r.Test))
		labels = append(labels, r.ErrorType, r.Environment, r.Signature, r.Place)
	}
	testIDs, err := db.numbers(ctx, tx, "breadcrumb_tests", tests)
	if err != nil {
		return fmt.Errorf("number tests: %w", err)
	}
	labelIDs, err := db.numbers(ctx, tx, "breadcrumb_labels", labels)
	if err != nil {
		return fmt.Errorf("number labels: %w", err)
	}
	label := func(name string) any {
		if name == "" {
			return nil
		}
		return labelIDs[name]
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"breadcrumb_results"},
		[]string{"repository_id", "test", "run", "attempt", "day", "status", "healed", "duration_ms", "at", "error", "environment", "signature", "place"},
		pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
			r := rows[i]
			return []any{db.repository, testIDs[string(r.Test)], run, r.Attempt, db.day, r.Status, r.Healed, r.Duration, r.At,
				label(r.ErrorType), label(r.Environment), label(r.Signature), label(r.Place)}, nil
		}))
	return err
}

// numbers returns the row ids of names in a table of (id, name), adding new
// names in their order. All processes add rows in the order of their digests,
// so that runs at the same time wait for each other and never in a circle.
func (db *DB) numbers(ctx context.Context, tx pgx.Tx, table string, names []string) (map[string]int64, error) {
	ids := make(map[string]int64, len(names))
	byDigest := make(map[string]string, len(names))
	var once []string
	var digests [][]byte
	for _, name := range names {
		if _, seen := ids[name]; seen || name == "" {
			continue
		}
		ids[name] = 0
		digest := record.NameDigest(name)
		once, digests = append(once, name), append(digests, digest)
		byDigest[string(digest)] = name
	}
	_, err := tx.Exec(ctx, `INSERT INTO `+table+` (repository_id, id, name, name_digest)
		SELECT $1, id, name, digest FROM (
			SELECT nextval(pg_get_serial_sequence($4, 'id')) AS id, name, digest FROM (
				SELECT name, digest FROM unnest($2::text[], $3::bytea[]) WITH ORDINALITY AS new (name, digest, place)
				WHERE NOT EXISTS (SELECT 1 FROM `+table+` WHERE repository_id = $1 AND name_digest = digest)
				ORDER BY place) AS unknown) AS numbered
		ORDER BY digest ON CONFLICT (repository_id, name_digest) DO NOTHING`, db.repository, once, digests, table)
	if err != nil {
		return nil, err
	}
	rows := queryRows(ctx, tx, `SELECT id, name_digest FROM `+table+` WHERE repository_id = $1 AND name_digest = ANY($2)`, db.repository, digests)
	var id int64
	var digest []byte
	found := 0
	_, err = pgx.ForEachRow(rows, []any{&id, &digest}, func() error {
		ids[byDigest[string(digest)]] = id
		found++
		return nil
	})
	if err == nil && found != len(once) {
		err = fmt.Errorf("%d of %d names have no number", len(once)-found, len(once))
	}
	return ids, err
}

// recordHeals adds the run's events that are not there yet.
func (db *DB) recordHeals(ctx context.Context, tx pgx.Tx, run store.Run, recorded *store.Recorded) error {
	for _, r := range record.HealRows(run, recorded) {
		done, err := tx.Exec(ctx, `INSERT INTO breadcrumb_heals (repository_id, event_digest, run, refused, test_id, locator,
			confidence, event_json, timestamp) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
			db.repository, r.Digest, r.Run, r.Refused, r.TestID, r.Locator, r.Confidence, r.Event, r.Timestamp)
		if err != nil {
			return err
		}
		recorded.Heals += int(done.RowsAffected())
	}
	return nil
}
