package flaky

import (
	"fmt"
	"math"
	"slices"
)

const (
	improbable = 0.002 // chance below which a failure is no flake any more
	minRed     = 0.02  // lowest first-attempt rate that the guard assumes
)

// guard returns why a failure of a quarantined test blocks all the same, nothing when it
// looks like the test's flakes.
func (t *Tracker) guard(run Run, o Observation) objection {
	s := t.states[o.Test]
	if s == nil {
		return objection{why: "nothing is known of how it flakes"}
	}
	if !run.onMain() {
		if s = t.without(s, run.Sources); !s.hasEnoughEvidence() || !s.hasEntered() || s.clean >= t.cleanToRelease(s) {
			return objection{why: "without this pull request's own runs there is too little evidence that it is flaky"}
		}
	}
	return s.unusualFailure(run, o, t.correlation.estimate())
}

// without returns what is known of a test without what the sources brought: a pull
// request's own failures never excuse it. Its reds in a row stay, which speak against it.
func (t *Tracker) without(s *testState, sources []string) *testState {
	if len(sources) == 0 {
		return s
	}
	others := *s
	others.evidence = slices.DeleteFunc(slices.Clone(s.evidence), func(e Evidence) bool { return e.restsOn(sources) })
	others.variants = make(map[string]*redRate, len(s.variants))
	for variant, r := range s.variants {
		others.variants[variant] = r.without(sources)
	}
	if n := len(others.evidence); n > 0 && n < len(s.evidence) {
		others.clean = s.executions - others.evidence[n-1].At
	}
	for _, source := range sources {
		own := min(t.sources[source].commits, maxSourceCommits)
		others.executions -= own
		for i := range others.evidence {
			others.evidence[i].At -= own
		}
	}
	return &others
}

// hasEntered reports whether the test had run often enough when evidence was last found:
// only then does a test enter.
func (s *testState) hasEntered() bool {
	n := len(s.evidence)
	sum, _ := weighEvidence(s.evidence)
	return n > 0 && s.evidence[n-1].At >= executionsNeeded(sum)
}

// without returns the rate without the sources' reds and, where it knows of them, without
// their executions: counted without their reds these would pass for green ones.
func (r *redRate) without(sources []string) *redRate {
	others := &redRate{reds: r.reds, again: r.again, seen: r.seen, streak: r.streak}
	for _, o := range slices.Concat(r.pulls, r.waiting) {
		if len(o.sources) > 0 && !slices.ContainsFunc(o.sources, func(s string) bool { return !slices.Contains(sources, s) }) {
			others.seen -= o.seen
		}
	}
	for _, o := range r.pulls {
		if !sharesSource(o.sources, sources) {
			others.pulls = append(others.pulls, o)
		}
	}
	return others
}

// unusualFailure returns why the failure does not look like the test's flakes;
// correlation is that of the suite's retries.
func (s *testState) unusualFailure(run Run, o Observation, correlation float64) objection {
	for _, e := range o.Signatures {
		if trouble := Trouble(e); trouble != "" {
			return objection{why: "trouble of the environment is no flake of the test: " + trouble}
		}
		if !s.hasShown(e) {
			return objection{why: fmt.Sprintf("this error was never seen while it was flaking: %s", Readable(e))}
		}
	}
	if chance, reds := s.chance(run, o, correlation); chance <= improbable {
		return objection{fmt.Sprintf("%s, which is improbable for a test whose first attempt fails in %s of its runs",
			describeStreak(reds, o.executions()), formatPercent(s.redRate(run.Variant))), true}
	}
	return objection{}
}

// hasShown reports whether evidence has that error.
func (s *testState) hasShown(signature string) bool {
	return slices.ContainsFunc(s.evidence, func(e Evidence) bool { return slices.Contains(e.Signatures, signature) })
}

// chance returns how probable it is that the test, only flaking, fails all its
// attempts now after failing for good on the commits before, and how many in a row
// that makes. Commits are counted in the variant, on the branch and over all
// branches, because a pull request fails with what its base broke.
func (s *testState) chance(run Run, o Observation, correlation float64) (chance float64, commits int) {
	all := s.chanceOfAll(run.Variant, o.executions(), correlation)
	if v := s.variants[run.Variant]; v != nil {
		commits = v.streak.seenBy(run.Sources)
	}
	if b := s.branches[run.key()]; b != nil {
		commits = max(commits, b.streak)
	}
	return math.Pow(all, float64(1+commits)), 1 + commits
}

// formatPercent writes a ratio in [0,1] for people: small ones to a tenth.
func formatPercent(ratio float64) string {
	if ratio < .02 {
		return fmt.Sprintf("%.1f %%", 100*ratio)
	}
	return fmt.Sprintf("%.0f %%", 100*ratio)
}

// seenBy returns the streak as it is for a run of these sources.
func (s *streak) seenBy(sources []string) int {
	for _, g := range slices.Backward(s.greens) {
		if !sharesSource(g.by, sources) {
			return g.reds
		}
	}
	return s.older
}
