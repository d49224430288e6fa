package report

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine"
)

// maxScan is how many lines of an error are looked at.
const maxScan = 200

// noise matches error lines that say nothing of the fault: stack frames, code
// frames' rulers, headings of runners and words such as "Error".
var noise = regexp.MustCompile(`(?i)^(at .*[(:/.]|file "|traceback \(most|goroutine \d|=== |--- fail|\.\.\. \d+ more` +
	`|(error|failed|failure|exception|test failed|assertion failed)[:.]?$)`)

// errorLine returns the first line of an attempt's error that says what went
// wrong, cleaned. Below quoted source pytest marks that line with "E".
func errorLine(r engine.TestResult) string {
	a := r.Final()
	for _, text := range []string{a.Message, a.Text} {
		lines := cleanLines(text)
		for _, line := range lines {
			if rest, ok := strings.CutPrefix(line, "E "); ok {
				return defuseStart(strings.TrimSpace(rest))
			}
		}
		for _, line := range lines {
			if telling(line, r) {
				return line
			}
		}
	}
	if kind := Clean(a.ErrorType); kind != "" {
		return kind
	}
	return "the report gives no error text"
}

func cleanLines(text string) []string {
	lines := strings.SplitN(bound(text, maxCleaned), "\n", maxScan+1)
	lines = lines[:min(len(lines), maxScan)]
	for i, line := range lines {
		lines[i] = Clean(line)
	}
	return lines
}

func telling(line string, r engine.TestResult) bool {
	said := strings.IndexFunc(line, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) >= 0
	return said && !noise.MatchString(line) && line != Clean(r.Name) && line != Clean(r.ID)
}
