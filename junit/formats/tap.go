package formats

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/location"
	"github.com/breadcrumb/action/junit/scan"
)

// tapIndent is how far a subtest is indented (TAP 14).
const tapIndent = 4

// tapReader reads the Test Anything Protocol, versions 12 to 14: test points,
// plans, YAML diagnostics, directives and subtests.
type tapReader struct {
	feed   *Feed
	s      *scan.Scanner
	levels []*tapLevel // [0] is the file
	last   *tapTest    // point that diagnostics belong to
	yaml   int         // indent of the open YAML block, -1 where there is none
	failed int         // failures that a trailing "# fail N" counts
	bailed bool
	err    error
}

// tapLevel is the file or an open subtest.
type tapLevel struct {
	plan, count int // plan is -1 until it is seen
	tests       []*tapTest
	buffered    *tapTest  // point whose buffered subtest is open: "ok 1 - name {"
	group       *tapGroup // nil for the file
}

// tapGroup is the subtests of one point, which stands behind them.
type tapGroup struct {
	title  string
	around *tapGroup
}

// tapTest is one test point without subtests of its own. It is small, because all
// subtests are held until their point.
type tapTest struct {
	title    string
	group    *tapGroup
	details  *tapDetails // nil for most tests
	duration float64
	line     int32
	status   uint8
}

type tapDetails struct {
	reason, message, at string // reason of the directive
	text                scan.Field
}

func (t *tapTest) isFailing() bool { return input.StatusOf(t.status).Failing() }

// tapDetailsBytes is what tapDetails takes beside its texts.
const tapDetailsBytes = 128

// detailsOf returns the details of a point, to be changed. They count as failure text;
// where no more may be kept, the point does not get them.
func (t *tapReader) detailsOf(point *tapTest) *tapDetails {
	if point.details == nil && t.feed.TextLeft <= 0 {
		t.feed.DropTexts(t.s.Line())
		return &tapDetails{}
	}
	if point.details == nil {
		t.feed.TextLeft -= tapDetailsBytes
		point.details = &tapDetails{}
	}
	return point.details
}

var (
	tapPoint  = lazyregexp.New(`^(not )?ok\b(?:[ \t]+(\d{1,9})\b)?[ \t]*(?:-[ \t]+|-$)?(.*)$`)
	tapPlan   = lazyregexp.New(`^1\.\.(\d{1,9})\s*(?:#.*)?$`)
	failTotal = lazyregexp.New(`^# fail(?:ed)?:?\s+(\d{1,9})\b`)
)

func readTAP(f *Feed) (string, error) {
	t := &tapReader{feed: f, s: f.Scan, yaml: -1, levels: []*tapLevel{{plan: -1}}}
	line := scan.Field{Max: f.Limits.FieldBytes}
	for t.err == nil && t.s.Have(1) {
		at := t.s.Line()
		line.Text, line.Cut = line.Text[:0], false
		t.s.LineInto(&line)
		t.readLine(at, string(line.Text))
	}
	if t.err != nil {
		return TAP, t.err
	}
	t.endDocument()
	if t.failed > 0 && f.failing == 0 {
		f.Notices.Block("hidden-failure", 0, "the report counts %d failures and shows none", t.failed)
	}
	return TAP, t.err
}

func (t *tapReader) readLine(at int, whole string) {
	whole = strings.TrimRight(strings.ReplaceAll(whole, "\t", "    "), " \r")
	body := strings.TrimLeft(whole, " ")
	indent := len(whole) - len(body)
	switch {
	case t.yaml >= 0:
		t.readDiagnostic(indent, body, whole)
	case body == "":
	case body == "---" && t.last != nil:
		t.yaml = indent
	case strings.HasPrefix(body, "Bail out!"):
		t.bailed = true
		t.feed.Notices.Block("bail", at, "the run was given up: %s", text.Cut(identity.Clean(body), input.MaxMessage))
	case strings.HasPrefix(body, "TAP version ") && indent == 0:
		t.endDocument()
	case indent%tapIndent == 0 && t.readStructure(at, indent/tapIndent, body):
	case strings.HasPrefix(body, "#") && t.last != nil && t.last.isFailing():
		t.addLine(strings.TrimPrefix(strings.TrimPrefix(body, "#"), " "))
	}
	if m := tapMatch(failTotal, whole, "# fail"); m != nil {
		t.failed += input.IntOrZero(m[1])
	}
}

