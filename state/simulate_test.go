package state_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/breadcrumb/action/internal/promise"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/state/statetest"
	"github.com/breadcrumb/action/store/delta"
)

func runIDs(d *delta.Delta) map[int64]bool {
	ids := map[int64]bool{}
	for _, r := range d.Records {
		if run, ok := r.(*delta.Run); ok {
			ids[run.Key.RunID] = true
		}
	}
	return ids
}

// crowd runs many runs at once, a third of them of pull requests, on a backend
// that lists late.
func crowd(t *testing.T, runs int, seen func(state.Backend) state.Backend) *statetest.Memory {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	m := &statetest.Memory{Lag: func() int { return random.IntN(60) }}
	gate := make(chan struct{}, 8)
	var all sync.WaitGroup
	for n := range runs {
		gate <- struct{}{}
		all.Go(func() {
			defer func() { <-gate }()
			pr := 0
			if n%3 == 2 {
				pr = n
			}
			s := self(n, pr)
			if _, err := session(t.Context(), t.TempDir(), seen(m.As(origin(s))), s); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	m.CatchUp()
	return m
}

func TestNoRunIsLostInACrowd(t *testing.T) {
	t.Parallel()
	runs := promise.Count("crowd")
	m := crowd(t, runs, func(s state.Backend) state.Backend { return s })
	there := present(t, m, runs+100)
	for n := range runs {
		if !there[int64(1000+n)] {
			t.Errorf("run %d is lost", n)
		}
	}
}

// newestWins is what the state would be without deltas.
type newestWins struct{ state.Backend }

func (s newestWins) List(ctx context.Context, prefix string) ([]state.Item, error) {
	items, err := s.Backend.List(ctx, prefix)
	var snapshots []state.Item
	for _, item := range items {
		if strings.HasPrefix(item.Name, state.SnapshotPrefix) {
			snapshots = append(snapshots, item)
		}
	}
	return snapshots, err
}

func TestNewestWinsLosesMost(t *testing.T) {
	t.Parallel()
	const runs = 60
	m := crowd(t, runs, func(s state.Backend) state.Backend { return newestWins{s} })
	s := self(999, 0)
	dir := t.TempDir()
	if _, err := session(t.Context(), dir, newestWins{m.As(origin(s))}, s); err != nil {
		t.Fatal(err)
	}
	if there := len(runsIn(t, filepath.Join(dir, ".breadcrumb.db"))); there > runs/2 {
		t.Errorf("newest wins keeps %d of %d runs: the simulation shows nothing", there, runs)
	}
}

// TestACrashBetweenAnyTwoStepsLosesNothingThatWasSaved ends a run before each
// of its calls in turn. What it had saved is there, and the run done again is
// there once.
func TestACrashBetweenAnyTwoStepsLosesNothingThatWasSaved(t *testing.T) {
	t.Parallel()
	for crash := 0; ; crash++ {
		m := &statetest.Memory{}
		for n := range 3 {
			s := self(n, 0)
			if _, err := session(t.Context(), t.TempDir(), m.As(origin(s)), s); err != nil {
				t.Fatal(err)
			}
		}
		calls, crashed := 0, false
		ctx, cancel := context.WithCancel(t.Context())
		m.Fail = func(string) error {
			if calls++; calls > crash {
				crashed = true
				cancel()
				return context.Canceled
			}
			return nil
		}
		s := self(3, 0)
		dir := t.TempDir()
		_, err := session(ctx, dir, m.As(origin(s)), s)
		cancel()
		if crashed == (err == nil) {
			t.Fatalf("crash before call %d: %v", crash, err)
		}
		m.Fail = nil
		if crash%2 == 0 {
			dir = t.TempDir() // another machine
		}
		if _, err := session(t.Context(), dir, m.As(origin(s)), s); err != nil {
			t.Fatal(err)
		}
		if there := present(t, m, 50); len(there) != 5 {
			t.Errorf("crash before call %d: runs %v, want 4 and the one that looks", crash, there)
		}
		if !crashed {
			if crash < 4 {
				t.Errorf("a run makes only %d calls", crash)
			}
			return
		}
	}
}

func TestASnapshotIsSmall(t *testing.T) {
	t.Parallel()
	m := &statetest.Memory{}
	s := self(1, 0)
	if _, err := session(t.Context(), t.TempDir(), m.As(origin(s)), s); err != nil {
		t.Fatal(err)
	}
	for name, text := range m.Files(s.SnapshotName()) {
		if len(text) > 16<<10 {
			t.Errorf("%s has %s bytes", name, strconv.Itoa(len(text)))
		}
	}
}

func TestMemoryIsABackend(t *testing.T) {
	t.Parallel()
	statetest.Suite(t, func(*testing.T) state.Backend { return (&statetest.Memory{}).As(state.Origin{RunID: 1}) })
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "state-test-*")
	if err != nil {
		panic(err)
	}
	os.Setenv("TMPDIR", dir)
	code := m.Run()
	if left, _ := os.ReadDir(dir); code == 0 && len(left) > 0 {
		for _, e := range left {
			if strings.HasPrefix(e.Name(), "breadcrumb-state-") {
				os.Stderr.WriteString("left behind: " + e.Name() + "\n")
				code = 1
			}
		}
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
