package store

import (
	"cmp"
	"math"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// EvidenceBuilder makes evidence of the rows that an EvidenceSource reads.
type EvidenceBuilder struct {
	Evidence
	rows     []runRow
	numbers  map[int64]int // of tests, by row id
	ranks    map[int64]int // of runs, by row id
	commits  []int         // by run: the number of its commit
	ran      []bits        // by run: the tests that were part of it
	observed int           // how many runs, the oldest, the checkpoint's judge has observed
	moves    string        // see RunSource.Moves

	// before and onMain count by test the commits on which it was executed, all and
	// those of the default branch. finishRuns counts on from the observed ones.
	before, onMain []int
}

// runRow is a run with what orders it and tells whether it is the same as before.
type runRow struct {
	EvidenceRun
	tie     string // orders runs of one time, id and attempt
	results int    // attempts
	payload []byte // digest of its results
}

func newEvidenceBuilder() *EvidenceBuilder {
	return &EvidenceBuilder{ranks: map[int64]int{}, numbers: map[int64]int{}}
}

// AddRun adds a run with the digest of its results. tie orders runs of one time, id
// and attempt; it must be the same in every copy of the history.
func (b *EvidenceBuilder) AddRun(r EvidenceRun, tie string, payload []byte) {
	b.rows = append(b.rows, runRow{r, tie + string(payload), r.Run.Tests, slices.Clone(payload)})
}

// SetVariant names the variant of the nth run that was added.
func (b *EvidenceBuilder) SetVariant(n int, name string) { b.rows[n].Variant = name }

// orderRuns puts the runs in order, all having been added, and numbers them.
func (b *EvidenceBuilder) orderRuns() {
	b.rows = gatherRuns(b.rows)
	b.ran, b.commits = make([]bits, len(b.rows)), make([]int, len(b.rows))
	for i, r := range b.rows {
		b.Runs = append(b.Runs, r.EvidenceRun)
		b.ranks[r.ID] = i
		if i > 0 {
			b.commits[i] = b.commits[i-1]
			if !sameCommit(b.Runs[i-1].Run, r.Run) {
				b.commits[i]++
			}
		}
	}
}

// testNumber returns the number of the test with a row id, -1 when it never failed.
func (b *EvidenceBuilder) testNumber(id int64) int {
	if n, known := b.numbers[id]; known {
		return n
	}
	return -1
}

// addTests numbers the tests with these row ids.
func (b *EvidenceBuilder) addTests(ids []int64) {
	for _, id := range ids {
		b.numbers[id] = len(b.IDs)
		b.IDs = append(b.IDs, id)
	}
	b.before, b.onMain = make([]int, len(b.IDs)), make([]int, len(b.IDs))
}

// bits is a set of small integers.
type bits []uint64

func (b bits) has(n int) bool { return n>>6 < len(b) && b[n>>6]>>(n&63)&1 == 1 }

func (b *bits) add(n int) {
	for n>>6 >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[n>>6] |= 1 << (n & 63)
}

// AttemptReader makes observations of the attempts of a test in a run.
type AttemptReader struct {
	b       *EvidenceBuilder
	labels  map[int64]string
	row     int64 // row id of the test
	test    int
	run     int64
	rank    int  // of the run, -1 when it does not count
	open    bool // attempts were added and not finished
	o       flaky.Observation
	noted   bool // the test failed or healed
	ran     bool // an attempt was not skipped
	scratch []engine.Status
}

// ReadAttempts returns a reader of attempts. Labels are by their row ids.
func (b *EvidenceBuilder) ReadAttempts(labels map[int64]string) *AttemptReader {
	return &AttemptReader{b: b, labels: labels, rank: -1, test: -1, row: math.MinInt64, run: math.MinInt64}
}

// Add adds an attempt. The attempts of a test in a run must follow upon each other, and
// the tests of a run come in the order of their row ids; packed is attempt * 8 + status * 2
// + healed.
func (a *AttemptReader) Add(test, run, packed, signature, place int64) {
	if test != a.row || run != a.run {
		a.Finish()
		a.find(test, run)
	}
	if a.rank < 0 {
		return
	}
	if !a.open {
		a.open, a.o = true, flaky.Observation{Test: a.test, Attempts: a.scratch[:0]}
	}
	status := Statuses[packed/2%4]
	a.o.Attempts = append(a.o.Attempts, status)
	a.scratch = a.o.Attempts
	a.o.Healed = a.o.Healed || packed%2 == 1
	a.noted = a.noted || status.Failing() || a.o.Healed
	a.ran = a.ran || status != engine.StatusSkipped
	if place != 0 {
		a.o.Place = cmp.Or(a.labels[place], a.o.Place)
	}
	if signature != 0 && status.Failing() {
		if label := a.labels[signature]; label != "" && !slices.Contains(a.o.Signatures, label) {
			a.o.Signatures = append(a.o.Signatures, label)
		}
	}
}

// find looks up a test and a run. Mostly the test is the one with the next number: there are
// tens of millions of attempts in a large history.
func (a *AttemptReader) find(test, run int64) {
	if run != a.run {
		rank, counts := a.b.ranks[run]
		if !counts {
			rank = -1
		}
		a.run, a.rank = run, rank
	}
	if test == a.row {
		return
	}
	if next := a.test + 1; next < len(a.b.IDs) && a.b.IDs[next] == test {
		a.row, a.test = test, next
		return
	}
	a.row, a.test = test, a.b.testNumber(test)
}

// Finish ends the attempts of a test in a run.
func (a *AttemptReader) Finish() {
	if !a.open {
		return
	}
	b, run := a.b, &a.b.Runs[a.rank]
	if a.ran {
		b.ran[a.rank].add(a.o.Test)
	}
	if a.noted {
		run.Tests -= len(a.o.Attempts) - 1
		a.o.Attempts = slices.Clone(a.o.Attempts)
		run.Observations = append(run.Observations, a.o)
	}
	a.open, a.noted, a.ran = false, false, false
}

// finishRuns completes the runs that the judge has not observed yet by how often
// their tests were executed on the commits before.
func (b *EvidenceBuilder) finishRuns() {
	failed := b.failedTests()
	for start := b.observed; start < len(b.Runs); {
		end := b.endOfCommit(start)
		for i := start; i < end; i++ {
			run := &b.Runs[i]
			run.Ran = b.ran[i].has
			for j := range run.Observations {
				o := &run.Observations[j]
				o.Before, o.BeforeMain = b.before[o.Test], b.onMain[o.Test]
			}
		}
		b.countExecutions(failed, start, end)
		start = end
	}
	b.Runs = b.Runs[b.observed:]
	b.Tests = make([]engine.TestID, len(b.IDs))
}

// endOfCommit returns the first run that is no more of the commit of run i.
func (b *EvidenceBuilder) endOfCommit(i int) int {
	end := i + 1
	for end < len(b.Runs) && b.commits[end] == b.commits[i] {
		end++
	}
	return end
}

// countExecutions counts the tests that the runs of a commit executed.
func (b *EvidenceBuilder) countExecutions(tests []int, start, end int) {
	for _, test := range tests {
		if !slices.ContainsFunc(b.ran[start:end], func(ran bits) bool { return ran.has(test) }) {
			continue
		}
		b.before[test]++
		if len(b.Runs[start].Sources) == 0 {
			b.onMain[test]++
		}
	}
}

// failedTests returns the tests that failed or healed in a run that the judge has
// not observed yet.
func (b *EvidenceBuilder) failedTests() []int {
	in := make([]bool, len(b.IDs))
	var tests []int
	for _, run := range b.Runs[b.observed:] {
		for _, o := range run.Observations {
			if !in[o.Test] {
				in[o.Test] = true
				tests = append(tests, o.Test)
			}
		}
	}
	return tests
}

// ObservedRuns returns the row ids of the runs that the judge has observed.
func (b *EvidenceBuilder) ObservedRuns() []int64 {
	ids := make([]int64, b.observed)
	for i := range ids {
		ids[i] = b.Runs[i].ID
	}
	return ids
}

// ExecutionCounter counts on how many of the observed commits tests were executed.
type ExecutionCounter struct {
	b       *EvidenceBuilder
	test    int64 // row id
	commits bits
}

// CountExecutions returns a counter of executions.
func (b *EvidenceBuilder) CountExecutions() *ExecutionCounter {
	return &ExecutionCounter{b: b, test: -1}
}

// Add adds a run that executed a test. Rows must come sorted by test.
func (c *ExecutionCounter) Add(test, run int64) {
	if test != c.test {
		c.test = test
		clear(c.commits)
	}
	rank, known := c.b.ranks[run]
	n := c.b.testNumber(test)
	if !known || n < 0 || rank >= c.b.observed || c.commits.has(c.b.commits[rank]) {
		return
	}
	c.commits.add(c.b.commits[rank])
	c.b.before[n]++
	if len(c.b.Runs[rank].Sources) == 0 {
		c.b.onMain[n]++
	}
}
