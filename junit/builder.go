package junit

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/redact"
	"github.com/breadcrumb/action/junit/formats"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/junitxml"
	"github.com/breadcrumb/action/junit/location"
	"github.com/breadcrumb/action/junit/results"
)

// builder turns test cases into rows. It remembers what neighbouring test cases
// mostly share.
type builder struct {
	report string
	root   string
	files  map[string]string // relative forms of paths already seen
	class  string            // last class name
	file   string            // last reported file
	script string            // last suite or class that was a test file's name
	namer  identity.Namer

	texts, messages location.Cache
	attempts        []engine.Attempt // memory of attemptsOf
}

// row is a case with the result that it would give alone.
type row struct {
	number int
	line   int // where it begins in the report
	runner identity.Runner
	shared results.Case
	result engine.TestResult
	unrun  bool // it was not run, and no annotation says that it should not
}

// fromXML returns the row of c, which ended with a status.
func (b *builder) fromXML(status engine.Status, c *junitxml.Case, v junitxml.Verdict) row {
	s := c.Suite
	name, seconds := string(c.Name.Text), c.Seconds()
	if string(c.Class.Text) != b.class {
		b.class = string(c.Class.Text)
	}
	if string(c.File.Text) != b.file {
		b.file = string(c.File.Text)
	}
	r := row{number: c.Row, line: c.Line, runner: s.RunnerOf(b.class, name, b.file)}
	r.shared = results.Case{
		File:       b.file,
		Status:     status,
		DurationMS: input.Milliseconds(seconds),
		Flaky:      v.Flaky,
		Reruns:     v.Reruns,
	}
	r.result = engine.TestResult{
		Suite: s.Path, Class: b.class, Name: name, Report: b.report,
		Attempts:    b.attemptsOf(status, seconds, v, c.Waited),
		Properties:  joinProperties(c.Properties),
		Attachments: c.Attached,
	}
	r.unrun = r.runner == identity.RunnerPlaywright && r.shared.Status == engine.StatusSkipped && !c.Annotated
	at := reportedPlace{line: string(c.LineNo.Text)}
	if i := slices.IndexFunc(c.Findings, func(f *junitxml.Finding) bool { return len(f.Line.Text) > 0 }); i >= 0 {
		at.failureFile, at.failureLine = string(c.Findings[i].File.Text), string(c.Findings[i].Line.Text)
	}
	b.identify(&r, &s.Suite, s.File, at)
	return r
}

// fromFormat returns the row of a test that another format than XML holds.
func (b *builder) fromFormat(number, line int, t formats.Test) row {
	final := t.Attempts[len(t.Attempts)-1]
	r := row{number: number, line: line, runner: t.Suite.RunnerOf(t.Class, t.Name, t.File), unrun: t.Unrun}
	r.shared = results.Case{File: t.File, Status: cmp.Or(t.Status, final.Status), DurationMS: final.DurationMS}
	before := &r.shared.Flaky
	if final.Status.Failing() {
		before = &r.shared.Reruns
	}
	for _, a := range t.Attempts[:len(t.Attempts)-1] {
		if a.Status.Failing() {
			*before++
		}
	}
	r.result = engine.TestResult{
		Suite: t.Suite.Path, Class: t.Class, Name: t.Name, Report: b.report,
		Attempts: t.Attempts, Attachments: t.Attachments,
	}
	b.identify(&r, &t.Suite, "", reportedPlace{})
	if t.At.File != "" && (r.result.Line == 0 || location.SameFile(r.result.File, t.At.File)) {
		r.result.File = t.At.File
		if r.result.Line == 0 {
			r.result.Line = t.At.Line
		}
	}
	return r
}

// reportedPlace is what attributes say of where a test and its failure are.
type reportedPlace struct{ line, failureFile, failureLine string }

