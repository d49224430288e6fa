package report

import (
	"strings"

	"github.com/breadcrumb/action/engine/text"
)

// LogLine returns s fit for one place on a terminal or in a job log: as
// [text.Line] makes it, without "##[" anywhere or "::" at its start, by which
// the Actions runner knows a workflow command.
func LogLine(s string) string {
	return breakCommand(strings.ReplaceAll(text.Line(s), "##[", "# #["))
}

// breakCommand breaks a "::" at the start of a line.
func breakCommand(line string) string {
	if strings.HasPrefix(line, "::") {
		return ": " + line[1:]
	}
	return line
}
