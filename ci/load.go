package ci

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/redact"
	"github.com/breadcrumb/action/engine/selfmend"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/heap"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/junit/blob"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store/sqlite"
)

// load reads the reports and heal events, opens the database with the history
// and finds out which settings count.
func (r *run) load(ctx context.Context) error {
	r.progress("reading the reports")
	var err error
	if r.collected, err = collect(r.ending, r.cfg); err != nil {
		return err
	}
	r.unspare = SpareMemory(len(r.collected.results))
	r.note(r.collected.notices...)
	r.note(r.cfg.Notices...)
	r.progress("reading the history")
	session := &StateSession{Config: r.cfg, Backend: r.deps.Backend, Now: r.deps.Now, Ending: r.ending,
		Self: state.Self{Info: r.cfg.Info, ReportDigest: r.collected.digest(), DefaultBranch: r.cfg.DefaultBranch}}
	if err := session.Open(ctx); err != nil {
		return err
	}
	r.session, r.learned = session, session.DB
	r.note(session.Notices...)
	if err := r.applyTrustedSettings(ctx); err != nil {
		return err
	}
	r.locateFiles()
	r.selectHeals()
	r.noteNewFlakes()
	return nil
}

// noteNewFlakes warns of tests that the pull request adds and that both passed and failed
// while `breadcrumb run` repeated them.
func (r *run) noteNewFlakes() {
	var index *identity.Index
	told := map[engine.TestID]bool{}
	for _, again := range r.collected.reruns {
		if !again.New || again.Failed == 0 || !r.isOfThisRun(again) {
			continue
		}
		if index == nil {
			index = identity.NewIndex(r.collected.results)
		}
		test, found := index.Find(again.TestID)
		if !found || told[test.ID] || again.Failed == again.Reruns && test.Final().Status.Failing() { // it fails, and that is told
			continue
		}
		told[test.ID] = true
		name := test.Name // beside its file
		if test.File == "" {
			name = string(test.ID)
		}
		r.note(engine.Notice{File: test.File, Severity: engine.SeverityWarning, Reason: fmt.Sprintf("%s is new and flaky: it failed in %d of %s; mend it before it is merged",
			name, again.Failed, text.Count(again.Reruns, "repeat", "repeats"))})
	}
}

// manyResults is how many results take so much memory that it is spared at the cost of
// time: about a kilobyte each, with the history of the tests.
const manyResults = 50_000

// SpareMemory makes Go collect more often where a run has so many results that they take
// much memory. It returns a function that undoes this.
func SpareMemory(results int) (undo func()) {
	if results < manyResults {
		return func() {}
	}
	return heap.Spare()
}

