package flaky

// pass takes in a test that passed at its first attempt.
func (l *Tracker) pass(run Run, s *state) {
	if l.testifies(run) {
		s.executions++
	}
	s.turnGreen(run.Variant)
	if b := s.branches[run.track()]; b != nil {
		l.green(run, s, b)
	}
}

// see takes in a test that failed at least once or healed a locator.
func (l *Tracker) see(run Run, o Observation, n newcomers) {
	s := l.states[o.Test]
	if s == nil {
		if !o.firstFailed() {
			return
		}
		s = newState()
		s.executions = l.before(o)
		l.states[o.Test] = s
	}
	if l.testifies(run) {
		s.executions++
	}
	b := s.branch(run.track())
	switch {
	case o.Healed:
		// The page changed under the test: its failures prove nothing.
		l.healed(run, o, s, b)
	case !o.firstFailed():
		s.turnGreen(run.Variant)
		l.green(run, s, b)
	case o.recovered():
		l.recovered(run, o, s, b, n.crowd(o))
	default:
		l.failed(run, o, s, b, n)
	}
}

// before returns how many executions the ledger would have counted by now.
func (l *Tracker) before(o Observation) int {
	if l.scope == ScopeMain {
		return o.BeforeMain
	}
	return o.Before
}

func (l *Tracker) healed(run Run, o Observation, s *state, b *branch) {
	b.pending = nil
	if o.failed() {
		b.streak++
		s.lane(run.Variant).streak++
		return
	}
	delete(s.lanes, run.Variant)
	delete(s.branches, run.track())
}

// green ends what waited on the branch.
func (l *Tracker) green(run Run, s *state, b *branch) {
	switch {
	case run.Commit != "" && b.commit == run.Commit:
		if b.failed && !b.crowd {
			l.testify(run, s, Evidence{Kind: KindSameCommit, Signatures: b.errors, Place: b.place})
		}
	case b.pending != nil:
		l.testifyFor(run, s, *b.pending)
	}
	delete(s.branches, run.track())
}

// recovered takes in a test that failed and passed in one run.
func (l *Tracker) recovered(run Run, o Observation, s *state, b *branch, crowd bool) {
	if !crowd {
		l.testify(run, s, Evidence{Kind: KindSameCommit, Signatures: o.Signatures, Place: o.Place})
	}
	if b.pending != nil && b.commit != run.Commit {
		l.testifyFor(run, s, *b.pending)
	}
	s.lane(run.Variant).red++
	s.turnGreen(run.Variant)
	delete(s.branches, run.track())
}

// failed takes in a test that failed for good.
func (l *Tracker) failed(run Run, o Observation, s *state, b *branch, n newcomers) {
	crowd := n.crowd(o)
	if o.PassedBefore && !crowd {
		l.testify(run, s, Evidence{Kind: KindSameCommit, Signatures: o.Signatures, Place: o.Place})
	}
	s.turnRed(run.Variant)
	if run.Commit != "" && b.commit == run.Commit {
		b.failed, b.crowd = true, b.crowd || crowd
		b.errors, b.place = union(b.errors, o.Signatures), o.Place
		return
	}
	first := b.streak == 0 && b.pending == nil
	b.pending = nil
	if first && l.mayBeLone(run, o, n) {
		b.pending = &Evidence{Kind: loneKind(run), Commit: run.Commit, Source: run.Source, Signatures: o.Signatures, Place: o.Place}
	}
	b.streak++
	s.lane(run.Variant).streak++
	b.commit, b.failed, b.crowd, b.errors, b.place = run.Commit, true, crowd, union(nil, o.Signatures), o.Place
}

// mayBeLone reports whether a red is by itself: few others began with it, and
// on a pull request the test was green at an earlier push, so that it is not
// the pull request's own new test.
func (l *Tracker) mayBeLone(run Run, o Observation, n newcomers) bool {
	return n.lone() && !o.PassedBefore && l.before(o) > 0 && (run.Source == "" || l.runs[run.Source] > 1)
}

func loneKind(run Run) Kind {
	if run.Source == "" {
		return KindLoneMain
	}
	return KindLonePull
}

// testify adds evidence that the run itself gives.
func (l *Tracker) testify(run Run, s *state, p Evidence) {
	p.Commit, p.Source = run.Commit, run.Source
	if !l.bursts[run.Commit] {
		l.testifyFor(run, s, p)
	}
}

// testifyFor adds evidence about an earlier commit.
func (l *Tracker) testifyFor(run Run, s *state, p Evidence) {
	if l.testifies(run) && !l.bursts[p.Commit] {
		s.add(p)
	}
}
