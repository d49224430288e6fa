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

// retryLine is where Playwright goes on with the error of a retry, in the text of a
// test that failed all its attempts.
var retryLine = lazyregexp.New(`(?m)^\s*Retry #\d+ ─+\s*$`)

// locatorLines are how errors name the locator that found nothing or too much:
// Playwright's assertions, the call log of its actions in five languages, its strict
// mode, and Selenium.
var locatorLines = []*lazyregexp.Regexp{
	lazyregexp.New(`(?m)^\s*Locator:\s*(\S.*)$`),
	lazyregexp.New(`(?im)^[\s-]*waiting for ((?:(?:page|frame)\.)?(?:locator|frame_?locator|get_?by_?\w+)\(.*|selector\s.*)$`),
	lazyregexp.New(`strict mode violation: (.+?) resolved to`),
	lazyregexp.New(`"selector":\s*("(?:[^"\\]|\\.)*")`),
}

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
	for i, section := range retryLine.Split(text.Clean(clipBytes(a.Text, maxText)), maxSections) {
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

// locatorIn returns the first locator that the text of an error names, "" where it
// names none.
func locatorIn(s string) string {
	for _, line := range locatorLines {
		if m := line.FindStringSubmatch(s); m != nil {
			locator := clipBytes(m[1], maxMessage)
			for _, v := range volatileInLocator {
				locator = v.pattern.ReplaceAllString(locator, v.with)
			}
			return oneLine(locator)
		}
	}
	return ""
}

// oneLine returns s on one line, without the mark of a detail.
func oneLine(s string) string {
	s = strings.Map(printable, strings.ToValidUTF8(s, ""))
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "¦", "|")
}
