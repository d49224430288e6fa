package flaky

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// maxText bounds what is read of a failure's text, in bytes; maxSections how many errors
// of one text are told apart.
const (
	maxText     = 32 << 10
	maxSections = 8
)

// volatileInLocator are the parts of a locator that differ from run to run. Short
// numbers stay: they are positions, levels and columns.
var volatileInLocator = []struct {
	pattern *lazyregexp.Regexp
	with    string
}{
	{lazyregexp.New(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<id>"},
	{lazyregexp.New(`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?)?|\d{1,2}:\d\d(?::\d\d)?`), "<time>"},
	{lazyregexp.New(`\b(?:[0-9]+[a-f]|[a-f]+[0-9])[0-9a-f]{5,}\b`), "<id>"},
	{lazyregexp.New(`\d{3,}(?:[.,]\d+)*|\d+(?:[.,]\d+)+`), "<n>"},
}

// detailsOf returns what tells an attempt's error from others with the same message:
// its locator, what was there instead, what its text tells of further errors, and its
// place.
func detailsOf(a engine.Attempt) (details []string) {
	add := func(detail string) {
		if detail != "" && !slices.Contains(details, detail) {
			details = append(details, detail)
		}
	}
	first := ""
	for i, section := range text.SplitRetries(text.Clean(clipBytes(a.Text, maxText)), maxSections) {
		where := section
		if i == 0 {
			where = text.Clean(clipBytes(a.Message, maxMessage)) + "\n" + section
			first = errorLine(section)
		} else if s := errorLine(section); s != first {
			add(s)
		}
		add(locatorIn(where))
		add(actualIn(where))
	}
	add(oneLine(a.Place))
	return details
}

// errorLine returns the first line of an error without what is volatile in it.
func errorLine(section string) string {
	for line := range strings.Lines(section) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, "──") {
			return oneLine(normalise("", line))
		}
	}
	return ""
}

// locatorIn returns the first locator that the text of an error names, without what is
// volatile in it, "" where it names none.
func locatorIn(s string) string { return Steady(text.NamedLocator(s)) }

// Steady returns s on one line, of at most 4 KiB, without what differs from run to run:
// ids, times and long numbers. Short numbers stay.
func Steady(s string) string {
	s = clipBytes(s, maxMessage)
	for _, v := range volatileInLocator {
		s = v.pattern.ReplaceAllString(s, v.with)
	}
	return oneLine(s)
}

// received is how assertions tell what was there: Playwright's, Jest's and Vitest's.
var received = lazyregexp.New(`(?m)^\s*Received(?: string| value)?:\s*(\S.*?)\s*$`)

// actualIn returns of which kind that was which an assertion found, "" where it found
// nothing yet or does not say. A bug that shows another text fails the same call at the
// same place as a flake that finds nothing in time.
func actualIn(s string) string {
	m := received.FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	switch first := m[1][0]; {
	case slices.Contains([]string{`""`, "''", "0", "hidden", "null", "undefined", "<element(s) not found>", "detached"}, m[1]):
		return ""
	case strings.ContainsRune("\"'`", rune(first)):
		return "got a text"
	case first == '-' || first >= '0' && first <= '9':
		return "got a number"
	case stateWord.MatchString(m[1]):
		return "got " + m[1]
	}
	return "got a value"
}

// stateWord matches the states of an element and the truth values.
var stateWord = lazyregexp.New(`^[a-z]{2,12}$`)

// oneLine returns s on one line, without the mark of a detail.
func oneLine(s string) string {
	s = strings.Map(printable, strings.ToValidUTF8(s, ""))
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "¦", "|")
}
