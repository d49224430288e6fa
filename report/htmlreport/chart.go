package htmlreport

import (
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// chart is a drawing over the runs, one unit wide a run and 40 high.
type chart struct {
	Title, Label, Top string
	Width             int
	Paths             []stripPath
}

const chartHeight = 40

// charts draw what changes from run to run: what was not green, and how long
// the tests took.
func charts(t outcome.Timeline) []chart {
	if len(t.Runs) < 2 {
		return nil
	}
	most, longest := 1, 1.0
	for _, r := range t.Runs {
		most, longest = max(most, r.Failed+r.Flaky), max(longest, r.DurationMS)
	}
	var failed, flaky, took strings.Builder
	for i, r := range t.Runs {
		f, x := scaled(float64(r.Failed), float64(most)), scaled(float64(r.Flaky), float64(most))
		bar(&failed, i, chartHeight, f)
		bar(&flaky, i, chartHeight-f, x)
		bar(&took, i, chartHeight, scaled(r.DurationMS, longest))
	}
	all := []chart{{
		Title: "Failed and flaky tests a run", Top: text.Thousands(most), Width: len(t.Runs),
		Label: fmt.Sprintf("Failed and flaky tests of each of %d runs, at most %d", len(t.Runs), most),
		Paths: []stripPath{{"flip", flaky.String()}, {"fail", failed.String()}},
	}}
	if longest > 1 {
		all = append(all, chart{
			Title: "Test time a run", Top: text.Duration(longest), Width: len(t.Runs),
			Label: fmt.Sprintf("Time that the tests of each of %d runs took, at most %s", len(t.Runs), text.Duration(longest)),
			Paths: []stripPath{{"time", took.String()}},
		})
	}
	return all
}

// scaled returns the height of value; what there is at all is seen.
func scaled(value, most float64) float64 {
	if value <= 0 {
		return 0
	}
	return max(1, value/most*chartHeight)
}

func bar(d *strings.Builder, at int, base, height float64) {
	if height > 0 {
		fmt.Fprintf(d, "M%d %.4gh1v-%.3gh-1z", at, base, height)
	}
}
