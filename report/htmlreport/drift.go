package htmlreport

import (
	"cmp"
	"slices"

	"github.com/breadcrumb/action/engine/outcome"
)

// minDrift is how many timed runs each half needs before a change of their
// medians is told.
const minDrift = 5

// minChange is the drift that is worth a look, a ratio.
const minChange = 0.1

// pace is how long a test takes.
type pace struct {
	Median float64 // milliseconds, of the newer half of its runs
	Before float64 // milliseconds, of the older half; 0 when it is not known
}

// Drift is by how much the test got slower, as a ratio of what it took before:
// 0.5 is half as much again. known is false with too few runs.
func (p pace) Drift() (ratio float64, known bool) {
	if p.Before <= 0 {
		return 0, false
	}
	return p.Median/p.Before - 1, true
}

// paceOf takes only runs that passed: a failure ends early, or at its timeout.
func paceOf(t outcome.TimelineTest) (pace, bool) {
	var took []float64
	for i, ms := range t.DurationMS {
		if ms > 0 && (t.Cells[i] == outcome.CellPassed || t.Cells[i] == outcome.CellHealed) {
			took = append(took, float64(ms))
		}
	}
	if len(took) == 0 {
		return pace{}, false
	}
	half := len(took) / 2
	if half < minDrift {
		return pace{Median: median(took)}, true
	}
	return pace{Median: median(took[half:]), Before: median(took[:half])}, true
}

// median returns the lower median of at least one value.
func median[N cmp.Ordered](values []N) N {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