// digest identifies the reports by their bytes alone, so that neither their
// names nor their order count.
func (c collected) digest() string {
	digests := make([]string, 0, len(c.files))
	for _, f := range c.files {
		digests = append(digests, f.Digest)
	}
	slices.Sort(digests)
	sum := sha256.New()
	for _, digest := range digests {
		sum.Write([]byte(digest + "\n"))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// keptBytes is what may be kept of the names and counts of one report: about a
// million tests. The history of so many takes more.
const keptBytes = 64 << 20

// heapBound is what the heap holds while a report is read, where what is kept
// of it is less.
const heapBound heap.Bound = 34 << 20

// collect reads the reports and the heal events. The error is an InputError
// when not a single report could be read: then nothing can be judged.
func collect(ctx context.Context, cfg Config) (collected, error) {
	var c collected
	found, err := matchFiles(cfg.JUnit)
	if err != nil {
		return c, InputError{err}
	}
	if len(found.names) == 0 {
		return c, InputError{fmt.Errorf("no report matches %s: check the pattern, and that the test step ran and wrote its report: %s%s", strings.Join(cfg.JUnit, ", "), junit.FormatNames, folderHint(found.unmatched, "*.xml"))}
	}
	c.notices = append(c.notices, found.notices...)
	c.notices = append(c.notices, unwrittenReports(cfg, found.unmatched)...)
	root, err := filepath.Abs(cfg.Repo)
	if err != nil {
		return c, InputError{fmt.Errorf("checkout %s: %w", cfg.Repo, err)}
	}
	c.root = root
	limits := cfg.Limits
	limits.KeptBytes = cmp.Or(limits.KeptBytes, keptBytes)
	files, notices := junit.ParseFiles(ctx, reportOpener(limits.FileBytes), found.names, junit.Options{Root: root, Limits: limits, TracesNamed: len(cfg.Traces) > 0})
	c.files = files
	c.notices = append(c.notices, notices...)
	if err := ctx.Err(); err != nil {
		return c, fmt.Errorf("read reports: %w", err)
	}
	if len(files) == 0 {
		return c, InputError{unreadableReports(notices)}
	}
	c.results, notices = junit.Merge(files)
	c.notices = append(c.notices, notices...)
	c.inOrder = reportOrder(c.results, files)
	for _, f := range files {
		if f.Fails() && !f.LeftOut {
			c.red++
		}
		f.DropResults()
	}
	c.notices = append(c.notices, unexplained(cfg.Steps, c)...)
	err = c.collectHeals(ctx, cfg, found.names)
	c.redact(cfg.Secrets)
	return c, err
}

// reportOrder returns the indexes of results in the order in which the reports hold
// them; those that merging named otherwise are the last.
func reportOrder(results []engine.TestResult, files []*junit.File) []int {
	order, taken := make([]int, 0, len(results)), make([]bool, len(results))
	take := func(at int) {
		if !taken[at] {
			taken[at] = true
			order = append(order, at)
		}
	}
	for _, f := range files {
		for i := range f.Len() {
			at, found := slices.BinarySearchFunc(results, f.ID(i), func(r engine.TestResult, id engine.TestID) int { return cmp.Compare(r.ID, id) })
			if found {
				take(at)
			}
		}
	}
	for at := range results {
		take(at)
	}
	return order
}

// redact takes the known secrets out of all texts, and out of the heal events what
// looks like one, too: those of the results are without it from the reader.
func (c *collected) redact(known redact.Values) {
	for i := range c.results {
		for j := range c.results[i].Attempts {
			a := &c.results[i].Attempts[j]
			a.Message, a.Text, a.Waited = known.Text(a.Message), known.Text(a.Text), known.Text(a.Waited)
		}
	}
	for i := range c.heals {
		c.heals[i] = redact.Heal(c.heals[i])
	}
}

// unwrittenReports returns a notice for every pattern without a report, where
// others have one: the tests that should have written it may never have run.
func unwrittenReports(cfg Config, patterns []string) []engine.Notice {
	severity, reason := engine.SeverityBlocking, `no report matches this pattern: check it, and that the test step ran and wrote its report; where some runs write none set "missing: warn"`
	if cfg.Missing == MissingWarn {
		severity, reason = engine.SeverityWarning, "no report matches this pattern"
	}
	return aboutPatterns(patterns, "*.xml", severity, reason)
}

// reportOpener returns a function that opens a report of at most so many bytes.
func reportOpener(most int64) func(name string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		report, err := blob.Reader(f, most)
		if err != nil {
			return nil, err
		}
		return heapBound.Reader(report), nil
	}
}

// unreadableReports says why none of the reports could be used.
func unreadableReports(notices []engine.Notice) error {
	var errs []error
	for _, n := range notices[:min(len(notices), 10)] {
		errs = append(errs, fmt.Errorf("%s: %s", n.File, n.Reason))
	}
	if more := len(notices) - len(errs); more > 0 {
		errs = append(errs, fmt.Errorf("and %d more", more))
	}
	return fmt.Errorf("no report could be read:\n%w", errors.Join(errs...))
}

// How a step ended, in the words of GitHub's steps context:
// https://docs.github.com/en/actions/reference/workflows-and-actions/contexts#steps-context
const (
	stepSuccess   = "success"
	stepFailure   = "failure"
	stepCancelled = "cancelled"
	stepSkipped   = "skipped"
)

// StepOutcomes returns the words for how a step ended.
func StepOutcomes() []string {
	return []string{stepSuccess, stepFailure, stepCancelled, stepSkipped}
}

// unexplained returns a blocking notice where the steps that ran the tests ended
// in another way than their reports show. A runner also fails for what no report
// has room for, such as an error after the last test, and a step that may fail
// without failing the job would hide that. A report says why one step failed.
func unexplained(steps []string, got collected) []engine.Notice {
	failed := 0
	for _, s := range steps {
		if s == stepFailure {
			failed++
		}
	}
	reason := ""
	switch {
	case len(steps) == 0:
	case slices.Contains(steps, stepCancelled):
		reason = "the step that ran the tests was cancelled: its reports may lack tests"
	case failed > 0 && got.red == 0 && !anyBlocks(got.notices):
		reason = "the step that ran the tests failed and no report shows a failure: its log says why, such as an error outside the tests"
	case failed > got.red && !anyBlocks(got.notices):
		reason = fmt.Sprintf("%d steps that ran tests failed and %s a failure: the log of another step says why it failed; let each step write a report of its own",
			failed, text.Count(got.red, "report shows", "reports show"))
	case !slices.ContainsFunc(steps, func(s string) bool { return s != stepSkipped }):
		reason = "the step that runs the tests was skipped: the reports are not its"
	}
	if reason == "" {
		return nil
	}
	return []engine.Notice{{Severity: engine.SeverityBlocking, Reason: reason}}
}

// collectHeals reads every source of heal events. They never decide a verdict,
// so what cannot be read of them is a warning; only a database or pattern that
// the user named wrongly stops the run. On a person's machine, where `breadcrumb run`
// appends the events of each run to one file, those count of the run that wrote the reports.
func (c *collected) collectHeals(ctx context.Context, cfg Config, reports []string) error {
	found, err := matchFiles(cfg.HealEvents)
	if err != nil {
		return InputError{err}
	}
	c.healPatterns, c.since = found.unmatched, map[string]float64{}
	c.notices = append(c.notices, found.warnings()...)
	for _, name := range found.names {
		heals, notices := readHeals(name)
		c.heals = append(c.heals, heals...)
		c.notices = append(c.notices, notices...)
		c.reruns = append(c.reruns, readReruns(name)...)
		if cfg.Info.RunID == 0 {
			c.since[name] = lastStart(name, writtenAt(reports))
		}
	}
	if cfg.HealDB == "" {
		return nil
	}
	heals, notices, err := sqlite.ReadSeedHeals(ctx, cfg.HealDB)
	if err != nil {
		return InputError{fmt.Errorf("heal database: %w", err)}
	}
	c.heals = append(c.heals, heals...)
	c.notices = append(c.notices, notices...)
	return nil
}

// readHeals reads NDJSON, or, for a file named .json, a Playwright report.
func readHeals(name string) ([]engine.HealEvent, []engine.Notice) {
	f, err := os.Open(name)
	if err != nil {
		return nil, []engine.Notice{{File: name, Severity: engine.SeverityWarning, Reason: "cannot be read: " + errors.Unwrap(err).Error()}}
	}
	defer f.Close()
	if strings.EqualFold(filepath.Ext(name), ".json") {
		return selfmend.ReadHeals(name, f)
	}
	return engine.ReadHeals(name, f)
}

// readReruns reads what a file of heal events says of tests that ran again.
func readReruns(name string) []engine.Rerun {
	f, err := os.Open(name)
	if err != nil {
		return nil // readHeals said so
	}
	defer f.Close()
	return engine.ReadReruns(f)
}

// writtenAt returns when the first of the files was written, in Unix seconds.
func writtenAt(files []string) float64 {
	first := math.Inf(1)
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			first = min(first, float64(info.ModTime().UnixMicro())/1e6)
		}
	}
	return first
}

