package flaky

import (
	"cmp"
	"math"

	"github.com/breadcrumb/action/engine"
)

// Run is one run as the Judge sees it. Only tests that did not simply pass at
// their first attempt are listed; every other test for which Ran reports true
// passed.
type Run struct {
	Commit string // tested commit; "" when unknown, which is a commit of its own
	// Source is where the run comes from: "" for the default branch, otherwise
	// the pull request or branch that it belongs to.
	Source string
	// Variant names the workflow, job and matrix leg, "" where there is none. A test
	// that fails in one variant and passes in another shows how they differ, not
	// that it is flaky, so a run is compared only with others of its variant.
	Variant string
	Tests   int // test cases that ran
	// Ran reports whether a test was part of this run. nil: every test was.
	Ran          func(test int) bool
	Observations []Observation
}

func (r Run) branchKey() branchKey { return branchKey{r.Source, r.Variant} }

// branchKey names runs that follow upon each other: those of a source in one
// variant.
type branchKey struct{ source, variant string }

// Observation is one test of a run that failed at least once or healed a
// locator. Tests are numbered by the caller.
type Observation struct {
	Test       int
	Attempts   []engine.Status // in order, skipped ones included
	Signatures []string        // of the failing attempts, see Signature
	Healed     bool            // a locator was healed: the page changed
	Place      string          // "file:line" of the failure, "" when unknown

	// Before is in how many earlier runs the test was executed, BeforeMain in
	// how many of the default branch.
	Before, BeforeMain int
	// PassedBefore says that an earlier run of the same source and variant on the
	// same commit passed it.
	PassedBefore bool
}

// firstFailed reports whether the first executed attempt failed.
func (o Observation) firstFailed() bool {
	for _, s := range o.Attempts {
		if s != engine.StatusSkipped {
			return s.Failing()
		}
	}
	return false
}

// failed reports whether the test failed for good.
func (o Observation) failed() bool {
	return len(o.Attempts) > 0 && o.Attempts[len(o.Attempts)-1].Failing()
}

// recovered reports whether a retry passed. A failure after a pass shows no
// retry: two tests under one name are reported like that.
func (o Observation) recovered() bool {
	return o.firstFailed() && o.Attempts[len(o.Attempts)-1] == engine.StatusPassed
}

// observePass takes in a test that passed at its first attempt.
func (t *Tracker) observePass(run Run, s *testState) {
	if t.counts(run) {
		s.executions++
	}
	s.countGreen(run.Variant)
	if b := s.branches[run.branchKey()]; b != nil {
		t.observeGreen(run, s, b)
	}
}

// observeFailure takes in a test that failed at least once or healed a locator.
func (t *Tracker) observeFailure(run Run, o Observation, n newcomers) {
	s := t.states[o.Test]
	if s == nil {
		if !o.firstFailed() {
			return
		}
		s = newTestState()
		s.executions = t.executionsBefore(o)
		t.states[o.Test] = s
	}
	if t.counts(run) {
		s.executions++
	}
	b := stateAt(s.branches, run.branchKey())
	switch {
	case o.Healed:
		// The page changed under the test: its failures prove nothing.
		t.observeHealed(run, o, s, b)
	case !o.firstFailed():
		s.countGreen(run.Variant)
		t.observeGreen(run, s, b)
	case o.recovered():
		t.observeRecovered(run, o, s, b, n.inCrowd(o))
	default:
		t.observeFailed(run, o, s, b, n)
	}
}

// executionsBefore returns how many executions the tracker would have counted by
// now.
func (t *Tracker) executionsBefore(o Observation) int {
	if t.scope == ScopeMain {
		return o.BeforeMain
	}
	return o.Before
}

func (t *Tracker) observeHealed(run Run, o Observation, s *testState, b *branchState) {
	b.pending = nil
	if o.failed() {
		b.streak++
		s.variant(run.Variant).streak++
		return
	}
	delete(s.variants, run.Variant)
	delete(s.branches, run.branchKey())
}

// observeGreen takes in a test that passed: what waited on the branch ends.
func (t *Tracker) observeGreen(run Run, s *testState, b *branchState) {
	switch {
	case run.Commit != "" && b.commit == run.Commit:
		if b.failed && !b.crowd {
			t.addEvidence(run, s, Evidence{Kind: KindSameCommit, Signatures: b.errors, Place: b.place})
		}
	case b.pending != nil:
		t.addEvidenceFor(run, s, *b.pending)
	}
	delete(s.branches, run.branchKey())
}

// observeRecovered takes in a test that failed and passed in one run.
func (t *Tracker) observeRecovered(run Run, o Observation, s *testState, b *branchState, crowd bool) {
	if !crowd {
		t.addEvidence(run, s, Evidence{Kind: KindSameCommit, Signatures: o.Signatures, Place: o.Place})
	}
	if b.pending != nil && b.commit != run.Commit {
		t.addEvidenceFor(run, s, *b.pending)
	}
	s.variant(run.Variant).red++
	s.countGreen(run.Variant)
	delete(s.branches, run.branchKey())
}

