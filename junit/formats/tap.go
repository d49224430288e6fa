package formats

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
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
	last   *tapTest    // what diagnostics belong to
	yaml   int         // indent of the open YAML block, -1 where there is none
	failed int         // what a trailing "# fail N" counts
	bailed bool
	err    error
}

// tapLevel is the file or an open subtest.
type tapLevel struct {
	plan, count int // plan is -1 until it is seen
	tests       []*tapTest
	braced      *tapTest  // the point that opened a buffered subtest with {
	group       *tapGroup // nil for the file
}

// tapGroup is the subtests of one point, which ends behind them.
type tapGroup struct {
	title  string
	around *tapGroup
}

// tapTest is one test point without subtests of its own. It is small: all
// subtests are held until their point.
type tapTest struct {
	title    string
	group    *tapGroup
	said     *tapText // what few tests have more
	duration float64
	line     int32
	status   uint8
}

type tapText struct {
	reason, message, at string // reason is of the directive
	text                scan.Field
}

func (t *tapTest) failing() bool { return input.StatusOf(t.status).Failing() }

// tapTextCost is what a tapText takes beside its texts, in bytes.
const tapTextCost = 128

// more returns what point says, to be changed; what may be kept of texts pays
// for it. It is nil where that is used up.
func (t *tapReader) more(point *tapTest) *tapText {
	if point.said == nil && t.feed.TextLeft <= 0 {
		t.feed.DropTexts(t.s.Line)
		return nil
	}
	if point.said == nil {
		t.feed.TextLeft -= tapTextCost
		point.said = &tapText{}
	}
	return point.said
}

var (
	tapPoint  = regexp.MustCompile(`^(not )?ok\b(?:[ \t]+(\d{1,9})\b)?[ \t]*(?:-[ \t]+|-$)?(.*)$`)
	tapPlan   = regexp.MustCompile(`^1\.\.(\d{1,9})\s*(?:#.*)?$`)
	failTotal = regexp.MustCompile(`^# fail(?:ed)?:?\s+(\d{1,9})\b`)
)

func readTAP(f *Feed) (string, error) {
	t := &tapReader{feed: f, s: f.Scan, yaml: -1, levels: []*tapLevel{{plan: -1}}}
	line := scan.Field{Max: f.Limits.FieldBytes}
	for t.err == nil && t.s.Have(1) {
		at := t.s.Line
		line.Text, line.Cut = line.Text[:0], false
		t.s.LineInto(&line)
		t.line(at, string(line.Text))
	}
	if t.err != nil {
		return TAP, t.err
	}
	t.document()
	if t.failed > 0 && f.failing == 0 {
		f.Notices.Blockf("hidden-failure", 0, "the report counts %d failures and shows none", t.failed)
	}
	return TAP, t.err
}

func (t *tapReader) line(at int, whole string) {
	whole = strings.TrimRight(strings.ReplaceAll(whole, "\t", "    "), " \r")
	body := strings.TrimLeft(whole, " ")
	indent := len(whole) - len(body)
	switch {
	case t.yaml >= 0:
		t.diagnostic(indent, body, whole)
	case body == "":
	case body == "---" && t.last != nil:
		t.yaml = indent
	case strings.HasPrefix(body, "Bail out!"):
		t.bailed = true
		t.feed.Notices.Block("bail", at, "the run was given up: "+text.Cut(identity.Clean(body), input.MaxMessage))
	case strings.HasPrefix(body, "TAP version ") && indent == 0:
		t.document()
	case indent%tapIndent == 0 && t.structure(at, indent/tapIndent, body):
	case strings.HasPrefix(body, "#") && t.last != nil && t.last.failing():
		t.keep(strings.TrimPrefix(strings.TrimPrefix(body, "#"), " "))
	}
	if strings.HasPrefix(whole, "# fail") {
		if m := failTotal.FindStringSubmatch(whole); m != nil {
			t.failed += input.IntOrZero(m[1])
		}
	}
}

