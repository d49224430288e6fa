package ci

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
)

func warning(reason string) engine.Notice {
	return engine.Notice{Severity: engine.SeverityWarning, Reason: reason}
}

// anyBlocks reports whether one of the notices keeps the run from passing.
func anyBlocks(notices []engine.Notice) bool {
	return slices.ContainsFunc(notices, func(n engine.Notice) bool { return n.Severity != engine.SeverityWarning })
}

// quoteSome names the first few of a list.
func quoteSome[T ~string](names []T) string {
	const shown = 5
	var quoted []string
	for _, name := range names[:min(len(names), shown)] {
		quoted = append(quoted, strconv.Quote(string(name)))
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