// observeFailed takes in a test that failed for good.
func (t *Tracker) observeFailed(run Run, o Observation, s *testState, b *branchState, n newcomers) {
	crowd := n.inCrowd(o)
	if o.PassedBefore && !crowd {
		t.addEvidence(run, s, Evidence{Kind: KindSameCommit, Signatures: o.Signatures, Place: o.Place})
	}
	s.decay()
	s.variant(run.Variant).red++
	if run.Commit != "" && b.commit == run.Commit {
		b.failed, b.crowd = true, b.crowd || crowd
		b.errors, b.place = union(b.errors, o.Signatures), o.Place
		return
	}
	first := b.streak == 0 && b.pending == nil
	b.pending = nil
	if first && t.mayBeLone(run, o, n) {
		b.pending = &Evidence{Kind: KindLonePull, Commit: run.Commit, Source: run.Source, Signatures: o.Signatures, Place: o.Place}
		if run.Source == "" {
			b.pending.Kind = KindLoneMain
		}
	}
	b.streak++
	s.variant(run.Variant).streak++
	b.commit, b.failed, b.crowd, b.errors, b.place = run.Commit, true, crowd, union(nil, o.Signatures), o.Place
}

// mayBeLone reports whether a red is by itself: few others began with it, and
// on a pull request the test was green at an earlier push, so that it is not
// the pull request's own new test.
func (t *Tracker) mayBeLone(run Run, o Observation, n newcomers) bool {
	return n.areLone() && !o.PassedBefore && t.executionsBefore(o) > 0 && (run.Source == "" || t.runs[run.Source] > 1)
}

// addEvidence adds evidence that the run itself gives.
func (t *Tracker) addEvidence(run Run, s *testState, e Evidence) {
	e.Commit, e.Source = run.Commit, run.Source
	if !t.bursts[run.Commit] {
		t.addEvidenceFor(run, s, e)
	}
}

// addEvidenceFor adds evidence about an earlier commit.
func (t *Tracker) addEvidenceFor(run Run, s *testState, e Evidence) {
	if t.counts(run) && !t.bursts[e.Commit] {
		s.addEvidence(e)
	}
}

// counts reports whether the run counts. Only the first runs of a pull
// request do, so that one which runs a thousand times weighs no more.
func (t *Tracker) counts(run Run) bool {
	return run.Source == "" || t.runs[run.Source] <= maxSourceRuns
}

// addEvidence adds e, or strengthens what its commit gave before.
func (s *testState) addEvidence(e Evidence) {
	for i, have := range s.evidence {
		if have.Commit == e.Commit && e.Commit != "" {
			s.evidence[i].Kind = max(have.Kind, e.Kind)
			s.evidence[i].Signatures = union(have.Signatures, e.Signatures)
			s.evidence[i].Place = cmp.Or(e.Place, have.Place)
			return
		}
	}
	e.At = s.executions
	s.evidence = append(s.evidence, e)
}

// updateQuarantine lets the test enter or leave quarantine.
func (t *Tracker) updateQuarantine(test int, s *testState) {
	s.dropExpired()
	switch {
	case t.held[test]:
		if s.clean() >= t.cleanToRelease(s) {
			delete(t.held, test)
			s.entered, s.evidence = 0, nil
		}
	case s.fresh() && hasEnoughEvidence(s):
		if len(t.held) >= t.Room() {
			t.full = append(t.full, test)
			break
		}
		t.held[test] = true
		s.entered = s.executions
	}
	if s.idle() {
		delete(t.states, test)
	}
}

// dropExpired drops the evidence that is older than the window.
func (s *testState) dropExpired() {
	n := 0
	for n < len(s.evidence) && s.evidence[n].At < s.executions-evidenceWindow {
		n++
	}
	s.evidence = s.evidence[n:]
}

func hasEnoughEvidence(s *testState) bool {
	sum, count := weighEvidence(s.evidence, "")
	return sum >= needPoints && count >= needEvidence && s.executions >= needExecutions && s.rate() >= needRate
}

// cleanToRelease returns how many clean executions release the test. Three times
// the mean distance of two flakes without a flake show with 95 % confidence that
// the rate fell (the rule of three), and 100 are enough for the rarest: a test
// that was mended must not be excused for weeks because it flaked seldom. The
// default branch runs seldom and has no other source, so there one mean distance
// must do. A test that is released too early blocks until it has proved itself
// flaky again, which hides nothing.
func (t *Tracker) cleanToRelease(s *testState) int {
	distance := 1 / math.Max(s.rate(), .01)
	if t.scope == ScopeMain {
		return max(10, min(30, int(math.Ceil(distance))))
	}
	return max(20, min(100, int(math.Ceil(3*distance))))
}

// idle reports whether nothing is left to remember.
func (s *testState) idle() bool {
	return len(s.evidence) == 0 && len(s.branches) == 0 && s.entered == 0 && len(s.variants) == 0
}
