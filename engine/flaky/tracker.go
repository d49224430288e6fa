package flaky

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// Scope is what a Tracker is for.
type Scope uint8

// The scopes; Judge says what counts in which.
const (
	ScopeMain  Scope = iota // the default branch's own runs
	ScopePulls              // runs of every branch, to judge pull requests
)

// What a test needs to enter quarantine: points and pieces of evidence, executions
// and the rate of evidence.
const (
	needPoints     = 6
	needEvidence   = 2
	needExecutions = 10
	needRate       = 0.005

	// So many points are proof enough after fewer executions.
	provenPoints     = 9
	provenExecutions = 5

	// maxSourceCommits is how many commits of one pull request count.
	maxSourceCommits = 5
	// maxSources bounds the pull requests that are remembered.
	maxSources = 4096
	// maxRemembered bounds the signatures of which is remembered whether they are trouble.
	maxRemembered = 4096
)

// Tracker gathers evidence of flakiness commit by commit, a state for each test
// that failed, and keeps which tests proved to be flaky.
type Tracker struct {
	scope   Scope
	commits int // so far
	states  map[int]*testState
	held    map[int]bool
	sources map[string]sourceState
	reds    []redCommit // the newest, oldest first

	trouble     func(signature string) string // Trouble
	usual       usual
	correlation suiteCorrelation
	told        []suiteCorrelation // by the commit that is being observed
}

// sourceState is what is remembered of a pull request or branch.
type sourceState struct {
	commits int // so far
	last    int // the newest one, as Tracker.commits counts
}

// NewTracker returns an empty tracker.
func NewTracker(scope Scope) *Tracker {
	return &Tracker{scope: scope, states: map[int]*testState{}, held: map[int]bool{}, sources: map[string]sourceState{}, trouble: rememberTrouble(), usual: usual{byError: map[string]float64{}}}
}

// rememberTrouble returns Trouble for a history, which shows the same few signatures in
// many runs.
func rememberTrouble() func(signature string) string {
	said := map[string]string{}
	return func(signature string) string {
		trouble, known := said[signature]
		if !known {
			if len(said) == maxRemembered {
				clear(said)
			}
			trouble = Trouble(signature)
			said[signature] = trouble
		}
		return trouble
	}
}

// Held reports whether the test proved to be flaky and did not leave since. Whether
// it is in quarantine is also a question of room, see Queue.
func (t *Tracker) Held(test int) bool { return t.held[test] }

// HeldSince returns the time of the commit with which a test that is held proved to be
// flaky, the zero time when that is unknown.
func (t *Tracker) HeldSince(test int) time.Time {
	if s := t.states[test]; s != nil && s.since != 0 {
		return time.Unix(s.since, 0)
	}
	return time.Time{}
}

// All returns the tests that are held, sorted.
func (t *Tracker) All() []int { return slices.Sorted(maps.Keys(t.held)) }

// Queue returns the tests that are held in the order in which they proved to be
// flaky, which is that of finding room; compare orders those of one commit.
func (t *Tracker) Queue(compare func(a, b int) int) []int {
	return slices.SortedFunc(maps.Keys(t.held), func(a, b int) int {
		return cmp.Or(cmp.Compare(t.states[a].turn, t.states[b].turn), compare(a, b))
	})
}

// Fresh reports whether the latest commit that executed the test brought evidence.
func (t *Tracker) Fresh(test int) bool {
	s := t.states[test]
	return s != nil && s.fresh()
}

// Observe takes a commit in and updates what is held. Commits come in the order in
// which they were tested.
func (t *Tracker) Observe(c Commit) {
	t.countCommit(c)
	t.countRed(c)
	t.expire(c[0].At)
	runs, crowds := t.provingRuns(c)
	if len(runs) == 0 {
		return
	}
	t.usual.learn(runs, crowds)
	tests := t.listTests(runs)
	var legs []leg
	for test, s := range t.states {
		if tests[test] != nil {
			continue
		}
		if legs = legsOf(legs, test, runs, crowds, nil); len(legs) > 0 {
			t.observeTest(c, s, legs)
			t.updateHeld(c, test, s)
		}
	}
	for test, said := range tests {
		if legs = legsOf(legs, test, runs, crowds, said); len(legs) == 0 {
			continue
		}
		s := t.states[test]
		if s == nil {
			if !slices.ContainsFunc(legs, func(l leg) bool { return l.red }) {
				continue
			}
			s = newTestState()
			s.executions = t.executionsBefore(said[0].o)
			t.states[test] = s
		}
		t.observeTest(c, s, legs)
		t.updateHeld(c, test, s)
	}
	t.correlation.learn(t.told)
	t.told = nil
}

