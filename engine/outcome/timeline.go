package outcome

import (
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
)

// Timeline is what every test did in each of the last runs.
type Timeline struct {
	Runs  []TimelineRun  // the oldest first
	Tests []TimelineTest // sorted by test id
}

// TimelineRun is one run of the workflow with all its legs and shards, or one
// local run.
type TimelineRun struct {
	Started    time.Time
	Repository string // "owner/name", empty for a local run
	RunID      int64  // 0 for a local run
	Attempt    int
	Commit     string
	Branch     string

	// Made by Tally.
	Passed, Failed, Flaky, Skipped int     // tests; flaky ones are not counted as passed
	DurationMS                     float64 // of all tests, milliseconds of the deciding attempts
}

// TimelineTest is what one test did: a cell and a duration for each run.
type TimelineTest struct {
	TestID     engine.TestID
	Cells      []Cell
	DurationMS []float32 // milliseconds of the deciding attempt, 0 when unknown

	// Errors has the signature of the last failing attempt, by the index of its run; see
	// flaky.Signature. Runs without one, and failures of which none is recorded, have none.
	Errors map[int]string
}

// Cell is how a test ended in one run.
type Cell byte

// The cells. A test that ran on several legs under one id has the worst of its
// cells, which is the later of these.
const (
	CellNone    Cell = iota // did not run
	CellSkipped             // skipped
	CellPassed              // passed at its first attempt
	CellHealed              // passed with a healed locator
	CellFlaky               // passed after a failing attempt
	CellFailed              // failed
)

// CellOf returns the cell of a test by its attempts in one run.
func CellOf(attempts []engine.Status, healed bool) Cell {
	if len(attempts) == 0 {
		return CellNone
	}
	switch last := attempts[len(attempts)-1]; {
	case last.Failing():
		return CellFailed
	case last == engine.StatusSkipped:
		return CellSkipped
	case slices.ContainsFunc(attempts, engine.Status.Failing):
		return CellFlaky
	case healed:
		return CellHealed
	}
	return CellPassed
}

// Tally counts the cells of every run.
func (t *Timeline) Tally() {
	for i := range t.Runs {
		r := &t.Runs[i]
		r.Passed, r.Failed, r.Flaky, r.Skipped, r.DurationMS = 0, 0, 0, 0, 0
	}
	for _, test := range t.Tests {
		for i, c := range test.Cells {
			t.Runs[i].add(c, test.DurationMS[i])
		}
	}
}

func (r *TimelineRun) add(c Cell, ms float32) {
	switch c {
	case CellPassed, CellHealed:
		r.Passed++
	case CellFlaky:
		r.Flaky++
	case CellFailed:
		r.Failed++
	case CellSkipped:
		r.Skipped++
	case CellNone:
		return
	}
	r.DurationMS += float64(ms)
}

// Executed is how many tests came to an end in the run, the skipped ones left
// out.
func (r TimelineRun) Executed() int { return r.Passed + r.Failed + r.Flaky }
