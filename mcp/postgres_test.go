package mcp_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/breadcrumb/action/internal/pgtest"
	"github.com/breadcrumb/action/mcp"
	"github.com/breadcrumb/action/store/postgres"
)

func TestMain(m *testing.M) {
	code := m.Run()
	pgtest.Stop()
	os.Exit(code)
}

func TestAServerAnswersAsAFileDoes(t *testing.T) {
	url := pgtest.URL(t)
	db, err := postgres.Open(t.Context(), url, 0)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	big, small := newAsker(t, url), newAsker(t, shop(t))
	for tool, arguments := range questions() {
		want, got := small.ask(tool, arguments), big.ask(tool, arguments)
		for _, answer := range []map[string]any{want, got} {
			delete(answer, "untrusted_begin")
			delete(answer, "untrusted_end")
			for _, own := range []string{"db_path", "schema_version", "findings"} { // the doctor's
				delete(answer, own)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-file +server):\n%s", tool, diff)
		}
	}
	if path := big.ask("breadcrumb_doctor", nil)["db_path"].(string); !strings.HasPrefix(path, "postgres://") || strings.Contains(path, "@") {
		t.Errorf("db_path is %q", path)
	}
}

func TestAServerOfAnotherSchemaIsLeftAsItIs(t *testing.T) {
	url := pgtest.URL(t)
	if _, err := mcp.OpenArchive(t.Context(), url); err == nil || !strings.Contains(err.Error(), "brings it up to date") {
		t.Errorf("an empty database: %v", err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var tables int
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM information_schema.tables WHERE table_name LIKE 'breadcrumb%'`).Scan(&tables); err != nil || tables > 0 {
		t.Errorf("%d tables were made, %v", tables, err)
	}
}
