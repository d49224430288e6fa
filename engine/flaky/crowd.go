package flaky

import (
	"math"
	"slices"
)

// Bounds of a burst: more first-attempt failures than both mean that the
// environment failed and not the tests.
const (
	burstTests = 4
	burstShare = 0.10
)

// isBurst reports whether so many tests outside quarantine failed at their first
// attempt that the run proves nothing. The other runs of its commit do.
func (t *Tracker) isBurst(run Run) bool {
	failing, tests := 0, run.Tests
	for _, o := range run.Observations {
		if o.firstFailed() && !t.held[o.Test] {
			failing++
		}
	}
	if failing <= burstTests {
		return false
	}
	for test := range t.held {
		if run.ran(test) {
			tests--
		}
	}
	return float64(failing) > math.Max(burstTests, burstShare*float64(tests))
}

// crowdTotal is how many times the size of a crowd may begin to fail together,
// whatever their errors, before no failure of the run proves anything.
const crowdTotal = 4

// newcomers counts the tests that began to fail in a run: not in quarantine,
// without evidence so far and green on the commit before.
type newcomers struct {
	all     int
	byError map[string]int // see errorOf
	// chance is how many tests may begin to fail in one run by chance: ⌈N/250⌉ of
	// N tests, from 1 to 5. More have a common cause.
	chance int
}

func (t *Tracker) newcomers(run Run) newcomers {
	n := newcomers{byError: map[string]int{}, chance: max(1, min(5, (run.Tests+249)/250))}
	key := run.key()
	for _, o := range run.Observations {
		if !o.firstFailed() || t.Held(o.Test) || t.hasFailedBefore(o.Test, key) {
			continue
		}
		n.all++
		for _, e := range errorsOf(o) {
			n.byError[e]++
		}
	}
	return n
}

// hasFailedBefore reports whether a failure of the test is nothing new.
func (t *Tracker) hasFailedBefore(test int, on branchKey) bool {
	s := t.states[test]
	if s == nil {
		return false
	}
	b := s.branches[on]
	return len(s.evidence) > 0 || b != nil && b.streak > 0
}

// areLone reports whether so few tests began to fail that each did so by itself.
func (n *newcomers) areLone() bool { return n.all <= n.chance }

// errorsOf returns the errors of an observation, each once.
func errorsOf(o Observation) (errors []string) {
	for _, s := range o.Signatures {
		if e := errorOf(s); !slices.Contains(errors, e) {
			errors = append(errors, e)
		}
	}
	return errors
}
