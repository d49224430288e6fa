package ci

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/junit/location"
	"github.com/breadcrumb/action/store"
)

// record compares the run with the last one of the same job and leg, then
// records it.
func (r *run) record(ctx context.Context) error {
	recorded := r.deps.Now()
	r.now = timeOf(r.cfg.Info, func() time.Time { return recorded })
	if err := r.followRenames(ctx); err != nil {
		return err
	}
	if err := r.findStaleReports(ctx); err != nil {
		return err
	}
	if err := r.findMissing(ctx); err != nil {
		return err
	}
	if err := r.noteSkippedSuites(ctx); err != nil {
		return err
	}
	r.progress("recording the run")
	db := r.session.DB
	before, err := db.Quarantine(ctx)
	if err != nil {
		return fmt.Errorf("read quarantine: %w", err)
	}
	incomplete := len(r.missing) > 0 || anyBlocks(r.notices)
	lost := slices.DeleteFunc(slices.Clone(r.collected.heals), func(h engine.HealEvent) bool { return h.Ahead }) // what was found ahead, no test has lost
	r.recorded, err = db.RecordRun(ctx, store.Run{
		Info: r.cfg.Info, ReportDigest: r.session.Self.ReportDigest, Results: r.collected.results,
		Heals: lost, HealedTests: r.healedTests(), Now: recorded, Incomplete: incomplete,
	})
	if err != nil {
		return err
	}
	if r.cfg.Info.Trusted() && !incomplete {
		if err := r.keepSuite(ctx); err != nil {
			return err
		}
	}
	if r.recorded.Duplicate {
		// The run was recorded before: what it put into quarantine itself must
		// not excuse it now.
		since := timeOf(r.cfg.Info, func() time.Time { return r.recorded.At })
		tooLate := func(e flaky.Entry) bool { return !e.Since.Before(since) }
		r.warnTooLate(slices.DeleteFunc(slices.Clone(before), func(e flaky.Entry) bool { return !tooLate(e) || e.AutoUnquarantine }))
		before = slices.DeleteFunc(before, tooLate)
	}
	r.quarantine.before = before
	return nil
}

// maxKeptTraced bounds the suggestions from the traces of one run that are in the history.
const maxKeptTraced = 2_000

// keepTraced adds what was suggested by traces to the history, as suggestions: nothing was
// done with these elements. What was found ahead no test has lost, and it is not kept.
func (r *run) keepTraced(ctx context.Context) error {
	run := store.Run{Info: r.cfg.Info, ReportDigest: r.session.Self.ReportDigest}
	for _, h := range r.heals {
		if h.Trace == "" || h.Ahead || h.Outcome == engine.OutcomeRefused {
			continue
		}
		if len(run.Heals) == maxKeptTraced {
			r.warn("only the first %d suggestions from traces are in the history", maxKeptTraced)
			break
		}
		if h.Outcome == engine.OutcomeHealed {
			h.Outcome, h.Reason = engine.OutcomeSuggested, engine.ReasonUnverified
		}
		h.Timestamp = store.Unix(r.recorded.At) // so that reports which are judged twice add it once
		run.Heals = append(run.Heals, h)
	}
	if len(run.Heals) == 0 {
		return nil
	}
	notices, err := r.session.DB.RecordHeals(ctx, run, r.recorded)
	r.note(notices...)
	return err
}

// keepSuite keeps in which order the tests of a complete run stand, where their titles come
// from and how many reports showed them, for the runs that are compared with it.
func (r *run) keepSuite(ctx context.Context) error {
	db, c := r.session.DB, r.collected
	order := c.order()
	if err := db.KeepOrder(ctx, r.cfg.Info, order); err != nil {
		return err
	}
	suite := store.Suite{RunID: r.cfg.Info.RunID, Commit: r.cfg.Info.Commit, Reports: c.reports, Tests: make(map[engine.TestID]store.Place, len(c.results))}
	sources := newTestSources(&r.tree, c.results, store.Suite{})
	for i, result := range c.results {
		place := store.Place{Title: sources.originOf(result.ID)}
		if c.safe != nil {
			place.Reports = int(c.safe[i])
		}
		suite.Tests[result.ID] = place
	}
	return db.KeepPlaces(ctx, r.cfg.Info, order, suite)
}

// originOf says where the title of a test that ran comes from.
func (t *testSources) originOf(id engine.TestID) store.TitleOrigin {
	container, title := splitID(id)
	candidates := t.candidates(container)
	switch {
	case len(candidates) == 0 || !t.readAll(candidates):
		return store.TitleUnknown
	case t.anyHolds(candidates, title):
		return store.TitleWritten
	}
	return store.TitleMade
}

