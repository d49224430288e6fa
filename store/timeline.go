package store

import (
	"cmp"
	"maps"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
)

// TimelineKey is what the rows of one column of a timeline share; of a local run,
// which has no run id, the row's own id.
type TimelineKey struct {
	Repository, Run int64
	Attempt         int
	Workflow        string
	row             int64
}

// TimelineBuilder puts a timeline together from rows of runs, the newest first, and
// rows of attempts, sorted by test, run and attempt.
type TimelineBuilder struct {
	limit   int
	keys    map[TimelineKey]int
	columns map[int64]int // by row id of the run; counted from the newest
	runs    []outcome.TimelineRun
	tests   []timelineRow

	// Of the test and run that attempts are being added to.
	run      int64
	attempts []engine.Status
	healed   bool
	ms       float64
}

type timelineRow struct {
	test int64
	outcome.TimelineTest
}

func NewTimelineBuilder(limit int) *TimelineBuilder {
	return &TimelineBuilder{limit: limit, keys: map[TimelineKey]int{}, columns: map[int64]int{}}
}

// RunIDs returns the row ids of the runs that were added.
func (w *TimelineBuilder) RunIDs() []int64 { return slices.Collect(maps.Keys(w.columns)) }

func (w *TimelineBuilder) AddRun(id int64, k TimelineKey, r outcome.TimelineRun) {
	if k.Run == 0 {
		k.row = id
	}
	column, known := w.keys[k]
	if !known {
		if len(w.runs) >= w.limit {
			return
		}
		column = len(w.runs)
		w.keys[k] = column
		r.RunID, r.Attempt = k.Run, k.Attempt
		w.runs = append(w.runs, r)
	}
	w.columns[id] = column
}

func (w *TimelineBuilder) AddAttempt(test, run int64, status engine.Status, healed bool, ms float64) {
	if len(w.tests) == 0 || w.tests[len(w.tests)-1].test != test || w.run != run {
		w.finishRun()
		w.run = run
	}
	if len(w.tests) == 0 || w.tests[len(w.tests)-1].test != test {
		w.tests = append(w.tests, timelineRow{test, outcome.TimelineTest{
			Cells: make([]outcome.Cell, len(w.runs)), DurationMS: make([]float32, len(w.runs)),
		}})
	}
	w.attempts, w.healed, w.ms = append(w.attempts, status), w.healed || healed, ms
}

func (w *TimelineBuilder) finishRun() {
	if len(w.attempts) == 0 {
		return
	}
	t := w.tests[len(w.tests)-1]
	at := len(w.runs) - 1 - w.columns[w.run]
	if c := outcome.CellOf(w.attempts, w.healed); c > t.Cells[at] {
		t.Cells[at], t.DurationMS[at] = c, float32(w.ms)
	}
	w.attempts, w.healed = w.attempts[:0], false
}

func (w *TimelineBuilder) Timeline(names map[int64]string) outcome.Timeline {
	w.finishRun()
	slices.Reverse(w.runs)
	line := outcome.Timeline{Runs: w.runs}
	for _, t := range w.tests {
		if t.TestID = names[t.test]; t.TestID != "" {
			line.Tests = append(line.Tests, t.TimelineTest)
		}
	}
	slices.SortFunc(line.Tests, func(a, b outcome.TimelineTest) int { return cmp.Compare(a.TestID, b.TestID) })
	line.Tally()
	return line
}
