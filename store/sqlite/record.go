package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/record"
)

// recordHeals adds the run's events that are not there yet. A row that the seed
// wrote and no run recorded becomes the run's.
func recordHeals(ctx context.Context, tx *sql.Tx, run store.Run, recorded *store.Recorded) error {
	for _, row := range record.HealRows(run, recorded) {
		added, err := insertHeal(ctx, tx, row)
		if err != nil {
			return err
		}
		recorded.Heals += added
	}
	return nil
}

// RecordRun writes a run with every attempt and every heal event in one
// transaction. Recording the same run twice changes nothing; with other
// results under the same key both are kept. A heal event is kept once, however
// many files and runs hold it.
func (db *DB) RecordRun(ctx context.Context, run store.Run) (store.Recorded, error) {
	var recorded store.Recorded
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		w, err := newWriter(ctx, tx)
		if err != nil {
			return err
		}
		if recorded, err = db.recordResults(ctx, w, run); err != nil {
			return fmt.Errorf("results: %w", err)
		}
		if err := recordHeals(ctx, tx, run, &recorded); err != nil {
			return fmt.Errorf("heal events: %w", err)
		}
		return nil
	})
	return recorded, store.Wrap(err, "record run")
}

func (db *DB) recordResults(ctx context.Context, w *writer, run store.Run) (store.Recorded, error) {
	rows := record.ResultRows(run)
	row := record.RunRowOf(run, rows)
	have, next, err := w.find(ctx, row.Key, row.Payload)
	if err != nil {
		return store.Recorded{}, err
	}
	if have != nil {
		return store.Recorded{RunID: have.id, At: store.FromUnix(have.recorded), Duplicate: true}, nil
	}
	row.Ordinal = next
	id, err := w.insertRun(ctx, row)
	if err != nil {
		return store.Recorded{}, err
	}
	recorded := store.Recorded{RunID: id, At: store.FromUnix(row.RecordedAt), Conflict: next > 0, Results: len(rows)}
	return recorded, w.insertResults(ctx, id, rows)
}
