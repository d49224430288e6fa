package junit

import (
	"cmp"
	"errors"
	"path"
	"strconv"
	"strings"

	gojunit "github.com/joshdk/go-junit"

	"github.com/breadcrumb/action/engine"
)

// builder turns go-junit's test cases into results.
type builder struct {
	report string
	root   string
	suites *[]*suite
	files  map[string]string // relative forms of paths already seen
	class  string            // last class name, shared between cases
}

// Case is one <testcase> row as the report has it.
type Case struct {
	Result     int           // index of its result, see File.Result
	File       string        // the case's file attribute as reported, may be empty
	Status     engine.Status // status of the row
	DurationMS float64
	Flaky      int // attempts that failed before the row passed
	Reruns     int // further failed attempts of a failing row
}

// CaseNames returns suite path, class and name of row i as the report has them.
// Rows of one identity can differ in what identity leaves out.
func (f *File) CaseNames(i int) (suite, class, name string) { return f.packed.rowNames(i) }

// row is a case with the result it alone would give.
type row struct {
	number int
	runner Runner
	shared Case
	result engine.TestResult
}

var errLost = errors.New("normalised report lost a test case's facts")

// build reads back what the adapter wrote into t's properties.
func (b *builder) build(t gojunit.Test) (row, error) {
	facts := t.Properties
	number, err1 := strconv.Atoi(facts[attrRow])
	index, err2 := strconv.Atoi(facts[attrSuite])
	if err1 != nil || err2 != nil || index < 0 || index >= len(*b.suites) || (*b.suites)[index] == nil {
		return row{}, errLost
	}
	s := (*b.suites)[index]
	if t.Classname == b.class {
		t.Classname = b.class
	}
	b.class = t.Classname
	r := row{number: number, runner: s.runnerOf(t.Classname, t.Name, facts[attrFile])}
	r.shared = Case{
		File:       facts[attrFile],
		Status:     engine.Status(t.Status),
		DurationMS: milliseconds(t.Duration.Seconds()),
		Flaky:      atoi(facts[attrFlaky]),
		Reruns:     atoi(facts[attrReruns]),
	}
	r.result = engine.TestResult{
		Suite: s.path, Class: t.Classname, Name: t.Name, Report: b.report,
		Attempts:   attempts(t),
		Properties: properties(facts),
	}
	if attached := facts[attrAttached]; attached != "" {
		r.result.Attachments = strings.Split(attached, "\n")
	}
	b.identify(&r, s, facts)
	return r, nil
}

// identify sets environment, file, line and identity.
func (b *builder) identify(r *row, s *suite, facts map[string]string) {
	res := &r.result
	n := names{runner: r.runner, suites: s.path, suite: s.name, class: res.Class, name: res.Name}
	if r.runner == RunnerPlaywright {
		res.Environment = s.host
		n.env = s.host
	}
	reported, line := cutPosition(cmp.Or(r.shared.File, s.file, scriptName(s, res.Class)), facts[attrLine])
	n.file = b.relative(reported)
	if n.file == "" && reported != "" {
		n.fileBase = path.Base(strings.ReplaceAll(reported, `\`, "/"))
	}
	res.ID = n.identity()
	res.File, res.Line = n.file, max(atoi(strings.TrimSpace(line)), 0)
	if r.runner == RunnerPytest && res.Line > 0 {
		res.Line++ // pytest counts lines from 0
	}
	if line := atoi(strings.TrimSpace(facts[attrAtLine])); res.Line == 0 && line > 0 {
		res.File, res.Line = cmp.Or(b.relative(facts[attrAtFile]), res.File), line
	}
	if res.Line == 0 || res.File == "" {
		res.Line = 0
		b.locate(res, n)
	}
}

// scriptName returns the suite or class that is a test file's name, as
// JavaScript reporters write it; "" where none is.
func scriptName(s *suite, class string) string {
	for _, name := range []string{s.name, class} {
		if scriptFile(name) && testFile.MatchString(slashed(name)) {
			return name
		}
	}
	return ""
}

// locate fills file and line from the failure where the report's attributes
// leave them open.
func (b *builder) locate(res *engine.TestResult, n names) {
	own := cmp.Or(res.File, n.fileBase)
	if own == "" && n.runner == RunnerPytest && n.class != "" {
		own, _, _ = strings.Cut(n.pytest(), "::")
		res.File = b.relative(own)
	}
	search := tracer{root: b.root, own: own, class: n.class}
	for i := len(res.Attempts) - 1; i >= 0; i-- {
		a := res.Attempts[i]
		if !a.Status.Failing() {
			continue
		}
		p := search.find(a.Text)
		if p.file == "" {
			p = search.find(a.Message)
		}
		if p.file == "" || own != "" && !samePlace(p.file, own) {
			continue
		}
		if len(p.file) >= len(res.File) {
			res.File = p.file
		}
		res.Line = p.line
		return
	}
}

func (b *builder) relative(file string) string {
	if file == "" {
		return ""
	}
	rel, known := b.files[file]
	if !known {
		if len(b.files) > 10_000 {
			clear(b.files)
		}
		rel = relative(file, b.root)
		b.files[file] = rel
	}
	return rel
}

// attempts returns the attempts in execution order; a test that passed ends in
// a passing one.
func attempts(t gojunit.Test) []engine.Attempt {
	facts := t.Properties
	n, decider := atoi(facts[attrAttempts]), -1
	if n > 0 {
		decider = atoi(facts[attrDecider])
	}
	out := make([]engine.Attempt, 0, n+1)
	for i := range n {
		if i == decider {
			a := deciding(t)
			if d := facts[attemptAttr(i, "d")]; d != "" && t.Duration == 0 {
				a.DurationMS = milliseconds(seconds(d))
			}
			out = append(out, a)
			continue
		}
		out = append(out, attempt(
			engine.Status(facts[attemptAttr(i, "s")]), seconds(facts[attemptAttr(i, "d")]),
			facts[attemptAttr(i, "t")], facts[attemptAttr(i, "m")], facts[attemptAttr(i, "x")],
		))
	}
	if decider < 0 {
		out = append(out, engine.Attempt{Status: engine.Status(t.Status), DurationMS: milliseconds(t.Duration.Seconds())})
	}
	return out
}

// deciding returns the attempt that go-junit read from the case's child.
func deciding(t gojunit.Test) engine.Attempt {
	var failure gojunit.Error
	errors.As(t.Error, &failure)
	return attempt(engine.Status(t.Status), t.Duration.Seconds(), failure.Type, t.Message, failure.Body)
}

func attempt(status engine.Status, seconds float64, typ, message, text string) engine.Attempt {
	text = strings.Trim(stripANSI(text), "\n")
	return engine.Attempt{
		Status:     status,
		DurationMS: milliseconds(seconds),
		ErrorType:  shorten(clean(typ), messageMax),
		Message:    firstLine(message, text),
		Text:       text,
	}
}

func properties(facts map[string]string) map[string]string {
	n := atoi(facts[attrProps])
	if n == 0 {
		return nil
	}
	out := make(map[string]string, n)
	for i := range n {
		name, value := facts[propertyAttr(i, "n")], facts[propertyAttr(i, "v")]
		if earlier, twice := out[name]; twice && earlier != value {
			value = earlier + "\n" + value
		}
		out[name] = value
	}
	return out
}

// milliseconds rounds to the microsecond, the precision go-junit keeps.
func milliseconds(seconds float64) float64 {
	return float64(int64(seconds*1e6+0.5)) / 1e3
}

// atoi reads a number; 0 where there is none.
func atoi(text string) int {
	v, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return v
}
