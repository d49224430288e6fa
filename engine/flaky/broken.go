package flaky

import (
	"fmt"
	"math"

	"github.com/breadcrumb/action/engine/text"
)

// Breakage is how a test fails on the default branch since it last passed there.
type Breakage struct {
	Runs  int    // commits in a row on which it failed for good
	Since string // the oldest of them, "" when unknown
}

// String says since when: " since a1b2c3d (3 runs)".
func (b Breakage) String() string {
	runs := text.Count(b.Runs, "run", "runs")
	if b.Since == "" {
		return fmt.Sprintf(" (%s)", runs)
	}
	return fmt.Sprintf(" since %.7s (%s)", b.Since, runs)
}

// Broken returns how the test fails on the default branch, and false where it passes
// there, fails for the first time or may only be flaking.
func (t *Tracker) Broken(test int) (Breakage, bool) {
	s := t.states[test]
	if s == nil {
		return Breakage{}, false
	}
	longest := &branchState{}
	for key, b := range s.branches {
		if key.sources == "" && b.streak > longest.streak && s.isImprobable(key.variant, b, t.correlation.estimate()) {
			longest = b
		}
	}
	return Breakage{longest.streak, longest.since}, longest.streak > 0
}

// hardlyEver is the chance below which a test that fails again and again is broken. It is
// lower than that below which its failures block: what leaves the quarantine has to flake
// once more to come back.
const hardlyEver = 0.0001

// isImprobable reports whether the test, only flaking, hardly ever fails so often in a
// row, twice at least; suite is the correlation of the suite's retries.
func (s *testState) isImprobable(variant string, b *branchState, suite float64) bool {
	if b.streak < 2 {
		return false
	}
	each := s.chanceOfAll(variant, 1+b.retries/b.streak, suite)
	return math.Pow(each, float64(b.streak)) <= hardlyEver
}
