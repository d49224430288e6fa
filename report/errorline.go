package report

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/errortext"
)

// errorLines returns the lines of a test's error that say what went wrong,
// cleaned. It never returns none.
func errorLines(r engine.TestResult) []string {
	lines := errortext.Useful(r, Clean)
	if len(lines) == 0 {
		return []string{"the report gives no error text"}
	}
	return lines
}