// readStructure reads plans, test points and the end of a buffered subtest.
func (t *tapReader) readStructure(at, depth int, body string) bool {
	if depth >= t.feed.Limits.Depth {
		return false
	}
	if m := tapMatch(tapPlan, body, "1.."); m != nil {
		l := t.openLevel(depth)
		if l.plan >= 0 && depth == 0 {
			t.endDocument() // reports one behind the other
			l = t.openLevel(depth)
		}
		l.plan = input.IntOrZero(m[1])
		return true
	}
	if body == "}" && depth < len(t.levels) && t.levels[depth].buffered != nil {
		l := t.levels[depth]
		point := l.buffered
		l.buffered = nil
		t.addPoint(depth, point)
		return true
	}
	m := tapMatch(tapPoint, body, "ok", "not ok")
	if m == nil {
		return false
	}
	inner := strings.HasSuffix(m[3], " {")
	m[3] = strings.TrimSuffix(m[3], " {")
	point := t.newTest(at, m)
	if inner {
		t.openLevel(depth).buffered = point
	} else {
		t.addPoint(depth, point)
	}
	return true
}

// openLevel returns the level at depth, opening those that are missing.
func (t *tapReader) openLevel(depth int) *tapLevel {
	for len(t.levels) <= depth {
		around := t.levels[len(t.levels)-1].group
		t.levels = append(t.levels, &tapLevel{plan: -1, group: &tapGroup{around: around}})
	}
	return t.levels[depth]
}

// addPoint adds a test point at depth. The subtests before it are its own. They count
// instead of it, unless it fails and none of them does.
func (t *tapReader) addPoint(depth int, point *tapTest) {
	l := t.openLevel(depth)
	if depth == 0 {
		t.flushTests()
	}
	l.count++
	t.last, point.group = point, l.group
	if len(t.levels) > depth+1 {
		t.levels[depth+1].group.title = point.title
	}
	inner := t.closeAbove(depth)
	failing := false
	for _, child := range inner {
		if input.StatusOf(point.status) == engine.StatusSkipped && child.isFailing() {
			child.status, child.details = point.status, point.details
		}
		failing = failing || child.isFailing()
	}
	l.tests = append(l.tests, inner...)
	if len(inner) == 0 || point.isFailing() && !failing {
		l.tests = append(l.tests, point)
	}
	if n := t.feed.Rows + len(l.tests); n > t.feed.Limits.Cases {
		t.err = t.feed.Stop(int(point.line), "the file holds more than %d test cases; the rest was not read", t.feed.Limits.Cases)
	}
}

// closeAbove closes the levels above depth and returns their tests.
func (t *tapReader) closeAbove(depth int) []*tapTest {
	var tests []*tapTest
	for len(t.levels) > depth+1 {
		top := t.levels[len(t.levels)-1]
		t.levels[len(t.levels)-1] = nil // so that its tests can be collected one by one
		t.levels = t.levels[:len(t.levels)-1]
		t.checkPlan(top, "a subtest")
		tests = append(top.tests, tests...)
		if top.buffered != nil {
			tests = append(tests, top.buffered)
		}
	}
	return tests
}

func (t *tapReader) checkPlan(l *tapLevel, what string) {
	switch {
	case t.bailed:
	case l.plan < 0 && (l.count > 0 || what == "the report"):
		t.feed.Notices.Miss("truncated", t.s.Line(), "%s has no plan (1..N): it is truncated or the run did not end", what)
	case l.plan >= 0 && l.plan != l.count:
		t.feed.Notices.Miss("plan", t.s.Line(), "%s plans %d tests and holds %d", what, l.plan, l.count)
	}
}

// endDocument ends one TAP document. Subtests that no point follows count too.
func (t *tapReader) endDocument() {
	file := t.levels[0]
	if file.buffered != nil {
		point := file.buffered
		file.buffered = nil
		t.addPoint(0, point)
		t.feed.Notices.Miss("truncated", t.s.Line(), "a subtest is not closed; the report is truncated")
	}
	if rest := t.closeAbove(0); len(rest) > 0 {
		t.feed.Notices.Miss("subtest", t.s.Line(), "a subtest has no result of its own; the report is truncated")
		file.tests = append(file.tests, rest...)
	}
	if file.plan >= 0 || file.count > 0 || t.s.AtEOF() {
		t.checkPlan(file, "the report")
	}
	t.flushTests()
	t.levels, t.last, t.yaml = []*tapLevel{{plan: -1}}, nil, -1
}

// flushTests hands on the tests of the file's level.
func (t *tapReader) flushTests() {
	l := t.levels[0]
	for i, test := range l.tests {
		if t.err != nil {
			break
		}
		t.err = t.addTest(test)
		l.tests[i] = nil
	}
	l.tests = l.tests[:0]
}

