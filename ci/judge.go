package ci

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// judge asks the policy which failures are excused and reaches the verdict. A
// trusted run changes the quarantine, and what its traces show and what people took of
// the offered edits is learned.
func (r *run) judge(ctx context.Context) error {
	if r.ending.Err() != nil {
		return errEnded
	}
	r.progress("judging the run")
	evaluate := r.evaluateSeed
	if r.cfg.Policy == flaky.PolicyEvidence {
		evaluate = (&evidencePolicy{run: r}).evaluate
	}
	if err := evaluate(ctx); err != nil {
		return err
	}
	r.note(r.session.DB.Notices()...)
	r.note(r.recorded.Notices...)
	if r.recorded.Conflict {
		r.note(warning("this run was recorded before with other results; both are kept"))
	}
	if trouble := describeTrouble(r.collected.results); trouble != "" {
		r.warn("%s", trouble)
	}
	r.learnAccepted(ctx)
	r.progress("reading the traces")
	if err := r.readTraces(ctx, r.cfg.Info.Trusted() && !r.cfg.DryRun); err != nil { // their warnings are part of the outcome
		return err
	}
	if err := r.keepTraced(ctx); err != nil {
		return err
	}
	r.reachVerdict()
	r.compareWithBase(ctx)
	return nil
}

// compareWithBase finds the run of the default branch that people are told the
// differences to. The verdict is reached, and does not know of it.
func (r *run) compareWithBase(ctx context.Context) {
	base, found, err := r.session.DB.Base(ctx, r.cfg.Info, r.session.Self.ReportDigest, r.recorded.RunID)
	switch {
	case err != nil:
		r.warn("no difference to the default branch is told: %v", err)
		r.outcome.Notices = r.notices
	case found:
		r.outcome.Base = &base
	}
}

// evaluateSeed judges every test's history by the seed's policy. A run that is
// not trusted only says what would change.
func (r *run) evaluateSeed(ctx context.Context) error {
	q, db := &r.quarantine, r.session.DB
	histories, err := db.Histories(ctx, flaky.HistoryWindow, r.cfg.Info)
	if err != nil {
		return fmt.Errorf("read histories: %w", err)
	}
	entries, err := db.Quarantine(ctx)
	if err != nil {
		return fmt.Errorf("read quarantine: %w", err)
	}
	q.evaluation = flaky.Evaluate(histories, entries, r.cfg.Policy)
	if after := r.failsAfter(); len(after) > 0 {
		q.order = describeOrder(after, r.readChangedFiles(ctx), &testFiles{tree: &r.tree})
	}
	if !r.cfg.Info.Trusted() {
		for i := range q.evaluation.Changes {
			q.evaluation.Changes[i].Pending = true
		}
		q.after = q.before
		return nil
	}
	return r.applyChanges(ctx)
}

// applyChanges changes the quarantine as it was evaluated.
func (r *run) applyChanges(ctx context.Context) (err error) {
	q, db := &r.quarantine, r.session.DB
	if err := db.ApplyChanges(ctx, q.evaluation.Changes, r.now); err != nil {
		return fmt.Errorf("update quarantine: %w", err)
	}
	if q.after, err = db.Quarantine(ctx); err != nil {
		return fmt.Errorf("read quarantine: %w", err)
	}
	return nil
}

// describeTrouble says once which failures are the environment's, "" where none is.
func describeTrouble(results []engine.TestResult) string {
	counts := map[string]int{}
	for _, r := range results {
		if final := r.Final(); final.Status.Failing() {
			counts[flaky.Trouble(flaky.Signature(final))]++
		}
	}
	delete(counts, "")
	if len(counts) == 0 {
		return ""
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		kinds = append(kinds, kind+" ("+text.Count(counts[kind], "test", "tests")+")")
	}
	return "trouble of the environment, which says nothing of the tests and counts as no flake: " + text.List(kinds)
}

// guardNamesakes lets no failure be excused of which nobody knows whose it is, as two suites
// have a test of that name.
func (r *run) guardNamesakes() {
	where := &testFiles{tree: &r.tree}
	for _, e := range r.quarantine.before {
		shown, found := r.collected.namesakes[e.TestID]
		if !found || where.ofOneSuite(e.TestID, shown) {
			continue
		}
		if r.quarantine.guards == nil {
			r.quarantine.guards = map[engine.TestID]string{}
		}
		r.quarantine.guards[e.TestID] = fmt.Sprintf("several suites have a test of this name, and nobody knows which one is in quarantine (%s): judge each suite by a step or job of its own",
			text.List(shown.reports[:min(len(shown.reports), 3)]))
	}
}

