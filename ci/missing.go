package ci

import (
	"context"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/store"
)

// findMissing compares the run with the last one of the same job and leg that is not
// newer. Tests that are not there any more and should have run are missing.
func (r *run) findMissing(ctx context.Context) error {
	last, found, err := r.session.DB.LastTests(ctx, r.cfg.Info, r.session.Self.ReportDigest, nil)
	if former := r.session.restored.Former.Workflow; err == nil && !found && former != "" {
		before := r.cfg.Info
		before.WorkflowID, before.Workflow = 0, before.Repository+"/"+former+"@refs/heads/"+before.Branch
		last, _, err = r.session.DB.LastTests(ctx, before, r.session.Self.ReportDigest, nil)
	}
	if err != nil {
		return fmt.Errorf("read the last run: %w", err)
	}
	last.Tests = r.localNames(last.Tests)
	missing, removed, err := r.splitMissing(ctx, last.Tests)
	if err != nil {
		return err
	}
	newer := r.cfg.Info.RunID != 0 && last.RunID > r.cfg.Info.RunID // by the forge's numbers: no run is recorded that is older
	switch {
	case len(missing) == 0:
	case !r.cfg.Info.Trusted() && (last.Trusted || newer):
		if missing, removed, err = r.expectOfBase(ctx, last, missing, removed); err != nil {
			return err
		}
	case newer:
		r.warn("nobody knows whether tests are missing here: only newer runs are recorded, and run %d at commit %s had more: %s",
			last.RunID, shortCommit(last.Commit), quoteSome(missing))
		missing, removed = nil, nil
	}
	for _, sentence := range vanishedSuites(missing, r.collected.results) {
		r.note(warning(sentence))
	}
	if len(removed) > 0 {
		r.warn("no longer in the source and not expected: %s of the last run: %s", text.Count(len(removed), "test", "tests"), quoteSome(removed))
	}
	switch {
	case len(missing) == 0:
	case r.cfg.blocksMissing():
		r.missing = missing
		r.note(warning(`if the missing tests were removed on purpose, or the run was narrowed to some tests, run it with --missing warn, in Actions with the input "missing: warn"`))
	default:
		r.warn("%s of the last run did not run: %s", text.Count(len(missing), "test", "tests"), quoteSome(missing))
	}
	return r.findMaskedReport(ctx)
}

// expectOfBase returns the tests that are missing and removed in the first complete
// run of a branch or pull request, which has no older one of its own to compare with:
// of those that the default branch had where this one branched off. Where that is not
// known the newest run counts, last, as it is the one that expects most.
func (r *run) expectOfBase(ctx context.Context, last store.LastTests, missing, removed []engine.TestID) (_, _ []engine.TestID, err error) {
	found, why, err := r.baseRun(ctx)
	if err != nil {
		return nil, nil, err
	}
	if why != "" {
		r.warn("missing tests are those that run %d on %s at commit %s had: %s", last.RunID, last.Branch, shortCommit(last.Commit), why)
		return missing, removed, nil
	}
	expected, gone, err := r.splitMissing(ctx, found.Tests)
	if err != nil {
		return nil, nil, err
	}
	if gained := without(missing, expected); len(gained) > 0 {
		r.warn("%s not expected here: run %d on %s at commit %s, where this branch began, did not have %s", text.Count(len(gained), "test is", "tests are"),
			found.RunID, found.Branch, shortCommit(found.Commit), quoteSome(gained))
	}
	if len(expected) > 0 {
		r.warn("missing tests are those that run %d on %s at commit %s had, where this branch began", found.RunID, found.Branch, shortCommit(found.Commit))
	}
	return expected, gone, nil
}

