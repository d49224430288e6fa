package postgres

import (
	"bytes"
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

// InsertRun is sqlstore.Writer.InsertRun. Rows of the same key are counted first: Citus
// refuses to insert what a subquery returns.
func (w writer) InsertRun(ctx context.Context, r record.RunRow) (store.Recorded, error) {
	added := store.Recorded{At: store.FromUnix(r.RecordedAt)}
	key := record.KeyDigest(r.Key.Args()...)
	var ordinal int
	err := w.tx.QueryRow(ctx, `SELECT count(*) FROM breadcrumb_runs WHERE repository_id = $1 AND key_digest = $2`, w.repository, key).Scan(&ordinal)
	if err != nil {
		return added, err
	}
	err = w.tx.QueryRow(ctx, `INSERT INTO breadcrumb_runs (repository_id, key_digest, payload_digest, day, run_id, run_attempt,
		workflow, job, leg, report_digest, ordinal, origin, repository, commit_sha, head_sha, branch, pull_request, fork,
		incomplete, started_at, recorded_at, result_count, workflow_id, pull_requests)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
		ON CONFLICT (repository_id, key_digest, payload_digest) DO NOTHING RETURNING id`,
		w.repository, key, r.Payload, w.day, r.Key.Run, r.Key.Attempt,
		r.Key.Workflow, r.Key.Job, r.Key.Leg, r.Key.ReportDigest, ordinal, int(r.Origin), r.Repository, r.Commit, r.Head, r.Branch,
		r.PullRequest, r.Fork, r.Incomplete, r.StartedAt, r.RecordedAt, r.Results,
		r.WorkflowID, r.PullRequests).Scan(&added.RunID)
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
//
// No statement takes a number from a sequence and reads a table at once: Citus, which
// spreads the table, refuses that or numbers on each of its nodes
// (https://github.com/citusdata/citus/issues/2365 and 6798).
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
	find := func(digests [][]byte) error {
		rows := queryRows(ctx, w.tx, `SELECT id, name_digest FROM `+table+` WHERE repository_id = $1 AND name_digest = ANY($2)`, w.repository, digests)
		var id int64
		var digest []byte
		_, err := pgx.ForEachRow(rows, []any{&id, &digest}, func() error {
			ids[byDigest[string(digest)]] = id
			return nil
		})
		return err
	}
	if err := find(digests); err != nil {
		return nil, err
	}
	fresh := slices.DeleteFunc(once, func(name string) bool { return ids[name] != 0 })
	if len(fresh) == 0 {
		return ids, nil
	}
	digests, err := w.addNames(ctx, table, fresh)
	if err == nil {
		err = find(digests)
	}
	left := 0
	for _, name := range fresh {
		if ids[name] == 0 {
			left++
		}
	}
	if err == nil && left > 0 {
		err = fmt.Errorf("%d of %d names have no number", left, len(fresh))
	}
	return ids, err
}

// addNames adds names that another run may add meanwhile, and returns their digests.
func (w writer) addNames(ctx context.Context, table string, names []string) (digests [][]byte, err error) {
	type numbered struct {
		id     int64
		name   string
		digest []byte
	}
	var added []numbered
	var id int64
	rows := queryRows(ctx, w.tx, `SELECT nextval('`+table+`_id_seq') FROM generate_series(1, $1::int)`, len(names))
	if _, err := pgx.ForEachRow(rows, []any{&id}, func() error {
		name := names[len(added)]
		added = append(added, numbered{id, name, record.NameDigest(name)})
		return nil
	}); err != nil {
		return nil, err
	}
	slices.SortFunc(added, func(a, b numbered) int { return bytes.Compare(a.digest, b.digest) })
	var ids []int64
	var sorted []string
	for _, n := range added {
		ids, sorted, digests = append(ids, n.id), append(sorted, n.name), append(digests, n.digest)
	}
	_, err = w.tx.Exec(ctx, `INSERT INTO `+table+` (repository_id, id, name, name_digest)
		SELECT $1, new.id, new.name, new.digest FROM unnest($2::bigint[], $3::text[], $4::bytea[]) AS new (id, name, digest)
		ORDER BY new.digest ON CONFLICT (repository_id, name_digest) DO NOTHING`, w.repository, ids, sorted, digests)
	return digests, err
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
