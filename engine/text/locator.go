package text

import (
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// locatorLines are how errors name the locator that found nothing or too much:
// Playwright's assertions, the call log of its actions in five languages, its strict
// mode, and Selenium.
var locatorLines = []*lazyregexp.Regexp{
	lazyregexp.New(`(?m)^\s*Locator:\s*(\S.*)$`),
	lazyregexp.New(`(?im)^[\s-]*waiting for ((?:(?:page|frame)\.)?(?:locator|frame_?locator|get_?by_?\w+)\(.*|selector\s.*)$`),
	lazyregexp.New(`strict mode violation: (.+?) resolved to`),
	lazyregexp.New(`"selector":\s*("(?:[^"\\]|\\.)*")`),
}

// NamedLocator returns the first locator that the text of an error names, as it is
// written there, "" where it names none. The text must be clean.
func NamedLocator(s string) string {
	for _, line := range locatorLines {
		if m := line.FindStringSubmatch(s); m != nil {
			return strings.TrimSpace(m[1])
		}
	}
	return ""
}

// retryLine is where Playwright goes on with the error of a retry, in the text of a
// test that failed all its attempts.
var retryLine = lazyregexp.New(`(?m)^\s*Retry #\d+ ─+\s*$`)

// SplitRetries returns the errors of a text one by one, at most so many parts: the
// first attempt's and those of its retries, where the text tells them.
func SplitRetries(s string, parts int) []string { return retryLine.Split(s, parts) }