// baseRun returns the run of the default branch where this branch or pull request began,
// or why nobody knows it.
func (r *run) baseRun(ctx context.Context) (found store.LastTests, why string, err error) {
	base, why := store.Base{}, "nobody tells where this branch began"
	if r.deps.Ancestry != nil && r.cfg.Info.Commit != "" {
		if base, err = r.deps.Ancestry.MergeBase(ctx, r.cfg.Info.Commit); err != nil {
			why = err.Error()
		}
	}
	if base.Commit == "" {
		return found, why, nil
	}
	found, there, err := r.session.DB.LastTests(ctx, r.cfg.Info, r.session.Self.ReportDigest, &base)
	switch {
	case err != nil:
		return found, "", fmt.Errorf("read the last run: %w", err)
	case !there:
		return found, fmt.Sprintf("no run is recorded of commit %s, where this branch began, or of one before", shortCommit(base.Commit)), nil
	}
	return found, "", nil
}

// findMaskedReport looks for a report that is not there and whose tests other reports show
// by the same names, so that none of them is missing.
func (r *run) findMaskedReport(ctx context.Context) error {
	suite, err := r.session.DB.KnownPlaces(ctx, r.cfg.Info, nil)
	if err != nil || suite.Reports <= r.collected.reports {
		return err
	}
	if suite, err = r.session.DB.KnownPlaces(ctx, r.cfg.Info, r.collected.order()); err != nil {
		return err
	}
	var fewer []engine.TestID
	for i, result := range r.collected.results {
		if suite.Tests[result.ID].Reports > r.collected.shownBy(i) {
			fewer = append(fewer, result.ID)
		}
	}
	if len(fewer) == 0 || r.cfg.Info.RunID != 0 && suite.RunID > r.cfg.Info.RunID {
		return nil
	}
	if !r.cfg.Info.Trusted() {
		if base, why, err := r.baseRun(ctx); err != nil || why == "" && base.RunID != suite.RunID {
			return err // the branch began before, where nobody knows of it
		}
	}
	reason := fmt.Sprintf("%s in fewer reports than in the last run (%d reports then, %d now): that of a suite whose tests have the same names is missing: %s",
		text.Count(len(fewer), "test stands", "tests stand"), suite.Reports, r.collected.reports, quoteSome(fewer))
	if !r.cfg.blocksMissing() {
		r.warn("%s", reason)
		return nil
	}
	r.note(engine.Notice{Severity: engine.SeverityBlocking, Reason: reason + `; where it was removed on purpose set "missing: warn" once`})
	return nil
}

// shownBy returns how many reports show a result.
func (c collected) shownBy(result int) int {
	if c.shown == nil {
		return 1
	}
	return int(c.shown[result])
}

// shortCommit is a commit as people read it.
func shortCommit(sha string) string { return sha[:min(len(sha), 7)] }

// blocksMissing reports whether missing tests fail this run.
func (c Config) blocksMissing() bool {
	return c.Missing == MissingFail || c.Missing != MissingWarn && c.Info.Leg == ""
}

// maxVanished bounds how many vanished suites are named.
const maxVanished = 10

// vanishedSuites says which files or classes of missing tests have no test at
// all in this run, a sentence each: a whole suite that did not run has another
// cause than one test that did not.
func vanishedSuites(missing []engine.TestID, results []engine.TestResult) []string {
	here := map[string]bool{}
	for _, r := range results {
		container, _ := splitID(r.ID)
		here[container] = true
	}
	lost := map[string]int{}
	var order []string
	for _, id := range missing {
		container, title := splitID(id)
		if here[container] || container == title {
			continue
		}
		if lost[container]++; lost[container] == 1 {
			order = append(order, container)
		}
	}
	slices.Sort(order)
	var sentences []string
	for _, container := range order[:min(len(order), maxVanished)] {
		sentences = append(sentences, fmt.Sprintf("suite %q vanished: none of its %s of the last run ran", container, text.Count(lost[container], "test", "tests")))
	}
	if more := len(order) - len(sentences); more > 0 {
		sentences = append(sentences, fmt.Sprintf("%s more vanished", text.Count(more, "suite", "suites")))
	}
	return sentences
}
