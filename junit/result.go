package junit

import (
	"cmp"
	"errors"
	"path"
	"strconv"
	"strings"

	gojunit "github.com/joshdk/go-junit"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// builder turns go-junit's test cases into results.
type builder struct {
	report string
	root   string
	suites *[]*suite
	files  map[string]string // relative forms of paths already seen
	class  string            // last class name, shared between cases
	file   string            // last reported file
	script string            // last name of a test file
	namer  namer

	texts, messages traced
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
	line   int // where it begins in the report
	runner Runner
	shared Case
	result engine.TestResult
	unrun  bool // it was not run, and no annotation says that it should not
}

// build returns the row of c, which go-junit read as t.
func (b *builder) build(t gojunit.Test, c *openCase, v verdict) row {
	s := (*b.suites)[c.suite]
	name := string(c.name.b)
	if string(c.class.b) != b.class {
		b.class = string(c.class.b)
	}
	if string(c.file.b) != b.file {
		b.file = string(c.file.b)
	}
	r := row{number: c.row, line: c.line, runner: s.runnerOf(b.class, name, b.file)}
	r.shared = Case{
		File:       b.file,
		Status:     engine.Status(t.Status),
		DurationMS: milliseconds(c.seconds()),
		Flaky:      v.flaky,
		Reruns:     v.reruns,
	}
	r.result = engine.TestResult{
		Suite: s.path, Class: b.class, Name: name, Report: b.report,
		Attempts:    b.attempts(t, c, v),
		Properties:  properties(c.properties),
		Attachments: c.attached,
	}
	r.unrun = r.runner == RunnerPlaywright && r.shared.Status == engine.StatusSkipped && !c.annotated
	at := reportedPlace{line: string(c.lineNo.b)}
	if f := c.placed(); f != nil {
		at.failureFile, at.failureLine = string(f.file.b), string(f.line.b)
	}
	b.identify(&r, s, at)
	return r
}

// reportedPlace is what attributes say of where a test and its failure are.
type reportedPlace struct{ line, failureFile, failureLine string }

// identify sets environment, file, line and identity.
func (b *builder) identify(r *row, s *suite, at reportedPlace) {
	res := &r.result
	n := names{runner: r.runner, suites: s.path, suite: s.name, class: res.Class, name: res.Name}
	if r.runner == RunnerPlaywright {
		res.Environment = s.host
		n.env = s.host
	}
	file := cmp.Or(r.shared.File, s.file)
	if file == "" {
		file = b.scriptName(s, res.Class)
	}
	reported, line := cutPosition(file, at.line)
	n.file = b.relative(reported)
	if n.file == "" && reported != "" {
		n.fileBase = path.Base(strings.ReplaceAll(reported, `\`, "/"))
	}
	res.ID = b.namer.identity(n)
	res.File, res.Line = n.file, max(atoi(strings.TrimSpace(line)), 0)
	if r.runner == RunnerPytest && res.Line > 0 {
		res.Line++ // pytest counts lines from 0
	}
	if line := atoi(strings.TrimSpace(at.failureLine)); res.Line == 0 && line > 0 {
		res.File, res.Line = cmp.Or(b.relative(at.failureFile), res.File), line
	}
	if res.Line == 0 || res.File == "" {
		res.Line = 0
		b.locate(res, n)
	}
}

// scriptName returns the suite or class that is a test file's name, as
// JavaScript reporters write it; "" where none is.
func (b *builder) scriptName(s *suite, class string) string {
	for _, name := range [...]string{s.name, class} {
		if name != "" && name == b.script || scriptFile(name) && testFile.MatchString(slashed(name)) {
			b.script = name
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
		p := b.texts.find(search, a.Text)
		if p.file == "" {
			p = b.messages.find(search, a.Message)
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
func (b *builder) attempts(t gojunit.Test, c *openCase, v verdict) []engine.Attempt {
	out := make([]engine.Attempt, 0, len(v.attempts)+1)
	took := c.seconds()
	for i, f := range v.attempts {
		own := seconds(string(f.seconds.b))
		switch {
		case i != v.decider:
			out = append(out, attempt(f.kind.status(), own, string(f.typ.b), string(f.message.b), string(f.text.b)))
		case took == 0:
			out = append(out, deciding(t, own))
		default:
			out = append(out, deciding(t, took))
		}
	}
	if v.decider < 0 {
		out = append(out, engine.Attempt{Status: engine.Status(t.Status), DurationMS: milliseconds(took)})
	}
	return out
}

// deciding returns the attempt that go-junit read from the case's child.
func deciding(t gojunit.Test, took float64) engine.Attempt {
	failure, _ := errors.AsType[gojunit.Error](t.Error)
	return attempt(engine.Status(t.Status), took, failure.Type, t.Message, failure.Body)
}

func attempt(status engine.Status, seconds float64, typ, message, s string) engine.Attempt {
	s = strings.Trim(cleanText(s), "\n")
	return engine.Attempt{
		Status:     status,
		DurationMS: milliseconds(seconds),
		ErrorType:  text.Cut(clean(typ), messageMax),
		Message:    firstLine(message, s),
		Text:       s,
	}
}

func properties(all []*property) map[string]string {
	if len(all) == 0 {
		return nil
	}
	out := make(map[string]string, len(all))
	for _, p := range all {
		name, value := string(p.name.b), string(p.value.b)
		if value == "" {
			value = string(p.text.b)
		}
		if earlier, twice := out[name]; twice && earlier != value {
			value = earlier + "\n" + value
		}
		out[name] = value
	}
	return out
}

// milliseconds rounds to the microsecond, which is what is kept.
func milliseconds(seconds float64) float64 {
	return float64(int64(seconds*1e6+0.5)) / 1e3
}

// atoi reads a number; 0 where there is none.
func atoi(text string) int {
	if text == "" {
		return 0 // without an error to be made first
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return v
}
