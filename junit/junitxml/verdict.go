package junitxml

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/scan"
)

// Finding is a failure, error or skip inside a test case.
type Finding struct {
	Kind                   kind
	Message, Type, Seconds scan.Field
	File, Line             scan.Field
	Text                   scan.Field
	Waited                 string // as Case.Waited, of the attempt's own output
}

func (f *Finding) attributeField(name []byte) *scan.Field {
	switch string(name) {
	case "message":
		return &f.Message
	case "type":
		return &f.Type
	case "time":
		return &f.Seconds
	case "file":
		return &f.File
	case "line":
		return &f.Line
	}
	return nil
}

func (f *Finding) fields() [6]*scan.Field {
	return [...]*scan.Field{&f.Message, &f.Type, &f.Seconds, &f.File, &f.Line, &f.Text}
}

// newFinding returns a finding of a kind, with the memory of one that is no longer used.
func (d *Document) newFinding(k kind) *Finding {
	if len(d.unused) == 0 {
		return &Finding{Kind: k}
	}
	last := len(d.unused) - 1
	f := d.unused[last]
	d.unused = d.unused[:last]
	f.Kind = k
	return f
}

// startFinding begins a failure, error or skip of the innermost test case or, outside
// all test cases, of the suite.
func (d *Document) startFinding(e *element) (empty bool) {
	if len(d.cases) == 0 {
		d.pool = caseBytes
	}
	f := d.newFinding(e.kind)
	limit := d.Limits.FieldBytes
	if d.TextLeft <= 0 {
		limit = input.MaxMessage
	}
	for _, part := range f.fields() {
		*part = scan.Field{Text: part.Text[:0], Max: limit, Pool: &d.pool}
	}
	f.Waited = ""
	f.Text.Max = int(min(int64(limit), max(d.TextLeft, 0)))
	empty = d.Scan.Attributes(d.Limits.Attributes, f.attributeField)
	e.quiet, e.sink, e.finding = true, &f.Text, f
	if d.TextLeft <= 0 {
		e.sink = nil
		d.DropTexts(d.Scan.Line())
	}
	if len(d.cases) == 0 {
		e.ofSuite = true
		return empty
	}
	c := d.cases[len(d.cases)-1]
	if len(c.Findings) < d.Limits.Attempts {
		c.Findings = append(c.Findings, f)
		return empty
	}
	c.dropped++
	e.sink = nil
	if e.kind <= kindSkipped && input.Severity(e.kind.Status()) > input.Severity(c.worst) {
		c.worst = e.kind.Status()
	}
	return empty
}

// Verdict is how a test case ended.
type Verdict struct {
	status   engine.Status
	Attempts []*Finding // findings of its attempts, in the order in which they ran
	Decider  int        // index of the attempt with the status, -1 when the test passed
	Flaky    int        // attempts that failed before the last one passed
	todo     bool       // it failed and was declared to
	Reruns   int        // attempts that failed again after the failure
}

// judge decides how c ended: error outranks failure, which outranks skipped, whatever
// the order of the elements. Retries are read as Surefire writes them: flaky findings
// are attempts that failed before the last one passed, rerun findings are attempts
// that failed again after the failure itself.
func (c *Case) judge() Verdict {
	var flaky, reruns, main []*Finding
	var skipped *Finding
	for _, f := range c.Findings {
		switch f.Kind {
		case kindFlakyFailure, kindFlakyError:
			flaky = append(flaky, f)
		case kindRerunFailure, kindRerunError:
			reruns = append(reruns, f)
		case kindSkipped:
			skipped = f
		default:
			main = append(main, f)
		}
	}
	v := Verdict{Attempts: flaky, Decider: -1, Flaky: len(flaky), Reruns: len(reruns)}
	if v.todo = isTodo(skipped, main); v.todo {
		main = nil
	}
	if failing := c.failingAttempt(main, reruns, skipped != nil); failing != nil {
		v.Decider = len(v.Attempts)
		v.status = failing.Kind.Status()
		v.Attempts = append(v.Attempts, failing)
		if len(reruns) > 0 && reruns[0] == failing {
			reruns = reruns[1:]
		}
		v.Attempts = append(v.Attempts, reruns...)
		return v
	}
	v.status = engine.StatusPassed
	if status, _ := c.statusWord(); skipped == nil && status == engine.StatusSkipped {
		skipped = &Finding{Kind: kindSkipped}
	}
	if skipped != nil {
		v.status, v.Decider = engine.StatusSkipped, len(v.Attempts)
		v.Attempts = append(v.Attempts, skipped)
	}
	return v
}

// isTodo reports whether a test failed that is still to be done: node's runner, which
// passes it, writes both down. An error beside them is none of such a test.
func isTodo(skipped *Finding, main []*Finding) bool {
	return skipped != nil && string(skipped.Type.Text) == "todo" && len(main) > 0 &&
		!slices.ContainsFunc(main, func(f *Finding) bool { return f.Kind != kindFailure })
}

var failingKinds = map[engine.Status]kind{engine.StatusFailed: kindFailure, engine.StatusError: kindError}

// failingAttempt returns the attempt that fails the case: its failures and errors
// joined into one, else the worst one beyond the limit, else its first rerun, else
// what its status attribute says, unless a finding says that it was skipped. It
// returns nil when nothing fails it.
func (c *Case) failingAttempt(main, reruns []*Finding, skipped bool) *Finding {
	switch status, why := c.statusWord(); {
	case len(main) > 0:
		return joinFindings(main)
	case c.worst.Failing():
		return &Finding{Kind: failingKinds[c.worst]}
	case len(reruns) > 0:
		return reruns[0]
	case status.Failing() && !skipped:
		f := &Finding{Kind: failingKinds[status], Message: c.failure}
		if len(f.Message.Text) == 0 {
			f.Message.Text = []byte(why)
		}
		return f
	}
	return nil
}

// joinFindings returns the worst finding with the texts of the others added to its own, so
// that no failure of a test is lost.
func joinFindings(all []*Finding) *Finding {
	best := slices.MaxFunc(all, func(a, b *Finding) int { return cmp.Compare(a.Kind, b.Kind) })
	for _, f := range all {
		body := f.Text.Text
		if len(body) == 0 {
			body = f.Message.Text
		}
		if f != best && len(body) > 0 {
			best.Text.Write([]byte("\n\n"))
			best.Text.Write(body)
		}
	}
	return best
}

// statusWord returns the worse of what the status and result attributes say. A word that is
// not known is an error: whatever it says, it does not say that the test passed. why says
// which word it was.
func (c *Case) statusWord() (worst engine.Status, why string) {
	worst = engine.StatusPassed
	for _, f := range [...]*scan.Field{&c.status, &c.result} {
		if len(bytes.TrimSpace(f.Text)) == 0 {
			continue
		}
		switch s, known := input.StatusOfWord(string(f.Text)); {
		case !known && why == "":
			worst, why = engine.StatusError, "its status in the report is "+strconv.Quote(text.Cut(identity.Clean(string(f.Text)), 80))+", which says neither that it passed nor that it failed"
		case known && input.Severity(s) > input.Severity(worst):
			worst = s
		}
	}
	return worst, why
}
