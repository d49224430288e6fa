package text

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// MaxUsefulLines is the most lines that [UsefulLines] returns.
const MaxUsefulLines = 4

const (
	maxError      = 64 << 10 // bytes of a text that are looked at
	maxScan       = 400      // lines of a text that are looked at
	compareWithin = 12       // lines below the first where a comparison may stand
)

var (
	exceptionForm = lazyregexp.New(`^[A-Za-z_][\w.]*(Error|Exception|Failure|Exit|Interrupt|Warning)(:|$)`)
	frameForm     = lazyregexp.New(`^(at .*[(:/.]|File "|goroutine \d|in .*:line \d|# .*:\d+:in |\.\.\. \d+ more|\[\[ATTACHMENT|Error Context:|Stack ?[Tt]race:?$|● )`)
	bannerForm    = lazyregexp.New(`^(=== (RUN|PAUSE|CONT|NAME)\b|--- (FAIL|PASS|SKIP)\b|Traceback \(most recent)`)
	placeForm     = lazyregexp.New(`^\S+:\d+(:\d+)?:?$`)
	headingForm   = lazyregexp.New(`^(\[[^\]]*\] › |\d+\) |\S+:\d+:\d+ \S)`)
	titleForm     = lazyregexp.New(`^(\[[^\]]+\] › |\S+\.[cm]?[jt]sx?:\d+:\d+ |[\w\\]+::test\w*( with data set .*)?$)`)
	genericForm   = lazyregexp.New(`(?i)^(error|failed|failure|failures?/error|exception|test failed|assertion failed|unknown file)[:.]?$`)
)

// Failure is what a report says of a failing test.
type Failure struct {
	Name       string   // the test's title
	OtherNames []string // by which the report may call it, too
	ErrorType  string   // the class of the error
	Message    string
	Body       string // the error in full
	Waited     string // locator that its output says was waited for, where the error names none
}

// UsefulLines returns the lines that say what went wrong, one to
// MaxUsefulLines of them: the first line of the error that is not a heading, a
// rule or a stack frame, and what belongs to it: the sides of a comparison
// ("Expected: 1", "Received: 2") or the lines that a colon announces. An error that does
// not name its locator is followed by what its call log waited for: the one in its text,
// else the one in the test's output, unless it compares values. It returns none when the
// report gives no error text.
//
// Every line is as [Line] makes it; at most a mark is cut off its start ("E ")
// or a class name of letters and digits put before it.
func UsefulLines(f Failure) []string {
	message, body := cleanLines(f.Message), cleanLines(f.Body)
	noise := newNoise(f)
	for i, lines := range [][]string{message, body} {
		first := noise.firstUseful(lines)
		if first < 0 {
			continue
		}
		found := []string{withType(pytestLine(lines[first]), f.ErrorType)}
		found = append(found, linesBelonging(lines[first], lines[first+1:])...)
		// A report may give a message and the same error in full.
		again := slices.IndexFunc(body, func(l string) bool { return strings.HasSuffix(l, lines[first]) })
		if len(found) == 1 && i == 0 && again >= 0 {
			found = append(found, linesBelonging(lines[first], body[again+1:])...)
		}
		return withLocator(found, message, body, f.Waited)
	}
	return lastResort(append(message, body...), Line(f.ErrorType))
}

// withLocator returns the lines of an error with the one that says what it waited for
// behind the first, unless one of them names it. "locator.click: Timeout 5000ms
// exceeded." says nothing without it.
func withLocator(found, message, body []string, waited string) []string {
	for _, lines := range [][]string{message, body} {
		var first strings.Builder
		for _, l := range lines {
			first.WriteString(pytestLine(l) + "\n")
		}
		named := NamedLocator(SplitRetries(first.String(), 2)[0])
		if named == "" {
			continue
		}
		if strings.Contains(strings.Join(found, "\n"), named) {
			return found
		}
		found = found[:min(len(found), MaxUsefulLines-1)]
		return slices.Insert(found, 1, WaitedLine(named))
	}
	if waited != "" && len(found) == 1 {
		found = append(found, WaitedLine(waited))
	}
	return found
}

