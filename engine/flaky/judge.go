package flaky

import (
	"maps"
	"slices"
)

// Judge decides by evidence who is in quarantine and which failure it excuses.
//
// It has two trackers. What happens on the default branch follows from the
// default branch's own runs alone, so that nothing a pull request does can
// change a verdict there. A pull request is judged by the evidence of all
// branches, in which every pull request is one source and none counts for itself.
type Judge struct {
	Main  *Tracker
	Pulls *Tracker
}

// NewJudge returns a judge that has seen nothing. share is as in NewTracker.
func NewJudge(share float64) *Judge {
	return &Judge{Main: NewTracker(ScopeMain, share), Pulls: NewTracker(ScopePulls, share)}
}

// Observe takes a run in. Runs come in the order in which they were tested.
func (j *Judge) Observe(run Run) {
	j.Pulls.Observe(run)
	if run.Source == "" {
		j.Main.Observe(run)
	}
}

// Held reports whether the test is in quarantine for a run of source.
func (j *Judge) Held(test int, source string) bool {
	return j.Main.Held(test) || source != "" && j.Pulls.Held(test)
}

// All returns the tests in quarantine, on the default branch or on pull
// requests, sorted.
func (j *Judge) All() []int {
	all := append(j.Main.All(), j.Pulls.All()...)
	slices.Sort(all)
	return slices.Compact(all)
}

// Known returns the tests that the judge remembers something of, sorted.
func (j *Judge) Known() []int {
	known := slices.AppendSeq(slices.Collect(maps.Keys(j.Main.states)), maps.Keys(j.Pulls.states))
	slices.Sort(known)
	return slices.Compact(known)
}

// Burst reports whether a run not yet observed proves nothing to whoever
// observes it, because so many tests failed in it.
func (j *Judge) Burst(run Run) bool {
	return j.Pulls.isBurst(run) && (run.Source != "" || j.Main.isBurst(run))
}

// Guard returns why the failure o of a run not yet observed blocks although
// its test is in quarantine, "" when quarantine excuses it. On a
// pull request it is enough that one tracker excuses it.
func (j *Judge) Guard(run Run, o Observation) string {
	reason := "its quarantine does not rest on evidence"
	if j.Main.Held(o.Test) {
		reason = j.Main.guard(run, o)
	}
	if reason != "" && run.Source != "" && j.Pulls.Held(o.Test) {
		reason = j.Pulls.guard(run, o)
	}
	return reason
}

// GuardManual is Guard for a test that a person put into quarantine: what is
// not known of it cannot speak against it.
func (j *Judge) GuardManual(run Run, o Observation) string {
	for _, t := range []*Tracker{j.Main, j.Pulls} {
		if s := t.states[o.Test]; s != nil && s.errorsKnown() && (t == j.Main || run.Source != "") {
			return s.unusualFailure(run, o)
		}
	}
	return ""
}

// errorsKnown reports whether any evidence shows how the test fails: rows of a
// seed tool do not.
func (s *testState) errorsKnown() bool {
	return slices.ContainsFunc(s.evidence, func(e Evidence) bool { return len(e.Signatures) > 0 })
}
