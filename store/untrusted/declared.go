package untrusted

import (
	"context"
	"fmt"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/store"
)

// Declared is a column as the file declares it, in words that can be declared again.
type Declared struct {
	Name    string
	Type    string // a word, or ""
	Default string // a literal, NULL where there is none
	Key     int    // its place in the primary key from 1, 0 for none
}

// Column returns the column; its values are taken as they are.
func (d Declared) Column() Column { return Column{Name: d.Name, kind: kindAny, null: true} }

// What a file may say in a declaration that is made again. A Breadcrumb says no more.
var (
	declaredName    = lazyregexp.New(`^[a-z][a-z0-9_]{0,62}$`)
	declaredType    = lazyregexp.New(`^[A-Za-z]{0,16}$`)
	declaredDefault = lazyregexp.New(`^(NULL|-?[0-9]{1,18}(\.[0-9]{1,18})?|'[^']{0,200}'|[xX]'([0-9a-fA-F]{2}){0,100}')$`)
)

// maxDeclared bounds the tables of a file.
const maxDeclared = 256

// Tables returns the names of all tables, but for SQLite's own. It fails where one of
// them is none that Check takes or has no plain name.
func (r *Reader) Tables(ctx context.Context) (names []string, err error) {
	rows, err := r.conn.QueryContext(ctx, `SELECT lower(CAST(name AS TEXT)) FROM sqlite_schema
		WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' LIMIT ?`, maxDeclared+1)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		if !declaredName.MatchString(name) {
			return nil, fmt.Errorf("%q is no name of a table", store.Clip(store.Clean(name), 40))
		}
		if names = append(names, name); len(names) > maxDeclared {
			return nil, fmt.Errorf("it has more than %d tables", maxDeclared)
		}
	}
	return names, rows.Err()
}

// Declared returns the columns of a table that Check took. It fails where one of them is
// declared in other words than a Breadcrumb uses.
func (r *Reader) Declared(ctx context.Context, table string) (columns []Declared, err error) {
	rows, err := r.conn.QueryContext(ctx, `SELECT lower(name), type, coalesce(dflt_value, 'NULL'), pk FROM pragma_table_xinfo(?)`, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var d Declared
		if err := rows.Scan(&d.Name, &d.Type, &d.Default, &d.Key); err != nil {
			return nil, err
		}
		for _, said := range []struct {
			what  string
			text  string
			plain *lazyregexp.Regexp
		}{{"name", d.Name, declaredName}, {"type", d.Type, declaredType}, {"default", d.Default, declaredDefault}} {
			if !said.plain.MatchString(said.text) {
				return nil, fmt.Errorf("the %s of column %s.%s is %q", said.what, table, store.Clip(store.Clean(d.Name), 40), store.Clip(store.Clean(said.text), 40))
			}
		}
		columns = append(columns, d)
	}
	return columns, rows.Err()
}

// Quote returns a name as SQL reads it, whatever word it is.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
