package state_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/state/statetest"
)

func TestPathIsABackend(t *testing.T) {
	t.Parallel()
	statetest.Suite(t, func(t *testing.T) state.Backend {
		t.Helper()
		return state.NewPath(filepath.Join(t.TempDir(), "state"))
	})
}

func TestPathFollowsNoLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	item := filepath.Join(dir, state.DeltaPrefix+"1-1")
	if err := errors.Join(os.Mkdir(item, 0o755), os.Symlink("/etc/passwd", filepath.Join(item, "a"))); err != nil {
		t.Fatal(err)
	}
	backend := state.NewPath(dir)
	items, err := backend.List(t.Context(), "")
	if err != nil || len(items) != 1 {
		t.Fatal(items, err)
	}
	into, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer into.Close()
	if err := backend.Get(t.Context(), items[0], into); !errors.Is(err, state.ErrHostile) {
		t.Errorf("Get = %v, want ErrHostile", err)
	}
}
