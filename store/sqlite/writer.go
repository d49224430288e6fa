package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// writer writes rows in one transaction.
type writer struct {
	tx            *sql.Tx
	tests, labels *names
	results       *batch
}

// mergeResult merges two rows of one attempt, with the same outcome whichever
// comes first.
const mergeResult = ` ON CONFLICT (test, run, attempt) DO UPDATE SET healed = max(healed, excluded.healed),
	signature = CASE WHEN signature IS NULL OR (SELECT name FROM labels WHERE id = excluded.signature) < (SELECT name FROM labels WHERE id = signature)
		THEN excluded.signature ELSE signature END,
	place = CASE WHEN place IS NULL OR (SELECT name FROM labels WHERE id = excluded.place) < (SELECT name FROM labels WHERE id = place)
		THEN excluded.place ELSE place END
	WHERE healed < excluded.healed OR excluded.signature IS NOT signature AND excluded.signature IS NOT NULL
		OR excluded.place IS NOT place AND excluded.place IS NOT NULL`

func newWriter(tx *sql.Tx) *writer {
	return &writer{tx: tx, tests: &names{tx: tx, table: "tests"}, labels: &names{tx: tx, table: "labels"}, results: newBatch(tx,
		"INSERT INTO results (test, run, attempt, status, duration_ms, healed, error, environment, at, signature, place) VALUES ", 11, mergeResult)}
}

const sameKey = `repository_id = ? AND run_id = ? AND run_attempt = ? AND workflow = ? AND job = ? AND leg = ? AND report_digest = ?`

// addRun adds a run, after those that have its key.
func (w *writer) addRun(ctx context.Context, r record.RunRow) (added store.Recorded, err error) {
	if err := w.tx.QueryRowContext(ctx, `SELECT coalesce(max(ordinal) + 1, 0) FROM runs WHERE `+sameKey, r.Key.Args()...).
		Scan(&r.Ordinal); err != nil {
		return added, err
	}
	args := append(r.Key.Args(), r.Ordinal, int(r.Origin), r.Repository, r.Commit, r.Head, r.Branch, r.PullRequest,
		r.Fork, r.Incomplete, r.StartedAt, r.RecordedAt, r.Results, r.Payload, r.WorkflowID, r.PullRequests)
	done, err := w.tx.ExecContext(ctx, `INSERT INTO runs (repository_id, run_id, run_attempt, workflow, job, leg,
		report_digest, ordinal, origin, repository, commit_sha, head_sha, branch, pull_request, fork, incomplete,
		started_at, recorded_at, result_count, payload_digest, workflow_id, pull_requests) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, args...)
	if err != nil {
		return added, err
	}
	added = store.Recorded{At: store.FromUnix(r.RecordedAt), Conflict: r.Ordinal > 0}
	added.RunID, err = done.LastInsertId()
	return added, err
}

// InsertRun is sqlstore.Writer.InsertRun.
func (w *writer) InsertRun(ctx context.Context, r record.RunRow) (store.Recorded, error) {
	known := store.Recorded{Duplicate: true}
	var at float64
	err := w.tx.QueryRowContext(ctx, `SELECT id, recorded_at FROM runs WHERE `+sameKey+` AND payload_digest = ?
		ORDER BY ordinal LIMIT 1`, append(r.Key.Args(), r.Payload)...).Scan(&known.RunID, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return w.addRun(ctx, r)
	}
	known.At = store.FromUnix(at)
	return known, err
}

// InsertResults is sqlstore.Writer.InsertResults.
func (w *writer) InsertResults(ctx context.Context, run int64, rows []record.ResultRow) error {
	for _, r := range rows {
		if err := w.insertResult(ctx, run, r); err != nil {
			return err
		}
	}
	return w.results.flushRows(ctx)
}

// insertResult writes one row, at the latest with the next flush of results.
func (w *writer) insertResult(ctx context.Context, run int64, r record.ResultRow) error {
	test, err := w.tests.numberName(ctx, string(r.Test))
	if err != nil {
		return err
	}
	labels := [4]any{}
	for i, text := range []string{r.ErrorType, r.Environment, r.Signature, r.Place} {
		if labels[i], err = w.labels.numberLabel(ctx, text); err != nil {
			return err
		}
	}
	return w.results.addRow(ctx, []any{test, run, r.Attempt, r.Status, r.Duration, r.Healed, labels[0], labels[1], r.At, labels[2], labels[3]})
}

// names maps texts to the row ids of one table of (id, name), adding new ones.
type names struct {
	tx    *sql.Tx
	table string
	known map[string]int64 // read when it is needed
	add   *sql.Stmt        // prepared when it is needed; ends with tx
}

func (n *names) readKnown(ctx context.Context) error {
	n.known = map[string]int64{}
	var id int64
	var name string
	return forEachRow(ctx, n.tx, []any{&id, &name}, func() error {
		n.known[name] = id
		return nil
	}, "SELECT id, name FROM "+n.table)
}

// numberName returns the row id of name, a new one if need be.
func (n *names) numberName(ctx context.Context, name string) (int64, error) {
	if n.known == nil {
		if err := n.readKnown(ctx); err != nil {
			return 0, err
		}
	}
	if id, ok := n.known[name]; ok {
		return id, nil
	}
	if n.add == nil {
		var err error
		if n.add, err = n.tx.PrepareContext(ctx, "INSERT INTO "+n.table+" (name) VALUES (?)"); err != nil {
			return 0, err
		}
	}
	done, err := n.add.ExecContext(ctx, name)
	if err != nil {
		return 0, fmt.Errorf("number %.60q: %w", name, err)
	}
	id, err := done.LastInsertId()
	n.known[name] = id
	return id, err
}

// numberLabel is id for a label that may be empty, which is stored as NULL.
func (n *names) numberLabel(ctx context.Context, name string) (any, error) {
	if name == "" {
		return nil, nil
	}
	return n.numberName(ctx, name)
}

// InsertFingerprints is sqlstore.Writer.InsertFingerprints.
func (w *writer) InsertFingerprints(ctx context.Context, rows []record.FingerprintRow, at float64) error {
	insert := newBatch(w.tx, `INSERT INTO fingerprints (test_id, locator, fingerprint_json, updated_at, page_state, page_state_of)
		VALUES `, 6, replaceFingerprint+unlessTheSame)
	for _, r := range rows {
		if err := insert.addRow(ctx, []any{r.TestID, r.Locator, r.JSON, at, r.Page, r.PageOf}); err != nil {
			return err
		}
	}
	return insert.flushRows(ctx)
}
