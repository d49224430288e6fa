package flaky

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// observeTest takes in what a test did on a commit. However many its legs are, it
// is one execution, with one piece of evidence at most, and clean only if no first
// attempt failed in any.
func (t *Tracker) observeTest(c Commit, s *testState, legs []leg) {
	slices.SortFunc(legs, func(a, b leg) int { return cmp.Compare(a.key.variant, b.key.variant) })
	counts := t.counts(c)
	if counts {
		s.executions++
		if !slices.ContainsFunc(legs, func(l leg) bool { return l.red }) {
			s.clean++
		}
	}
	for i := range legs {
		l := &legs[i]
		// A red that waits is older than what the commit shows by itself.
		if b := s.branches[l.key]; b != nil && b.pending != nil {
			if counts && !l.failing && !l.healed {
				s.addEvidence(*b.pending, c[0].At)
			}
			b.pending = nil
		}
		if counts && l.flaky() {
			kind := KindSameCommit
			if l.shared {
				kind = KindShared
			}
			s.addEvidence(l.evidence(c, kind), c[0].At)
		}
	}
	for i := range legs {
		t.followLeg(c, s, &legs[i], counts)
	}
}

// evidence returns what the leg shows as a piece of evidence.
func (l *leg) evidence(c Commit, kind Kind) Evidence {
	return Evidence{Kind: kind, Commit: c[0].Commit, Sources: c[0].Sources, DependsOn: l.dependsOn, Variants: []string{l.key.variant}, Signatures: l.errors, Place: l.place}
}

// maxRetries bounds the retries of a streak that are counted: more change nothing.
const maxRetries = 1000

// followLeg counts the reds of a leg, in a row and altogether.
func (t *Tracker) followLeg(c Commit, s *testState, l *leg, counts bool) {
	v := s.variant(l.key.variant)
	if counts {
		if told := v.count(l, c[0].Sources); c.onMain() && told.ran > 0 {
			t.told = append(t.told, suiteCorrelation{told, told.ran * math.Max(s.redRate(l.key.variant), minRed)})
		}
	}
	if !l.failing {
		v.streak.goGreen(c[0].Sources)
		delete(s.branches, l.key)
		return
	}
	b := stateAt(s.branches, l.key)
	if b.streak == 0 && t.mayBeLone(c, s, l) {
		kind := KindLonePull
		if c.onMain() {
			kind = KindLoneMain
		}
		e := l.evidence(c, kind)
		b.pending = &e
	}
	if b.streak == 0 {
		b.since = c[0].Commit
	}
	b.streak++
	b.retries = min(b.retries+max(0, l.failures-1), maxRetries)
	b.errors = l.errors
	v.streak.addRed()
}

// mayBeLone reports whether a red is by itself: few others began with it, nothing
// passed it on the same commit, and on a pull request the test was green at an
// earlier push, so that it is not the pull request's own new test.
func (t *Tracker) mayBeLone(c Commit, s *testState, l *leg) bool {
	before := s.executions
	if t.counts(c) {
		before--
	}
	return l.lone && !l.shared && !l.healed && !l.passed && before > 0 && (c.onMain() || t.commitsOf(c[0].Sources) > 1)
}

// addEvidence adds e, which a commit of that time brought, or strengthens what its
// commit gave before.
func (s *testState) addEvidence(e Evidence, at time.Time) {
	s.clean, s.newest = 0, unixOf(at)
	for i, have := range s.evidence {
		if have.Commit == e.Commit && e.Commit != "" {
			s.evidence[i] = have.merge(e)
			return
		}
	}
	e.At = s.executions
	s.evidence = append(s.evidence, e)
}

// merge returns e strengthened by more of the same commit. What the default branch
// saw too is the default branch's.
func (e Evidence) merge(more Evidence) Evidence {
	e.Kind = max(e.Kind, more.Kind)
	e.Signatures = union(e.Signatures, more.Signatures)
	e.DependsOn = mergeDependsOn(e.DependsOn, more.DependsOn)
	e.Variants = unionTo(maxVariants, e.Variants, more.Variants)
	e.Place = cmp.Or(more.Place, e.Place)
	if len(more.Sources) == 0 {
		e.Sources = nil
	}
	return e
}

