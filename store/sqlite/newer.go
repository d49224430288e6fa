package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/store/untrusted"
)

// newerParts is what a database of a newer version has that this one does not know. It is
// kept as it is: the database stays one of the newer version, whose tables and columns are
// declared again, without indexes and constraints but for the primary key, and which makes
// its own again when it reads the rows.
type newerParts struct {
	version int // of the schema, 0 for none that is newer
	since   int // the oldest version that can read and write it
	tables  []newerTable
	columns []newerColumn
}

// newerTable is a table that this version does not know.
type newerTable struct {
	name    string
	columns []untrusted.Declared
}

// table returns how the rows of the table are copied.
func (t newerTable) table() table {
	copied := table{name: t.name, clash: " ON CONFLICT DO NOTHING"}
	for _, d := range t.columns {
		copied.columns = append(copied.columns, d.Column())
	}
	return copied
}

// newerColumn is a column of a table that this version knows.
type newerColumn struct {
	table string
	untrusted.Declared
}

// columnsOf returns the columns of a table that this version does not know.
func (p newerParts) columnsOf(table string) (columns []untrusted.Column) {
	for _, c := range p.columns {
		if c.table == table {
			columns = append(columns, c.Column())
		}
	}
	return columns
}

// maxNamed is how many tables and columns are named in a notice.
const maxNamed = 8

// String says in a sentence what is kept.
func (p newerParts) String() string {
	var kept []string
	for _, t := range p.tables {
		kept = append(kept, "table "+t.name)
	}
	for _, c := range p.columns {
		kept = append(kept, "column "+c.table+"."+c.Name)
	}
	known := fmt.Sprintf("a newer Breadcrumb has brought it to schema %d, and this one knows up to %d: what it knows is read and written", p.version, schemaVersion)
	if len(kept) == 0 {
		return known + "; update Breadcrumb"
	}
	if more := len(kept) - maxNamed; more > 0 {
		kept = append(kept[:maxNamed], text.Count(more, "other", "others"))
	}
	return known + ", and the rest stays as it is, " + text.List(kept) + "; update Breadcrumb"
}

// declareNewer declares in the working database what the file of a newer version has and
// this one does not know, so that it is copied as everything else.
func (db *DB) declareNewer(ctx context.Context, r *untrusted.Reader) error {
	names, err := r.Tables(ctx)
	if err != nil {
		return err
	}
	slices.Sort(names)
	return inTx(ctx, db.sql, func(tx *sql.Tx) error {
		for _, name := range names {
			if _, err := r.Check(ctx, name, nil); err != nil {
				return err
			}
			declared, err := r.Declared(ctx, name)
			if err != nil {
				return err
			}
			if err := db.newer.declare(ctx, tx, name, declared); err != nil {
				return err
			}
		}
		db.newer.version, db.newer.since = r.Version, r.Since
		_, err := tx.ExecContext(ctx, `DELETE FROM schema_meta`) // it has its own
		return err
	})
}

// declare declares a table, or the columns of one that are not there yet.
func (p *newerParts) declare(ctx context.Context, tx *sql.Tx, name string, declared []untrusted.Declared) error {
	known, err := readColumn[string](ctx, tx, `SELECT lower(name) FROM pragma_table_info(?)`, name)
	if err != nil {
		return err
	}
	if len(known) == 0 {
		return p.declareTable(ctx, tx, name, declared)
	}
	for _, d := range declared {
		if slices.Contains(known, d.Name) {
			continue
		}
		if d.Key != 0 {
			return fmt.Errorf("column %s.%s is part of its key", name, d.Name)
		}
		if _, err := tx.ExecContext(ctx, "ALTER TABLE main."+untrusted.Quote(name)+" ADD COLUMN "+declaration(d)); err != nil {
			return workError{err}
		}
		p.columns = append(p.columns, newerColumn{name, d})
	}
	return nil
}

func (p *newerParts) declareTable(ctx context.Context, tx *sql.Tx, name string, declared []untrusted.Declared) error {
	var parts []string
	keys := make([]string, len(declared)+1)
	for _, d := range declared {
		parts = append(parts, declaration(d))
		keys[min(d.Key, len(declared))] = untrusted.Quote(d.Name)
	}
	if key := slices.DeleteFunc(keys[1:], func(k string) bool { return k == "" }); len(key) > 0 {
		parts = append(parts, "PRIMARY KEY ("+strings.Join(key, ", ")+")")
	}
	if _, err := tx.ExecContext(ctx, "CREATE TABLE main."+untrusted.Quote(name)+" ("+strings.Join(parts, ", ")+")"); err != nil {
		return workError{err}
	}
	p.tables = append(p.tables, newerTable{name, declared})
	return nil
}

// declaration returns a column as it is declared.
func declaration(d untrusted.Declared) string {
	return strings.TrimSpace(untrusted.Quote(d.Name)+" "+d.Type) + " DEFAULT " + d.Default
}
