package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine"
)

// RecordRun writes a run with every attempt and every heal event, in one
// transaction. The same run twice changes nothing; the same key with other
// results keeps both. A heal event is kept once, however many files and runs
// bring it.
func (db *DB) RecordRun(ctx context.Context, run Run) (Recorded, error) {
	var recorded Recorded
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		w, err := newWriter(ctx, tx)
		if err != nil {
			return err
		}
		defer w.close()
		if recorded, err = db.recordResults(ctx, w, run); err != nil {
			return fmt.Errorf("results: %w", err)
		}
		if err := recordHeals(ctx, tx, run, &recorded); err != nil {
			return fmt.Errorf("heal events: %w", err)
		}
		return nil
	})
	if err != nil {
		return Recorded{}, fmt.Errorf("record run: %w", err)
	}
	return recorded, nil
}

func (db *DB) recordResults(ctx context.Context, w *writer, run Run) (Recorded, error) {
	rows := resultRows(run)
	row := rowOf(run, rows)
	have, next, err := w.find(ctx, row.key, row.payload)
	if err != nil {
		return Recorded{}, err
	}
	if have != nil {
		return Recorded{RunID: have.id, At: fromUnix(have.recorded), Duplicate: true}, nil
	}
	row.ordinal = next
	id, err := w.insertRun(ctx, row)
	if err != nil {
		return Recorded{}, err
	}
	recorded := Recorded{RunID: id, At: fromUnix(row.recordedAt), Conflict: next > 0, Results: len(rows)}
	return recorded, db.insertResults(ctx, w, id, rows)
}

func rowOf(run Run, rows []resultRow) runRow {
	info := run.Info
	started := info.StartedAt
	if started.IsZero() {
		started = run.Now
	}
	return runRow{
		key: keyOf(info, run.ReportDigest), origin: originOf(info), repository: CleanID(info.Repository),
		commit: CleanID(info.Commit), head: CleanID(info.HeadSHA), branch: CleanID(info.Branch),
		pr: info.PullRequest, fork: info.Fork, incomplete: run.Incomplete,
		startedAt: unix(bounded(started)), recordedAt: unix(bounded(run.Now)),
		results: len(rows), payload: payloadDigest(rows),
	}
}

func keyOf(info engine.RunInfo, digest string) runKey {
	return runKey{
		repository: info.RepositoryID, run: info.RunID, attempt: info.RunAttempt,
		workflow: CleanID(info.Workflow), job: CleanID(info.Job), leg: CleanID(info.Leg), reportDigest: CleanID(digest),
	}
}

// bounded keeps a time within what Unix microseconds can hold; the zero time
// becomes the epoch.
func bounded(t time.Time) time.Time {
	if t.IsZero() {
		return time.Unix(0, 0)
	}
	return fromUnix(float64(t.Unix())).Add(time.Duration(t.Nanosecond()))
}
