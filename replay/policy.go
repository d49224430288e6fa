package replay

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// policy is a quarantine policy under test.
type policy interface {
	// held returns the tests in quarantine, sorted.
	held() []int
	// guard returns why a failure blocks although its test is in quarantine; earlier
	// are the runs of the same commit before.
	guard(run flaky.Run, o flaky.Observation, earlier []flaky.Run) string
	// observe takes a commit in.
	observe(c flaky.Commit, s *suite)
	// reason says why a test is in quarantine.
	reason(test int) string
}

// evidencePolicy is policy evidence. Of the tests that proved to be flaky those are
// in quarantine that did so first, as many as there is room for.
type evidencePolicy struct {
	judge       *flaky.Judge
	share       float64
	main, pulls []int // in quarantine on the default branch and on pull requests
}

func (e *evidencePolicy) held() []int {
	all := slices.Concat(e.main, e.pulls)
	slices.Sort(all)
	return slices.Compact(all)
}

func (e *evidencePolicy) guard(run flaky.Run, o flaky.Observation, earlier []flaky.Run) string {
	if !slices.Contains(e.main, o.Test) && (len(run.Sources) == 0 || !slices.Contains(e.pulls, o.Test)) {
		return "its quarantine does not hold here"
	}
	return e.judge.Guard(run, o, earlier...)
}

func (e *evidencePolicy) observe(c flaky.Commit, s *suite) {
	e.judge.Observe(c)
	room := flaky.Room(e.share, s.size())
	e.main, e.pulls = firstTests(e.judge.Main, room), firstTests(e.judge.Pulls, room)
}

// size returns how many tests there are: those that the newest run of each lane
// executed, each counted once. A test that a lane lists as absent is another lane's.
func (s *suite) size() int {
	absent := map[int]int{}
	largest := 0
	for _, l := range s.lanes {
		for _, t := range l.Absent {
			absent[t]++
		}
	}
	for _, l := range s.lanes {
		size := l.Tests
		for _, t := range l.Absent {
			if absent[t] < len(s.lanes) {
				size++
			}
		}
		largest = max(largest, size)
	}
	return largest
}

// firstTests returns the tests that proved to be flaky first.
func firstTests(t *flaky.Tracker, room int) []int {
	queue := t.Queue(cmp.Compare[int])
	return queue[:min(len(queue), room)]
}

func (e *evidencePolicy) reason(test int) string {
	tracker := e.judge.Pulls
	if slices.Contains(e.main, test) {
		tracker = e.judge.Main
	}
	facts, _ := tracker.Facts(test)
	return facts.String()
}

// seedWindow is how many executions the seed's quarantine looks back on.
const seedWindow = 10

// seedPolicy is policy seed on the final status of each run, because its tools record
// no retries: it takes every branch's runs alike and excuses every
// failure of a test that stays in quarantine.
type seedPolicy struct {
	statuses map[int][]engine.Status
	in       map[int]string
}

func (s *seedPolicy) held() []int { return slices.Sorted(maps.Keys(s.in)) }

func (s *seedPolicy) reason(test int) string { return s.in[test] }

// guard lets every failure pass: the seed knows no guard.
func (s *seedPolicy) guard(flaky.Run, flaky.Observation, []flaky.Run) string { return "" }

func (s *seedPolicy) observe(c flaky.Commit, tests *suite) {
	for _, run := range c {
		s.observeRun(run, tests)
	}
}

func (s *seedPolicy) observeRun(run flaky.Run, tests *suite) {
	listed := make(map[int]bool, len(run.Observations))
	for _, o := range run.Observations {
		listed[o.Test] = true
		s.statuses[o.Test] = newestStatuses(append(s.statuses[o.Test], o.Attempts[len(o.Attempts)-1]))
	}
	var histories []flaky.History
	for t := range tests.known {
		if !listed[t] && run.Ran(t) {
			s.statuses[t] = newestStatuses(append(s.statuses[t], passed...))
		}
		if flaky.FlipRate(s.statuses[t]) > 0 || s.in[t] != "" {
			histories = append(histories, flaky.History{TestID: engine.NewTestID(strconv.Itoa(t)), Statuses: s.statuses[t]})
		}
	}
	for _, c := range flaky.Evaluate(histories, s.entries(), flaky.PolicySeed).Changes {
		test, _ := strconv.Atoi(string(c.TestID))
		if c.Released {
			delete(s.in, test)
		} else {
			s.in[test] = c.Reason
		}
	}
}

func (s *seedPolicy) entries() []flaky.Entry {
	entries := make([]flaky.Entry, 0, len(s.in))
	for t := range s.in {
		entries = append(entries, flaky.Entry{TestID: engine.NewTestID(strconv.Itoa(t)), AutoUnquarantine: true})
	}
	return entries
}

func newestStatuses(statuses []engine.Status) []engine.Status {
	return statuses[max(0, len(statuses)-seedWindow):]
}

var passed = []engine.Status{engine.StatusPassed}
