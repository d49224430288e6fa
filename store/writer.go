package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// writer holds the statements that record runs in one transaction.
type writer struct {
	tx            *sql.Tx
	tests, labels *names
	results       *batch
}

func newWriter(ctx context.Context, tx *sql.Tx) (w *writer, err error) {
	w = &writer{tx: tx}
	if w.tests, err = newNames(ctx, tx, "tests"); err != nil {
		return nil, err
	}
	if w.labels, err = newNames(ctx, tx, "labels"); err != nil {
		return nil, err
	}
	w.results, err = newBatch(ctx, tx, "INSERT INTO results (test, run, attempt, status, duration_ms, healed, error, environment, at, signature, place) VALUES ", 11, "")
	return w, err
}

func (w *writer) close() {
	w.tests.close()
	w.labels.close()
	w.results.close()
}

// runRow is a row of runs without its id.
type runRow struct {
	key        runKey
	ordinal    int
	origin     origin
	repository string
	commit     string
	head       string
	branch     string
	pr         int
	fork       bool
	incomplete bool
	startedAt  float64
	recordedAt float64
	results    int
	payload    []byte
}

// runKey tells runs apart, together with the ordinal.
type runKey struct {
	repository, run    int64
	attempt            int
	workflow, job, leg string
	reportDigest       string
}

func (k runKey) args() []any {
	return []any{k.repository, k.run, k.attempt, k.workflow, k.job, k.leg, k.reportDigest}
}

// workflowFile returns the workflow's file with the "@" behind it. GitHub names
// the ref there, which is another one on every branch and pull request:
// owner/name/.github/workflows/ci.yml@refs/pull/12/merge.
func (k runKey) workflowFile() string {
	file, _, _ := strings.Cut(k.workflow, "@refs/")
	return file + "@"
}

// lane names what a run is compared with: others of its workflow's file, job and
// leg; "" for a run that has none.
func (k runKey) lane() string {
	if k.workflow == "" && k.job == "" && k.leg == "" {
		return ""
	}
	return k.workflowFile() + "\n" + k.job + "\n" + k.leg
}

const sameKey = `repository_id = ? AND run_id = ? AND run_attempt = ? AND workflow = ? AND job = ? AND leg = ? AND report_digest = ?`

func (w *writer) insertRun(ctx context.Context, r runRow) (int64, error) {
	args := append(r.key.args(), r.ordinal, int(r.origin), r.repository, r.commit, r.head, r.branch, r.pr,
		boolInt(r.fork), boolInt(r.incomplete), r.startedAt, r.recordedAt, r.results, r.payload)
	done, err := w.tx.ExecContext(ctx, `INSERT INTO runs (repository_id, run_id, run_attempt, workflow, job, leg,
		report_digest, ordinal, origin, repository, commit_sha, head_sha, branch, pull_request, fork, incomplete,
		started_at, recorded_at, result_count, payload_digest) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, args...)
	if err != nil {
		return 0, err
	}
	return done.LastInsertId()
}

// knownRun is a run that is there under a key.
type knownRun struct {
	id       int64
	recorded float64
}

// find looks for the payload under the key. It returns the run that has it, if
// any, and the next free ordinal.
func (w *writer) find(ctx context.Context, key runKey, payload []byte) (have *knownRun, next int, err error) {
	var run knownRun
	err = w.tx.QueryRowContext(ctx, `SELECT id, recorded_at FROM runs WHERE `+sameKey+` AND payload_digest = ?
		ORDER BY ordinal LIMIT 1`, append(key.args(), payload)...).Scan(&run.id, &run.recorded)
	if err == nil {
		return &run, 0, nil
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return nil, 0, err
	}
	next, err = w.nextOrdinal(ctx, key)
	return nil, next, err
}

func (w *writer) nextOrdinal(ctx context.Context, key runKey) (next int, err error) {
	err = w.tx.QueryRowContext(ctx, `SELECT coalesce(max(ordinal) + 1, 0) FROM runs WHERE `+sameKey, key.args()...).Scan(&next)
	return next, err
}
