package postgres

import (
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
