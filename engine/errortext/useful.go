// Package errortext finds the lines of a failing test's error that say what went
// wrong, whichever runner wrote it. Call [Useful].
package errortext

import (
	"regexp"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// MaxLines is the most lines that [Useful] returns.
const MaxLines = 4

const (
	maxText       = 64 << 10 // bytes of a text that are looked at
	maxScan       = 400      // lines of a text that are looked at
	compareWithin = 12       // lines below the first where a comparison may stand
)

// Useful returns the lines that say what went wrong, one to MaxLines of them:
// the first line of the deciding attempt's error that is not a heading, a rule
// or a stack frame, and what belongs to it: the sides of a comparison
// ("Expected: 1", "Received: 2") or the lines that a colon announces. It returns
// none when the report gives no error text.
//
// The error is hostile. Every line is looked at and returned as clean makes it
// for the place it is going to; at most a mark is cut off its start ("E ") or a
// class name of letters and digits put before it. clean gets one line at a time
// and returns it on one line, with runs of white space as one space.
func Useful(r engine.TestResult, clean func(line string) string) []string {
	a := r.Final()
	message, body := split(a.Message, clean), split(a.Text, clean)
	noise := newNoise(r, clean)
	for i, lines := range [][]string{message, body} {
		first := noise.firstUseful(lines)
		if first < 0 {
			continue
		}
		found := []string{withType(pytestLine(lines[first]), a.ErrorType)}
		found = append(found, belonging(lines[first], lines[first+1:])...)
		if len(found) == 1 && i == 0 {
			found = append(found, belongingAfter(body, lines[first])...)
		}
		return found
	}
	return lastResort(append(message, body...), clean(a.ErrorType))
}

// OneLine returns the lines of [Useful] as one: "Expected: 1 · Received: 2".
func OneLine(lines []string) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 && !strings.HasSuffix(lines[i-1], ":") {
			b.WriteString(" ·")
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(l)
	}
	return b.String()
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// split returns the first lines of text, each cleaned.
func split(s string, clean func(string) string) []string {
	lines := strings.SplitN(lineEnds.Replace(text.Cut(s, maxText)), "\n", maxScan+1)
	lines = lines[:min(len(lines), maxScan)]
	for i, l := range lines {
		lines[i] = clean(l)
	}
	return lines
}

// lastResort returns the place of the error, its first stack frame or its type,
// where nothing says more.
func lastResort(lines []string, errorType string) []string {
	for _, l := range lines {
		if placeForm.MatchString(l) || strings.HasPrefix(l, "at ") {
			return []string{l}
		}
	}
	if errorType != "" {
		return []string{errorType}
	}
	return nil
}

var classForm = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{2,60}(Error|Exception)$`)

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

// pytestLine returns the error in a line of the form "E   AssertionError: …",
// any other line as it is.
func pytestLine(l string) string {
	rest, ok := strings.CutPrefix(l, "E ")
	if !ok || len(rest) < 3 {
		return l
	}
	return rest
}

// belonging returns the lines of rest that belong to the line first before them.
func belonging(first string, rest []string) []string {
	var found []string
	for i, l := range rest[:min(len(rest), compareWithin)] {
		if len(found) == MaxLines-1 {
			break
		}
		announced := strings.HasSuffix(first, ":") && l != "" && i <= MaxLines && !frameForm.MatchString(l)
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