// executionsBefore returns how many executions the tracker would have counted by
// now.
func (t *Tracker) executionsBefore(o Observation) int {
	if t.scope == ScopeMain {
		return o.BeforeMain
	}
	return o.Before
}

// provingRuns returns the runs of a commit that prove something, those of no burst, and
// what began to fail in each.
func (t *Tracker) provingRuns(c Commit) (runs []Run, crowds []newcomers) {
	for _, run := range c {
		if !t.isBurst(run) {
			runs, crowds = append(runs, run), append(crowds, t.newcomers(run))
		}
	}
	return runs, crowds
}

// countCommit counts the commit for each of its sources. Beyond what is remembered
// the source goes that was quiet for longest.
func (t *Tracker) countCommit(c Commit) {
	t.commits++
	for _, source := range c[0].Sources {
		t.sources[source] = sourceState{t.sources[source].commits + 1, t.commits}
	}
	if len(t.sources) <= maxSources {
		return
	}
	quiet := slices.SortedFunc(maps.Keys(t.sources), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.sources[a].last, t.sources[b].last), cmp.Compare(a, b))
	})
	for _, source := range quiet[:len(quiet)-maxSources*3/4] {
		delete(t.sources, source)
	}
}

// commitsOf returns how many commits of the least busy of the sources there are: a
// merge group is as new as its newest pull request.
func (t *Tracker) commitsOf(sources []string) int {
	fewest := 0
	for i, source := range sources {
		if n := t.sources[source].commits; i == 0 || n < fewest {
			fewest = n
		}
	}
	return fewest
}

// counts reports whether the commit counts. Only the first commits of a pull
// request do, so that one with a thousand pushes weighs no more.
func (t *Tracker) counts(c Commit) bool {
	return c.onMain() || t.commitsOf(c[0].Sources) <= maxSourceCommits
}

// expire lets the tests go that are held for too long. Only new evidence brings
// them back.
func (t *Tracker) expire(now time.Time) {
	if now.IsZero() {
		return
	}
	for test := range t.held {
		s := t.states[test]
		if s.since == 0 || now.Sub(time.Unix(s.since, 0)) < Expiry {
			continue
		}
		t.release(test, s)
		for _, b := range s.branches {
			b.pending = nil
		}
		if s.idle() {
			delete(t.states, test)
		}
	}
}

// release lets a test go and forgets why it was held.
func (t *Tracker) release(test int, s *testState) {
	delete(t.held, test)
	s.turn, s.since, s.clean, s.evidence = 0, 0, 0, nil
}

// countRed remembers whether a red commit was rerun. maxSourceCommits more are kept than
// looked at, so that a pull request is judged by as many that are not its own.
func (t *Tracker) countRed(c Commit) {
	red, rerun := false, false
	for i, run := range c {
		for _, o := range run.Observations {
			if o.executions() > 0 && o.failed() && !o.isTrouble(t.trouble) {
				red = true
				again := rerunsOf(o.Test, run, c[i+1:])
				rerun = rerun || again.passed || again.failed > 0
			}
		}
	}
	if !red || !t.counts(c) {
		return
	}
	t.reds = append(t.reds, redCommit{c[0].Sources, rerun})
	t.reds = t.reds[max(0, len(t.reds)-redsLooked-maxSourceCommits):]
}

// learn takes in the runs of a commit and what began to fail in each.
func (u *usual) learn(runs []Run, began []newcomers) {
	tests, all, byError := 0, 0, map[string]int{}
	for i := range runs {
		tests, all = tests+runs[i].Tests, all+began[i].all
		for e, n := range began[i].starts {
			byError[e] += n
		}
	}
	u.tests = math.Min(float64(u.tests*usualDecay)+float64(tests), maxUsual) // rounded, so that every processor gives the same
	u.all = float64(u.all*usualDecay) + float64(all)
	for e, n := range u.byError {
		u.byError[e] = n * usualDecay
	}
	for e, n := range byError {
		u.byError[e] += float64(n)
	}
	if len(u.byError) <= usualErrors {
		return
	}
	seldom := slices.SortedFunc(maps.Keys(u.byError), func(a, b string) int {
		return cmp.Or(cmp.Compare(u.byError[a], u.byError[b]), cmp.Compare(a, b))
	})
	for _, e := range seldom[:len(seldom)-usualErrors] {
		delete(u.byError, e)
	}
}
