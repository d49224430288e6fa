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
// its locator, what its text tells of further errors, and its place.
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

// oneLine returns s on one line, without the mark of a detail.
func oneLine(s string) string {
	s = strings.Map(printable, strings.ToValidUTF8(s, ""))
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "¦", "|")
}
