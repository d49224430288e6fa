package postgres

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/internal/pgtest"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlstore"
)

// A name without an argument would be NULL, and a condition on it silently false.
func TestAStatementNeedsEveryArgumentThatItNames(t *testing.T) {
	t.Parallel()
	c := conn{db: openPostgres(t, pgtest.URL(t), 1)}
	const query = "SELECT @repository::bigint, @test::text"
	var repository int64
	var test string
	read := func(args sqlstore.Args) error {
		return c.Each(t.Context(), query, args, []any{&repository, &test}, func() error { return nil })
	}
	if err := read(sqlstore.Args{"test": "a", "more": 1}); err != nil || repository != 1 || test != "a" {
		t.Errorf("with all of them: %d, %q, %v", repository, test, err)
	}
	if err := read(sqlstore.Args{"tests": "a"}); err == nil {
		t.Error("without one there is no error")
	}
}

// readStatements returns the statements of this package as the driver sends them, by what
// they are called or where they stand. Of the schema it has each version.
func readStatements(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for statement := range reflect.TypeFor[sqlstore.Statements]().Fields() {
		if text := reflect.ValueOf(statements).FieldByName(statement.Name).String(); text != "" { // what only a file is asked
			texts[statement.Name] = text
		}
	}
	for version := range schemaVersion {
		name := fmt.Sprintf("migration/%04d.sql", version+1)
		text, err := migrations.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "statements.go" { // whose are there already
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			expr, is := n.(ast.Expr)
			if !is {
				return true
			}
			text, is := evalText(expr)
			if is && regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER)\b`).MatchString(text) {
				texts[fmt.Sprintf("%s:%d", file, set.Position(n.Pos()).Line)] = text
			}
			return !is
		})
	}
	for name, text := range texts {
		if texts[name], _, err = (pgx.NamedArgs{}).RewriteQuery(t.Context(), nil, text, nil); err != nil {
			t.Fatal(name, err)
		}
	}
	return texts
}

// evalText returns the text that an expression of this package stands for, with some table,
// number and day in it where it is made at run time.
func evalText(expr ast.Expr) (string, bool) {
	switch e := expr.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, ofLeft := evalText(e.X)
		right, ofRight := evalText(e.Y)
		return left + right, ofLeft && ofRight && e.Op == token.ADD
	case *ast.Ident:
		return map[string]string{"table": "breadcrumb_tests"}[e.Name], e.Name == "table"
	case *ast.SelectorExpr:
		return store.TrustedOrigins, e.Sel.Name == "TrustedOrigins"
	case *ast.CallExpr:
		if called, is := e.Fun.(*ast.SelectorExpr); is && called.Sel.Name == "Sprintf" {
			format, is := evalText(e.Args[0])
			format = regexp.MustCompile(`%\[1\]s`).ReplaceAllString(format, "breadcrumb_results_20261127")
			return regexp.MustCompile(`%(\[\d\])?[sd]`).ReplaceAllString(format, "20261127"), is
		}
	}
	return "", false
}

// TestStatementsAreThoseOfOtherServers looks for what CockroachDB and Citus do not run, or
// not as PostgreSQL does, as their documents say: no such server is here.
func TestStatementsAreThoseOfOtherServers(t *testing.T) {
	t.Parallel()
	texts := readStatements(t)
	number, reads := regexp.MustCompile(`(?i)\bnextval\b`), regexp.MustCompile(`(?i)\b(FROM|JOIN)\s+breadcrumb_`)
	// Locks of whole tables, advisory locks, procedural code, catalogs, and what is not SQL elsewhere.
	strange := regexp.MustCompile(`(?i)\b(LOCK TABLE|pg_advisory\w*|DO \$|plpgsql|CREATE (TRIGGER|FUNCTION|RULE)|WITH ORDINALITY|pg_get_serial_sequence|ctid|MERGE INTO|TABLESAMPLE|DISTINCT ON)\b`)
	for name, text := range texts {
		if found := strange.FindString(text); found != "" {
			t.Errorf("%s: %s", name, found)
		}
		if number.MatchString(text) && reads.MatchString(text) {
			t.Errorf("%s: takes numbers and reads a table", name)
		}
	}
	if len(texts) < 80 {
		t.Errorf("looked at %d statements alone", len(texts))
	}
}

// Citus sends a statement to the node that has the repository's rows, if each table in it is
// limited to them, and refuses some that write:
// https://docs.citusdata.com/en/stable/develop/reference_workarounds.html.
func TestCitusRunsStatementsWhereTheRepositoryIs(t *testing.T) {
	t.Parallel()
	texts, mutable := readStatements(t), readMutableFunctions(t)
	table := regexp.MustCompile(`\b(?:FROM|JOIN|UPDATE|INTO)\s+breadcrumb_(\w+)`)
	limited := regexp.MustCompile(`\brepository_id = (?:\$\d|@repository|\w+\.repository_id)`)
	call, unique := regexp.MustCompile(`\b([a-z_]+)\(`), regexp.MustCompile(`(?:PRIMARY KEY|UNIQUE) \(([^)]*)`)
	for name, text := range texts {
		for _, match := range unique.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(match[1], "repository_id, ") {
				t.Errorf("%s: unique beyond one repository: %s", name, match[1])
			}
		}
		named, limits := 0, len(limited.FindAllString(text, -1))
		for _, match := range table.FindAllStringSubmatch(text, -1) {
			if match[1] != "schema" {
				named++
			}
		}
		inserts := strings.HasPrefix(text, "INSERT")
		if inserts && strings.Contains(text, "(repository_id, ") {
			limits++
		}
		if limits < named {
			t.Errorf("%s: of %d tables %d are limited to the repository: %s", name, named, limits, text)
		}
		if strings.HasPrefix(text, "SELECT") {
			continue
		}
		if inserts && strings.Contains(text, "VALUES") && strings.Contains(text, "SELECT") {
			t.Errorf("%s: inserts what a subquery returns: %s", name, text)
		}
		for _, match := range call.FindAllStringSubmatch(text, -1) {
			if slices.Contains(mutable, match[1]) {
				t.Errorf("%s: writes with %s, which is not immutable: %s", name, match[1], text)
			}
		}
	}
}

// readMutableFunctions returns the functions that a server takes for stable or volatile.
func readMutableFunctions(t *testing.T) []string {
	t.Helper()
	rows := queryRows(t.Context(), openPostgres(t, pgtest.URL(t), 1).tx, `SELECT DISTINCT proname::text FROM pg_proc WHERE provolatile <> 'i'`)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(names) < 100 {
		t.Fatal(len(names), err)
	}
	return names
}