// warnTooLate says which failing tests a person put into quarantine after the run had
// been judged.
func (r *run) warnTooLate(entries []flaky.Entry) {
	var late []engine.TestID
	for _, e := range entries {
		if slices.ContainsFunc(r.collected.results, func(t engine.TestResult) bool { return t.ID == e.TestID && t.Final().Status.Failing() }) {
			late = append(late, e.TestID)
		}
	}
	if len(late) > 0 {
		r.warn("these reports were judged before, so what came into quarantine since excuses nothing in them: run the tests again (%s)", quoteSome(late))
	}
}

// followRenames lets tests that were moved or renamed keep their history. Only a
// trusted run does: the names in a pull request are not yet everybody's.
func (r *run) followRenames(ctx context.Context) error {
	if !r.cfg.Info.Trusted() {
		return nil
	}
	before, err := r.session.DB.KnownOrder(ctx, r.cfg.Info, r.session.Self.ReportDigest)
	if err != nil {
		return fmt.Errorf("read the last run: %w", err)
	}
	here := r.collected.order()
	gone, appeared := without(before, here), without(here, before)
	if len(gone) == 0 || len(appeared) == 0 {
		return nil
	}
	renames := localRenames(gone, r.localNames(gone), appeared)
	var olds, news []engine.TestID
	for _, rename := range renames {
		olds, news = append(olds, rename.Old), append(news, rename.New)
	}
	gone, appeared = without(gone, olds), without(appeared, news)
	tree := &sourceTree{source: r.source}
	for _, rename := range flaky.Renames(gone, appeared, before, here) {
		was, _, _ := rename.Old.CutFile()
		if !strings.HasPrefix(string(rename.New), was) && len(bySuffix(was, tree.list())) > 0 {
			continue // its file is still there: the other test is of another suite
		}
		rename.Proven = rename.Proven && len(tree.list()) > 0 && tree.whole
		renames = append(renames, rename)
	}
	return r.renameTests(ctx, renames)
}

// renameTests gives each test on under its new name. The history of a test goes along, and
// its quarantine, unless a person decided that and the new test is only likely to be it.
func (r *run) renameTests(ctx context.Context, renames []flaky.Rename) error {
	held, err := r.session.DB.Quarantine(ctx)
	if err != nil {
		return fmt.Errorf("read quarantine: %w", err)
	}
	renamed, err := r.session.DB.RenameTests(ctx, renames, r.now)
	if err != nil {
		return err
	}
	r.warnRenamed(renamed)
	for _, rename := range renamed {
		if !rename.Proven && slices.ContainsFunc(held, func(e flaky.Entry) bool { return e.TestID == rename.Old && !e.ByEvidence() }) {
			r.warn("%q is not in quarantine: %q was put there by hand, and that both are one test is only likely; if they are, put it there under its new name", rename.New, rename.Old)
		}
	}
	return nil
}

// maxNamedRenames is up to how many renames are named one by one: in a folder that is moved
// there are thousands.
const maxNamedRenames = 3

// warnRenamed says under which names tests go on.
func (r *run) warnRenamed(renamed []flaky.Rename) {
	if len(renamed) > maxNamedRenames {
		r.warn("%d tests go on under other names, and their history stays; the first of them is %q, now %q", len(renamed), renamed[0].Old, renamed[0].New)
		return
	}
	for _, rename := range renamed {
		r.warn("%q goes on as %q: its history stays", rename.Old, rename.New)
	}
}

// localNames returns the ids as tests are named now: an older version kept the
// directory of the checkout in them.
func (r *run) localNames(ids []engine.TestID) []engine.TestID {
	local := make([]engine.TestID, len(ids))
	for i, id := range ids {
		local[i] = engine.NewTestID(location.Localize(string(id), r.collected.root))
	}
	return local
}

// localRenames pairs tests that are gone with those that have their local names.
func localRenames(gone, local, appeared []engine.TestID) []flaky.Rename {
	here := map[engine.TestID]bool{}
	for _, id := range appeared {
		here[id] = true
	}
	var renames []flaky.Rename
	for i, id := range local {
		if id != gone[i] && here[id] {
			here[id] = false // one test goes on once
			renames = append(renames, flaky.Rename{Old: gone[i], New: id, Proven: true})
		}
	}
	return renames
}

// order returns the ids of the results in the order of the reports, which is the
// order of the source code.
func (c collected) order() []engine.TestID {
	ids := make([]engine.TestID, len(c.inOrder))
	for i, at := range c.inOrder {
		ids[i] = c.results[at].ID
	}
	return ids
}

// without returns the items of list that are not in other.
func without(list, other []engine.TestID) []engine.TestID {
	in := make(map[engine.TestID]bool, len(other))
	for _, id := range other {
		in[id] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(id engine.TestID) bool { return in[id] })
}

// healedTests returns the identities of the results that healed a locator.
func (r *run) healedTests() []engine.TestID {
	var ids []engine.TestID
	for _, h := range r.heals {
		if h.Outcome != engine.OutcomeHealed {
			continue
		}
		if test, ok := r.index.Find(h.TestID); ok {
			ids = append(ids, test.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
