package ci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/store"
)

// evidencePolicy is policy evidence at work on one run.
type evidencePolicy struct {
	*run
	checkpoint *store.Checkpoint
	evidence   *flaky.Judge   // the judge of checkpoint
	number     map[string]int // of the tests of checkpoint that have a name
	here       *flaky.Run     // the run being judged, nil when it is older than checkpoint
	overrides  overrides
}

// evaluate judges the run by the runs before it, then updates the quarantine by
// all of them.
func (p *evidencePolicy) evaluate(ctx context.Context) error {
	rest, err := p.observeEarlier(ctx)
	if err != nil {
		return err
	}
	p.overrides = overridesOf(p.cfg)
	q := &p.quarantine
	q.before = p.overrides.apply(append(p.withProgress(q.before), p.pullEntries()...), p.collected.results)
	q.guards = p.findGuards(ctx, q.before)
	for _, run := range rest {
		p.evidence.Observe(run)
	}
	if err := errors.Join(p.session.DB.SaveCheckpoint(ctx, p.checkpoint), p.nameTests(ctx)); err != nil {
		return err
	}
	return p.updateQuarantine(ctx)
}

// observeEarlier lets the judge observe the runs before this one. It returns the
// others, this one first.
func (p *evidencePolicy) observeEarlier(ctx context.Context) ([]flaky.Run, error) {
	checkpoint, err := p.session.DB.LoadCheckpoint(ctx, p.cfg.Info, p.cfg.MaxQuarantine, p.recorded.RunID)
	if err != nil {
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	p.checkpoint, p.evidence = checkpoint, checkpoint.Judge
	var rest []flaky.Run
	for i := range checkpoint.Runs {
		run := &checkpoint.Runs[i]
		if run.ID == p.recorded.RunID {
			p.here = &run.Run
		}
		if p.here == nil {
			p.evidence.Observe(run.Run)
		} else {
			rest = append(rest, run.Run)
		}
	}
	return rest, p.nameTests(ctx)
}

// nameTests reads the names of the tests that this run is about: those that
// failed in it, those in quarantine and those that found no room there.
func (p *evidencePolicy) nameTests(ctx context.Context) error {
	db := p.session.DB
	tests := append(p.evidence.All(), p.evidence.Main.Overflow()...)
	if p.here != nil {
		for _, o := range p.here.Observations {
			tests = append(tests, o.Test)
		}
	}
	if err := db.NameTests(ctx, &p.checkpoint.Evidence, tests); err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	table, err := db.Quarantine(ctx)
	if err != nil {
		return fmt.Errorf("read quarantine: %w", err)
	}
	entries := make([]string, len(table))
	for i, e := range table {
		entries[i] = e.TestID
	}
	if err := db.FindTests(ctx, &p.checkpoint.Evidence, entries); err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	p.number = p.checkpoint.Numbers()
	return nil
}

// withProgress returns the entries with how near those by evidence are to their
// release.
func (p *evidencePolicy) withProgress(entries []flaky.Entry) []flaky.Entry {
	return p.checkpoint.Progress(p.evidence, entries)
}

// pullEntries returns the tests that are in quarantine on pull requests alone,
// none for a run of the default branch.
func (p *evidencePolicy) pullEntries() []flaky.Entry {
	if p.here == nil || p.here.Source == "" {
		return nil
	}
	var entries []flaky.Entry
	for _, test := range p.evidence.Pulls.All() {
		if facts, ok := p.evidence.Pulls.Facts(test); ok && !p.evidence.Main.Held(test) {
			entries = append(entries, flaky.Entry{TestID: p.checkpoint.Tests[test], Reason: facts.String(), Since: p.now,
				AutoUnquarantine: true, Commits: facts.Commits(), PullsOnly: true, Clean: facts.Clean, Release: facts.Release})
		}
	}
	return entries
}

// updateQuarantine sets how the tests are doing and, in a trusted run, changes
// the quarantine by the evidence.
func (p *evidencePolicy) updateQuarantine(ctx context.Context) error {
	q, db := &p.quarantine, p.session.DB
	table, err := db.Quarantine(ctx)
	if err != nil {
		return fmt.Errorf("read quarantine: %w", err)
	}
	if q.evaluation.TestHealths, err = p.testHealths(ctx, table); err != nil {
		return err
	}
	if !p.cfg.Info.Trusted() {
		q.after = q.before
		return nil
	}
	q.evaluation.Changes = p.changes(table)
	p.noteOverflow()
	if err := db.ApplyChanges(ctx, q.evaluation.Changes, p.now); err != nil {
		return fmt.Errorf("update quarantine: %w", err)
	}
	after, err := db.Quarantine(ctx)
	if err != nil {
		return fmt.Errorf("read quarantine: %w", err)
	}
	q.after = p.overrides.apply(p.withProgress(after), p.collected.results)
	return nil
}

// maxTestHealths bounds the tests that failed lately whose flip rates are
// computed; people see them under every policy.
const maxTestHealths = 500

// testHealths returns how the tests are doing that failed lately or have an
// entry. The others are stable; reading the history of each only to say so would
// take a large suite long.
func (p *evidencePolicy) testHealths(ctx context.Context, table []flaky.Entry) ([]flaky.TestHealth, error) {
	db := p.session.DB
	tests, err := db.FailedLately(ctx, HistoryWindow, maxTestHealths, p.cfg.Info)
	if err != nil {
		return nil, fmt.Errorf("read failing tests: %w", err)
	}
	for _, e := range table {
		tests = append(tests, e.TestID)
	}
	for _, test := range p.evidence.Main.All() {
		tests = append(tests, p.checkpoint.Tests[test])
	}
	histories, err := db.HistoriesOf(ctx, tests, HistoryWindow, p.cfg.Info)
	if err != nil {
		return nil, fmt.Errorf("read histories: %w", err)
	}
	return flaky.Evaluate(histories, nil, flaky.PolicyEvidence).TestHealths, nil
}

// changes compares the quarantine with what the evidence says now.
func (p *evidencePolicy) changes(table []flaky.Entry) []flaky.Change {
	in := map[string]bool{}
	healths := map[string]flaky.TestHealth{}
	for _, health := range p.quarantine.evaluation.TestHealths {
		healths[health.TestID] = health
	}
	var changes []flaky.Change
	add := func(id string, released bool, reason string) *flaky.Change {
		health := healths[id]
		changes = append(changes, flaky.Change{TestID: id, Released: released, Reason: reason, Tier: health.Tier, FlipRate: health.FlipRate})
		return &changes[len(changes)-1]
	}
	for _, e := range table {
		in[e.TestID] = true
		if never := p.overrides.neverReason(e.TestID); never != "" && e.AutoUnquarantine {
			add(e.TestID, true, never).Who = p.cfg.settingSource(SettingNever)
			continue
		}
		health, known := healths[e.TestID]
		if !known || !e.AutoUnquarantine {
			continue
		}
		if reason := p.releaseReason(e, health); reason != "" {
			add(e.TestID, true, reason)
		}
	}
	owners := readOwners(p.source)
	main := p.evidence.Main
	for _, test := range main.All() {
		id := p.checkpoint.Tests[test]
		facts, _ := main.Facts(test)
		if id == "" || in[id] || p.overrides.neverReason(id) != "" || !main.Fresh(test) {
			continue
		}
		entered := add(id, false, facts.String())
		entered.Commits, entered.Owner = facts.Commits(), owners.of(p.sourceFile(id))
		entered.ExitCriteria = flaky.Entry{Since: p.now, AutoUnquarantine: true, Commits: entered.Commits, Clean: facts.Clean, Release: facts.Release}.ExitCriteria()
	}
	slices.SortFunc(changes, func(a, b flaky.Change) int { return cmp.Compare(a.TestID, b.TestID) })
	return changes
}

// releaseReason returns why an entry ends, "" when it stays. One that does not
// rest on evidence, the seed's or a manual one with --auto-release, ends by the
// seed's rule.
func (p *evidencePolicy) releaseReason(e flaky.Entry, health flaky.TestHealth) string {
	test, known := p.number[e.TestID]
	flaking := known && p.evidence.Main.Held(test)
	steady := health.Tier == flaky.TierStable || health.Tier == flaky.TierIntermittent
	switch {
	case !e.ByEvidence():
		if steady && !flaking {
			return fmt.Sprintf("flip rate %.2f (%s)", health.FlipRate, health.Tier)
		}
		return ""
	case !p.now.Before(e.Since.Add(flaky.Expiry)):
		return fmt.Sprintf("expired after %d days", int(flaky.Expiry.Hours()/24))
	case !flaking:
		return "it ran clean long enough, or nothing shows any more that it is flaky"
	}
	return ""
}

// sourceFile returns the source file of a test of this run.
func (p *evidencePolicy) sourceFile(id string) string {
	for _, r := range p.collected.results {
		if store.CleanID(r.ID) == id {
			return r.File
		}
	}
	return ""
}

// noteOverflow says which tests found no room in quarantine.
func (p *evidencePolicy) noteOverflow() {
	var names []string
	for _, test := range p.evidence.Main.Overflow() {
		names = append(names, p.checkpoint.Tests[test])
	}
	if len(names) > 0 {
		p.warn("quarantine is full at %s: %s proved flaky and found no room: %s",
			text.Count(p.evidence.Main.Room(), "test", "tests"), text.Count(len(names), "test", "tests"), quoteSome(names))
	}
}
