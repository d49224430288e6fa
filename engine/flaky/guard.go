package flaky

import (
	"fmt"
	"math"
	"slices"
)

const (
	improbable = 0.002 // chance below which a failure is no flake any more
	minRed     = 0.02  // lowest first-attempt rate that the guard assumes
	minRetry   = 0.25  // lowest chance that a retry of a flake fails as well
)

// guard returns why a failure of a quarantined test blocks all the same, ""
// when it looks like the test's flakes.
func (t *Tracker) guard(run Run, o Observation) string {
	s := t.states[o.Test]
	if s == nil {
		return "nothing is known of how it flakes"
	}
	if run.Source != "" {
		if sum, _ := weighEvidence(s.evidence, run.Source); sum < needPoints {
			return "without this pull request's own runs there is too little evidence that it is flaky"
		}
	}
	return s.unusualFailure(run, o)
}

// unusualFailure returns why the failure does not look like the test's flakes.
func (s *testState) unusualFailure(run Run, o Observation) string {
	for _, e := range o.Signatures {
		if !s.hasShown(e, run.Source) {
			return fmt.Sprintf("this error was never seen while it was flaking: %s", e)
		}
	}
	if chance, reds := s.chance(run, o); chance <= improbable {
		return fmt.Sprintf("%s is improbable for a test whose first attempt fails in %s of its runs",
			describeStreak(reds, len(o.Attempts)), formatPercent(s.redRate()))
	}
	return ""
}

// hasShown reports whether evidence of another source than the judged pull
// request has that error.
func (s *testState) hasShown(signature, source string) bool {
	for _, e := range s.evidence {
		if (source == "" || e.Source != source) && slices.Contains(e.Signatures, signature) {
			return true
		}
	}
	return false
}

// chance returns how probable it is that the test, only flaking, fails all its
// attempts now after failing for good in the runs before, and how many runs in
// a row that makes: (p·r^(k-1))^runs for k attempts, p the rate of the first
// and r that of a retry. Runs are those of the variant, counted on the branch
// and over all branches, because a pull request fails with what its base broke.
func (s *testState) chance(run Run, o Observation) (chance float64, runs int) {
	first := math.Max(s.redRate(), minRed)
	all := first * math.Pow(math.Max(first, minRetry), float64(len(o.Attempts)-1))
	if v := s.variants[run.Variant]; v != nil {
		runs = v.streak
	}
	if b := s.branches[run.branchKey()]; b != nil {
		runs = max(runs, b.streak)
	}
	return math.Pow(all, float64(1+runs)), 1 + runs
}

// describeStreak says how the test failed: "failing all 3 attempts in 2 runs in a
// row".
func describeStreak(runs, attempts int) string {
	text := "failing"
	if attempts > 1 {
		text = fmt.Sprintf("failing all %d attempts", attempts)
	}
	if runs > 1 {
		text += fmt.Sprintf(" in %d runs in a row", runs)
	}
	return text
}

// formatPercent writes a ratio in [0,1] for people: small ones to a tenth.
func formatPercent(ratio float64) string {
	if ratio < .02 {
		return fmt.Sprintf("%.1f %%", 100*ratio)
	}
	return fmt.Sprintf("%.0f %%", 100*ratio)
}
