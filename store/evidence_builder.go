package store

import (
	"cmp"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// EvidenceBuilder collects the rows of tests that failed once.
type EvidenceBuilder struct {
	Evidence
	numbers  map[int64]int // of tests, by row id
	ranks    map[int64]int // of runs, by row id
	results  []int64       // by run: attempts
	payloads [][]byte      // by run: what tells its results from others
	ran      []bits        // by run: the tests that were part of it
	failed   []bits        // by run: the tests that failed for good
	observed int           // runs that are not heard again
	moves    string        // see runAnnals.Moves

	// before and onMain are by test in how many runs it was executed, of all and
	// of the default branch, before those that finish has come to.
	before, onMain []int
}

func newEvidenceBuilder() *EvidenceBuilder {
	return &EvidenceBuilder{ranks: map[int64]int{}, numbers: map[int64]int{}}
}

// number returns the number of the test of a row id, -1 when it never failed.
func (g *EvidenceBuilder) number(id int64) int {
	if n, known := g.numbers[id]; known {
		return n
	}
	return -1
}

// add numbers the tests of row ids.
func (g *EvidenceBuilder) add(ids []int64) {
	for _, id := range ids {
		g.numbers[id] = len(g.IDs)
		g.IDs = append(g.IDs, id)
	}
	g.before, g.onMain = make([]int, len(g.IDs)), make([]int, len(g.IDs))
}

// CountBefore notes in how many of the heard runs a test was executed, of all
// and of the default branch.
func (g *EvidenceBuilder) CountBefore(id int64, all, onMain int) {
	n := g.number(id)
	g.before[n], g.onMain[n] = all, onMain
}

// bits is a set of small numbers.
type bits []uint64

func (b bits) has(n int) bool { return n>>6 < len(b) && b[n>>6]>>(n&63)&1 == 1 }

func (b *bits) add(n int) {
	for n>>6 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[n>>6] |= 1 << (n & 63)
}

// AttemptReader is the attempts of one test in one run.
type AttemptReader struct {
	g       *EvidenceBuilder
	labels  map[int64]string
	row     int64 // row id of the test
	test    int
	run     int64
	rank    int // -1: of no run that counts
	o       flaky.Observation
	noted   bool // it failed or healed
	scratch []engine.Status
}

func (g *EvidenceBuilder) ReadAttempts(labels map[int64]string) *AttemptReader {
	return &AttemptReader{g: g, labels: labels, rank: -1, row: -1}
}

// Add takes an attempt; rows come sorted by test, run and attempt.
func (a *AttemptReader) Add(test, run, packed, signature, place int64) {
	if test != a.row {
		a.Finish()
		a.row, a.test = test, a.g.number(test)
	}
	if a.rank < 0 || run != a.run {
		a.Finish()
		rank, counts := a.g.ranks[run]
		if !counts {
			return
		}
		a.run, a.rank = run, rank
		a.o = flaky.Observation{Test: a.test, Attempts: a.scratch[:0]}
	}
	status := Statuses[packed/2%4]
	a.o.Attempts = append(a.o.Attempts, status)
	a.scratch = a.o.Attempts
	a.o.Healed = a.o.Healed || packed%2 == 1
	a.noted = a.noted || status.Failing() || a.o.Healed
	a.o.Place = cmp.Or(a.labels[place], a.o.Place)
	if label := a.labels[signature]; status.Failing() && label != "" && !slices.Contains(a.o.Signatures, label) {
		a.o.Signatures = append(a.o.Signatures, label)
	}
}

func (a *AttemptReader) Finish() {
	if a.rank < 0 {
		return
	}
	g, run := a.g, &a.g.Runs[a.rank]
	if slices.ContainsFunc(a.o.Attempts, func(s engine.Status) bool { return s != engine.StatusSkipped }) {
		g.ran[a.rank].add(a.o.Test)
	}
	if a.noted {
		run.Tests -= len(a.o.Attempts) - 1
		if a.o.Attempts[len(a.o.Attempts)-1].Failing() {
			g.failed[a.rank].add(a.o.Test)
		}
		a.o.Attempts = slices.Clone(a.o.Attempts)
		run.Observations = append(run.Observations, a.o)
	}
	a.rank, a.noted = -1, false
}

// finish fills in what follows from the runs before, for the runs still to be
// heard.
func (g *EvidenceBuilder) finish() {
	observed := g.testsObserved()
	earlier := map[build][]int{}
	for i := range g.Runs {
		run := &g.Runs[i]
		key := buildOf(run.Run)
		if i >= g.observed {
			g.observe(run, i, earlier[key])
			g.count(observed, i)
		}
		earlier[key] = append(earlier[key], i)
	}
	g.Runs = g.Runs[g.observed:]
	g.Tests = make([]string, len(g.IDs))
}

// build is what is tested again by a rerun.
type build struct{ commit, witness, lane string }

func buildOf(run flaky.Run) build { return build{run.Commit, run.Source, run.Variant} }

// observe fills in what run i saw of the runs before it; again are those of the same
// build.
func (g *EvidenceBuilder) observe(run *EvidenceRun, i int, again []int) {
	run.Ran = g.ran[i].has
	for j := range run.Observations {
		o := &run.Observations[j]
		o.Before, o.BeforeMain = g.before[o.Test], g.onMain[o.Test]
		o.PassedBefore = run.Commit != "" && slices.ContainsFunc(again, func(k int) bool {
			return g.ran[k].has(o.Test) && !g.failed[k].has(o.Test)
		})
	}
}

// count counts the executions of the tests in run i.
func (g *EvidenceBuilder) count(tests []int, i int) {
	for _, test := range tests {
		if !g.ran[i].has(test) {
			continue
		}
		g.before[test]++
		if g.Runs[i].Source == "" {
			g.onMain[test]++
		}
	}
}

// testsObserved returns the tests that failed or healed in a run still to be heard.
func (g *EvidenceBuilder) testsObserved() []int {
	in := make([]bool, len(g.IDs))
	var tests []int
	for _, run := range g.Runs[g.observed:] {
		for _, o := range run.Observations {
			if !in[o.Test] {
				in[o.Test] = true
				tests = append(tests, o.Test)
			}
		}
	}
	return tests
}

// ObservedRuns returns the row ids of the heard runs, of all and of the default
// branch.
func (g *EvidenceBuilder) ObservedRuns() (all, onMain []int64) {
	for _, run := range g.Runs[:g.observed] {
		all = append(all, run.ID)
		if run.Source == "" {
			onMain = append(onMain, run.ID)
		}
	}
	return all, onMain
}
