package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// Schema names the form of the JSON report. A later version only adds keys to
// it; anything else gets a new name.
const Schema = "breadcrumb.report/v1"

// maxErrorText bounds the error text of one failure, in bytes.
const maxErrorText = 8 << 10

// JSON writes the run as one indented JSON object of the schema
// breadcrumb.report/v1, documented at Document. Texts are those of the test
// run, whole except for error texts: they are cleaned where they are read and cut
// at 8 KiB. Characters that
// steer a terminal and "##[" are written as \u escapes, so the output is safe to
// print and decodes to what was there.
func JSON(w io.Writer, run outcome.Run) error { return writeJSON(w, newDocument(run)) }

// writeJSON writes a report as one indented JSON object that is safe to print.
func writeJSON(w io.Writer, v any) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	if _, err := w.Write(escapeSteering(out.Bytes())); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func newDocument(run outcome.Run) Document {
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
		Run:               newRunInfo(run.Info),
		Counts:            newCounts(run.Counts),
		Base:              newBase(run),
		Reports:           convertEach(run.Reports, func(name string) string { return name }),
		Causes:            convertEach(run.Causes(), func(c outcome.Cause) Cause { return newCause(run, c) }),
		Redesigns:         newRedesigns(run),
		Blocking:          convertEach(run.Verdict.Blocking, newFailure),
		Missing:           convertEach(run.Verdict.Missing, func(id engine.TestID) string { return string(id) }),
		Excused:           convertEach(run.Verdict.Excused, newFailure),
		Flaky:             convertEach(run.FlakyTests, newTest),
		Healed:            convertRange(0, len(run.Heals()), func(i int) Healed { return newHealed(run, i) }),
		Suggested:         convertRange(len(run.Heals()), len(run.Suggested()), func(i int) Suggested { return newSuggested(run, i) }),
		Refused:           convertEach(run.Refused, newRefused),
		QuarantineChanges: convertEach(run.Changes, newChange),
		Quarantine:        convertEach(run.Quarantine, NewEntry),
		Notices:           convertEach(allNotices(run), NewNotice),
	}
}

// newBase returns nil for none.
func newBase(run outcome.Run) *Base {
	if run.Base == nil {
		return nil
	}
	b := *run.Base
	return &Base{b.RunID, b.Branch, b.Commit, b.Tests, b.Failing, b.DurationMS, convertEach(run.Differences(), func(words string) string { return words })}
}

// newRedesigns returns nil for none.
func newRedesigns(run outcome.Run) []Redesign {
	var out []Redesign
	for _, d := range run.Redesigns() {
		out = append(out, Redesign{d.Page, d.Locators(), d.Tests(), d.IDs()})
	}
	return out
}

// convertEach returns f of every item, never nil, so that JSON has [] and not null.
func convertEach[A, B any](items []A, f func(A) B) []B {
	out := make([]B, 0, len(items))
	for _, item := range items {
		out = append(out, f(item))
	}
	return out
}

func newRunInfo(i engine.RunInfo) RunInfo {
	return RunInfo{
		RepositoryID: i.RepositoryID, Repository: i.Repository, RunID: i.RunID, RunAttempt: i.RunAttempt,
		WorkflowID: i.WorkflowID, Workflow: i.Workflow, Job: i.Job, CallingJob: engine.CallingJob(i.Job), Leg: i.Leg,
		Commit: i.Commit, HeadSHA: i.HeadSHA, Branch: i.Branch,
		PullRequest: i.PullRequest, MergeGroup: append([]int{}, i.MergeGroup...), DefaultBranch: i.DefaultBranch, Fork: i.Fork, StartedAt: formatTime(i.StartedAt),
	}
}

func newCounts(c outcome.Counts) Counts {
	c.DurationMS = finiteOrZero(c.DurationMS)
	return Counts(c)
}

func newFailure(f flaky.Failure) Test {
	t := newTest(f.Result)
	t.Excuse, t.Guard, t.Triage, t.Order = f.Excuse, f.Guard, f.Triage, f.Order
	return t
}

