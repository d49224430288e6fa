package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// writer writes rows in one transaction.
type writer struct {
	*DB
	tx pgx.Tx
}

// InsertRun is sqlstore.Writer.InsertRun.
func (w writer) InsertRun(ctx context.Context, r record.RunRow) (store.Recorded, error) {
	added := store.Recorded{At: store.FromUnix(r.RecordedAt)}
	var ordinal int
	err := w.tx.QueryRow(ctx, `INSERT INTO breadcrumb_runs (repository_id, key_digest, payload_digest, day, run_id, run_attempt,
		workflow, job, leg, report_digest, ordinal, origin, repository, commit_sha, head_sha, branch, pull_request, fork,
		incomplete, started_at, recorded_at, result_count, workflow_id, pull_requests)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
			(SELECT count(*) FROM breadcrumb_runs WHERE repository_id = $1 AND key_digest = $2),
			$11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)
		ON CONFLICT (repository_id, key_digest, payload_digest) DO NOTHING RETURNING id, ordinal`,
		w.repository, record.KeyDigest(r.Key.Args()...), r.Payload, w.day, r.Key.Run, r.Key.Attempt,
		r.Key.Workflow, r.Key.Job, r.Key.Leg, r.Key.ReportDigest, int(r.Origin), r.Repository, r.Commit, r.Head, r.Branch,
		r.PullRequest, r.Fork, r.Incomplete, r.StartedAt, r.RecordedAt, r.Results,
		r.WorkflowID, r.PullRequests).Scan(&added.RunID, &ordinal)
	if errors.Is(err, pgx.ErrNoRows) {
		return w.knownRun(ctx, r)
	}
	added.Conflict = ordinal > 0
	return added, err
}

func (w writer) knownRun(ctx context.Context, r record.RunRow) (store.Recorded, error) {
	known := store.Recorded{Duplicate: true}
	var at float64
	err := w.tx.QueryRow(ctx, `SELECT id, recorded_at FROM breadcrumb_runs
		WHERE repository_id = $1 AND key_digest = $2 AND payload_digest = $3`,
		w.repository, record.KeyDigest(r.Key.Args()...), r.Payload).Scan(&known.RunID, &at)
	known.At = store.FromUnix(at)
	return known, err
}

// InsertResults is sqlstore.Writer.InsertResults, with COPY.
func (w writer) InsertResults(ctx context.Context, run int64, rows []record.ResultRow) error {
	var tests, labels []string
	for _, r := range rows {
		tests = append(tests, string(r.Test))
		labels = append(labels, r.ErrorType, r.Environment, r.Signature, r.Place)
	}
	testIDs, err := w.numberNames(ctx, "breadcrumb_tests", tests)
	if err != nil {
		return fmt.Errorf("number tests: %w", err)
	}
	labelIDs, err := w.numberNames(ctx, "breadcrumb_labels", labels)
	if err != nil {
		return fmt.Errorf("number labels: %w", err)
	}
	label := func(name string) any {
		if name == "" {
			return nil
		}
		return labelIDs[name]
	}
	_, err = w.tx.CopyFrom(ctx, pgx.Identifier{"breadcrumb_results"},
		[]string{"repository_id", "test", "run", "attempt", "day", "status", "healed", "duration_ms", "at", "error", "environment", "signature", "place"},
		pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
			r := rows[i]
			return []any{w.repository, testIDs[string(r.Test)], run, r.Attempt, w.day, r.Status, r.Healed, r.Duration, r.At,
				label(r.ErrorType), label(r.Environment), label(r.Signature), label(r.Place)}, nil
		}))
	return err
}

// numberNames returns the row ids of names in a table of (id, name), adding new
// names in their order. All processes add rows in the order of their digests,
// so that runs at the same time wait for each other and never in a circle.
func (w writer) numberNames(ctx context.Context, table string, names []string) (map[string]int64, error) {
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
	_, err := w.tx.Exec(ctx, `INSERT INTO `+table+` (repository_id, id, name, name_digest)
		SELECT $1, id, name, digest FROM (
			SELECT nextval(pg_get_serial_sequence($4, 'id')) AS id, name, digest FROM (
				SELECT name, digest FROM unnest($2::text[], $3::bytea[]) WITH ORDINALITY AS new (name, digest, place)
				WHERE NOT EXISTS (SELECT 1 FROM `+table+` WHERE repository_id = $1 AND name_digest = digest)
				ORDER BY place) AS unknown) AS numbered
		ORDER BY digest ON CONFLICT (repository_id, name_digest) DO NOTHING`, w.repository, once, digests, table)
	if err != nil {
		return nil, err
	}
	rows := queryRows(ctx, w.tx, `SELECT id, name_digest FROM `+table+` WHERE repository_id = $1 AND name_digest = ANY($2)`, w.repository, digests)
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

// InsertHeal is sqlstore.Writer.InsertHeal.
func (w writer) InsertHeal(ctx context.Context, r record.HealRow) (int, error) {
	done, err := w.tx.Exec(ctx, `INSERT INTO breadcrumb_heals (repository_id, event_digest, run, refused, test_id, locator,
		confidence, event_json, timestamp, suggested) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
		w.repository, r.Digest, r.Run, r.Refused, r.TestID, r.Locator, r.Confidence, r.Event, r.Timestamp, r.Suggested)
	return int(done.RowsAffected()), err
}

// InsertFingerprints is sqlstore.Writer.InsertFingerprints, in the order of tests
// and locators, as every run does.
func (w writer) InsertFingerprints(ctx context.Context, rows []record.FingerprintRow, at float64) error {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b record.FingerprintRow) int {
		return cmp.Or(cmp.Compare(a.TestID, b.TestID), cmp.Compare(a.Locator, b.Locator))
	})
	var batch pgx.Batch
	for _, r := range rows {
		batch.Queue(`INSERT INTO breadcrumb_fingerprints AS old (repository_id, key_digest, test_id, locator, fingerprint_json,
			updated_at, page_state) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (repository_id, key_digest) DO UPDATE SET
			fingerprint_json = excluded.fingerprint_json, updated_at = excluded.updated_at,
			page_state = CASE WHEN excluded.page_state IS NOT NULL THEN excluded.page_state
				WHEN old.fingerprint_json = excluded.fingerprint_json THEN old.page_state END
			WHERE old.fingerprint_json <> excluded.fingerprint_json
				OR excluded.page_state IS NOT NULL AND old.page_state IS DISTINCT FROM excluded.page_state
				OR excluded.updated_at NOT BETWEEN old.updated_at AND old.updated_at + 86400`,
			w.repository, record.KeyDigest(r.TestID, r.Locator), r.TestID, r.Locator, r.JSON, at, r.Page)
	}
	return w.tx.SendBatch(ctx, &batch).Close()
}
