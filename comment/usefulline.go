package comment

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine"
)

const (
	maxErrorLines = 4   // shown of an error before it is folded
	errorWidth    = 220 // characters of one shown line
	scanLines     = 400 // of an error that are looked at
	compareWithin = 12  // lines below the first where a comparison may stand
)

// usefulLines returns the lines that say what went wrong: the first line of the
// attempt's error that is not a heading, a rule or a stack frame, and what belongs
// to it: the sides of a comparison ("Expected: 1", "Received: 2") or the lines
// that a colon announces. It never returns none.
func usefulLines(r engine.TestResult) []string {
	a := r.Final()
	for _, text := range []string{a.Message, a.Text} {
		lines := errorLines(text)
		first := firstUseful(lines, r)
		if first < 0 {
			continue
		}
		rest := lines[first+1:]
		found := []string{withType(pytestLine(lines[first]), a.ErrorType)}
		found = append(found, belonging(lines[first], rest)...)
		if len(found) == 1 && text == a.Message {
			found = append(found, belongingAfter(errorLines(a.Text), lines[first])...)
		}
		return found
	}
	return []string{lastResort(a)}
}

// lastResort returns the place of the error, its first stack frame or its type,
// where nothing says more.
func lastResort(a engine.Attempt) string {
	for _, l := range append(errorLines(a.Message), errorLines(a.Text)...) {
		if placeForm.MatchString(l) || strings.HasPrefix(l, "at ") {
			return l
		}
	}
	if t := line(a.ErrorType, errorWidth); t != "" {
		return t
	}
	return noErrorText
}

const noErrorText = "The report gives no error text."

// errorInline returns the useful lines of a test's error as one code span.
func errorInline(r engine.TestResult) string {
	lines := usefulLines(r)
	if lines[0] == noErrorText {
		return noErrorText
	}
	text := lines[0]
	for _, l := range lines[1:] {
		if !strings.HasSuffix(text, ":") {
			text += " ·"
		}
		text += " " + l
	}
	return code(text, errorWidth)
}

// withType returns l after the exception's class when l does not name it: a bare
// "Rounding necessary" says less than "ArithmeticException: Rounding necessary".
func withType(l, errorType string) string {
	class := errorType[strings.LastIndexAny(errorType, ".\\/:")+1:]
	if !classForm.MatchString(class) || strings.Contains(l, class) || isComparison(l) ||
		strings.Contains(class, "Assert") || strings.Contains(class, "Expectation") {
		return l
	}
	return class + ": " + l
}

var classForm = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{2,60}(Error|Exception)$`)

// errorLines returns the first lines of text, cleaned, without white space at
// their ends.
func errorLines(text string) []string {
	lines := strings.SplitN(clean(text), "\n", scanLines+1)
	lines = lines[:min(len(lines), scanLines)]
	for i := range lines {
		lines[i] = line(lines[i], errorWidth)
	}
	return lines
}

// firstUseful returns the index of the first line that is worth showing, -1 for
// none. pytest marks its error lines with "E" below the source it quotes, and a
// Python traceback ends with its error, so such lines win.
func firstUseful(lines []string, r engine.TestResult) int {
	inTraceback := false
	for i, l := range lines {
		if pytestLine(l) != l || inTraceback && exceptionForm.MatchString(l) {
			return i
		}
		inTraceback = inTraceback || strings.HasPrefix(l, "Traceback (most recent")
	}
	return slices.IndexFunc(lines, func(l string) bool { return !isNoise(l, r) })
}

// pytestLine returns the error in a line of the form "E   AssertionError: …",
// any other line as it is.
func pytestLine(l string) string {
	rest, ok := strings.CutPrefix(l, "E ")
	if !ok || len(rest) < 3 {
		return l
	}
	return rest
}

var (
	exceptionForm = regexp.MustCompile(`^[A-Za-z_][\w.]*(Error|Exception|Failure|Exit|Interrupt|Warning)(:|$)`)
	frameForm     = regexp.MustCompile(`^(at .*[(:/.]|File "|Traceback \(most recent|goroutine \d|in .*:line \d|# .*:\d+:in |\.\.\. \d+ more|=== (RUN|PAUSE|CONT|NAME)|--- FAIL|\[\[ATTACHMENT|Error Context:|Stack ?[Tt]race:?$|● )`)
	placeForm     = regexp.MustCompile(`^\S+:\d+(:\d+)?:?$`)
	headingForm   = regexp.MustCompile(`^(\[[^\]]*\] › |\d+\) |\S+:\d+:\d+ \S)`)
	genericForm   = regexp.MustCompile(`(?i)^(error|failed|failure|failures?/error|exception|test failed|assertion failed|unknown file):?$`)
)

// isNoise reports whether a line tells nothing of the error: blank, a rule, a
// stack frame, a word such as "Failed", or the test's own name again.
func isNoise(l string, r engine.TestResult) bool {
	if strings.IndexFunc(l, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) < 0 {
		return true
	}
	switch l {
	case r.Name, r.ID, r.Class, r.Suite, r.Class + "." + r.Name:
		return true
	}
	if r.Name != "" && strings.Contains(l, "::"+r.Name) {
		return true
	}
	if headingForm.MatchString(l) && strings.Contains(l, lastSegment(r.Name)) {
		return true
	}
	return frameForm.MatchString(l) || placeForm.MatchString(l) || genericForm.MatchString(l)
}

// belonging returns the lines of rest that belong to the line first before them.
func belonging(first string, rest []string) []string {
	var found []string
	for i, l := range rest[:min(len(rest), compareWithin)] {
		if len(found) == maxErrorLines-1 {
			break
		}
		announced := strings.HasSuffix(first, ":") && l != "" && i <= maxErrorLines && !frameForm.MatchString(l)
		if announced || isComparison(l) {
			found = append(found, l)
		}
	}
	return found
}

// belongingAfter returns what belongs to first in lines. A report may give a
// message and the same error in full.
func belongingAfter(lines []string, first string) []string {
	for i, l := range lines {
		if strings.HasSuffix(l, first) {
			return belonging(first, lines[i+1:])
		}
	}
	return nil
}

// isComparison reports whether l is a labelled side of a comparison.
func isComparison(l string) bool {
	label, value, ok := strings.Cut(l, ":")
	if !ok || strings.TrimSpace(value) == "" || len(label) > 24 {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "expected", "received", "actual", "got", "want", "but was", "locator",
		"expected string", "received string", "expected value", "received value",
		"expected substring", "expected pattern", "expected length", "received length":
		return true
	}
	return false
}
