package junit

import (
	"cmp"
	"regexp"
	"strings"
)

// messageMax bounds a message in bytes.
const messageMax = 500

// ansiPattern matches terminal control sequences: with their escape character,
// with the replacement the scanner put in its place, and in the one-byte form.
var ansiPattern = regexp.MustCompile("(?:[\x1b\ufffd]\\[|\u009b)[0-9;:?]*[A-Za-z]|\\[[0-9]{1,3}(?:;[0-9]{1,3})*m")

func stripANSI(text string) string {
	if !strings.ContainsAny(text, "\x1b\ufffd\u009b") && !nakedANSI(text) {
		return text
	}
	return ansiPattern.ReplaceAllString(text, "")
}

// nakedANSI reports whether text holds colours whose escape characters the
// reporter dropped.
func nakedANSI(text string) bool {
	return strings.Contains(text, "[0m") || strings.Contains(text, "[39m") || strings.Contains(text, "[22m")
}

// rulerPattern matches lines that are never a message: rulers, runner banners.
var rulerPattern = regexp.MustCompile(`^(?:[^\pL\pN]*` +
	`|=== (?:RUN|PAUSE|CONT|NAME)\b.*` +
	`|--- (?:FAIL|PASS|SKIP):.*` +
	`|Traceback \(most recent call last\):?)$`)

// idlePattern matches lines that tell little about a failure: stack frames,
// Playwright's title line, places, bare verdicts.
var idlePattern = regexp.MustCompile(`^(?:File ".*", line \d+.*` +
	`|at .*[:(].*` +
	`|\[[^\]]+\] › .*` +
	`|\S+\.(?:[cm]?[jt]sx?):\d+:\d+ .*` +
	`|goroutine \d+ \[.*` +
	`|\S+\.[A-Za-z]{1,6}:\d+(?::\d+)?:?|unknown file` +
	`|[\w\\]+::test\w*(?: with data set .*)?` +
	`|Failed|Failure|Error|FAIL|null|None)$`)

// tracebackMessage returns the last line of a Python traceback, which holds
// the exception, or pytest's first "E" line; "" where text is neither.
func tracebackMessage(text string) string {
	if e := strings.Index("\n"+text, "\nE   "); e >= 0 {
		line, _, _ := strings.Cut(text[e+len("E   "):], "\n")
		return strings.TrimSpace(line)
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "Traceback (most recent call last)") {
		return ""
	}
	last := ""
	for line := range strings.Lines(text) {
		if len(line) > 0 && line[0] != ' ' && strings.TrimSpace(line) != "" {
			last = line
			if !strings.HasPrefix(line, "Traceback") {
				break
			}
		}
	}
	return strings.TrimSpace(last)
}

// firstLine returns the first line that says something: of the message, else
// of the text, else the first that is no ruler in either. It is stripped of
// terminal controls and bounded.
func firstLine(message, text string) string {
	message, text = stripANSI(message), stripANSI(text)
	fallback, ruler := "", ""
	for _, source := range []string{message, tracebackMessage(text), text} {
		for line := range strings.Lines(source) {
			line = strings.TrimSpace(line)
			switch {
			case rulerPattern.MatchString(line):
				ruler = cmp.Or(ruler, line)
			case !idlePattern.MatchString(line):
				return shorten(clean(line), messageMax)
			default:
				fallback = cmp.Or(fallback, line)
			}
		}
	}
	return shorten(clean(cmp.Or(fallback, ruler)), messageMax)
}

// shorten cuts text to max bytes on a whole rune, with an ellipsis.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return string(wholeRunes([]byte(text[:limit]))) + "…"
}
