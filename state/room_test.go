package state_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/state/statetest"
)

// unfolded is a backend in which another run of the same name saves each snapshot first.
type unfolded struct{ state.Backend }

// Put implements [state.Backend].
func (u unfolded) Put(ctx context.Context, name string, files fs.FS) error {
	if strings.HasPrefix(name, state.SnapshotPrefix) {
		return state.ErrExists
	}
	return u.Backend.Put(ctx, name, files)
}

// searched is a backend that lists only what is new, so that a run has so much room left
// after it looked, and others of which it names the runs.
type searched struct {
	state.Backend
	room   int
	missed []int64
	asked  []int64 // runs that were looked for
}

// Room implements [state.Limited].
func (s *searched) Room() int { return s.room }

// Missed implements [state.Finder]: what is unread is listed.
func (s *searched) Missed([]int64) []int64 { return s.missed }

// FindOf implements [state.Finder].
func (s *searched) FindOf(ctx context.Context, runs []int64) ([]state.Item, error) {
	s.asked = slices.Clone(runs)
	return s.List(ctx, "breadcrumb-")
}

// saveUnfolded saves the deltas of runs that no snapshot has.
func saveUnfolded(t *testing.T, runs int) *statetest.Memory {
	t.Helper()
	m := &statetest.Memory{}
	for n := range runs {
		s := self(n, 0)
		if _, err := session(t.Context(), t.TempDir(), unfolded{m.As(origin(s))}, s); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// A run of the default branch gets on however many requests looking took: else what is
// left costs the next run as many again, and nothing is ever taken in.
func TestLookingLeavesRoomForDeltas(t *testing.T) {
	t.Parallel()
	const runs, first, enough = 12, 100, 3
	m := saveUnfolded(t, runs)
	pull := self(first, 7)
	restored, err := session(t.Context(), t.TempDir(), &searched{Backend: m.As(origin(pull))}, pull)
	if err != nil || len(restored.Merged) > 0 {
		t.Errorf("a pull request's run without room merged %v, %v", restored.Merged, err)
	}
	for n := first + 1; n <= first+enough; n++ {
		s, dir := self(n, 0), t.TempDir()
		if restored, err = session(t.Context(), dir, &searched{Backend: m.As(origin(s))}, s); err != nil {
			t.Fatal(err)
		}
		if restored.Left > 0 {
			continue
		}
		there := runsIn(t, filepath.Join(dir, ".breadcrumb.db"))
		for n := range runs {
			if !there[self(n, 0).Info.RunID] {
				t.Errorf("run %d is lost", n)
			}
		}
		return
	}
	t.Errorf("%d deltas are left after %d runs", restored.Left, enough)
}

// What is found already is merged before more is looked for, and something always is.
func TestAsManyRunsAreLookedForAsThereIsRoomFor(t *testing.T) {
	t.Parallel()
	missed := []int64{1, 2, 3, 4, 5, 6}
	for name, c := range map[string]struct{ runs, room, want int }{
		"nothing waits":             {0, 23, 4},
		"some deltas wait":          {12, 18, 2},
		"little room":               {2, 7, 3},
		"no room":                   {0, 0, 4},
		"no room and deltas wait":   {4, 0, 1},
		"more wait than are merged": {22, 23, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := self(100, 0)
			backend := &searched{Backend: saveUnfolded(t, c.runs).As(origin(s)), room: c.room, missed: missed}
			restored, err := session(t.Context(), t.TempDir(), backend, s)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(backend.asked, missed[:c.want]) {
				t.Errorf("looked for %v, want %d", backend.asked, c.want)
			}
			if left := len(missed) - c.want; restored.Left < left {
				t.Errorf("%d are left, want at least %d", restored.Left, left)
			}
		})
	}
}
