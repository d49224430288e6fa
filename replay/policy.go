package replay

import (
	"slices"
	"strconv"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// policy is a quarantine policy under test.
type policy interface {
	// held returns the tests in quarantine, sorted.
	held() []int
	// guard returns why a failure blocks although its test is in quarantine.
	guard(run flaky.Run, o flaky.Observation) string
	// observe takes the run in.
	observe(run flaky.Run, s *suite)
	// reason says why a test is in quarantine.
	reason(test int) string
}

// evidence is policy evidence.
type evidence struct{ judge *flaky.Judge }

func (e evidence) held() []int                                     { return e.judge.All() }
func (e evidence) guard(run flaky.Run, o flaky.Observation) string { return e.judge.Guard(run, o) }
func (e evidence) observe(run flaky.Run, _ *suite)                 { e.judge.Observe(run) }
func (e evidence) reason(test int) string {
	facts, _ := e.judge.Facts(test)
	return facts.String()
}

// seedWindow is how many executions the seed's quarantine looks back on.
const seedWindow = 10

// seed is policy seed on the final status of each run, because its tools record
// no retries: it takes every branch's runs alike and excuses every
// failure of a test that stays in quarantine.
type seed struct {
	statuses map[int][]engine.Status
	in       map[int]string
}

func newSeed() *seed { return &seed{statuses: map[int][]engine.Status{}, in: map[int]string{}} }

func (s *seed) held() []int {
	tests := make([]int, 0, len(s.in))
	for t := range s.in {
		tests = append(tests, t)
	}
	slices.Sort(tests)
	return tests
}

func (s *seed) reason(test int) string { return s.in[test] }

// guard lets every failure pass: the seed knows no guard.
func (s *seed) guard(flaky.Run, flaky.Observation) string { return "" }

func (s *seed) observe(run flaky.Run, tests *suite) {
	listed := make(map[int]bool, len(run.Observations))
	for _, o := range run.Observations {
		listed[o.Test] = true
		s.statuses[o.Test] = newest(append(s.statuses[o.Test], o.Attempts[len(o.Attempts)-1]))
	}
	var histories []flaky.History
	for t := range tests.known {
		if !listed[t] && run.Ran(t) {
			s.statuses[t] = newest(append(s.statuses[t], passed...))
		}
		if flaky.FlipRate(s.statuses[t]) > 0 || s.in[t] != "" {
			histories = append(histories, flaky.History{TestID: strconv.Itoa(t), Statuses: s.statuses[t]})
		}
	}
	for _, c := range flaky.Evaluate(histories, s.entries(), flaky.PolicySeed).Changes {
		test, _ := strconv.Atoi(c.TestID)
		if c.Released {
			delete(s.in, test)
		} else {
			s.in[test] = c.Reason
		}
	}
}

func (s *seed) entries() []flaky.Entry {
	entries := make([]flaky.Entry, 0, len(s.in))
	for t := range s.in {
		entries = append(entries, flaky.Entry{TestID: strconv.Itoa(t), AutoUnquarantine: true})
	}
	return entries
}

func newest(statuses []engine.Status) []engine.Status {
	return statuses[max(0, len(statuses)-seedWindow):]
}