// readDiagnostic reads a line of a YAML block.
func (t *tapReader) readDiagnostic(indent int, body, text string) {
	if body == "..." && indent <= t.yaml {
		t.yaml = -1
		return
	}
	key, value, found := strings.Cut(body, ":")
	value = strings.Trim(strings.TrimSpace(value), `'"`)
	switch top := indent == t.yaml; {
	case top && found && key == "duration_ms":
		t.last.duration, _ = strconv.ParseFloat(value, 64)
		return
	case top && found && key == "location":
		t.detailsOf(t.last).at = strings.Clone(value)
		return
	case top && found && (key == "error" || key == "message") && value != "" && !strings.HasPrefix(value, "|") && !strings.HasPrefix(value, ">"):
		t.detailsOf(t.last).message = strings.Clone(value)
	}
	if t.last.isFailing() {
		t.addLine(text[min(t.yaml, indent):])
	}
}

// addLine adds a line to the failure text of the last test point.
func (t *tapReader) addLine(line string) {
	details := t.detailsOf(t.last)
	t.feed.growField(&details.text)
	t.feed.appendText(&details.text, line+"\n")
}

// addTest hands on one test. The points that it is a subtest of are its suites.
func (t *tapReader) addTest(test *tapTest) error {
	status, details := input.StatusOf(test.status), cmp.Or(test.details, &tapDetails{})
	a := engine.Attempt{Status: status, Message: input.FirstLine("", details.reason)}
	if status.Failing() {
		a = input.NewAttempt(status, 0, "", details.message, string(details.text.Text))
	}
	a.DurationMS = input.Milliseconds(min(max(test.duration/1e3, 0), input.MaxSeconds))
	e := Test{Name: test.title, Attempts: []engine.Attempt{a}}
	var suites []string
	for g := test.group; g != nil; g = g.around {
		if g.title != "" {
			suites = append(suites, g.title)
		}
	}
	slices.Reverse(suites)
	if len(suites) > 0 {
		e.Suite.Name = suites[len(suites)-1]
	}
	e.Suite.Path = strings.Join(suites, identity.Separator)
	if m := positionPattern.FindStringSubmatch(details.at); m != nil {
		e.At = location.PlaceOf(location.Relative(m[1], t.feed.Root), m[2])
	}
	return t.feed.addTest(int(test.line), e)
}

// positionPattern matches "file:line:column".
var positionPattern = lazyregexp.New(`^(.+?):(\d{1,7})(?::\d+)?$`)

var (
	directive  = lazyregexp.New(`(?i)(?:^|[^\\])#\s*(skip|todo)\S*\s*(.*)$`)
	tapTiming  = lazyregexp.New(`\s*#\s*(?:time=[\d.]+m?s|in [\d.]+ ?m?s(?:ec)?)\s*$|\s+in \d+ ?ms$`)
	tapEscapes = strings.NewReplacer(`\#`, "#", `\\`, `\`)
)

// tapMatch matches body where it begins with one of beginnings, as whatever the pattern
// matches does: a regular expression costs more than all else on a line.
func tapMatch(pattern *lazyregexp.Regexp, body string, beginnings ...string) []string {
	if slices.ContainsFunc(beginnings, func(beginning string) bool { return strings.HasPrefix(body, beginning) }) {
		return pattern.FindStringSubmatch(body)
	}
	return nil
}

// tapTitle cuts the duration off what follows a point's number. directed is the match
// of a directive in the title, nil without one.
func tapTitle(text string) (title string, directed []int) {
	if strings.HasSuffix(text, "ms") || strings.Contains(text, "#") {
		text = tapTiming.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "#") {
		directed = directive.FindStringSubmatchIndex(text)
	}
	return text, directed
}

// newTest returns the test point that tapPoint matched as m.
func (t *tapReader) newTest(at int, m []string) *tapTest {
	point, status := &tapTest{line: int32(at)}, engine.StatusPassed
	if m[1] != "" {
		status = engine.StatusFailed
	}
	title, d := tapTitle(m[3])
	if d != nil {
		t.detailsOf(point).reason = strings.Clone(title[d[4]:d[5]])
		todo := strings.EqualFold(title[d[2]:d[3]], "todo")
		title = title[:strings.LastIndexByte(title[:d[2]], '#')]
		if todo || status == engine.StatusPassed {
			status = engine.StatusSkipped
		}
	}
	title = identity.Clean(tapEscapes.Replace(strings.TrimSuffix(title, " -")))
	if title == "" {
		title = "test " + m[2]
	}
	point.title, point.status = strings.Clone(title), input.StatusCode(status)
	return point
}
