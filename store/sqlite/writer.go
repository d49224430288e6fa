package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/packed"
	"github.com/breadcrumb/action/store/record"
)

// writer writes rows in one transaction.
type writer struct {
	tx            *sql.Tx
	tests, labels *names
	pending       map[int64][]packed.Row // results to write, by run
	changed       int                    // results that were added or changed
}

func newWriter(tx *sql.Tx) *writer {
	return &writer{tx: tx, tests: &names{tx: tx, table: "tests"}, labels: &names{tx: tx, table: "labels"}, pending: map[int64][]packed.Row{}}
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

// InsertResults is sqlstore.Writer.InsertResults. A rename may be younger than the run, of
// a job that ended earlier.
func (w *writer) InsertResults(ctx context.Context, run int64, rows []record.ResultRow) error {
	w.pending[run] = slices.Grow(w.pending[run], len(rows))
	for _, r := range rows {
		if err := w.insertResult(ctx, run, r); err != nil {
			return err
		}
	}
	if err := w.flushResults(ctx); err != nil {
		return err
	}
	return applyRenames(ctx, w.tx, []int64{run})
}

// insertResult keeps one row for the next flushResults.
func (w *writer) insertResult(ctx context.Context, run int64, r record.ResultRow) (err error) {
	row := packed.Row{Attempt: int64(r.Attempt), Status: r.Status, Healed: r.Healed, Duration: numberOf(r.Duration), At: numberOf(r.At)}
	if row.Test, err = w.tests.numberName(ctx, string(r.Test)); err != nil {
		return err
	}
	labels := [...]*int64{&row.Error, &row.Environment, &row.Signature, &row.Place}
	for i, text := range [...]string{r.ErrorType, r.Environment, r.Signature, r.Place} {
		if *labels[i], err = w.labels.numberLabel(ctx, text); err != nil {
			return err
		}
	}
	w.pending[run] = append(w.pending[run], row)
	return nil
}

// numberOf returns a number of a row, which may be unknown.
func numberOf(v any) packed.Number {
	switch v := v.(type) {
	case float64:
		return packed.Number{Value: v, Known: true}
	case *float64:
		if v != nil {
			return packed.Number{Value: *v, Known: true}
		}
	}
	return packed.Number{}
}

// flushResults writes the rows that were inserted, each under the name it was recorded
// for. Those of a run that has results already are merged with them.
func (w *writer) flushResults(ctx context.Context) error {
	for _, run := range slices.Sorted(maps.Keys(w.pending)) {
		have, err := readResults(ctx, w.tx, run)
		if err != nil {
			return err
		}
		if len(have) > 0 {
			moved, err := readMoves(ctx, w.tx, []int64{run})
			if err != nil {
				return err
			}
			moves, err := moved.of(run)
			if err != nil {
				return err
			}
			have = undoMoves(moves, have)
		}
		before := w.changed
		merged, err := w.mergeResults(ctx, have, w.pending[run])
		if err != nil {
			return err
		}
		if len(have) > 0 && w.changed == before {
			continue
		}
		if err := writeMoves(ctx, w.tx, run, nil); err != nil {
			return err
		}
		if err := writeResults(ctx, w.tx, run, merged); err != nil {
			return err
		}
	}
	clear(w.pending)
	return nil
}

// mergeResults merges rows of a run, with the same outcome whichever come first.
func (w *writer) mergeResults(ctx context.Context, have, fresh []packed.Row) ([]packed.Row, error) {
	all := fresh
	if len(have) > 0 {
		all = slices.Concat(have, fresh)
	}
	sortResults(all)
	w.changed += len(fresh)
	merged := all[:0]
	for _, r := range all {
		if len(merged) == 0 || merged[len(merged)-1].Key() != r.Key() {
			merged = append(merged, r)
			continue
		}
		changed, err := w.mergeResult(ctx, &merged[len(merged)-1], r)
		if err != nil {
			return nil, err
		}
		if !changed {
			w.changed--
		}
	}
	return merged, nil
}

// mergeResult merges a row into another one of the same attempt.
func (w *writer) mergeResult(ctx context.Context, have *packed.Row, r packed.Row) (changed bool, err error) {
	signed, err := w.mergeLabel(ctx, &have.Signature, r.Signature)
	if err != nil {
		return false, err
	}
	placed, err := w.mergeLabel(ctx, &have.Place, r.Place)
	changed = signed || placed || r.Healed && !have.Healed
	have.Healed = have.Healed || r.Healed
	return changed, err
}

// mergeLabel keeps the first of two labels by their names. It reports whether there was
// another one.
func (w *writer) mergeLabel(ctx context.Context, have *int64, fresh int64) (other bool, err error) {
	if fresh == 0 || fresh == *have {
		return false, nil
	}
	if *have == 0 {
		*have = fresh
		return true, nil
	}
	kept, err := w.labels.nameOf(ctx, *have)
	if err != nil {
		return true, err
	}
	name, err := w.labels.nameOf(ctx, fresh)
	if err == nil && name < kept {
		*have = fresh
	}
	return true, err
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

// nameOf returns the name with a row id.
func (n *names) nameOf(ctx context.Context, id int64) (name string, err error) {
	err = n.tx.QueryRowContext(ctx, "SELECT name FROM "+n.table+" WHERE id = ?", id).Scan(&name)
	return name, err
}

// numberLabel is numberName for a label that may be empty, which has the row id 0.
func (n *names) numberLabel(ctx context.Context, name string) (int64, error) {
	if name == "" {
		return 0, nil
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
