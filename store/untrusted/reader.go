package untrusted

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"modernc.org/sqlite"

	"github.com/breadcrumb/action/store"
)

// Limits of the connection that reads an untrusted file, by their SQLite
// numbers (https://www.sqlite.org/c3ref/c_limit_attached.html).
var readerLimits = map[int]int{
	0: store.MaxInput + 1<<16, // SQLITE_LIMIT_LENGTH: bytes of a value or row
	1: 1 << 20,                // SQLITE_LIMIT_SQL_LENGTH
	2: 256,                    // SQLITE_LIMIT_COLUMN
	7: 0,                      // SQLITE_LIMIT_ATTACHED
}

// Reader reads a private copy of an untrusted database: only plain columns of
// plain tables, one row at a time.
type Reader struct {
	db      *sql.DB
	conn    *sql.Conn
	table   *sql.Stmt // what kind of table one is, prepared for all of them
	columns *sql.Stmt // the columns of one
	File    string
	Version int
	// Since is the oldest version whose Breadcrumb can read and write the file, as its
	// writer declared; 0 where it declared nothing.
	Since int
}

// OpenReader opens a private copy of a database file to read it, with all that
// SQLite offers against hostile files.
func OpenReader(ctx context.Context, file string) (*Reader, error) {
	db, err := sql.Open("sqlite", DSN(file, "mode=ro", "immutable=1", "_defensive=1",
		"_pragma=trusted_schema(OFF)", "_pragma=query_only(ON)", "_pragma=cell_size_check(ON)",
		"_pragma=ignore_check_constraints(ON)", "_pragma=cache_size(-16384)"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	r := &Reader{db: db, File: file}
	if err := r.startReading(ctx); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func (r *Reader) startReading(ctx context.Context) (err error) {
	if r.conn, err = r.db.Conn(ctx); err != nil {
		return err
	}
	for id, value := range readerLimits {
		if _, err := sqlite.Limit(r.conn, id, value); err != nil {
			return fmt.Errorf("limit connection: %w", err)
		}
	}
	if r.table, err = r.conn.PrepareContext(ctx, `SELECT CAST(type AS TEXT), typeof(rootpage), rootpage IS NULL OR rootpage < 2
		FROM sqlite_schema WHERE lower(name) = ? AND type IN ('table', 'view')`); err != nil {
		return err
	}
	if r.columns, err = r.conn.PrepareContext(ctx, `SELECT lower(name), hidden FROM pragma_table_xinfo(?)`); err != nil {
		return err
	}
	return r.readVersions(ctx)
}

// The keys of schema_meta that hold versions.
const (
	VersionKey = "schema_version"
	SinceKey   = "compatible_since"
)

// Close closes the file.
func (r *Reader) Close() error {
	var errs []error
	for _, prepared := range []*sql.Stmt{r.table, r.columns} {
		if prepared != nil {
			errs = append(errs, prepared.Close())
		}
	}
	if r.conn != nil {
		errs = append(errs, r.conn.Close())
	}
	return errors.Join(append(errs, r.db.Close())...)
}

// readVersions reads the declared versions of a database of Breadcrumb's.
func (r *Reader) readVersions(ctx context.Context) (err error) {
	for _, name := range []string{"schema_meta", "healing_events"} {
		there, err := r.Check(ctx, name, nil)
		if err != nil {
			return err
		}
		if !there {
			return fmt.Errorf("it has no table %s", name)
		}
	}
	if r.Version, err = r.version(ctx, VersionKey); err != nil {
		return err
	}
	r.Version = max(r.Version, 1) // a database of the seed may declare none
	r.Since, err = r.version(ctx, SinceKey)
	return err
}

// version returns the version that schema_meta has under a key, 0 for none.
func (r *Reader) version(ctx context.Context, key string) (int, error) {
	var text sql.NullString
	err := r.conn.QueryRowContext(ctx, `SELECT CASE WHEN octet_length(value) < 20 THEN CAST(value AS TEXT) END
		FROM schema_meta NOT INDEXED WHERE key = ?`, key).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	version, err := strconv.Atoi(text.String)
	if err != nil || version < 1 {
		return 0, fmt.Errorf("its %s %q is no version", key, store.Clip(store.Clean(text.String), 40))
	}
	return version, nil
}

// Check reports whether the file has the table. It must be a plain table with
// the columns, none of them computed, and its pages must not be damaged.
func (r *Reader) Check(ctx context.Context, name string, columns []Column) (bool, error) {
	there, err := r.plainTable(ctx, name)
	if err != nil || !there {
		return there, err
	}
	if err := r.checkColumns(ctx, name, columns); err != nil {
		return true, err
	}
	return true, r.quickCheck(ctx, name)
}

func (r *Reader) plainTable(ctx context.Context, name string) (bool, error) {
	var kind, root, virtual string
	err := r.table.QueryRowContext(ctx, name).Scan(&kind, &root, &virtual)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if kind != "table" || root != "integer" || virtual != "0" {
		return true, fmt.Errorf("its %s is not a plain table", name)
	}
	return true, nil
}

// checkColumns returns an error if a column is missing or any is computed: an
// expression of the file would run when such a column is read.
func (r *Reader) checkColumns(ctx context.Context, name string, columns []Column) error {
	rows, err := r.columns.QueryContext(ctx, name)
	if err != nil {
		return err
	}
	defer rows.Close()
	have := map[string]bool{}
	for rows.Next() {
		var column string
		var hidden int
		if err := rows.Scan(&column, &hidden); err != nil {
			return err
		}
		if hidden != 0 {
			return fmt.Errorf("column %s.%s is computed", name, store.Clip(store.Clean(column), 40))
		}
		have[column] = true
	}
	for _, c := range columns {
		if !have[c.Name] {
			return fmt.Errorf("table %s has no column %s", name, c.Name)
		}
	}
	return rows.Err()
}

// quickCheck walks the pages of the table, so that a damaged tree is refused
// instead of read in part or in circles.
func (r *Reader) quickCheck(ctx context.Context, name string) error {
	var verdict string
	if err := r.conn.QueryRowContext(ctx, "PRAGMA quick_check("+name+")").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" && !strings.HasPrefix(verdict, "NULL value in") {
		return fmt.Errorf("table %s is damaged: %s", name, store.Clip(store.Clean(strings.Join(strings.Fields(verdict), " ")), 200))
	}
	return nil
}

// Count returns how many rows the table has.
func (r *Reader) Count(ctx context.Context, name string) (n int, err error) {
	err = r.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+name+" NOT INDEXED").Scan(&n)
	return n, err
}

// Rows calls each for every row of the table with the values of the columns:
// nil, int64, float64, string or []byte. A value larger than store.MaxInput is
// nil. The slice is reused.
func (r *Reader) Rows(ctx context.Context, name string, columns []Column, each func([]any) error) error {
	return r.RowsWhere(ctx, name, columns, "", each)
}

// RowsWhere is Rows for those that meet an SQL condition, with its arguments; "" is that
// of all.
func (r *Reader) RowsWhere(ctx context.Context, name string, columns []Column, where string, each func([]any) error, args ...any) error {
	if where != "" {
		where = " WHERE " + where
	}
	projected := make([]string, len(columns))
	for i, c := range columns {
		// The length of a number is that of its text, which would be made of each.
		projected[i] = fmt.Sprintf("CASE WHEN typeof(%[1]s) IN ('integer', 'real') OR octet_length(%[1]s) <= %[2]d THEN %[1]s END", Quote(c.Name), store.MaxInput)
	}
	rows, err := r.conn.QueryContext(ctx, "SELECT "+strings.Join(projected, ", ")+" FROM "+name+" NOT INDEXED"+where, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	values := make([]any, len(columns))
	targets := make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if err := each(values); err != nil {
			return err
		}
	}
	return rows.Err()
}
