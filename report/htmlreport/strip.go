package htmlreport

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// strip is the row of a test's runs as a drawing of one unit a run. How a run
// ended shows in height as well as in colour, so that it is legible in print
// and to those who do not tell red from green.
type strip struct {
	Width int
	Label string // what the drawing says, in words
	Paths []stripPath
	Codes string // a letter a run, for the script
}

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

// drawn is the order of the paths: what matters most lies on top.
var drawn = [...]outcome.Cell{outcome.CellPassed, outcome.CellSkipped, outcome.CellHealed, outcome.CellFlaky, outcome.CellFailed}

func newStrip(cells []outcome.Cell) strip {
	s := strip{Width: max(1, len(cells)), Codes: codes(cells), Label: label(cells)}
	for _, kind := range drawn {
		if d := path(cells, kind); d != "" {
			s.Paths = append(s.Paths, stripPath{shapes[kind].class, d})
		}
	}
	return s
}

// path draws every unbroken stretch of a kind as one box.
func path(cells []outcome.Cell, kind outcome.Cell) string {
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

// codes packs the cells as letters with how often they follow each other:
// "120p1f3p".
func codes(cells []outcome.Cell) string {
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

func label(cells []outcome.Cell) string {
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
