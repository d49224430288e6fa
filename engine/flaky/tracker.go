package flaky

import (
	"maps"
	"math"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// Scope is what a Tracker is for.
type Scope uint8

// The scopes; Judge says what counts in which.
const (
	ScopeMain  Scope = iota // the default branch's own runs
	ScopePulls              // runs of every branch, to judge pull requests
)

// DefaultShare is the largest share of the suite in quarantine.
const DefaultShare = 0.05

// What a test needs to enter quarantine: points and pieces of evidence, executions
// and the rate of evidence.
const (
	needPoints     = 6
	needEvidence   = 2
	needExecutions = 10
	needRate       = 0.005

	// maxSourceRuns is how many runs of one pull request count.
	maxSourceRuns = 5
	// maxSources bounds the pull requests and bursts that are remembered.
	maxSources = 4096
)

// Tracker gathers evidence of flakiness run by run, a state for each test that
// failed, and keeps the quarantine that follows.
type Tracker struct {
	scope  Scope
	share  float64
	states map[int]*testState
	held   map[int]bool
	runs   map[string]int  // of each source
	bursts map[string]bool // commits whose runs prove nothing
	size   int             // tests of the largest recent run
	full   []int           // tests that the last run found no room for
}

// NewTracker returns an empty tracker. share is the largest part of the suite in
// quarantine, a ratio in (0,1]; 0 means DefaultShare.
func NewTracker(scope Scope, share float64) *Tracker {
	return &Tracker{scope: scope, share: validShare(share), states: map[int]*testState{}, held: map[int]bool{},
		runs: map[string]int{}, bursts: map[string]bool{}}
}

func validShare(share float64) float64 {
	if share <= 0 || share > 1 {
		return DefaultShare
	}
	return share
}

// Held reports whether the test is in quarantine.
func (t *Tracker) Held(test int) bool { return t.held[test] }

// All returns the tests in quarantine, sorted.
func (t *Tracker) All() []int { return slices.Sorted(maps.Keys(t.held)) }

// Overflow returns the tests that had the evidence in the last run and found
// no room, sorted.
func (t *Tracker) Overflow() []int { return t.full }

// Room returns how many tests may be in quarantine at once: the share of the
// suite, rounded up.
func (t *Tracker) Room() int { return int(math.Ceil(t.share * float64(t.size))) }

// Fresh reports whether the latest execution of the test brought evidence.
func (t *Tracker) Fresh(test int) bool {
	s := t.states[test]
	return s != nil && s.fresh()
}

// Observe takes a run in and updates the quarantine. Runs come in the order in
// which they were tested.
func (t *Tracker) Observe(run Run) {
	t.full = nil
	t.runs[run.Source]++
	boundSources(t.runs)
	if t.isBurst(run) {
		t.bursts[run.Commit] = run.Commit != ""
		boundSources(t.bursts)
		return
	}
	t.size = max(run.Tests, t.size-t.size/100)
	n := t.newcomers(run)
	seen := make(map[int]bool, len(run.Observations))
	for _, o := range run.Observations {
		if !o.executed() || seen[o.Test] {
			continue
		}
		seen[o.Test] = true
		t.observeFailure(run, o, n)
	}
	for _, test := range slices.Sorted(maps.Keys(t.states)) {
		s := t.states[test]
		if !seen[test] && (run.Ran == nil || run.Ran(test)) {
			t.observePass(run, s)
			seen[test] = true
		}
		if seen[test] {
			t.updateQuarantine(test, s)
		}
	}
}

// executed reports whether any attempt ran.
func (o Observation) executed() bool {
	return slices.ContainsFunc(o.Attempts, func(s engine.Status) bool { return s != engine.StatusSkipped })
}

// Bounds of a burst: more first-attempt failures than both mean that the
// environment failed and not the tests.
const (
	burstTests = 4
	burstShare = 0.10
)

// isBurst reports whether so many tests outside quarantine failed at their first
// attempt that the run proves nothing.
func (t *Tracker) isBurst(run Run) bool {
	failing, tests := 0, run.Tests
	for _, o := range run.Observations {
		if o.firstFailed() && !t.held[o.Test] {
			failing++
		}
	}
	for test := range t.held {
		if run.Ran == nil || run.Ran(test) {
			tests--
		}
	}
	return float64(failing) > math.Max(burstTests, burstShare*float64(tests))
}

// crowdTotal is how many times the size of a crowd may begin to fail together,
// whatever their errors, before no failure of the run proves anything.
const crowdTotal = 4

// newcomers counts the tests that began to fail in a run: not in quarantine,
// without evidence so far and green in the run before.
type newcomers struct {
	all         int
	bySignature map[string]int
	// chance is how many tests may begin to fail in one run by chance: ⌈N/250⌉ of
	// N tests, from 1 to 5. More have a common cause.
	chance int
}

func (t *Tracker) newcomers(run Run) newcomers {
	n := newcomers{bySignature: map[string]int{}, chance: max(1, min(5, (run.Tests+249)/250))}
	for _, o := range run.Observations {
		if !o.firstFailed() || t.Held(o.Test) || t.hasFailedBefore(o.Test, run.branchKey()) {
			continue
		}
		n.all++
		for _, s := range o.Signatures {
			n.bySignature[s]++
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
func (n newcomers) areLone() bool { return n.all <= n.chance }

// inCrowd reports whether o failed in a crowd: many that began with the same
// error share a cause, such as a service or a shard that was gone, and a retry
// that passed only shows that it came back.
func (n newcomers) inCrowd(o Observation) bool {
	if len(o.Signatures) == 0 {
		return !n.areLone()
	}
	for _, s := range o.Signatures {
		if n.bySignature[s] > n.chance {
			return true
		}
	}
	return n.all > crowdTotal*n.chance
}

// boundSources bounds a map of hostile size; which entry goes does not matter.
func boundSources[V any](m map[string]V) {
	for key := range m {
		if len(m) <= maxSources || key == "" {
			return
		}
		delete(m, key)
	}
}
