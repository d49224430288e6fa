package health_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/store"
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

// newerFile is a whole database of a newer schema, with one row that could not be read.
type newerFile struct{}

func (newerFile) FileSchema() int { return 9 }
func (newerFile) Newer() string   { return "a newer Breadcrumb has brought it to schema 9" }
func (newerFile) Unread() []engine.Notice {
	return []engine.Notice{{Reason: "1 row left out"}}
}
func (newerFile) Facts(context.Context) (store.Facts, error)        { return store.Facts{Schema: 9}, nil }
func (newerFile) Stale(context.Context, time.Time) (int, error)     { return 0, nil }
func (newerFile) Quarantine(context.Context) ([]flaky.Entry, error) { return nil, nil }

func TestANewerSchemaIsNoDamage(t *testing.T) {
	var c health.Checkup
	if err := c.Read(t.Context(), newerFile{}); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range c.Findings() {
		if f.Bad {
			got[f.Name] = f.Text
		}
	}
	want := map[string]string{"Schema": "9: a newer Breadcrumb has brought it to schema 9", "Integrity": "1 problem; the first: 1 row left out"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The room is that of the verdict: a share of the suite, rounded up.
func TestASmallSuiteHasRoomForATest(t *testing.T) {
	c := health.Checkup{Facts: store.Facts{Rows: store.Stats{Tests: 4, Quarantined: 1}}, Held: 1}
	for _, f := range c.Findings() {
		if want := "1 test, 1 leaves on its own; room for 1 of 4 tests"; f.Name == "Quarantine" && (f.Text != want || f.Bad) {
			t.Errorf("%+v, want %q", f, want)
		}
	}
}