// structure reads plans, test points and the end of a buffered subtest.
func (t *tapReader) structure(at, depth int, body string) bool {
	if depth >= t.feed.Limits.Depth {
		return false
	}
	if m := tapMatch(tapPlan, body, "1.."); m != nil {
		l := t.level(depth)
		if l.plan >= 0 && depth == 0 {
			t.document() // reports one behind the other
			l = t.level(depth)
		}
		l.plan = input.IntOrZero(m[1])
		return true
	}
	if body == "}" && depth < len(t.levels) && t.levels[depth].braced != nil {
		l := t.levels[depth]
		point := l.braced
		l.braced = nil
		t.point(depth, point)
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
		t.level(depth).braced = point
	} else {
		t.point(depth, point)
	}
	return true
}

// level returns the level at depth, opening those that are missing.
func (t *tapReader) level(depth int) *tapLevel {
	for len(t.levels) <= depth {
		around := t.levels[len(t.levels)-1].group
		t.levels = append(t.levels, &tapLevel{plan: -1, group: &tapGroup{around: around}})
	}
	return t.levels[depth]
}

// point adds a test point at depth. Subtests before it are its own: they stand
// for it, unless it fails and none of them does.
func (t *tapReader) point(depth int, point *tapTest) {
	l := t.level(depth)
	if depth == 0 {
		t.flush()
	}
	l.count++
	t.last, point.group = point, l.group
	if len(t.levels) > depth+1 {
		t.levels[depth+1].group.title = point.title
	}
	inner := t.closeAbove(depth)
	failing := false
	for _, child := range inner {
		if input.StatusOf(point.status) == engine.StatusSkipped && child.failing() {
			child.status, child.said = point.status, point.said
		}
		failing = failing || child.failing()
	}
	l.tests = append(l.tests, inner...)
	if len(inner) == 0 || point.failing() && !failing {
		l.tests = append(l.tests, point)
	}
	if n := t.feed.Rows + len(l.tests); n > t.feed.Limits.Cases {
		t.err = t.feed.Stop(int(point.line), fmt.Sprintf("the file holds more than %d test cases; the rest was not read", t.feed.Limits.Cases))
	}
}

// closeAbove closes the levels above depth and returns their tests.
func (t *tapReader) closeAbove(depth int) []*tapTest {
	var tests []*tapTest
	for len(t.levels) > depth+1 {
		top := t.levels[len(t.levels)-1]
		t.levels[len(t.levels)-1] = nil // its tests are let go of one by one
		t.levels = t.levels[:len(t.levels)-1]
		t.checkPlan(top, "a subtest")
		tests = append(top.tests, tests...)
		if top.braced != nil {
			tests = append(tests, top.braced)
		}
	}
	return tests
}

func (t *tapReader) checkPlan(l *tapLevel, what string) {
	switch {
	case t.bailed:
	case l.plan < 0 && (l.count > 0 || what == "the report"):
		t.feed.Notices.Block("truncated", t.s.Line, what+" has no plan (1..N): it is truncated or the run did not end")
	case l.plan >= 0 && l.plan != l.count:
		t.feed.Notices.Blockf("plan", t.s.Line, "%s plans %d tests and holds %d", what, l.plan, l.count)
	}
}

// document ends one TAP document. Subtests without a point of their own count.
func (t *tapReader) document() {
	file := t.levels[0]
	if file.braced != nil {
		point := file.braced
		file.braced = nil
		t.point(0, point)
		t.feed.Notices.Block("truncated", t.s.Line, "a subtest is not closed; the report is truncated")
	}
	if rest := t.closeAbove(0); len(rest) > 0 {
		t.feed.Notices.Block("subtest", t.s.Line, "a subtest has no result of its own; the report is truncated")
		file.tests = append(file.tests, rest...)
	}
	if file.plan >= 0 || file.count > 0 || t.s.AtEOF() {
		t.checkPlan(file, "the report")
	}
	t.flush()
	t.levels, t.last, t.yaml = []*tapLevel{{plan: -1}}, nil, -1
}

