package flaky

import (
	"maps"
	"math"
	"slices"
)

// Scope is what a Tracker is for.
type Scope uint8

// The scopes. What testifies where is told in the documentation of Judge.
const (
	ScopeMain  Scope = iota // the default branch's own runs
	ScopePulls              // runs of every branch, to judge pull requests
)

// DefaultShare is the largest share of the suite in quarantine.
const DefaultShare = 0.05

const (
	needPoints     = 6
	needPieces     = 2
	needExecutions = 10
	needRate       = 0.005

	// witnessRuns is how many runs of one pull request count.
	witnessRuns = 5
	// maxWitnesses bounds the pull requests and bursts that are remembered.
	maxWitnesses = 4096
)

// Tracker gathers evidence of flakiness run by run, a state for each test that
// failed, and keeps the quarantine that follows.
type Tracker struct {
	scope  Scope
	share  float64
	states map[int]*state
	held   map[int]bool
	runs   map[string]int  // of each witness
	bursts map[string]bool // commits whose runs prove nothing
	size   int             // tests of the largest recent run
	full   []int           // tests that the last run found no room for
}

// NewTracker returns an empty tracker. share is the largest part of the suite in
// quarantine, a ratio in (0,1]; 0 means DefaultShare.
func NewTracker(scope Scope, share float64) *Tracker {
	if share <= 0 || share > 1 {
		share = DefaultShare
	}
	return &Tracker{scope: scope, share: share, states: map[int]*state{}, held: map[int]bool{},
		runs: map[string]int{}, bursts: map[string]bool{}}
}

// Held reports whether the test is in quarantine.
func (l *Tracker) Held(test int) bool { return l.held[test] }

// All returns the tests in quarantine, sorted.
func (l *Tracker) All() []int { return slices.Sorted(maps.Keys(l.held)) }

// Overflow returns the tests that had the evidence in the last run and found
// no room, sorted.
func (l *Tracker) Overflow() []int { return l.full }

// Room returns how many tests may be in quarantine at once: the share of the
// suite, rounded up.
func (l *Tracker) Room() int { return int(math.Ceil(l.share * float64(l.size))) }

// Fresh reports whether the latest execution of the test brought evidence.
func (l *Tracker) Fresh(test int) bool {
	s := l.states[test]
	return s != nil && s.fresh()
}

// Observe takes a run in and updates the quarantine. Runs come in the order in
// which they were tested.
func (l *Tracker) Observe(run Run) {
	l.full = nil
	l.runs[run.Source]++
	forget(l.runs)
	if l.isBurst(run) {
		l.bursts[run.Commit] = run.Commit != ""
		forget(l.bursts)
		return
	}
	l.size = max(run.Tests, l.size-l.size/100)
	n := l.newcomers(run)
	seen := make(map[int]bool, len(run.Observations))
	for _, o := range run.Observations {
		if !o.executed() || seen[o.Test] {
			continue
		}
		seen[o.Test] = true
		l.see(run, o, n)
	}
	for _, test := range slices.Sorted(maps.Keys(l.states)) {
		s := l.states[test]
		if !seen[test] && (run.Ran == nil || run.Ran(test)) {
			l.pass(run, s)
			seen[test] = true
		}
		if seen[test] {
			l.settle(test, s)
		}
	}
}

func (l *Tracker) isBurst(run Run) bool {
	failing, tests := 0, run.Tests
	for _, o := range run.Observations {
		if o.firstFailed() && !l.held[o.Test] {
			failing++
		}
	}
	for test := range l.held {
		if run.Ran == nil || run.Ran(test) {
			tests--
		}
	}
	return isBurst(failing, tests)
}

// testifies reports whether the run counts. Only the first runs of a pull
// request do, so that one which runs a thousand times weighs no more.
func (l *Tracker) testifies(run Run) bool {
	return run.Source == "" || l.runs[run.Source] <= witnessRuns
}

// settle lets the test enter or leave quarantine.
func (l *Tracker) settle(test int, s *state) {
	s.expire()
	switch {
	case l.held[test]:
		if s.clean() >= l.release(s) {
			delete(l.held, test)
			s.entered, s.pieces = 0, nil
		}
	case s.fresh() && enough(s):
		if len(l.held) >= l.Room() {
			l.full = append(l.full, test)
			break
		}
		l.held[test] = true
		s.entered = s.executions
	}
	if s.idle() {
		delete(l.states, test)
	}
}

func enough(s *state) bool {
	sum, pieces := weigh(s.pieces, "")
	return sum >= needPoints && pieces >= needPieces && s.executions >= needExecutions && s.rate() >= needRate
}

// release returns how many clean executions let the test out. Three times the
// mean distance of two flakes without one show with 95 % confidence that the
// rate fell (the rule of three), and 100 are enough for the rarest: a mended test
// must not be excused for weeks because it once flaked seldom. On the default
// branch, which runs seldom and hears no other witness, one mean distance must
// do. A test let out too early blocks until it has proved itself flaky again,
// which hides nothing.
func (l *Tracker) release(s *state) int {
	distance := 1 / math.Max(s.rate(), .01)
	if l.scope == ScopeMain {
		return max(10, min(30, int(math.Ceil(distance))))
	}
	return max(20, min(100, int(math.Ceil(3*distance))))
}

// leavesAt returns how many clean executions the test will have when it leaves,
// if all are clean from now on: each one lowers the rate and so asks for more.
func (l *Tracker) leavesAt(s *state) int {
	ahead := *s
	for ahead.clean() < l.release(&ahead) {
		ahead.executions++
	}
	return ahead.clean()
}

// forget bounds a map of hostile size; which entry goes does not matter.
func forget[V any](m map[string]V) {
	for key := range m {
		if len(m) <= maxWitnesses || key == "" {
			return
		}
		delete(m, key)
	}
}
