package sqlite

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/record"
)

// importRun merges a run. Of two records of one run the one recorded first counts.
func (m *merger) importRun(ctx context.Context, r *delta.Run) error {
	if err := m.admitRun(r); err != nil {
		return err
	}
	key := keyOfDelta(r.Key)
	row := record.RunRow{Key: key, Origin: store.Origin(r.Origin), Repository: r.Repository, Commit: r.Commit, Head: r.Head, Branch: r.Branch,
		PullRequest: r.PullRequest, Fork: r.Fork, Incomplete: r.Incomplete, StartedAt: r.StartedAt, RecordedAt: r.RecordedAt, Results: r.Results, Payload: r.Payload,
		WorkflowID: r.WorkflowID, PullRequests: r.PullRequests}
	recorded, err := m.w.InsertRun(ctx, row)
	if err != nil {
		return err
	}
	m.rows[r.Key.ID(r.Payload)] = recorded.RunID
	if recorded.Duplicate {
		return m.keepEarlier(ctx, recorded.RunID, row)
	}
	m.done.Runs++
	if recorded.Conflict {
		m.done.Conflicts++
	}
	return nil
}

// admitRun checks a run. An untrusted delta may only bring its own run, which
// then counts for its pull request or branch alone.
func (m *merger) admitRun(r *delta.Run) error {
	k := r.Key
	if err := checkIDs(k.Workflow, k.Job, k.Leg, k.ReportDigest, r.Repository, r.Commit, r.Head, r.Branch); err != nil {
		return err
	}
	if len(r.Payload) != sha256.Size || r.Origin < 0 || r.Origin > int(store.FromBranch) || r.Origin == int(store.FromSeed) && !m.withSeed || r.Results < 0 {
		return newBadRecord("run %d is none", k.RunID)
	}
	if _, err := store.ParseGroup(r.PullRequests); err != nil || r.WorkflowID < 0 {
		return newBadRecord("run %d is of no workflow or merge group", k.RunID)
	}
	if m.trust.RepositoryID != 0 && k.RepositoryID != 0 && k.RepositoryID != m.trust.RepositoryID {
		return newBadRecord("run %d is of another repository", k.RunID)
	}
	only := m.trust.Only
	if only == nil {
		return nil
	}
	if k.RunID != only.RunID || k.RunAttempt != only.RunAttempt || k.RepositoryID != m.trust.RepositoryID {
		return badRecord{errForeign}
	}
	if r.Origin != int(store.FromPullRequest) || r.PullRequest == 0 && r.PullRequests == "" {
		r.Origin, r.PullRequest, r.PullRequests, r.Branch = int(store.FromBranch), 0, "", store.CleanID(only.Branch)
	}
	return nil
}

// keepEarlier replaces the facts of a run when row was recorded earlier or, at the
// same time, sorts before them.
func (m *merger) keepEarlier(ctx context.Context, id int64, row record.RunRow) error {
	have, err := m.readRun(ctx, id)
	if err != nil {
		return err
	}
	if err := m.addIdentity(ctx, id, row.WorkflowID, row.PullRequests); err != nil {
		return err
	}
	facts := func(all ...any) string { return fmt.Sprintf("%q", all) }
	old := facts(have.Origin, have.Repository, have.Commit, have.Head, have.Branch, have.PullRequest, have.Fork, have.Incomplete, have.StartedAt, have.Results)
	fresh := facts(int(row.Origin), row.Repository, row.Commit, row.Head, row.Branch, row.PullRequest, row.Fork, row.Incomplete, row.StartedAt, row.Results)
	if row.RecordedAt > have.RecordedAt || row.RecordedAt == have.RecordedAt && fresh >= old {
		return nil
	}
	_, err = m.tx.ExecContext(ctx, `UPDATE runs SET origin = ?, repository = ?, commit_sha = ?, head_sha = ?, branch = ?, pull_request = ?,
		fork = ?, incomplete = ?, started_at = ?, recorded_at = ?, result_count = ? WHERE id = ?`, int(row.Origin), row.Repository, row.Commit,
		row.Head, row.Branch, row.PullRequest, row.Fork, row.Incomplete, row.StartedAt, row.RecordedAt, row.Results, id)
	return err
}

