package flaky

// pass takes in a test that passed at its first attempt.
func (l *Ledger) pass(run Run, s *state) {
	if l.testifies(run) {
		s.executions++
	}
	s.turnGreen(run.Lane)
	if b := s.branches[run.track()]; b != nil {
		l.green(run, s, b)
	}
}

// see takes in a test that failed at least once or healed a locator.
func (l *Ledger) see(run Run, o Observation, n newcomers) {
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
		s.turnGreen(run.Lane)
		l.green(run, s, b)
	case o.recovered():
		l.recovered(run, o, s, b, n.crowd(o))
	default:
		l.failed(run, o, s, b, n)
	}
}

// before returns how many executions the ledger would have counted by now.
func (l *Ledger) before(o Observation) int {
	if l.scope == ScopeMain {
		return o.BeforeMain
	}
	return o.Before
}

func (l *Ledger) healed(run Run, o Observation, s *state, b *branch) {
	b.pending = nil
	if o.failed() {
		b.streak++
		s.lane(run.Lane).streak++
		return
	}
	delete(s.lanes, run.Lane)
	delete(s.branches, run.track())
}

// green ends what waited on the branch.
func (l *Ledger) green(run Run, s *state, b *branch) {
	switch {
	case run.Commit != "" && b.commit == run.Commit:
		if b.failed && !b.crowd {
			l.testify(run, s, Piece{Kind: KindSameCommit, Signatures: b.errors, Place: b.place})
		}
	case b.pending != nil:
		l.testifyFor(run, s, *b.pending)
	}
	delete(s.branches, run.track())
}

// recovered takes in a test that failed and passed in one run.
func (l *Ledger) recovered(run Run, o Observation, s *state, b *branch, crowd bool) {
	if !crowd {
		l.testify(run, s, Piece{Kind: KindSameCommit, Signatures: o.Signatures, Place: o.Place})
	}
	if b.pending != nil && b.commit != run.Commit {
		l.testifyFor(run, s, *b.pending)
	}
	s.lane(run.Lane).red++
	s.turnGreen(run.Lane)
	delete(s.branches, run.track())
}

// failed takes in a test that failed for good.
func (l *Ledger) failed(run Run, o Observation, s *state, b *branch, n newcomers) {
	crowd := n.crowd(o)
	if o.PassedBefore && !crowd {
		l.testify(run, s, Piece{Kind: KindSameCommit, Signatures: o.Signatures, Place: o.Place})
	}
	s.turnRed(run.Lane)
	if run.Commit != "" && b.commit == run.Commit {
		b.failed, b.crowd = true, b.crowd || crowd
		b.errors, b.place = union(b.errors, o.Signatures), o.Place
		return
	}
	first := b.streak == 0 && b.pending == nil
	b.pending = nil
	if first && l.mayBeLone(run, o, n) {
		b.pending = &Piece{Kind: loneKind(run), Commit: run.Commit, Witness: run.Witness, Signatures: o.Signatures, Place: o.Place}
	}
	b.streak++
	s.lane(run.Lane).streak++
	b.commit, b.failed, b.crowd, b.errors, b.place = run.Commit, true, crowd, union(nil, o.Signatures), o.Place
}

// mayBeLone reports whether a red is by itself: few others began with it, and
// on a pull request the test was green at an earlier push, so that it is not
// the pull request's own new test.
func (l *Ledger) mayBeLone(run Run, o Observation, n newcomers) bool {
	return n.lone() && !o.PassedBefore && l.before(o) > 0 && (run.Witness == "" || l.runs[run.Witness] > 1)
}

func loneKind(run Run) Kind {
	if run.Witness == "" {
		return KindLoneMain
	}
	return KindLonePull
}

// testify adds evidence that the run itself gives.
func (l *Ledger) testify(run Run, s *state, p Piece) {
	p.Commit, p.Witness = run.Commit, run.Witness
	if !l.bursts[run.Commit] {
		l.testifyFor(run, s, p)
	}
}

// testifyFor adds evidence about an earlier commit.
func (l *Ledger) testifyFor(run Run, s *state, p Piece) {
	if l.testifies(run) && !l.bursts[p.Commit] {
		s.add(p)
	}
}
