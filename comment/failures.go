package comment

import (
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

const (
	nameWidth   = 120 // characters of a test's name
	reasonWidth = 300 // characters of a reason
	excuseWidth = 400 // characters of a reason with the way out
	placeWidth  = 80  // characters of file:line
)

// title returns a test's name, place, environment and attempts.
func (p page) title(r engine.TestResult) string {
	parts := []string{"**" + codeSpan(testName(r), nameWidth) + "**"}
	if r.File != "" {
		parts = append(parts, p.place(r.File, r.Line))
	}
	if r.Environment != "" {
		parts = append(parts, codeSpan(r.Environment, 40))
	}
	if n := len(r.Attempts); n > 1 && !r.Flaky() {
		parts = append(parts, fmt.Sprintf("%d attempts", n))
	}
	return strings.Join(parts, " · ")
}

// testName returns the test's identity without its file and environment, which
// are shown beside it.
func testName(r engine.TestResult) string {
	if r.ID == "" {
		return r.Name
	}
	id := engine.NewTestID(strings.TrimSuffix(string(r.ID), " ["+r.Environment+"]"))
	if first, rest, _ := id.CutFile(); rest != "" && strings.HasSuffix(r.File, first) {
		return rest
	}
	return string(id)
}

const errorWidth = 220 // characters of one shown line of an error

const noErrorText = "The report gives no error text."

// usefulLines returns the lines that say what went wrong with a test, cleaned.
// It never returns none.
func usefulLines(r engine.TestResult) []string {
	lines := outcome.ErrorLines(r)
	if len(lines) == 0 {
		return []string{noErrorText}
	}
	for i, l := range lines {
		lines[i] = cleanLine(l, errorWidth)
	}
	return lines
}

// errorInline returns the useful lines of a test's error as one code span.
func errorInline(r engine.TestResult) string {
	lines := usefulLines(r)
	if lines[0] == noErrorText {
		return noErrorText
	}
	return codeSpan(text.JoinLines(lines), errorWidth)
}

// clipLines returns hostile text for a fenced block: cleaned, cut to a number of
// lines and to width characters a line, with a last line that says how many are
// missing.
func clipLines(s string, lines, width int) string {
	all := strings.Split(clean(s), "\n")
	shown := all[:min(len(all), lines)]
	for i, l := range shown {
		shown[i] = text.Shorten(strings.TrimRight(l, " \t"), width)
	}
	if more := len(all) - len(shown); more > 0 {
		shown = append(shown, "… "+text.Count(more, "more line", "more lines"))
	}
	return strings.Join(shown, "\n")
}

// noticeLine returns a notice with its place on one line of a list.
func noticeLine(n engine.Notice) string {
	line := prose(n.Reason, reasonWidth) + "\n"
	if n.File != "" {
		line = codeSpan(text.Place(n.File, n.Line), placeWidth) + ": " + line
	}
	return "- " + line
}

// place returns file:line from the repository's top, linked where it can be.
func (p page) place(file string, line int) string {
	file = p.run.Path(file)
	return linkSpan(codeSpan(text.Place(file, line), placeWidth), p.links.file(file, line))
}
