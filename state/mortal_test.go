package state_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/state/statetest"
)

// mortal is a place that forgets: as of GitHub's artifacts, a run can save one snapshot
// under the name by which others find it, and further ones for a day.
type mortal struct {
	*statetest.Memory
	now   time.Time
	until map[string]time.Time     // by item; not there: for good
	lives map[string]time.Duration // of the snapshots
	taken map[int64]bool           // runs that have one of the name
	late  int                      // times that a name was taken
}

func newMortal() *mortal {
	return &mortal{Memory: &statetest.Memory{}, until: map[string]time.Time{}, lives: map[string]time.Duration{}, taken: map[int64]bool{}}
}

// mortalView is a mortal as one run uses it.
type mortalView struct {
	state.Backend
	m   *mortal
	run int64
}

func (v mortalView) Kept() time.Duration { return kept }

func (v mortalView) List(ctx context.Context, prefix string) (alive []state.Item, err error) {
	items, err := v.Backend.List(ctx, prefix)
	for _, item := range items {
		if until, mortal := v.m.until[item.Name]; !mortal || until.After(v.m.now) {
			alive = append(alive, item)
		}
	}
	return alive, err
}

func (v mortalView) PutFor(ctx context.Context, name string, files fs.FS, life time.Duration) error {
	const day = 24 * time.Hour
	if v.m.taken[v.run] && life != day {
		v.m.late++
		return state.ErrExists
	}
	v.m.taken[v.run], v.m.lives[name] = true, life
	if life > 0 {
		v.m.until[name] = v.m.now.Add(life)
	}
	return v.Backend.Put(ctx, name, files)
}

// live does a leg of run n at a time and returns what it began with and the runs that it
// knows in the end.
func (m *mortal) live(t *testing.T, n int, leg string, at time.Time) (*state.Restored, map[int64]bool) {
	t.Helper()
	s := self(n, 0)
	s.Info.Leg, s.Info.StartedAt = leg, at
	m.now = at
	dir := t.TempDir()
	restored, err := session(t.Context(), dir, mortalView{m.As(origin(s)), m, s.Info.RunID}, s)
	if err != nil {
		t.Fatal(err)
	}
	return restored, runsIn(t, filepath.Join(dir, ".breadcrumb.db"))
}

// TestALegsHistoryOutlivesItsSnapshot lets a run of two legs start every hour, of which the
// second saves its snapshots for a day, and then looks what a run knows that starts while
// that is there, and after it and those of 6 days are gone.
func TestALegsHistoryOutlivesItsSnapshot(t *testing.T) {
	t.Parallel()
	const runs, hour = 12, time.Hour
	start := time.Unix(1_800_000_000, 0)
	for name, c := range map[string]struct {
		quiet time.Duration
		life  time.Duration // of the snapshot that the next run begins with
		leg   string        // that saved it
	}{
		"an hour":  {hour, 24 * hour, "b"},
		"two days": {48 * hour, 6 * 24 * hour, "a"},
		"ten days": {240 * hour, 0, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMortal()
			m.live(t, 0, "a", start)
			for n := 1; n < runs; n++ {
				// On the sixth run 6 hours since the last long one are over for its second leg alone.
				at := start.Add(time.Duration(n)*hour - 5*time.Minute)
				m.live(t, n, "a", at)
				m.live(t, n, "b", at.Add(10*time.Minute))
			}
			if m.late == 0 {
				t.Error("no leg wanted a long life where the name was taken: that leg is not shown")
			}
			restored, there := m.live(t, runs, "a", m.now.Add(c.quiet))
			life, known := m.lives[restored.Snapshot]
			leg := self(0, 0)
			for n := range runs {
				for _, of := range []string{"a", "b"} {
					s := self(n, 0)
					if s.Info.Leg = of; s.SnapshotName() == restored.Snapshot {
						leg = s
					}
				}
			}
			if !known || life != c.life || leg.Info.Leg != c.leg {
				t.Errorf("it begins with %q of leg %q, kept for %s; want one of %q, for %s", restored.Snapshot, leg.Info.Leg, life, c.leg, c.life)
			}
			merged := 0
			for _, name := range restored.Merged {
				if strings.HasPrefix(name, state.DeltaPrefix) {
					merged++
				}
			}
			if fromDeltas := c.quiet > 24*hour; fromDeltas == (merged == 0) {
				t.Errorf("%d deltas are merged into the snapshot", merged)
			}
			for n := runs + 1; restored.Left > 0; n++ { // more than a run takes in
				restored, there = m.live(t, n, "a", m.now.Add(hour))
			}
			for n := range runs {
				if !there[int64(1000+n)] {
					t.Errorf("run %d is lost", n)
				}
			}
		})
	}
}
