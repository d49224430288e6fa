package flaky

import (
	"maps"
	"slices"
)

// Judge decides by evidence which tests are flaky and which failure that excuses.
//
// It has two trackers. What happens on the default branch follows from the
// default branch's own runs alone, so that nothing a pull request does can
// change a verdict there. A pull request is judged by the evidence of all
// branches, in which every pull request is one source and none counts for itself.
type Judge struct {
	Main  *Tracker
	Pulls *Tracker

	Confirm Confirm // the setting; it changes no more than what Guard says
}

// NewJudge returns a judge that has seen nothing.
func NewJudge() *Judge { return &Judge{Main: NewTracker(ScopeMain), Pulls: NewTracker(ScopePulls)} }

// Observe takes a commit in. Commits come in the order in which they were tested. Of a
// merge group's nothing is learned.
func (j *Judge) Observe(c Commit) {
	if c[0].Queued {
		j.Pulls.countExecutions(c)
		return
	}
	j.Pulls.Observe(c)
	if c.onMain() {
		j.Main.Observe(c)
	}
}

// countExecutions takes in that tests were executed, and nothing of how they ended.
func (t *Tracker) countExecutions(c Commit) {
	t.commits++
	t.expire(c[0].At)
	for test, s := range t.states {
		if slices.ContainsFunc(c, func(r Run) bool { return r.ran(test) }) {
			s.executions++
		}
	}
}

// Known returns the tests that the judge remembers something of, sorted.
func (j *Judge) Known() []int {
	known := slices.AppendSeq(slices.Collect(maps.Keys(j.Main.states)), maps.Keys(j.Pulls.states))
	slices.Sort(known)
	return slices.Compact(known)
}

// Knows reports whether both trackers remember something of the test, so that the
// judge need not be told how often it ran before.
func (j *Judge) Knows(test int) bool {
	return j.Main.states[test] != nil && j.Pulls.states[test] != nil
}

// Burst reports whether a run of a commit not yet observed proves nothing to
// whoever observes it, because so many tests failed in it.
func (j *Judge) Burst(run Run) bool {
	return j.Pulls.isBurst(run) && (!run.onMain() || j.Main.isBurst(run))
}

// GuardManual is Guard for a test that a person put into quarantine: what is
// not known of it cannot speak against it.
func (j *Judge) GuardManual(run Run, o Observation) string {
	for _, t := range []*Tracker{j.Main, j.Pulls} {
		if s := t.states[o.Test]; s != nil && s.errorsKnown() && (t == j.Main || !run.onMain()) {
			return t.without(s, run.Sources).unusualFailure(run, o, t.correlation.estimate()).String()
		}
	}
	return ""
}

// Suspects reports whether what the judge remembers of a test says that it may be
// flaky: it failed and passed on one commit, or stood out red by itself twice.
func (j *Judge) Suspects(test int) bool {
	for _, t := range []*Tracker{j.Main, j.Pulls} {
		sum := 0
		if s := t.states[test]; s != nil {
			for _, e := range s.evidence {
				sum += e.Points()
			}
		}
		if sum >= points[KindSameCommit] {
			return true
		}
	}
	return false
}

// errorsKnown reports whether any evidence shows how the test fails: rows of a
// seed tool do not.
func (s *testState) errorsKnown() bool {
	return slices.ContainsFunc(s.evidence, func(e Evidence) bool { return len(e.Signatures) > 0 })
}
