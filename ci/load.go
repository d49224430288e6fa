package ci

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/redact"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/heap"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/junit/blob"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/state"
	"github.com/breadcrumb/action/store/postgres"
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
	if r.cfg.DryRun && r.deps.Backend == nil && !postgres.IsURL(r.cfg.DB) {
		_, err := os.Stat(r.cfg.DB)
		r.isWithoutHistory = errors.Is(err, fs.ErrNotExist)
	}
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
	c.countReports()
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

// countReports counts the reports, and those that show each result.
func (c *collected) countReports() {
	var counted []*junit.File
	for _, f := range c.files {
		if !f.LeftOut {
			counted = append(counted, f)
		}
	}
	if c.reports = len(counted); c.reports < 2 {
		return
	}
	c.shown, c.safe = make([]uint8, len(c.results)), make([]uint8, len(c.results))
	failed, at := make([]bool, len(c.results)), make([][]int, len(counted))
	for n, f := range counted {
		for i := range f.Len() {
			place, found := slices.BinarySearchFunc(c.results, f.ID(i), func(r engine.TestResult, id engine.TestID) int { return cmp.Compare(r.ID, id) })
			if !found {
				continue
			}
			at[n] = append(at[n], place)
			c.shown[place] = min(c.shown[place], 254) + 1
			failed[place] = failed[place] || f.Final(i).Failing()
		}
	}
	c.nameNamesakes(counted, at, failed)
	for _, places := range at {
		if slices.ContainsFunc(places, func(place int) bool { return c.shown[place] < 2 }) {
			continue // without this report a test would be missing
		}
		for _, place := range places {
			if !failed[place] { // else the other report may hold what ran again
				c.safe[place] = c.shown[place]
			}
		}
	}
}

// nameNamesakes notes which reports show a failing test, where they lie in several folders:
// they can be of legs that run the same tests, or of suites that have a test of that name.
// at holds the results of each report.
func (c *collected) nameNamesakes(reports []*junit.File, at [][]int, failed []bool) {
	showing := map[int][]int{}
	for n, places := range at {
		for _, place := range places {
			if failed[place] && c.shown[place] > 1 {
				showing[place] = append(showing[place], n)
			}
		}
	}
	folder := func(n int) string { return path.Dir(filepath.ToSlash(reports[n].Name)) }
	few := map[[2]int]bool{}
	c.namesakes = map[engine.TestID]namesakes{}
	for place, all := range showing {
		found := namesakes{}
		for i, n := range all {
			if i > 0 && folder(n) == folder(all[i-1]) {
				continue
			}
			found.reports = append(found.reports, filepath.ToSlash(reports[n].Name))
			pair := [2]int{all[0], n}
			if _, known := few[pair]; !known {
				few[pair] = 2*countCommon(at[all[0]], at[n]) < min(len(at[all[0]]), len(at[n]))
			}
			found.strangers = found.strangers || few[pair]
		}
		if len(found.reports) > 1 {
			c.namesakes[c.results[place].ID] = found
		}
	}
}

// countCommon returns how many results two reports share.
func countCommon(a, b []int) (n int) {
	in := make(map[int]bool, len(a))
	for _, place := range a {
		in[place] = true
	}
	for _, place := range b {
		if in[place] {
			n++
		}
	}
	return n
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
