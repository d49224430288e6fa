package store

import (
	"cmp"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// EvidenceBuilder makes evidence of the rows that an EvidenceSource reads.
type EvidenceBuilder struct {
	Evidence
	numbers  map[int64]int // of tests, by row id
	ranks    map[int64]int // of runs, by row id
	results  []int64       // by run: attempts
	payloads [][]byte      // by run: digest of its results
	ran      []bits        // by run: the tests that were part of it
	failed   []bits        // by run: the tests that failed for good
	observed int           // how many runs, the oldest, the checkpoint's judge has observed
	moves    string        // see RunSource.Moves

	// before and onMain count by test the runs in which it was executed, all and
	// those of the default branch. finish counts on from the observed runs.
	before, onMain []int
}

func newEvidenceBuilder() *EvidenceBuilder {
	return &EvidenceBuilder{ranks: map[int64]int{}, numbers: map[int64]int{}}
}

// AddRun adds a run, the oldest first, with the digest of its results.
func (b *EvidenceBuilder) AddRun(r EvidenceRun, payload []byte) {
	b.Runs, b.payloads, b.results = append(b.Runs, r), append(b.payloads, slices.Clone(payload)), append(b.results, int64(r.Run.Tests))
}

// Reverse reverses the runs, for a source that lists the newest first.
func (b *EvidenceBuilder) Reverse() {
	slices.Reverse(b.Runs)
	slices.Reverse(b.payloads)
	slices.Reverse(b.results)
}

// KeepNewest drops all but the newest n runs and numbers those. The runs must be
// in order.
func (b *EvidenceBuilder) KeepNewest(n int) {
	start := len(b.Runs) - n
	b.Runs, b.payloads, b.results = b.Runs[start:], b.payloads[start:], b.results[start:]
	for i, r := range b.Runs {
		b.ranks[r.ID] = i
	}
	b.ran, b.failed = make([]bits, len(b.Runs)), make([]bits, len(b.Runs))
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

// CountBefore sets in how many of the observed runs a test was executed, of all
// of them and of those on the default branch.
func (b *EvidenceBuilder) CountBefore(id int64, all, onMain int) {
	n := b.testNumber(id)
	b.before[n], b.onMain[n] = all, onMain
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
	rank    int // of the run, -1 when it does not count
	o       flaky.Observation
	noted   bool // the test failed or healed
	scratch []engine.Status
}

// ReadAttempts returns a reader of attempts. Labels are by their row ids.
func (b *EvidenceBuilder) ReadAttempts(labels map[int64]string) *AttemptReader {
	return &AttemptReader{b: b, labels: labels, rank: -1, row: -1}
}

// Add adds an attempt. Rows must come sorted by test, run and attempt; packed is
// attempt * 8 + status * 2 + healed.
func (a *AttemptReader) Add(test, run, packed, signature, place int64) {
	if test != a.row {
		a.Finish()
		a.row, a.test = test, a.b.testNumber(test)
	}
	if a.rank < 0 || run != a.run {
		a.Finish()
		rank, counts := a.b.ranks[run]
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

// Finish ends the attempts of a test in a run.
func (a *AttemptReader) Finish() {
	if a.rank < 0 {
		return
	}
	b, run := a.b, &a.b.Runs[a.rank]
	if slices.ContainsFunc(a.o.Attempts, func(s engine.Status) bool { return s != engine.StatusSkipped }) {
		b.ran[a.rank].add(a.o.Test)
	}
	if a.noted {
		run.Tests -= len(a.o.Attempts) - 1
		if a.o.Attempts[len(a.o.Attempts)-1].Failing() {
			b.failed[a.rank].add(a.o.Test)
		}
		a.o.Attempts = slices.Clone(a.o.Attempts)
		run.Observations = append(run.Observations, a.o)
	}
	a.rank, a.noted = -1, false
}

// finishRuns completes the runs that the judge has not observed yet by what happened
// in the runs before each.
func (b *EvidenceBuilder) finishRuns() {
	failed := b.failedTests()
	earlier := map[build][]int{}
	for i := range b.Runs {
		run := &b.Runs[i]
		key := buildOf(run.Run)
		if i >= b.observed {
			b.completeRun(run, i, earlier[key])
			b.countExecutions(failed, i)
		}
		earlier[key] = append(earlier[key], i)
	}
	b.Runs = b.Runs[b.observed:]
	b.Tests = make([]engine.TestID, len(b.IDs))
}

// build is what a rerun tests again.
type build struct{ commit, source, variant string }

func buildOf(run flaky.Run) build { return build{run.Commit, run.Source, run.Variant} }

// completeRun fills in what happened before run i; again are the earlier runs of the
// same build.
func (b *EvidenceBuilder) completeRun(run *EvidenceRun, i int, again []int) {
	run.Ran = b.ran[i].has
	for j := range run.Observations {
		o := &run.Observations[j]
		o.Before, o.BeforeMain = b.before[o.Test], b.onMain[o.Test]
		o.PassedBefore = run.Commit != "" && slices.ContainsFunc(again, func(k int) bool {
			return b.ran[k].has(o.Test) && !b.failed[k].has(o.Test)
		})
	}
}

// countExecutions counts the tests that run i executed.
func (b *EvidenceBuilder) countExecutions(tests []int, i int) {
	for _, test := range tests {
		if !b.ran[i].has(test) {
			continue
		}
		b.before[test]++
		if b.Runs[i].Source == "" {
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

// ObservedRuns returns the row ids of the runs that the judge has observed, all
// and those of the default branch.
func (b *EvidenceBuilder) ObservedRuns() (all, onMain []int64) {
	for _, run := range b.Runs[:b.observed] {
		all = append(all, run.ID)
		if run.Source == "" {
			onMain = append(onMain, run.ID)
		}
	}
	return all, onMain
}