// addIdentity adds to a run what a record of an older version lacks: the workflow's id
// and the pull requests of a merge group.
func (m *merger) addIdentity(ctx context.Context, id, workflow int64, pulls string) error {
	_, err := m.tx.ExecContext(ctx, `UPDATE runs SET workflow_id = max(workflow_id, ?1), pull_requests = max(pull_requests, ?2)
		WHERE id = ?3 AND (workflow_id < ?1 OR pull_requests < ?2)`, workflow, pulls, id)
	return err
}

// adoptRunLines gives runs the fields that an older version kept as lines, because it
// did not know them. The line of a run that is not there waits for it.
func (m *merger) adoptRunLines(ctx context.Context) error {
	lines, err := readColumn[string](ctx, m.tx, `SELECT line FROM unknown_lines WHERE line LIKE '{"\_":"run",%' ESCAPE '\'`)
	if err != nil {
		return err
	}
	for _, line := range lines {
		r, known := (&delta.Unknown{Line: line}).DecodeRun()
		if r == nil {
			continue
		}
		if _, err := store.ParseGroup(r.PullRequests); err != nil {
			continue
		}
		ids, err := readColumn[int64](ctx, m.tx, `SELECT id FROM runs WHERE `+sameKey+` AND payload_digest = ?`,
			append(keyOfDelta(r.Key).Args(), r.Payload)...)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := m.addIdentity(ctx, id, r.WorkflowID, r.PullRequests); err != nil {
				return err
			}
		}
		if known && len(ids) > 0 {
			if _, err := m.tx.ExecContext(ctx, `DELETE FROM unknown_lines WHERE line = ?`, line); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *merger) readRun(ctx context.Context, id int64) (r delta.Run, err error) {
	err = m.tx.QueryRowContext(ctx, `SELECT `+runColumns+` FROM runs WHERE id = ?`, id).Scan(runTargets(&id, &r)...)
	return r, err
}

func (m *merger) importResult(ctx context.Context, r *delta.Result) error {
	run, ok := m.rows[r.Run]
	if !ok {
		return newBadRecord("a result is of no run of the delta")
	}
	status := slices.Index(store.Statuses[:], engine.Status(r.Status))
	if status < 0 || r.Attempt < 1 || r.Attempt > maxAttempt {
		return newBadRecord("result %d %.20q is none", r.Attempt, r.Status)
	}
	if err := errors.Join(checkIDs(r.Test, r.Environment), checkText(r.Error, 256), checkText(r.Signature, 256), checkText(r.Place, store.MaxID)); err != nil {
		return badRecord{err}
	}
	return m.w.insertResult(ctx, run, record.ResultRow{Test: engine.NewTestID(r.Test), Attempt: r.Attempt, Status: status, Duration: r.DurationMS,
		Healed: r.Healed, ErrorType: r.Error, Signature: r.Signature, Place: r.Place, Environment: r.Environment, At: r.At})
}

// importSeedResult adds a row to the inbox as often as it must be there. importRows
// drops what the history already has.
func (m *merger) importSeedResult(ctx context.Context, r *delta.SeedResult) error {
	if r.Nth < 1 || r.Nth > 1000 {
		return newBadRecord("seed row %d is none", r.Nth)
	}
	if err := checkIDs(r.Test, r.Error, r.Environment); err != nil {
		return err
	}
	return m.execChecked(ctx, nil, `INSERT INTO test_runs (test_id, status, duration_ms, healing_occurred, error_type, environment, timestamp)
		SELECT ?1, ?2, ?3, ?4, nullif(?5, ''), nullif(?6, ''), ?7 FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?8) SELECT i FROM n)
		WHERE i > (SELECT count(*) FROM test_runs WHERE test_id = ?1 AND status = ?2 AND timestamp = ?7 AND duration_ms IS ?3
			AND healing_occurred = ?4 AND coalesce(error_type, '') = ?5 AND coalesce(environment, '') = ?6)`,
		r.Test, r.Status, r.DurationMS, r.Healed, r.Error, r.Environment, r.At, r.Nth)
}
