package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/delta"
	"github.com/breadcrumb/action/store/packed"
)

// openedDB is another database to merge: its records but for results, which are merged
// as they are packed. As records those of a year would take gigabytes.
type openedDB struct {
	*DB
	records *delta.Delta

	withSeed bool             // the runs that importInbox made are among them
	ids      map[int64]string // identities of its runs by row id

	tests, labels     map[int64]string
	testIDs, labelIDs map[int64]int64 // in the database into which it is merged
	moved             runMoves
}

// readOther reads another database to merge it. withSeed reads the seed's rows in the
// runs that were made of them, not as records.
func readOther(ctx context.Context, other *DB, withSeed bool) (*openedDB, error) {
	e := exporter{since: mark{run: -1}, all: true, withSeed: withSeed, out: &delta.Delta{Schema: schemaVersion}}
	o := &openedDB{DB: other, records: e.out, withSeed: withSeed, testIDs: map[int64]int64{}, labelIDs: map[int64]int64{0: 0}}
	err := inTx(ctx, other.sql, func(tx *sql.Tx) (err error) {
		e.tx = tx
		for _, export := range []func(context.Context) error{e.exportRuns, e.exportSeedResults, e.exportTables} {
			if err := export(ctx); err != nil {
				return err
			}
		}
		if o.tests, err = namesOf(ctx, tx, "tests"); err != nil {
			return err
		}
		if o.labels, err = namesOf(ctx, tx, "labels"); err != nil {
			return err
		}
		o.moved, err = readMoves(ctx, tx, nil)
		return err
	})
	o.ids = e.ids
	return o, store.Wrap(err, "read the other database")
}

// mergeFrom merges another open database and returns how many results it brought.
func (db *DB) mergeFrom(ctx context.Context, other *DB, trust store.Trust) (results int, err error) {
	db.notices = append(db.notices, other.notices...)
	withSeed, err := db.takesSeedRuns(ctx, other)
	if err != nil {
		return 0, fmt.Errorf("read runs: %w", err)
	}
	o, err := readOther(ctx, other, withSeed && trust.Only == nil)
	if err != nil {
		return 0, err
	}
	done, err := db.importRecords(ctx, o.records, o, trust, filepath.Base(other.path))
	db.notices = append(db.notices, done.Notices...)
	if err == nil && trust.Only == nil {
		err = db.mergeNewer(ctx, other)
	}
	return done.Results, err
}

// takesSeedRuns reports whether the runs that another database made of the seed's rows may
// become runs here: there are no such rows yet, and no two of the runs are the same.
func (db *DB) takesSeedRuns(ctx context.Context, other *DB) (alone bool, err error) {
	var seeded bool
	if err := db.sql.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM runs WHERE origin = ?) OR EXISTS (SELECT 1 FROM test_runs)`, int(store.FromSeed)).Scan(&seeded); err != nil || seeded {
		return false, err
	}
	err = other.sql.QueryRowContext(ctx, `SELECT count(*) = count(DISTINCT report_digest) FROM runs WHERE origin = ?`, int(store.FromSeed)).Scan(&alone)
	return alone, err
}

// importPacked merges the results of another database, run by run, as they were
// recorded.
func (m *merger) importPacked(ctx context.Context, o *openedDB) error {
	for _, run := range slices.Sorted(maps.Keys(o.ids)) {
		id, admitted := m.rows[o.ids[run]]
		if !admitted {
			continue
		}
		rows, err := readResults(ctx, o.sql, run)
		if err != nil {
			return err
		}
		moves, err := o.moved.of(run)
		if err != nil {
			return err
		}
		rows = undoMoves(moves, rows)
		for i := range rows {
			if err := m.translate(ctx, o, &rows[i]); err != nil {
				return fmt.Errorf("results of run %d: %w", run, err)
			}
		}
		m.w.pending[id] = rows
		if err := m.w.flushResults(ctx); err != nil {
			return err
		}
	}
	return nil
}

// translate gives a row of another database the row ids of this one.
func (m *merger) translate(ctx context.Context, o *openedDB, r *packed.Row) (err error) {
	test, known := o.testIDs[r.Test]
	if !known {
		if test, err = m.w.tests.numberName(ctx, o.tests[r.Test]); err != nil {
			return err
		}
		o.testIDs[r.Test] = test
	}
	r.Test = test
	for _, label := range [...]*int64{&r.Error, &r.Environment, &r.Signature, &r.Place} {
		id, known := o.labelIDs[*label]
		if !known {
			if id, err = m.w.labels.numberLabel(ctx, o.labels[*label]); err != nil {
				return err
			}
			o.labelIDs[*label] = id
		}
		*label = id
	}
	return nil
}