// WaitedLine returns the line of an error that says which locator was waited for.
func WaitedLine(locator string) string { return "waiting for " + Line(locator) }

// FirstLine returns the first line of an error that says something: of the
// message, else of the error in full. Where all lines are headings, stack frames
// and places, it is the first of them, and "" where there is no line at all. The
// error must be clean.
func FirstLine(message, body string) string {
	fallback, rule := "", ""
	for _, source := range []string{message, exceptionLine(body), body} {
		for line := range strings.Lines(source) {
			line = strings.TrimSpace(line)
			switch {
			case isRule(line) || bannerForm.MatchString(line):
				rule = cmp.Or(rule, line)
			case !(noise{}).isNoise(line):
				return line
			default:
				fallback = cmp.Or(fallback, line)
			}
		}
	}
	return cmp.Or(fallback, rule)
}

// exceptionLine returns the line of a Python traceback that holds the exception,
// or pytest's first "E" line; "" where the error is neither.
func exceptionLine(body string) string {
	if e := strings.Index("\n"+body, "\nE   "); e >= 0 {
		line, _, _ := strings.Cut(body[e+len("E   "):], "\n")
		return line
	}
	if !strings.HasPrefix(strings.TrimSpace(body), "Traceback (most recent call last)") {
		return ""
	}
	last := ""
	for line := range strings.Lines(body) {
		if line[0] != ' ' && strings.TrimSpace(line) != "" {
			last = line
			if !strings.HasPrefix(line, "Traceback") {
				break
			}
		}
	}
	return last
}

// JoinLines returns the lines of [UsefulLines] as one: "Expected: 1 · Received: 2".
func JoinLines(lines []string) string {
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

// cleanLines returns the first lines of s, each as [Line] makes it.
func cleanLines(s string) []string {
	lines := strings.SplitN(Clean(Cut(s, maxError)), "\n", maxScan+1)
	lines = lines[:min(len(lines), maxScan)]
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
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

var classForm = lazyregexp.New(`^[A-Z][A-Za-z0-9]{2,60}(Error|Exception)$`)

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

// linesBelonging returns the lines of rest that belong to the line first before them.
func linesBelonging(first string, rest []string) []string {
	var found []string
	for i, l := range rest[:min(len(rest), compareWithin)] {
		if len(found) == MaxUsefulLines-1 {
			break
		}
		announced := strings.HasSuffix(first, ":") && l != "" && i <= MaxUsefulLines && !bannerForm.MatchString(l) && !frameForm.MatchString(l)
		if announced || isComparison(l) {
			found = append(found, l)
		}
	}
	return found
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

// noise knows the lines that say nothing about one test's error.
type noise struct {
	names []string // the test's own, as a report may repeat them
	name  string   // its title
	title string   // the last segment of its title
}

func newNoise(f Failure) noise {
	n := noise{names: []string{Line(f.Name)}, name: Line(f.Name)}
	n.title = lastSegment(n.name)
	for _, other := range f.OtherNames {
		n.names = append(n.names, Line(other))
	}
	return n
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
	return slices.IndexFunc(lines, func(l string) bool { return !n.isNoise(l) })
}

// isNoise reports whether a line says nothing about the error: blank, a rule, a stack
// frame, a word such as "Failed", or the test's own name again.
func (n noise) isNoise(l string) bool {
	return isRule(l) || slices.Contains(n.names, l) || n.name != "" && strings.Contains(l, "::"+n.name) ||
		titleForm.MatchString(l) || n.title != "" && headingForm.MatchString(l) && strings.Contains(l, n.title) ||
		bannerForm.MatchString(l) || frameForm.MatchString(l) || placeForm.MatchString(l) || genericForm.MatchString(l)
}

// isRule reports whether a line is blank or only drawn.
func isRule(l string) bool {
	return strings.IndexFunc(l, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) < 0
}
