package flaky

import "math"

// Bounds of a burst: more first-attempt failures than both mean that the
// environment failed and not the tests.
const (
	burstTests = 4
	burstShare = 0.10
)

// crowdTests is how many times the size of a crowd may begin to fail together,
// whatever their errors, before no failure of the run proves anything.
const crowdTotal = 4

// isBurst reports whether a run in which failing of the tests outside
// quarantine failed at their first attempt proves nothing.
func isBurst(failing, tests int) bool {
	return float64(failing) > math.Max(burstTests, burstShare*float64(tests))
}

// crowdSize returns how many tests may begin to fail in one run by chance:
// ⌈N/250⌉, from 1 to 5. More have a common cause.
func crowdSize(tests int) int {
	return max(1, min(5, (tests+249)/250))
}

// newcomers counts the tests that began to fail in a run: not in quarantine,
// without evidence so far and green in the run before.
type newcomers struct {
	all   int
	bySig map[string]int
	size  int
}

func (l *Tracker) newcomers(run Run) newcomers {
	n := newcomers{bySig: map[string]int{}, size: crowdSize(run.Tests)}
	for _, o := range run.Observations {
		if !o.firstFailed() || l.Held(o.Test) || l.known(o.Test, run.track()) {
			continue
		}
		n.all++
		for _, s := range o.Signatures {
			n.bySig[s]++
		}
	}
	return n
}

// known reports whether a failure of the test is nothing new.
func (l *Tracker) known(test int, on track) bool {
	s := l.states[test]
	if s == nil {
		return false
	}
	b := s.branches[on]
	return len(s.pieces) > 0 || b != nil && b.streak > 0
}

// lone reports whether so few tests began to fail that each did so by itself.
func (n newcomers) lone() bool { return n.all <= n.size }

// crowd reports whether o failed in a crowd: many that began with the same
// error share a cause, such as a service or a shard that was gone, and a retry
// that passed only shows that it came back.
func (n newcomers) crowd(o Observation) bool {
	if len(o.Signatures) == 0 {
		return !n.lone()
	}
	for _, s := range o.Signatures {
		if n.bySig[s] > n.size {
			return true
		}
	}
	return n.all > crowdTotal*n.size
}
