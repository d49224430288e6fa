package input

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/redact"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/junit/identity"
)

// MaxMessage bounds a message in bytes.
const MaxMessage = 500

// FirstLine returns the first line of an error that says something, bounded.
func FirstLine(message, body string) string { return firstLine(CleanText(message), CleanText(body)) }

// firstLine is FirstLine of texts that are clean.
func firstLine(message, body string) string {
	return text.Cut(identity.Clean(text.FirstLine(message, body)), MaxMessage)
}

// CleanText returns the text of an error without what steers a terminal or
// hides and without the secrets in it, never longer than it was.
func CleanText(s string) string { return text.Cut(redact.Text(text.Clean(s)), len(s)) }

// NewAttempt returns an attempt with the texts of its error cleaned and bounded.
func NewAttempt(status engine.Status, seconds float64, typ, message, body string) engine.Attempt {
	body = strings.Trim(CleanText(body), "\n")
	return engine.Attempt{
		Status:     status,
		DurationMS: Milliseconds(seconds),
		ErrorType:  text.Cut(identity.Clean(typ), MaxMessage),
		Message:    firstLine(CleanText(message), body),
		Text:       body,
	}
}

// SetWaited sets what an attempt waited for by a line of its output, where its error names
// no locator.
func SetWaited(a *engine.Attempt, line string) {
	if text.NamedLocator(a.Message) == "" && text.NamedLocator(a.Text) == "" {
		a.Waited = text.Cut(identity.Clean(text.NamedLocator(CleanText(line))), MaxMessage)
	}
}

// StatusOfWord returns what a status or result attribute of a report says by one word,
// whatever its case and with or without spaces, hyphens and underscores. known is false for
// a word that no runner is known to write: then nothing says that the test passed.
func StatusOfWord(word string) (status engine.Status, known bool) {
	status, known = statusWords[separators.Replace(strings.ToLower(strings.TrimSpace(word)))]
	return status, known
}

var separators = strings.NewReplacer(" ", "", "-", "", "_", "")

// statusWords are the words that runners write.
var statusWords = map[string]engine.Status{
	// GoogleTest, CTest, Bazel and Catch2 write run; the others add how it ended.
	"run": engine.StatusPassed, "ran": engine.StatusPassed, "executed": engine.StatusPassed, "completed": engine.StatusPassed,
	"complete": engine.StatusPassed, "finished": engine.StatusPassed, "done": engine.StatusPassed, "passed": engine.StatusPassed,
	"pass": engine.StatusPassed, "passing": engine.StatusPassed, "success": engine.StatusPassed, "successful": engine.StatusPassed,
	"succeeded": engine.StatusPassed, "ok": engine.StatusPassed, "okay": engine.StatusPassed, "good": engine.StatusPassed, "green": engine.StatusPassed,
	"true": engine.StatusPassed, "fixed": engine.StatusPassed, "flaky": engine.StatusPassed, "warning": engine.StatusPassed, "warn": engine.StatusPassed,
	"passedwithwarnings": engine.StatusPassed, "xfail": engine.StatusPassed, "xfailed": engine.StatusPassed, "expectedfailure": engine.StatusPassed,

	"notrun": engine.StatusSkipped, "disabled": engine.StatusSkipped, "ignored": engine.StatusSkipped, "ignore": engine.StatusSkipped,
	"skipped": engine.StatusSkipped, "skip": engine.StatusSkipped, "suppressed": engine.StatusSkipped, "pending": engine.StatusSkipped,
	"todo": engine.StatusSkipped, "untested": engine.StatusSkipped, "notexecuted": engine.StatusSkipped, "inconclusive": engine.StatusSkipped,
	"bpass": engine.StatusSkipped, "bfail": engine.StatusSkipped, "bxpass": engine.StatusSkipped, "bxfail": engine.StatusSkipped, // Qt's blacklist

	"undefined": engine.StatusFailed, "ambiguous": engine.StatusFailed, "failed": engine.StatusFailed, "fail": engine.StatusFailed,
	"failure": engine.StatusFailed, "regression": engine.StatusFailed, "xpass": engine.StatusFailed, "xpassed": engine.StatusFailed, "false": engine.StatusFailed,
	"timedout": engine.StatusFailed, "timeout": engine.StatusFailed,

	"error": engine.StatusError, "errored": engine.StatusError, "broken": engine.StatusError, "panicked": engine.StatusError,
	"crashed": engine.StatusError, "aborted": engine.StatusError, "interrupted": engine.StatusError, "incomplete": engine.StatusError,
	"cancelled": engine.StatusError, "canceled": engine.StatusError, "killed": engine.StatusError,
}

// Severity orders statuses, best first.
func Severity(s engine.Status) int { return max(slices.Index(statusCodes, s), 0) }

// statusCodes are the statuses by their severity, which is also their code.
var statusCodes = []engine.Status{engine.StatusPassed, engine.StatusSkipped, engine.StatusFailed, engine.StatusError}

// StatusOf returns the status with a code.
func StatusOf(code uint8) engine.Status { return statusCodes[code] }

// StatusCode returns the code of a status, which takes two bits.
func StatusCode(s engine.Status) uint8 {
	if i := slices.Index(statusCodes, s); i >= 0 {
		return uint8(i)
	}
	return uint8(len(statusCodes) - 1)
}
