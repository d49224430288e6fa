package flaky

import (
	"math"
	"slices"
)

const (
	evidenceWindow = 300  // executions that evidence lasts
	rateDecay      = 0.99 // of what the red rate remembers, for each execution
	redEpisode     = 3    // reds in a row that count as flakiness, not as breakage
)

// testState is what a Tracker remembers of a test that failed at least once.
type testState struct {
	executions int // that count
	evidence   []Evidence
	branches   map[branchKey]*branchState // while red or waiting
	entered    int                        // execution of entering quarantine, 0: not in it

	variants map[string]*variantState // by Run.Variant, while red
	reds     float64                  // decayed sum of reds that went away
	seen     float64                  // decayed number of executions
}

func newTestState() *testState {
	return &testState{branches: map[branchKey]*branchState{}, variants: map[string]*variantState{}}
}

// variantState is how a test fails in one variant, whatever the source.
type variantState struct {
	streak int // runs in a row in which it failed for good
	red    int // reds since it was green
}

// branchState is a test's recent history on one branch in one variant.
type branchState struct {
	commit  string    // of the last failure
	failed  bool      // the last run on that commit failed for good
	crowd   bool      // and so did many others
	streak  int       // commits in a row that failed for good
	pending *Evidence // a lone red that waits for the next run
	errors  []string  // signatures on commit
	place   string    // of the last failure
}

func (s *testState) variant(name string) *variantState { return stateAt(s.variants, name) }

// stateAt returns the state under a key, an empty one where there was none.
func stateAt[K comparable, V any](states map[K]*V, key K) *V {
	if states[key] == nil {
		states[key] = new(V)
	}
	return states[key]
}

// fresh reports whether the latest execution brought evidence.
func (s *testState) fresh() bool { return s.clean() == 0 && len(s.evidence) > 0 }

// clean returns the executions since the last evidence, or since entering.
func (s *testState) clean() int {
	last := s.entered
	if n := len(s.evidence); n > 0 {
		last = s.evidence[n-1].At
	}
	return s.executions - last
}

// rate estimates how often the test gives evidence, a ratio in (0,1): the
// evidence over the executions, drawn towards 1 % by 20 executions of prior.
func (s *testState) rate() float64 {
	return (float64(len(s.evidence)) + .2) / (float64(min(s.executions, evidenceWindow)) + 20)
}

// redRate estimates how often the first attempt fails, a ratio in (0,1). Reds
// count once they went away, and no more than 3 in a row: a regression does
// not make the test more flaky.
func (s *testState) redRate() float64 {
	return math.Max(s.rate(), (s.reds+.1)/(s.seen+5))
}

// countGreen counts an execution that passed in the end.
func (s *testState) countGreen(variant string) {
	s.decay()
	if v := s.variants[variant]; v != nil {
		s.reds += float64(min(v.red, redEpisode))
		delete(s.variants, variant)
	}
}

func (s *testState) decay() {
	s.seen = s.seen*rateDecay + 1
	s.reds *= rateDecay
}

// maxErrors bounds the signatures of one piece of evidence.
const maxErrors = 8

// union returns have and what more adds, up to maxErrors.
func union(have, more []string) []string {
	out := have[:len(have):len(have)]
	for _, m := range more {
		if len(out) < maxErrors && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}
