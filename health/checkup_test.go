package health_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/health"
)

func TestLeftovers(t *testing.T) {
	db := filepath.Join(t.TempDir(), "a.db")
	if got := health.Leftovers(db); got != nil {
		t.Errorf("without files: %q", got)
	}
	for _, name := range []string{db, db + "-wal", db + "-journal", db + "-shm"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{db + "-wal", db + "-journal"}, health.Leftovers(db)); diff != "" {
		t.Error(diff)
	}
}
