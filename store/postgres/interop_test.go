package postgres

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestInteropCockroachDBParsesEveryStatement has CockroachDB's own grammar read what is
// sent to it: all but the partitions, which it is not asked for, and what the driver says
// around them. testdata/interop is a module of its own, so that go.mod has what the product
// needs.
func TestInteropCockroachDBParsesEveryStatement(t *testing.T) {
	folder := os.Getenv("INTEROP")
	if folder == "" {
		t.Skip("make interop builds CockroachDB's parser and runs this")
	}
	asked := readStatements(t)
	for name, text := range asked {
		text = strings.ReplaceAll(text, " PARTITION BY RANGE (day)", "") // as createVersion does
		if asked[name] = text; strings.Contains(text, "PARTITION") || strings.Contains(text, "pg_inherits") {
			delete(asked, name)
		}
	}
	const sent = 85
	if len(asked) < sent {
		t.Errorf("%d statements, want at least %d", len(asked), sent)
	}
	t.Logf("%d statements", len(asked))
	asked["begin a run"], asked["begin to read"] = "begin isolation level read committed", "begin isolation level repeatable read read only"
	asked["savepoint"] = "savepoint sp_1; rollback to savepoint sp_1; release savepoint sp_1; commit"
	asked["copy"] = `copy "breadcrumb_results" ( "repository_id", "test", "run" ) from stdin binary;`
	asked["wrong"] = "SELECT FROM WHERE"
	input, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir, cmd.Stdin, cmd.Stderr, cmd.Env = folder, bytes.NewReader(input), os.Stderr, append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	wrong := map[string]string{}
	if err != nil || json.Unmarshal(out, &wrong) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if wrong["wrong"] == "" {
		t.Error("it says nothing against what is no statement")
	}
	delete(wrong, "wrong")
	for name, said := range wrong {
		t.Errorf("%s: %s\n%s", name, said, asked[name])
	}
}
