package comment

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

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
		lines[i] = line(l, errorWidth)
	}
	return lines
}

// errorInline returns the useful lines of a test's error as one code span.
func errorInline(r engine.TestResult) string {
	lines := usefulLines(r)
	if lines[0] == noErrorText {
		return noErrorText
	}
	return code(text.JoinLines(lines), errorWidth)
}
