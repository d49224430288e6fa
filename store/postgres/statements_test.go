package postgres

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/pgtest"
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

// TestStatementsAreThoseOfOtherServers looks for what CockroachDB and Citus do not run, or
// not as PostgreSQL does, as their documents say: no such server is here.
func TestStatementsAreThoseOfOtherServers(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for statement := range reflect.TypeFor[sqlstore.Statements]().Fields() {
		texts[statement.Name] = reflect.ValueOf(statements).FieldByName(statement.Name).String()
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "statements.go" { // which has parts of statements
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, statement := range regexp.MustCompile("`[^`]+`").FindAllString(string(text), -1) {
			texts[file+": "+statement] = statement
		}
	}
	number, reads := regexp.MustCompile(`(?i)\bnextval\b`), regexp.MustCompile(`(?i)\b(FROM|JOIN)\s+(breadcrumb_|`+"`"+`)`)
	// Locks of whole tables, advisory locks, procedural code, catalogs, and what is not SQL elsewhere.
	strange := regexp.MustCompile(`(?i)\b(LOCK TABLE|pg_advisory\w*|DO \$|plpgsql|CREATE (TRIGGER|FUNCTION|RULE)|WITH ORDINALITY|pg_get_serial_sequence|ctid|MERGE INTO|TABLESAMPLE|DISTINCT ON)\b`)
	for name, text := range texts {
		if found := strange.FindString(text); found != "" {
			t.Errorf("%s: %s", name, found)
		}
		if number.MatchString(text) && reads.MatchString(text) {
			t.Errorf("%s: takes numbers and reads a table", name)
		}
		// Citus sends a statement to the node that has the repository's rows.
		if strings.Contains(text, "FROM breadcrumb_") && !strings.Contains(text, "repository_id") && !strings.Contains(text, "breadcrumb_schema") && !strings.Contains(text, "SELECT version") {
			t.Errorf("%s: does not say of which repository", name)
		}
	}
	if len(texts) < 80 {
		t.Errorf("looked at %d statements alone", len(texts))
	}
}