// identify sets environment, file, line and identity. The test stands in suite s,
// which suiteFile names as its file.
func (b *builder) identify(r *row, s *identity.Suite, suiteFile string, at reportedPlace) {
	res := &r.result
	n := identity.Names{Runner: r.runner, Suite: s, Class: res.Class, Name: res.Name}
	res.Environment = n.Environment()
	file := cmp.Or(r.shared.File, suiteFile)
	if file == "" {
		file = b.scriptName(s, res.Class)
	}
	reported, line := location.CutLine(file, at.line)
	n.File = b.relativePath(reported)
	if n.File == "" && reported != "" {
		n.Outside = path.Base(strings.ReplaceAll(reported, `\`, "/"))
	}
	res.ID = b.namer.Identity(&n)
	res.File, res.Line = n.File, max(input.IntOrZero(strings.TrimSpace(line)), 0)
	if r.runner == identity.RunnerPytest && res.Line > 0 {
		res.Line++ // pytest counts lines from 0
	}
	if line := input.IntOrZero(strings.TrimSpace(at.failureLine)); res.Line == 0 && line > 0 {
		res.File, res.Line = cmp.Or(b.relativePath(at.failureFile), res.File), line
	}
	if res.Line == 0 || res.File == "" {
		res.Line = 0
		b.locateFailure(res, &n)
	}
}

// scriptName returns the suite or class that is the name of a test file, as
// JavaScript reporters and Pester write it; "" where none is.
func (b *builder) scriptName(s *identity.Suite, class string) string {
	for _, name := range [...]string{s.Name, class} {
		if name != "" && name == b.script || location.IsTestScript(name) || location.IsSourcePath(name) {
			b.script = name
			return name
		}
	}
	return ""
}

// locateFailure takes file and line from the failure's text where no attribute of the
// report names them.
func (b *builder) locateFailure(res *engine.TestResult, n *identity.Names) {
	own := cmp.Or(res.File, n.Outside)
	if own == "" && n.Runner == identity.RunnerPytest && n.Class != "" {
		own = b.namer.PytestFile(n)
		res.File = b.relativePath(own)
	}
	search := location.Search{Root: b.root, Own: own, Class: n.Class}
	for _, a := range slices.Backward(res.Attempts) {
		if !a.Status.Failing() {
			continue
		}
		p := b.texts.Find(search, a.Text)
		if p.File == "" {
			p = b.messages.Find(search, a.Message)
		}
		if p.File == "" || own != "" && !location.SameFile(p.File, own) {
			continue
		}
		if len(p.File) >= len(res.File) {
			res.File = p.File
		}
		res.Line = p.Line
		return
	}
}

func (b *builder) relativePath(file string) string {
	if file == "" {
		return ""
	}
	rel, known := b.files[file]
	if !known {
		if len(b.files) > 10_000 {
			clear(b.files)
		}
		rel = location.Relative(file, b.root)
		b.files[file] = rel
	}
	return rel
}

// attemptsOf returns the attempts in the order in which they ran; those of a test
// that passed end in a passing one. They are valid until the next call. What the test's
// output says was waited for is of the attempt that decides.
func (b *builder) attemptsOf(status engine.Status, took float64, v junitxml.Verdict, waited string) []engine.Attempt {
	out := b.attempts[:0]
	for i, f := range v.Attempts {
		typ, message, body := string(f.Type.Text), string(f.Message.Text), string(f.Text.Text)
		own := input.SecondsOf(f.Seconds.Text)
		switch {
		case i != v.Decider:
			out = append(out, input.NewAttempt(f.Kind.Status(), own, typ, message, body))
		case status == engine.StatusSkipped:
			out = append(out, input.NewAttempt(status, cmp.Or(took, own), "", cmp.Or(message, body), ""))
		default:
			out = append(out, input.NewAttempt(status, cmp.Or(took, own), typ, message, body))
			f.Waited = cmp.Or(f.Waited, waited)
		}
		if last := &out[len(out)-1]; f.Waited != "" && last.Status.Failing() {
			input.SetWaited(last, f.Waited)
		}
	}
	if v.Decider < 0 {
		out = append(out, engine.Attempt{Status: status, DurationMS: input.Milliseconds(took)})
	}
	b.attempts = out
	return out
}

func joinProperties(all []*junitxml.Property) map[string]string {
	if len(all) == 0 {
		return nil
	}
	out := make(map[string]string, len(all))
	for _, p := range all {
		name, value := string(p.Name.Text), string(p.Value.Text)
		if value == "" {
			value = string(p.Text.Text)
		}
		if earlier, twice := out[name]; twice && earlier != value {
			value = earlier + "\n" + value
		}
		out[name] = redact.Property(name, value)
	}
	return out
}

// AddTest adds a test of a report that is no XML.
func (c *collector) AddTest(number, line int, t formats.Test) error {
	return c.addRow(c.builder.fromFormat(number, line, t))
}

// AddCase adds a test case of XML.
func (c *collector) AddCase(status engine.Status, read *junitxml.Case, v junitxml.Verdict) error {
	return c.addRow(c.builder.fromXML(status, read, v))
}