// unixOf returns a time in Unix seconds, 0 for the zero time.
func unixOf(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.Unix()
}

// updateHeld lets the test enter or leave.
func (t *Tracker) updateHeld(c Commit, test int, s *testState) {
	s.dropExpired()
	switch {
	case t.held[test]:
		if s.clean >= t.cleanToRelease(s) {
			t.release(test, s)
		} else if t.scope == ScopeMain && s.isBroken(c, test, t.correlation.estimate()) {
			delete(t.held, test)
			s.turn, s.since, s.clean = 0, 0, 0 // once it is mended, one flake more shows what it was before
		}
	case s.fresh() && s.hasEnoughEvidence():
		t.held[test] = true
		s.turn, s.since = t.commits, unixOf(c[0].At)
	}
	if s.idle() {
		delete(t.states, test)
	}
}

// isBroken reports whether the test always fails now, so that it is not flaky any more:
// on the default branch, in every variant of the commit. suite is the correlation of the
// suite's retries.
func (s *testState) isBroken(c Commit, test int, suite float64) bool {
	broken := false
	for _, run := range c {
		if !run.ran(test) {
			continue
		}
		if b := s.branches[run.key()]; b == nil || !s.isImprobable(run.Variant, b, suite) {
			return false
		}
		broken = true
	}
	return c.onMain() && broken
}

// dropExpired drops the evidence that is older than the window.
func (s *testState) dropExpired() {
	n := 0
	for n < len(s.evidence) && s.evidence[n].At < s.executions-evidenceWindow {
		n++
	}
	s.evidence = s.evidence[n:]
}

func (s *testState) hasEnoughEvidence() bool {
	sum, count := weighEvidence(s.evidence)
	return sum >= needPoints && count >= needEvidence && s.executions >= executionsNeeded(sum) && s.rate() >= needRate
}

// executionsNeeded returns how many executions a test with so many points needs.
func executionsNeeded(sum int) int {
	if sum >= provenPoints {
		return provenExecutions
	}
	return needExecutions
}

// weighEvidence returns the points and the number of pieces of evidence that count.
// The default branch brings as many as it has; a pull request
// brings one, its strongest, however often it ran. Pull requests of one merge group
// bring one together where the group itself flaked.
func weighEvidence(evidence []Evidence) (sum, count int) {
	var witnesses []Evidence // with the sources of all their pieces
	for _, e := range evidence {
		if len(e.Sources) == 0 {
			sum, count = sum+e.Points(), count+1
			continue
		}
		witnesses = slices.DeleteFunc(witnesses, func(w Evidence) bool {
			if !sharesSource(w.Sources, e.Sources) {
				return false
			}
			e.Sources, e.Kind = slices.Concat(e.Sources, w.Sources), max(e.Kind, w.Kind)
			return true
		})
		witnesses = append(witnesses, e)
	}
	for _, w := range witnesses {
		sum += w.Points()
	}
	return sum, count + len(witnesses)
}

// cleanToRelease returns how many clean executions release the test. Three times
// the mean distance of two flakes without a flake show with 95 % confidence that
// the rate fell (the rule of three), and 100 are enough for the rarest: a test
// that was mended must not be excused for weeks because it flaked seldom. The
// default branch runs seldom, so there 60 must do.
func (t *Tracker) cleanToRelease(s *testState) int {
	distance := 1 / math.Max(s.rate(), .01)
	if t.scope == ScopeMain {
		return max(10, min(60, int(math.Ceil(3*distance))))
	}
	return max(20, min(100, int(math.Ceil(3*distance))))
}

// flaky reports whether the leg shows that the test is: it failed and passed on the
// same commit.
func (l *leg) flaky() bool { return !l.healed && !l.crowd && (l.flaked || l.broken && l.passed) }

func (s *testState) variant(name string) *redRate { return stateAt(s.variants, name) }

func (s *streak) addRed() {
	s.older++
	for i := range s.greens {
		s.greens[i].reds++
	}
}
