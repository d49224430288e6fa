package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/untrusted"
)

// mergeNewer adds what another database, whose records are merged already, holds of a newer
// version: the rows of its tables that are not there yet, and of each row that both have
// the columns that are empty here. See compatibleSince for what may be kept so.
func (db *DB) mergeNewer(ctx context.Context, other *DB) error {
	theirs := other.newer
	if theirs.version == 0 {
		return nil
	}
	err := inTx(ctx, db.sql, func(tx *sql.Tx) error {
		return inTx(ctx, other.sql, func(from *sql.Tx) error {
			for _, t := range theirs.tables {
				if err := db.newer.declare(ctx, tx, t.name, t.columns); err != nil {
					return err
				}
				if err := mergeRows(ctx, tx, from, t); err != nil {
					return fmt.Errorf("table %s: %w", t.name, err)
				}
			}
			for _, c := range theirs.columns {
				if err := db.newer.declare(ctx, tx, c.table, []untrusted.Declared{c.Declared}); err != nil {
					return err
				}
				if err := mergeColumn(ctx, tx, from, c); err != nil {
					return fmt.Errorf("column %s.%s: %w", c.table, c.Name, err)
				}
			}
			db.newer.version, db.newer.since = max(db.newer.version, theirs.version), max(db.newer.since, theirs.since)
			return declareVersions(ctx, tx, db.newer.version, db.newer.since)
		})
	})
	return store.Wrap(err, "merge what a newer version added")
}

// mergeRows adds the rows of a table that are not there yet. Row ids are each database's
// own.
func mergeRows(ctx context.Context, tx, from *sql.Tx, t newerTable) error {
	columns := t.columns
	if id := t.rowID(); id >= 0 && len(columns) > 1 {
		columns = slices.Delete(slices.Clone(columns), id, id+1)
	}
	names, declared := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i], declared[i] = untrusted.Quote(c.Name), declaration(c)
	}
	list := strings.Join(names, ", ")
	if _, err := tx.ExecContext(ctx, "CREATE TEMP TABLE newer_rows ("+strings.Join(declared, ", ")+")"); err != nil {
		return err
	}
	insert := newBatch(tx, "INSERT INTO temp.newer_rows ("+list+") VALUES ", len(names), "")
	values, targets := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		targets[i] = &values[i]
	}
	if err := forEachRow(ctx, from, targets, func() error { return insert.addRow(ctx, values) }, "SELECT "+list+" FROM main."+untrusted.Quote(t.name)); err != nil {
		return err
	}
	if err := insert.flushRows(ctx); err != nil {
		return err
	}
	table := "main." + untrusted.Quote(t.name)
	_, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO "+table+" ("+list+") SELECT "+list+" FROM temp.newer_rows EXCEPT SELECT "+list+" FROM "+table+"; DROP TABLE temp.newer_rows")
	return err
}

// rowID returns which column holds the row id, -1 for none.
func (t newerTable) rowID() int {
	isKey := func(d untrusted.Declared) bool { return d.Key != 0 }
	id := slices.IndexFunc(t.columns, isKey)
	if id < 0 || !strings.EqualFold(t.columns[id].Type, "INTEGER") || slices.ContainsFunc(t.columns[id+1:], isKey) {
		return -1
	}
	return id
}

const runKeyColumns = "repository_id, run_id, run_attempt, workflow, job, leg, report_digest, payload_digest"

// rowKeys are the columns by which a row is the same one in two databases. Tables of which
// rows are worked out from others, or are taken away when they are read, have none.
var rowKeys = map[string]string{
	"schema_meta": "key", "page_states": "digest", "fingerprints": "test_id, locator, fingerprint_json", "quarantine": "test_id, quarantined_at",
	"quarantine_aside": "test_id, quarantined_at", "tests": "name", "labels": "name", "runs": runKeyColumns, "packed_runs": runKeyColumns,
	"healing_events": "event_digest", "heal_refusals": "event_digest", "quarantine_log": "at, test_id, action, who", "renames": "old, new, at",
	"vetoes": "test_id, locator, signature", "lessons": "was, now", "accepted": "test_id, locator, at", "forgotten": "test_id, locator, at",
	"unknown_lines": "line", "retention": "id",
}

// mergeColumn fills a column, where it is empty, from the same rows of another database.
func mergeColumn(ctx context.Context, tx, from *sql.Tx, c newerColumn) error {
	key, known := rowKeys[c.table]
	if !known {
		return nil
	}
	width := strings.Count(key, ",") + 1
	same := "(" + key + ") = (" + strings.TrimSuffix(strings.Repeat("?, ", width), ", ") + ")"
	source, column := c.table, c.table+"."+untrusted.Quote(c.Name)
	if c.table == "packed_runs" {
		source, same = "packed_runs JOIN runs ON runs.id = run", "run IN (SELECT id FROM runs WHERE "+same+")"
	}
	update := "UPDATE main." + c.table + " SET " + untrusted.Quote(c.Name) + " = ? WHERE " + column + " IS " + c.Default + " AND " + same
	values, targets := make([]any, width+1), make([]any, width+1)
	for i := range values {
		targets[i] = &values[i]
	}
	return forEachRow(ctx, from, targets, func() error {
		_, err := tx.ExecContext(ctx, update, values...)
		return err
	}, "SELECT "+column+", "+key+" FROM "+source+" WHERE "+column+" IS NOT "+c.Default)
}
