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

	// starts counts the tests that began to fail with an error, those with evidence
	// as well, and those in quarantine that never showed it. shared are the errors
	// with which more did than usual, many says that more began to fail at all.
	starts map[string]int
	shared map[string]bool
	many   bool

	// dependsOn are the pull requests without which more would have begun to fail: they alone
	// showed before that a test of the run fails now and then.
	dependsOn []string
}

func (t *Tracker) newcomers(run Run) newcomers {
	n := newcomers{byError: map[string]int{}, chance: max(1, min(5, (run.Tests+249)/250)), starts: map[string]int{}, shared: map[string]bool{}}
	key := run.key()
	for _, o := range run.Observations {
		if !o.firstFailed() {
			continue
		}
		s, errors := t.states[o.Test], errorsOf(o)
		if s.failing(key) == nil {
			for _, e := range errors {
				if !t.Held(o.Test) || !s.hasShownError(e) {
					n.starts[e]++
				}
			}
		}
		if t.Held(o.Test) || t.hasFailedBefore(o.Test, key) {
			n.dependsOn = mergeDependsOn(n.dependsOn, s.sourcesOfAll())
			continue
		}
		n.all++
		for _, e := range errors {
			n.byError[e]++
		}
	}
	n.many = t.usual.isUnusual(n.all, t.usual.all, run.Tests)
	for e, tests := range n.starts {
		n.shared[e] = t.usual.isUnusual(tests, t.usual.byError[e], run.Tests)
	}
	return n
}

// hasShownError reports whether evidence has an error, wherever it was.
func (s *testState) hasShownError(e string) bool {
	return slices.ContainsFunc(s.evidence, func(have Evidence) bool {
		return slices.ContainsFunc(have.Signatures, func(signature string) bool { return errorOf(signature) == e })
	})
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

// sourcesOfAll returns the pull requests that all evidence of a test rests on, none where
// there is evidence without each of them.
func (s *testState) sourcesOfAll() (all []string) {
	if s == nil {
		return nil
	}
	for i, e := range s.evidence {
		if i == 0 {
			all = slices.Concat(e.Sources, e.DependsOn)
			continue
		}
		all = slices.DeleteFunc(all, func(source string) bool { return !e.restsOn([]string{source}) })
	}
	return all
}

// areLone reports whether so few tests began to fail that each did so by itself.
func (n *newcomers) areLone() bool { return n.all <= n.chance && !n.many }

// errorsOf returns the errors of an observation, each once.
func errorsOf(o Observation) (errors []string) {
	for _, s := range o.Signatures {
		if e := errorOf(s); !slices.Contains(errors, e) {
			errors = append(errors, e)
		}
	}
	return errors
}

// usual is how many tests of the suite usually begin to fail in a run, and with which
// errors. Tests that flake each by itself now and then do so together, and the more of
// them there are, the more often. What is improbable for that has one cause.
type usual struct {
	tests   float64            // decayed number of tests that ran, counted in each run
	all     float64            // of these, how many began to fail
	byError map[string]float64 // the same by error, for the most frequent ones
}

const (
	usualDecay  = .995 // of what is remembered, for each commit
	usualRuns   = 10   // runs that the prior weighs: in each, one test begins to fail
	usualChance = .02  // chance below which so many do not begin to fail by themselves
	usualErrors = 32   // that are remembered

	maxUsual = 1 << 30 // tests that are counted
)

// isUnusual reports whether so many tests of a run with so many in all hardly ever begin
// to fail each by itself, where sum did so far. Their number has the Poisson distribution.
func (u *usual) isUnusual(tests int, sum float64, ran int) bool {
	if tests < 2 {
		return false
	}
	runs := u.tests/math.Max(float64(ran), 1) + usualRuns
	return poissonTail(tests, (sum+usualRuns)/runs) < usualChance
}

// poissonTail returns the chance of n events or more where mean are expected.
func poissonTail(n int, mean float64) float64 {
	below, term := 0.0, math.Exp(-mean)
	for k := range n {
		below += term
		term *= mean / float64(k+1)
	}
	return math.Max(0, 1-below)
}