// lastStart returns when the run began, by a file of heal events, that was going on at a
// time, both in Unix seconds; 0 where the file does not tell.
func lastStart(name string, at float64) float64 {
	f, err := os.Open(name)
	if err != nil {
		return 0 // readHeals said so
	}
	defer f.Close()
	return engine.LastStart(f, at)
}

// healSlack is how long before the first report a heal may have happened and
// still belong to the run: report times often carry no time zone.
const healSlack = 24 * time.Hour

// selectHeals sets the heal events that belong to this run, the newest of each
// broken locator, in a stable order. A heal database holds the events of all
// runs: those from before this run began are history, which is recorded and not
// proposed again.
func (r *run) selectHeals() {
	type key struct {
		test       engine.TestID
		locator    string
		occurrence int
	}
	since := r.collected.startedAt()
	newest := map[key]engine.HealEvent{}
	old := map[string]int{} // by file, but for the database, which holds every run's
	for _, h := range r.collected.heals {
		if h.Timestamp > 0 && h.Timestamp < r.collected.since[h.Source] {
			continue // of an earlier run of `breadcrumb run`
		}
		if !since.IsZero() && h.Timestamp > 0 && time.UnixMilli(int64(h.Timestamp*1000)).Before(since.Add(-healSlack)) {
			if h.Source != r.cfg.HealDB {
				old[h.Source]++
			}
			continue
		}
		k := key{h.TestID, h.Locator, h.Occurrence}
		if have, ok := newest[k]; !ok || saysMore(h, have) {
			newest[k] = h
		}
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		r.note(engine.Notice{File: name, Severity: engine.SeverityWarning, Reason: text.Count(old[name], "heal event is", "heal events are") +
			" more than a day older than this run's reports and left out; delete the file before the tests run"})
	}
	r.heals = slices.SortedFunc(maps.Values(newest), compareHeals)
	r.index = identity.NewIndex(nil)
	if len(r.heals) > 0 || r.mayHaveTraces() { // of many tests it is large
		r.index = identity.NewIndex(r.collected.results)
	}
}

func compareHeals(a, b engine.HealEvent) int {
	return cmp.Or(cmp.Compare(a.TestID, b.TestID), cmp.Compare(a.Locator, b.Locator), cmp.Compare(a.Occurrence, b.Occurrence))
}

// saysMore reports whether a says more than b about the same broken locator: the event of
// the test itself does, or else the later one, and of two copies of one event the one that
// knows its site.
func saysMore(a, b engine.HealEvent) bool {
	if a.Ahead != b.Ahead {
		return b.Ahead
	}
	if a.Timestamp != b.Timestamp {
		return a.Timestamp > b.Timestamp
	}
	if (a.Site != nil) != (b.Site != nil) {
		return a.Site != nil
	}
	return a.HealedLocator > b.HealedLocator
}

// startedAt returns when the first report began, zero if none says.
func (c collected) startedAt() time.Time {
	var first time.Time
	for _, f := range c.files {
		if !f.Started.IsZero() && (first.IsZero() || f.Started.Before(first)) {
			first = f.Started
		}
	}
	return first
}
