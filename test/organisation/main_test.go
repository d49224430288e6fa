package organisation

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/pgtest"
	promised "github.com/breadcrumb/action/internal/promise"
)

var withSteps = flag.Int("steps", 0, "steps from each seed; 0: as many as always")

var withEvents = flag.Bool("events", false, "print all that happened")

var withSeeds = flag.Int("seeds", 0, "how many seeds; 0: as many as always")

// TestOrganisation lets an organisation live from each of several seeds: short ones,
// and with BREADCRUMB_LONG=1 long ones from each of 20.
func TestOrganisation(t *testing.T) {
	seeds, steps := len(places), promised.Count("organisation")
	if os.Getenv("BREADCRUMB_LONG") != "" {
		seeds = 20
	}
	if *withSteps > 0 {
		steps = *withSteps
	}
	if *withSeeds > 0 {
		seeds = *withSeeds
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			plan := makePlan(uint64(seed), steps)
			broken, at, o := replay(t, seed, plan)
			t.Logf("state in %s: %d steps, %d jobs", o.setting.place, at, len(o.model.records))
			if *withEvents {
				t.Log(strings.Join(o.events, "\n"))
			}
			if broken == nil {
				return
			}
			t.Errorf("step %d breaks a rule: %s", at, broken)
			if *withReplays == 0 { // to live through it again takes as long as it did
				t.Logf("this is all that happened:\n%s", strings.Join(o.events, "\n"))
				return
			}
			short := shrink(plan[:min(at+1, len(plan))], func(part []step) bool {
				again, _, _ := replay(t, seed, part)
				return again != nil && again.rule == broken.rule
			})
			broken, _, o = replay(t, seed, short)
			t.Logf("this is enough:\n%s\n%s\nas steps: %v", strings.Join(o.events, "\n"), broken, short)
		})
	}
}

// replay lets an organisation live by a plan.
func replay(t *testing.T, seed int, plan []step) (*violation, int, *organisation) {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	o := newOrganisation(t.Context(), dir, settingOf(t, seed))
	broken, at := o.live(plan)
	return broken, at, o
}

// settingOf returns how the organisation of a seed is set up.
func settingOf(t *testing.T, seed int) setting {
	t.Helper()
	s := setting{place: places[seed%len(places)], keepRuns: 300, share: 1}
	switch seed / len(places) % 4 {
	case 1:
		s.share, s.never = 0.2, []string{testName("shop", 6), testName("api", 2)}
	case 2:
		s.keepDays = 20
	case 3:
		s.keepRuns = 60
	}
	if s.place == placePostgres {
		s.database, s.keepRuns, s.keepDays = pgtest.URL(t), 0, 0
	}
	return s
}

func TestMain(m *testing.M) {
	restore := useMemory()
	debug.SetGCPercent(10_000) // a job lives for milliseconds, and there is memory
	debug.SetMemoryLimit(1 << 30)
	code := m.Run()
	pgtest.Stop()
	restore()
	os.Exit(code)
}

// useMemory puts temporary files where no disk is waited for, if there is such a
// place, and returns what removes them.
func useMemory() (restore func()) {
	dir, err := os.MkdirTemp("/dev/shm", "organisation-")
	if err != nil {
		return func() {}
	}
	_ = os.Chmod(dir, 0o755) // PostgreSQL runs as another user
	os.Setenv("TMPDIR", dir)
	return func() { _ = os.RemoveAll(dir) }
}
