package htmlreport

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// strip draws a test's runs in a row, one unit each. How a run ended shows in
// height as well as in colour, so that it is legible in print and for people who
// cannot tell red from green.
type strip struct {
	Columns columns
	Label   string // what the drawing says, in words
	Paths   []stripPath
	Codes   string // a letter a run, for the script
}

// columns is how many runs a drawing shows, one unit wide each.
type columns int

// minColumns is how many columns a drawing has room for at least. With few runs the older
// ones, which are on the left, are empty. The page's script has the same number.
const minColumns = 20

// Width returns the width of a drawing in units, at least minColumns.
func (n columns) Width() int { return max(minColumns, int(n)) }

// Start returns the left edge of a drawing, in which the first run is at 0 and the last one at
// the right edge.
func (n columns) Start() int { return int(n) - n.Width() }

type stripPath struct{ Class, D string }

// shape is how a cell is drawn: from top down to the base at 10.
type shape struct {
	class string
	top   int
	code  byte
	word  string
}

var shapes = [...]shape{
	outcome.CellNone:    {"", 10, '-', "did not run"},
	outcome.CellSkipped: {"skip", 8, 's', "skipped"},
	outcome.CellPassed:  {"pass", 5, 'p', "passed"},
	outcome.CellHealed:  {"heal", 4, 'h', "healed"},
	outcome.CellFlaky:   {"flip", 2, 'x', "flaky"},
	outcome.CellFailed:  {"fail", 0, 'f', "failed"},
}

// drawOrder is the order of the paths: the worst is drawn last, on top.
var drawOrder = [...]outcome.Cell{outcome.CellPassed, outcome.CellSkipped, outcome.CellHealed, outcome.CellFlaky, outcome.CellFailed}

func newStrip(cells []outcome.Cell) strip {
	s := strip{Columns: columns(len(cells)), Codes: encodeCells(cells), Label: describeCells(cells)}
	for _, kind := range drawOrder {
		if d := drawBoxes(cells, kind); d != "" {
			s.Paths = append(s.Paths, stripPath{shapes[kind].class, d})
		}
	}
	return s
}

// drawBoxes draws every unbroken stretch of a kind as one box.
func drawBoxes(cells []outcome.Cell, kind outcome.Cell) string {
	var d strings.Builder
	for i := 0; i < len(cells); {
		if cells[i] != kind {
			i++
			continue
		}
		from := i
		for i < len(cells) && cells[i] == kind {
			i++
		}
		fmt.Fprintf(&d, "M%d %dh%dV10h-%dz", from, shapes[kind].top, i-from, i-from)
	}
	return d.String()
}

// encodeCells packs the cells as letters with how often they follow each other:
// "120p1f3p".
func encodeCells(cells []outcome.Cell) string {
	var text strings.Builder
	for i := 0; i < len(cells); {
		from := i
		for i < len(cells) && cells[i] == cells[from] {
			i++
		}
		text.WriteString(strconv.Itoa(i - from))
		text.WriteByte(shapes[cells[from]].code)
	}
	return text.String()
}

func describeCells(cells []outcome.Cell) string {
	var n [len(shapes)]int
	for _, c := range cells {
		n[c]++
	}
	s := text.Count(len(cells)-n[outcome.CellNone], "run", "runs")
	sep := ": "
	for _, c := range []outcome.Cell{outcome.CellFailed, outcome.CellFlaky, outcome.CellHealed, outcome.CellPassed, outcome.CellSkipped} {
		if n[c] > 0 {
			s += sep + text.Thousands(n[c]) + " " + shapes[c].word
			sep = ", "
		}
	}
	return s
}

// chart is a drawing over the runs, one unit wide a run and 40 high.
type chart struct {
	Title, Label, Top string
	Columns           columns
	Paths             []stripPath
}

const chartHeight = 40

// newCharts draw what changes from run to run: what was not green, and how long
// the tests took.
func newCharts(t outcome.Timeline) []chart {
	if len(t.Runs) < 2 {
		return nil
	}
	most, longest := 1, 1.0
	for _, r := range t.Runs {
		most, longest = max(most, r.Failed+r.Flaky), max(longest, r.DurationMS)
	}
	var failed, flaky, took strings.Builder
	for i, r := range t.Runs {
		f, x := barHeight(float64(r.Failed), float64(most)), barHeight(float64(r.Flaky), float64(most))
		drawBar(&failed, i, chartHeight, f)
		drawBar(&flaky, i, chartHeight-f, x)
		drawBar(&took, i, chartHeight, barHeight(r.DurationMS, longest))
	}
	all := []chart{{
		Title: "Failed and flaky tests a run", Top: text.Thousands(most), Columns: columns(len(t.Runs)),
		Label: fmt.Sprintf("Failed and flaky tests of each of %d runs, at most %d", len(t.Runs), most),
		Paths: []stripPath{{"flip", flaky.String()}, {"fail", failed.String()}},
	}}
	if longest > 1 {
		all = append(all, chart{
			Title: "Test time a run", Top: text.Duration(longest), Columns: columns(len(t.Runs)),
			Label: fmt.Sprintf("Time that the tests of each of %d runs took, at most %s", len(t.Runs), text.Duration(longest)),
			Paths: []stripPath{{"time", took.String()}},
		})
	}
	return all
}

// barHeight returns the height of a value, at least one unit unless it is 0.
func barHeight(value, most float64) float64 {
	if value <= 0 {
		return 0
	}
	return max(1, value/most*chartHeight)
}

func drawBar(d *strings.Builder, at int, base, height float64) {
	if height > 0 {
		fmt.Fprintf(d, "M%d %.4gh1v-%.3gh-1z", at, base, height)
	}
}