func newTest(r engine.TestResult) Test {
	a := r.Final()
	return Test{
		TestID: r.ID, Suite: r.Suite, Class: r.Class, Name: r.Name, File: r.File, Line: r.Line,
		Environment: r.Environment, Report: r.Report, Status: string(a.Status), Attempts: len(r.Attempts),
		ErrorType: a.ErrorType, Message: text.Cut(a.Message, maxErrorText), Text: text.Cut(a.Text, maxErrorText),
	}
}

// convertRange converts the n numbers from first on.
func convertRange[T any](first, n int, convert func(int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = convert(first + i)
	}
	return out
}

// newHealed returns proposal i of a run.
func newHealed(run outcome.Run, i int) Healed {
	p := run.Proposals[i]
	offer, _ := run.OfferOf(i)
	h := Healed{
		TestID: p.Heal.TestID, Locator: p.Heal.Locator, Healed: cmp.Or(p.Locator, p.Heal.HealedLocator), Code: p.Code,
		Confidence: finiteOrZero(p.Confidence), Match: p.Match(), Place: finiteOrZero(p.Place), ID: offer.ID, Missing: run.MissingFrom(i), Reason: p.Reason, SameAs: p.SameAs, Source: p.Heal.Source,
	}
	h.Ahead = p.Heal.Ahead
	if p.Edit != nil {
		edit := Edit(*p.Edit)
		h.Edit = &edit
	}
	for _, use := range run.Uses(p) {
		h.Uses = append(h.Uses, Use{TestID: use.Heal.TestID, Edit: Edit(*use.Edit)})
	}
	if p.Heal.Count > 1 {
		h.Count = p.Heal.Count
	}
	if t := p.TrialOfEdit(); t != nil {
		h.Trial = &Trial{Proven: t.Proven(), Tests: t.Tests, Green: t.Green, Red: t.Red, Reason: t.Reason}
	}
	return h
}

func newSuggested(run outcome.Run, i int) Suggested {
	p := run.Proposals[i]
	return Suggested{Healed: newHealed(run, i), Why: p.Heal.Reason, Changed: NewMeanings(p.Heal.Changed)}
}

func newRefused(h engine.HealEvent) Refused {
	r := Refused{
		TestID: h.TestID, Locator: h.Locator, Reason: h.Reason,
		Confidence: finiteOrZero(h.Confidence), RunnerUp: finiteOrZero(h.RunnerUp), Source: h.Source,
	}
	if h.Site != nil {
		r.File, r.Line = h.Site.File, h.Site.Line
	}
	return r
}

func newChange(c flaky.Change) Change {
	action := "enter"
	if c.Released {
		action = "leave"
	}
	return Change{
		TestID: c.TestID, Action: action, Pending: c.Pending, Reason: c.Reason,
		Tier: string(c.Tier), FlipRate: finiteOrZero(c.FlipRate), WayOut: c.ExitCriteria, Owner: c.Owner,
	}
}

// NewEntry returns the JSON of a quarantined test as a value.
func NewEntry(e flaky.Entry) Entry {
	return Entry{
		TestID: e.TestID, Environment: e.Environment, Reason: e.Reason, Since: formatTime(e.Since), AutoRelease: e.AutoUnquarantine,
		WayOut: e.ExitCriteria(), CleanRuns: e.Clean, ReleaseRuns: e.Release, Expires: formatTime(e.Expires()),
		Owner: e.Owner, Commits: e.Commits, PullsOnly: e.PullsOnly,
	}
}

// NewNotice returns the JSON of a notice as a value.
func NewNotice(n engine.Notice) Notice {
	return Notice{Severity: string(n.Severity), File: n.File, Line: n.Line, Reason: n.Reason}
}

// allNotices returns the verdict's blocking notices and the run's other ones.
func allNotices(run outcome.Run) []engine.Notice {
	notices := slices.Clone(run.Verdict.Notices)
	listed := make(map[engine.Notice]bool, len(notices))
	for _, n := range notices {
		listed[n] = true
	}
	for _, n := range run.Notices {
		if !listed[n] {
			notices = append(notices, n)
		}
	}
	return notices
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// finiteOrZero returns 0 for what JSON cannot say.
func finiteOrZero(x float64) float64 {
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
