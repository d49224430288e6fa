package htmlreport

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// number is one of the headline numbers. Trend compares the newer half of the
// period with the older one.
type number struct {
	Name, Value string
	Trend       string // "+3 points", "" for none
	Class       string // "better", "worse" or ""
}

// greenRuns is the share of runs without a failed test.
func greenRuns(all, older, newer []outcome.TimelineRun) number {
	n := number{Name: "green runs", Value: "–"}
	now, known := shareOf(all, func(r outcome.TimelineRun) (int, int) { return oneIf(r.Failed == 0), 1 })
	if !known {
		return n
	}
	n.Value = text.Percent(now)
	was, hadOld := shareOf(older, func(r outcome.TimelineRun) (int, int) { return oneIf(r.Failed == 0), 1 })
	is, _ := shareOf(newer, func(r outcome.TimelineRun) (int, int) { return oneIf(r.Failed == 0), 1 })
	if points := math.Round((is - was) * 100); hadOld && points != 0 {
		n.Trend = fmt.Sprintf("%+.0f points", points)
		n.Class = trendClass(points > 0)
	}
	return n
}

// resultShare is a share of all results.
func resultShare(name string, older, newer, all []outcome.TimelineRun, count func(outcome.TimelineRun) int) number {
	n := number{Name: name, Value: "–"}
	part := func(r outcome.TimelineRun) (int, int) { return count(r), r.Executed() }
	now, known := shareOf(all, part)
	if !known {
		return n
	}
	n.Value = twoDigits(now*100) + "%"
	was, hadOld := shareOf(older, part)
	is, _ := shareOf(newer, part)
	if hadOld && math.Abs(is-was) >= 0.0005 {
		n.Trend = signOf(is-was) + twoDigits(math.Abs(is-was)*100) + " points"
		n.Class = trendClass(is < was)
	}
	return n
}

// testTime is the median over runs of the time all tests took together.
func testTime(all, older, newer []outcome.TimelineRun) number {
	n := number{Name: "test time a run", Value: "–"}
	now := medianTime(all)
	if now == 0 {
		return n
	}
	n.Value = text.Duration(now)
	was, is := medianTime(older), medianTime(newer)
	if change := is/was - 1; was > 0 && math.Abs(change) >= 0.01 {
		n.Trend = percentChange(change)
		n.Class = trendClass(change < 0)
	}
	return n
}

func medianTime(runs []outcome.TimelineRun) float64 {
	var took []float64
	for _, r := range runs {
		if r.DurationMS > 0 {
			took = append(took, r.DurationMS)
		}
	}
	if len(took) == 0 {
		return 0
	}
	return median(took)
}

func shareOf(runs []outcome.TimelineRun, of func(outcome.TimelineRun) (part, whole int)) (ratio float64, known bool) {
	part, whole := 0, 0
	for _, r := range runs {
		if r.Executed() == 0 {
			continue
		}
		p, w := of(r)
		part, whole = part+p, whole+w
	}
	if whole == 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

func percentChange(ratio float64) string {
	return fmt.Sprintf("%+.0f%%", math.Max(-100, math.Min(ratio*100, 99_999)))
}

// twoDigits writes 0 or more with two digits that count, 10 and more as a whole
// number and never with an exponent.
func twoDigits(percent float64) string {
	switch {
	case percent >= 9.95:
		return fmt.Sprintf("%.0f", percent)
	case percent > 0 && percent < 0.01:
		return "<0.01"
	}
	return fmt.Sprintf("%.2g", percent)
}

func signOf(change float64) string {
	if change < 0 {
		return "-"
	}
	return "+"
}

func trendClass(yes bool) string {
	if yes {
		return "better"
	}
	return "worse"
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// minDrift is how many runs each half of a period needs before a change between them is
// shown: timed ones for the time of a test.
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

// measurePace takes only runs that passed: a failure ends early, or at its timeout.
func measurePace(t outcome.TimelineTest) (pace, bool) {
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