// flush hands on the tests of the file's level.
func (t *tapReader) flush() {
	l := t.levels[0]
	for i, test := range l.tests {
		if t.err != nil {
			break
		}
		t.err = t.add(test)
		l.tests[i] = nil
	}
	l.tests = l.tests[:0]
}

// diagnostic reads a line of a YAML block.
func (t *tapReader) diagnostic(indent int, body, text string) {
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
		if said := t.more(t.last); said != nil {
			said.at = strings.Clone(value)
		}
		return
	case top && found && (key == "error" || key == "message") && value != "" && !strings.HasPrefix(value, "|") && !strings.HasPrefix(value, ">"):
		if said := t.more(t.last); said != nil {
			said.message = strings.Clone(value)
		}
	}
	if t.last.failing() {
		t.keep(text[min(t.yaml, indent):])
	}
}

// keep adds a line to the failure text of the last test point.
func (t *tapReader) keep(line string) {
	said := t.more(t.last)
	if said == nil {
		return
	}
	t.feed.grow(&said.text)
	t.feed.append(&said.text, line+"\n")
}

// enter hands on one test: its subtests are suites.
func (t *tapReader) add(test *tapTest) error {
	status, said := input.StatusOf(test.status), test.said
	if said == nil {
		said = &tapText{}
	}
	a := engine.Attempt{Status: status, Message: text.Cut(identity.Clean(said.reason), input.MaxMessage)}
	if status.Failing() {
		a = input.NewAttempt(status, 0, "", said.message, string(said.text.Text))
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
	if file, line, found := strings.Cut(positionOf(said.at), "\n"); found {
		e.At = location.PlaceOf(location.Relative(file, t.feed.Root), line)
	}
	return t.feed.add(int(test.line), e)
}

var positionPattern = regexp.MustCompile(`^(.+?):(\d{1,7})(?::\d+)?$`)

// positionOf cuts "file:line:column" into file and line, on two lines.
func positionOf(at string) string {
	m := positionPattern.FindStringSubmatch(at)
	if m == nil {
		return ""
	}
	return m[1] + "\n" + m[2]
}

var (
	directive  = regexp.MustCompile(`(?i)(?:^|[^\\])#\s*(skip|todo)\S*\s*(.*)$`)
	tapTiming  = regexp.MustCompile(`\s*#\s*(?:time=[\d.]+m?s|in [\d.]+ ?m?s(?:ec)?)\s*$|\s+in \d+ ?ms$`)
	tapEscapes = strings.NewReplacer(`\#`, "#", `\\`, `\`)
)

// tapMatch matches body, unless it begins with none of what the pattern begins
// with: an expression costs more than all the rest of a line.
func tapMatch(pattern *regexp.Regexp, body string, beginnings ...string) []string {
	for _, beginning := range beginnings {
		if strings.HasPrefix(body, beginning) {
			return pattern.FindStringSubmatch(body)
		}
	}
	return nil
}

// tapTitle cuts a duration off what follows a point's number, and finds a
// directive in the rest: nil, or the places of its word and reason.
func tapTitle(text string) (title string, directed []int) {
	if strings.HasSuffix(text, "ms") || strings.Contains(text, "#") {
		text = tapTiming.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "#") {
		directed = directive.FindStringSubmatchIndex(text)
	}
	return text, directed
}

func (t *tapReader) newTest(at int, m []string) *tapTest {
	point, status := &tapTest{line: int32(at)}, engine.StatusPassed
	if m[1] != "" {
		status = engine.StatusFailed
	}
	title, d := tapTitle(m[3])
	if d != nil {
		if said := t.more(point); said != nil {
			said.reason = strings.Clone(title[d[4]:d[5]])
		}
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
