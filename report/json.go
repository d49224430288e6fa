package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/engine/text"
)

// Schema names the form of the JSON report. A later version only adds keys to
// it; anything else gets a new name.
const Schema = "breadcrumb.report/v1"

// maxErrorText bounds the error text of one failure, in bytes.
const maxErrorText = 8 << 10

// JSON writes the run as one indented JSON object of the schema
// breadcrumb.report/v1, documented at Document. Texts are those of the test
// run, whole except for error texts, which are cut at 8 KiB. Characters that
// steer a terminal and "##[" are written as \u escapes, so the output is safe to
// print and decodes to what was there.
func JSON(w io.Writer, run outcome.Run) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(document(run)); err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	if _, err := w.Write(escapeSteering(text.Bytes())); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func document(run outcome.Run) Document {
	verdict := "fail"
	if run.Verdict.Pass() {
		verdict = "pass"
	}
	return Document{
		Schema:            Schema,
		Verdict:           verdict,
		DryRun:            run.DryRun,
		Database:          run.Database,
		Root:              run.Root,
		Run:               runInfo(run.Info),
		Counts:            counts(run.Counts),
		Reports:           each(run.Reports, func(name string) string { return name }),
		Blocking:          each(run.Verdict.Blocking, failure),
		Missing:           each(run.Verdict.Missing, func(id string) string { return id }),
		Excused:           each(run.Verdict.Excused, failure),
		Flaky:             each(run.FlakyTests, test),
		Healed:            each(run.Proposals, healed),
		Refused:           each(run.Refused, refused),
		QuarantineChanges: each(run.Changes, change),
		Quarantine:        each(run.Quarantine, NewEntry),
		Notices:           each(allNotices(run), NewNotice),
	}
}

// each returns f of every item, never nil, so that JSON has [] and not null.
func each[A, B any](items []A, f func(A) B) []B {
	out := make([]B, 0, len(items))
	for _, item := range items {
		out = append(out, f(item))
	}
	return out
}

func runInfo(i engine.RunInfo) RunInfo {
	return RunInfo{
		RepositoryID: i.RepositoryID, Repository: i.Repository, RunID: i.RunID, RunAttempt: i.RunAttempt,
		Workflow: i.Workflow, Job: i.Job, Leg: i.Leg, Commit: i.Commit, HeadSHA: i.HeadSHA, Branch: i.Branch,
		PullRequest: i.PullRequest, DefaultBranch: i.DefaultBranch, Fork: i.Fork, StartedAt: instant(i.StartedAt),
	}
}

func counts(c outcome.Counts) Counts {
	return Counts{
		Tests: c.Tests, Passed: c.Passed, Failed: c.Failed, Errors: c.Errors,
		Skipped: c.Skipped, Flaky: c.Flaky, DurationMS: finite(c.DurationMS),
	}
}

func failure(f flaky.Failure) Test {
	t := test(f.Result)
	t.Excuse, t.Guard = f.Excuse, f.Guard
	return t
}

func test(r engine.TestResult) Test {
	a := r.Final()
	return Test{
		TestID: r.ID, Suite: r.Suite, Class: r.Class, Name: r.Name, File: r.File, Line: r.Line,
		Environment: r.Environment, Report: r.Report, Status: string(a.Status), Attempts: len(r.Attempts),
		ErrorType: a.ErrorType, Message: text.Cut(a.Message, maxErrorText), Text: text.Cut(a.Text, maxErrorText),
	}
}

func healed(p patch.Proposal) Healed {
	h := Healed{
		TestID: p.Heal.TestID, Locator: p.Heal.Locator, Healed: p.Locator, Code: p.Code,
		Confidence: finite(p.Confidence), Reason: p.Reason, SameAs: p.SameAs, Source: p.Heal.Source,
	}
	if h.Healed == "" {
		h.Healed = p.Heal.HealedLocator
	}
	if p.Edit != nil {
		h.Edit = edit(*p.Edit)
	}
	return h
}

func edit(e patch.Edit) *Edit {
	return &Edit{
		File: e.File, Line: e.Line, Start: e.Start, End: e.End,
		Old: e.Old, New: e.New, Before: e.Before, After: e.After,
	}
}

func refused(h engine.HealEvent) Refused {
	r := Refused{
		TestID: h.TestID, Locator: h.Locator, Reason: h.Reason,
		Confidence: finite(h.Confidence), RunnerUp: finite(h.RunnerUp), Source: h.Source,
	}
	if h.Site != nil {
		r.File, r.Line = h.Site.File, h.Site.Line
	}
	return r
}

func change(c flaky.Change) Change {
	action := "enter"
	if c.Released {
		action = "leave"
	}
	return Change{
		TestID: c.TestID, Action: action, Pending: c.Pending, Reason: c.Reason,
		Tier: string(c.Tier), FlipRate: finite(c.FlipRate), WayOut: c.ExitCriteria, Owner: c.Owner,
	}
}

// NewEntry returns the JSON of a quarantined test as a value.
func NewEntry(e flaky.Entry) Entry {
	return Entry{
		TestID: e.TestID, Environment: e.Environment, Reason: e.Reason, Since: instant(e.Since), AutoRelease: e.AutoUnquarantine,
		WayOut: e.ExitCriteria(), CleanRuns: e.Clean, ReleaseRuns: e.Release, Expires: instant(e.Expires()),
		Owner: e.Owner, Commits: e.Commits, PullsOnly: e.PullsOnly,
	}
}

// NewNotice returns the JSON of a notice as a value.
func NewNotice(n engine.Notice) Notice {
	return Notice{Severity: string(n.Severity), File: n.File, Line: n.Line, Reason: n.Reason}
}

// allNotices returns the verdict's blocking notices and the run's other ones.
func allNotices(run outcome.Run) []engine.Notice {
	notices := append([]engine.Notice(nil), run.Verdict.Notices...)
	told := make(map[engine.Notice]bool, len(notices))
	for _, n := range notices {
		told[n] = true
	}
	for _, n := range run.Notices {
		if !told[n] {
			notices = append(notices, n)
		}
	}
	return notices
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// finite returns 0 for what JSON cannot say.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// escapeSteering writes the characters of JSON text that steer a terminal, and
// the first of every "##[", as \u escapes. Both occur only inside strings.
func escapeSteering(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("##["), []byte(`\u0023#[`))
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range string(text) {
		steers := r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
		switch {
		case steers && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		case steers:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return []byte(b.String())
}