// reachVerdict decides the run and gathers what is known into its outcome.
func (r *run) reachVerdict() {
	r.guardNamesakes()
	q, results := r.quarantine, r.collected.results
	counts := outcome.Count(results)
	if counts.Tests > 0 && counts.Skipped == counts.Tests {
		r.note(allSkippedNotice(r.cfg))
	}
	in := flaky.DecideInput{
		Results: results, Before: q.before, After: q.after, Guards: q.guards, Triage: q.triage, Order: q.order,
		Missing: r.missing, MissingBlocks: true, Notices: r.notices,
	}
	verdict := flaky.Decide(in)
	if notRun := r.collected.notRun(); len(notRun) > 0 && len(verdict.Blocking) == 0 {
		r.note(notRunNotice(r.cfg, notRun, len(verdict.Excused) > 0))
		in.Notices = r.notices
		verdict = flaky.Decide(in)
	}
	if r.isWithoutHistory && counts.Failed+counts.Errors > 0 {
		r.warn("no history at %s: nothing can be excused", r.cfg.DB)
	}
	r.outcome = &outcome.Run{
		Info: r.cfg.Info, Root: r.root, Counts: counts, Verdict: verdict,
		Changes: q.evaluation.Changes, Quarantine: q.after, Notices: r.notices, DryRun: r.cfg.DryRun,
	}
	healed := r.healedTests()
	here := make(map[engine.TestID]bool, len(results))
	for _, result := range results {
		here[result.ID] = true
		_, isHealed := slices.BinarySearch(healed, result.ID)
		if result.Flaky() && !isHealed { // else the page changed
			r.outcome.FlakyTests = append(r.outcome.FlakyTests, result)
		}
	}
	r.outcome.Counts.Flaky = len(r.outcome.FlakyTests)
	r.outcome.Groups = flaky.GroupSizes(flaky.TestIDs(results, func(r engine.TestResult) engine.TestID { return r.ID }))
	for _, health := range q.evaluation.TestHealths {
		if here[health.TestID] && !q.steady[health.TestID] {
			r.outcome.TestHealths = append(r.outcome.TestHealths, health)
		}
	}
	for _, f := range r.collected.files {
		r.outcome.Reports = append(r.outcome.Reports, f.Name)
	}
}

// notRun returns the tests that their runner did not run and that no other
// report shows.
func (c collected) notRun() []engine.TestID {
	skipped := map[engine.TestID]bool{}
	for _, r := range c.results {
		skipped[r.ID] = r.Final().Status == engine.StatusSkipped
	}
	var ids []engine.TestID
	for _, f := range c.files {
		for _, id := range f.Unrun {
			if skipped[id] {
				ids = append(ids, id)
				skipped[id] = false
			}
		}
	}
	return ids
}

// allSkippedNotice is about a run in which every test was skipped: the application's
// address or a secret was not set, say, and no test tells that it works.
func allSkippedNotice(cfg Config) engine.Notice {
	const reason = "every test was skipped, so nothing shows that they pass"
	if !cfg.blocksMissing() {
		return warning(reason)
	}
	return engine.Notice{Severity: engine.SeverityBlocking, Reason: reason + `; where that may be set "missing: warn"`}
}

// notRunNotice is about tests that did not run, beside an excused failure or none: a
// failure can end a run early, as a time-out of the whole run does, and then nothing else
// of it is red.
func notRunNotice(cfg Config, ids []engine.TestID, excused bool) engine.Notice {
	why := "and no failure is why, as after the global timeout or an interruption"
	if excused {
		why = "beside a failure that is excused, as after --max-failures, in a serial group or behind a setup project"
	}
	reason := fmt.Sprintf("%s not run %s: %s", text.Count(len(ids), "test was", "tests were"), why, quoteSome(ids))
	if cfg.Missing == MissingWarn {
		return warning(reason)
	}
	return engine.Notice{Severity: engine.SeverityBlocking, Reason: reason + `; where that may pass set "missing: warn"`}
}
