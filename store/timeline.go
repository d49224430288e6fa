package store

import (
	"cmp"
	"maps"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
)

// TimelineKey is what the recorded runs in one column of a timeline share. A
// local run has no run id and a column of its own.
type TimelineKey struct {
	Repository, Run int64
	Attempt         int
	Workflow        string
	row             int64 // row id of a local run
}

// TimelineBuilder makes a timeline of runs, the newest first, and then of
// attempts, sorted by test, run and attempt.
type TimelineBuilder struct {
	limit   int
	keys    map[TimelineKey]int
	columns map[int64]int // by row id of the run; 0 is the newest
	runs    []outcome.TimelineRun
	tests   []timelineRow

	// Of the test and run that attempts are being added to.
	run      int64
	attempts []engine.Status
	healed   bool
	ms       float64
	failure  int64 // label of the last failing attempt's signature, 0 for none
}

type timelineRow struct {
	test     int64
	failures map[int]int64 // labels of signatures, as Errors has them
	outcome.TimelineTest
}

// NewTimelineBuilder returns a builder of a timeline of at most limit columns.
func NewTimelineBuilder(limit int) *TimelineBuilder {
	return &TimelineBuilder{limit: limit, keys: map[TimelineKey]int{}, columns: map[int64]int{}}
}

// RunIDs returns the row ids of the runs that were added.
func (b *TimelineBuilder) RunIDs() []int64 { return slices.Collect(maps.Keys(b.columns)) }

// AddRun adds the run with a row id.
func (b *TimelineBuilder) AddRun(id int64, k TimelineKey, r outcome.TimelineRun) {
	if k.Run == 0 {
		k.row = id
	}
	column, known := b.keys[k]
	if !known {
		if len(b.runs) >= b.limit {
			return
		}
		column = len(b.runs)
		b.keys[k] = column
		r.RunID, r.Attempt = k.Run, k.Attempt
		b.runs = append(b.runs, r)
	}
	b.columns[id] = column
}

// AddAttempt adds an attempt of a test in a run, both by their row ids. Packed is its
// status times two, plus one where it healed a locator, and eight times the label of its
// error's signature.
func (b *TimelineBuilder) AddAttempt(test, run, packed int64, ms float64) {
	if len(b.tests) == 0 || b.tests[len(b.tests)-1].test != test || b.run != run {
		b.finishRun()
		b.run = run
	}
	if len(b.tests) == 0 || b.tests[len(b.tests)-1].test != test {
		b.tests = append(b.tests, timelineRow{test: test, TimelineTest: outcome.TimelineTest{
			Cells: make([]outcome.Cell, len(b.runs)), DurationMS: make([]float32, len(b.runs)),
		}})
	}
	status := Statuses[packed>>1&3]
	b.attempts, b.healed, b.ms = append(b.attempts, status), b.healed || packed&1 == 1, ms
	if status.Failing() {
		b.failure = packed >> 3
	}
}

func (b *TimelineBuilder) finishRun() {
	if len(b.attempts) == 0 {
		return
	}
	t := &b.tests[len(b.tests)-1]
	at := len(b.runs) - 1 - b.columns[b.run]
	if c := outcome.CellOf(b.attempts, b.healed); c > t.Cells[at] {
		t.Cells[at], t.DurationMS[at] = c, float32(b.ms)
		delete(t.failures, at)
		if b.failure != 0 {
			if t.failures == nil {
				t.failures = map[int]int64{}
			}
			t.failures[at] = b.failure
		}
	}
	b.attempts, b.healed, b.failure = b.attempts[:0], false, 0
}

// Timeline returns the timeline; names are test ids by row id, labels are signatures by
// theirs.
func (b *TimelineBuilder) Timeline(names map[int64]engine.TestID, labels map[int64]string) outcome.Timeline {
	b.finishRun()
	slices.Reverse(b.runs)
	line := outcome.Timeline{Runs: b.runs}
	for _, t := range b.tests {
		if t.TestID = names[t.test]; t.TestID != "" {
			for at, label := range t.failures {
				if t.Errors == nil {
					t.Errors = make(map[int]string, len(t.failures))
				}
				t.Errors[at] = labels[label]
			}
			line.Tests = append(line.Tests, t.TimelineTest)
		}
	}
	slices.SortFunc(line.Tests, func(a, b outcome.TimelineTest) int { return cmp.Compare(a.TestID, b.TestID) })
	line.Tally()
	return line
}
