package errortext

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/engine"
)

var (
	exceptionForm = regexp.MustCompile(`^[A-Za-z_][\w.]*(Error|Exception|Failure|Exit|Interrupt|Warning)(:|$)`)
	frameForm     = regexp.MustCompile(`^(at .*[(:/.]|File "|Traceback \(most recent|goroutine \d|in .*:line \d|# .*:\d+:in |\.\.\. \d+ more|=== (RUN|PAUSE|CONT|NAME)|--- FAIL|\[\[ATTACHMENT|Error Context:|Stack ?[Tt]race:?$|● )`)
	placeForm     = regexp.MustCompile(`^\S+:\d+(:\d+)?:?$`)
	headingForm   = regexp.MustCompile(`^(\[[^\]]*\] › |\d+\) |\S+:\d+:\d+ \S)`)
	genericForm   = regexp.MustCompile(`(?i)^(error|failed|failure|failures?/error|exception|test failed|assertion failed|unknown file)[:.]?$`)
)

// noise knows the lines that tell nothing of one test's error.
type noise struct {
	names []string // the test's own, as a report may repeat them
	name  string   // its title
	title string   // the last segment of its title
}

func newNoise(r engine.TestResult, clean func(string) string) noise {
	name := clean(r.Name)
	return noise{
		names: []string{name, clean(r.ID), clean(r.Class), clean(r.Suite), clean(r.Class + "." + r.Name)},
		name:  name,
		title: lastSegment(name),
	}
}

// lastSegment returns the part of a title after its last separator.
func lastSegment(title string) string {
	const separator = " › "
	if i := strings.LastIndex(title, separator); i >= 0 {
		return title[i+len(separator):]
	}
	return title
}

// firstUseful returns the index of the first line that is worth showing, -1 for
// none. pytest marks its error lines with "E" below the source it quotes, and a
// Python traceback ends with its error, so such lines win.
func (n noise) firstUseful(lines []string) int {
	inTraceback := false
	for i, l := range lines {
		if pytestLine(l) != l || inTraceback && exceptionForm.MatchString(l) {
			return i
		}
		inTraceback = inTraceback || strings.HasPrefix(l, "Traceback (most recent")
	}
	return slices.IndexFunc(lines, func(l string) bool { return !n.is(l) })
}

// is reports whether a line tells nothing of the error: blank, a rule, a stack
// frame, a word such as "Failed", or the test's own name again.
func (n noise) is(l string) bool {
	if strings.IndexFunc(l, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) < 0 {
		return true
	}
	if slices.Contains(n.names, l) || n.name != "" && strings.Contains(l, "::"+n.name) {
		return true
	}
	if headingForm.MatchString(l) && strings.Contains(l, n.title) {
		return true
	}
	return frameForm.MatchString(l) || placeForm.MatchString(l) || genericForm.MatchString(l)
}
