package ci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
)

// court is policy evidence at work on one run.
type court struct {
	cfg    Config
	deps   Deps
	db     Database
	got    collected
	run    int64 // row id of the run being judged
	source fs.FS
	now    time.Time

	past   *store.Checkpoint
	number map[string]int // of the tests of past that have a name
	bench  *flaky.Judge
	here   *flaky.Run // the run being judged, nil when it is too old for past
}

// judge decides the run by the runs before it, then lets the quarantine follow
// from all.
func (c *court) judge(ctx context.Context, before []flaky.Entry) (quarantine, error) {
	rest, err := c.hear(ctx)
	if err != nil {
		return quarantine{}, err
	}
	rules := overridesOf(c.cfg)
	q := quarantine{before: rules.apply(append(c.progress(before), c.pullEntries()...), c.got.results)}
	touched := c.touched(ctx)
	q.notices = touched.notices()
	q.guards = c.guards(q.before, touched)
	for _, run := range rest {
		c.bench.Observe(run)
	}
	if err := errors.Join(c.db.SaveCheckpoint(ctx, c.past), c.name(ctx)); err != nil {
		return q, err
	}
	err = c.update(ctx, &q, rules)
	return q, err
}

// update lets the quarantine follow from the evidence, where the run is
// trusted, and tells how the tests stand.
func (c *court) update(ctx context.Context, q *quarantine, rules overrides) error {
	table, err := c.db.Quarantine(ctx)
	if err != nil {
		return fmt.Errorf("read quarantine: %w", err)
	}
	standings, err := c.standings(ctx, table)
	if err != nil {
		return err
	}
	q.evaluation.TestHealths = standings
	if !c.cfg.Info.Trusted() {
		q.after = q.before
		return nil
	}
	q.evaluation.Changes = c.changes(table, rules, standings)
	q.notices = append(q.notices, c.overflow()...)
	if err := c.db.ApplyChanges(ctx, q.evaluation.Changes, c.now); err != nil {
		return fmt.Errorf("update quarantine: %w", err)
	}
	after, err := c.db.Quarantine(ctx)
	if err != nil {
		return fmt.Errorf("read quarantine: %w", err)
	}
	q.after = rules.apply(c.progress(after), c.got.results)
	return nil
}

// shownStandings is how many of the tests that failed lately are looked at for
// their flip rates, which people see under every policy.
const shownStandings = 500

// standings returns how the tests stand that failed lately or have an entry: the
// others are stable, and reading every test's past only to say so is what a
// large suite would wait for.
func (c *court) standings(ctx context.Context, table []flaky.Entry) ([]flaky.TestHealth, error) {
	tests, err := c.db.FailedLately(ctx, HistoryWindow, shownStandings, c.cfg.Info)
	if err != nil {
		return nil, fmt.Errorf("read failing tests: %w", err)
	}
	for _, e := range table {
		tests = append(tests, e.TestID)
	}
	for _, test := range c.bench.Main.All() {
		tests = append(tests, c.past.Tests[test])
	}
	histories, err := c.db.HistoriesOf(ctx, tests, HistoryWindow, c.cfg.Info)
	if err != nil {
		return nil, fmt.Errorf("read histories: %w", err)
	}
	return flaky.Evaluate(histories, nil, flaky.PolicyEvidence).TestHealths, nil
}

// progress returns the entries with how far those by evidence are on their way
// out.
func (c *court) progress(entries []flaky.Entry) []flaky.Entry {
	return c.past.Progress(c.bench, entries)
}

// hear lets the bench observe the runs before this one. It returns the others,
// this one first.
func (c *court) hear(ctx context.Context) ([]flaky.Run, error) {
	past, err := c.db.LoadCheckpoint(ctx, c.cfg.Info, c.cfg.MaxQuarantine, c.run)
	if err != nil {
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	c.past, c.bench = past, past.Judge
	var rest []flaky.Run
	for i := range past.Runs {
		run := &past.Runs[i]
		if run.ID == c.run {
			c.here = &run.Run
		}
		if c.here == nil {
			c.bench.Observe(run.Run)
		} else {
			rest = append(rest, run.Run)
		}
	}
	return rest, c.name(ctx)
}

// name gives names to the tests that this run is about: those that failed in
// it, those in quarantine and those that found no room there.
func (c *court) name(ctx context.Context) error {
	tests := append(c.bench.All(), c.bench.Main.Overflow()...)
	if c.here != nil {
		for _, o := range c.here.Observations {
			tests = append(tests, o.Test)
		}
	}
	if err := c.db.NameTests(ctx, &c.past.Evidence, tests); err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	table, err := c.db.Quarantine(ctx)
	if err != nil {
		return fmt.Errorf("read quarantine: %w", err)
	}
	entries := make([]string, len(table))
	for i, e := range table {
		entries[i] = e.TestID
	}
	if err := c.db.FindTests(ctx, &c.past.Evidence, entries); err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	c.number = c.past.Numbers()
	return nil
}

// pullEntries returns the tests in quarantine on pull requests alone, when the
// run is not one of the default branch.
func (c *court) pullEntries() []flaky.Entry {
	if c.here == nil || c.here.Source == "" {
		return nil
	}
	var entries []flaky.Entry
	for _, test := range c.bench.Pulls.All() {
		if facts, ok := c.bench.Pulls.Facts(test); ok && !c.bench.Main.Held(test) {
			entries = append(entries, flaky.Entry{TestID: c.past.Tests[test], Reason: facts.String(), Since: c.now,
				AutoUnquarantine: true, Commits: facts.Commits(), PullsOnly: true, Clean: facts.Clean, Release: facts.Release})
		}
	}
	return entries
}

// guards returns why failures of quarantined tests block all the same.
func (c *court) guards(held []flaky.Entry, touched touched) map[string]string {
	entries := map[string]flaky.Entry{}
	for _, e := range held {
		if have, ok := entries[e.TestID]; !ok || have.AutoUnquarantine {
			entries[e.TestID] = e
		}
	}
	guards := map[string]string{}
	for _, r := range c.got.results {
		entry, ok := entries[store.CleanID(r.ID)]
		if !ok || !r.Final().Status.Failing() {
			continue
		}
		if why := c.guard(r, entry, touched); why != "" {
			guards[r.ID] = why
		}
	}
	return guards
}

func (c *court) guard(r engine.TestResult, entry flaky.Entry, touched touched) string {
	if why := touched.guard(r.File); why != "" {
		return why
	}
	o, ok := c.observation(r)
	switch {
	case ok && entry.ByEvidence():
		return c.bench.Guard(*c.here, o)
	case ok:
		return c.bench.GuardManual(*c.here, o)
	case entry.ByEvidence():
		return "the run is older than the evidence"
	}
	return ""
}

func (c *court) observation(r engine.TestResult) (flaky.Observation, bool) {
	test, known := c.number[store.CleanID(r.ID)]
	if !known || c.here == nil {
		return flaky.Observation{}, false
	}
	i := slices.IndexFunc(c.here.Observations, func(o flaky.Observation) bool { return o.Test == test })
	if i < 0 {
		return flaky.Observation{}, false
	}
	return c.here.Observations[i], true
}

// changes compares the quarantine with what the evidence says now.
func (c *court) changes(table []flaky.Entry, rules overrides, standings []flaky.TestHealth) []flaky.Change {
	in := map[string]bool{}
	ran := map[string]flaky.TestHealth{}
	for _, s := range standings {
		ran[s.TestID] = s
	}
	var changes []flaky.Change
	change := func(id string, released bool, reason string) *flaky.Change {
		s := ran[id]
		changes = append(changes, flaky.Change{TestID: id, Released: released, Reason: reason, Tier: s.Tier, FlipRate: s.FlipRate})
		return &changes[len(changes)-1]
	}
	for _, e := range table {
		in[e.TestID] = true
		if never := rules.neverSays(e.TestID); never != "" && e.AutoUnquarantine {
			change(e.TestID, true, never).Who = c.cfg.who(SettingNever)
			continue
		}
		if _, known := ran[e.TestID]; !known || !e.AutoUnquarantine {
			continue
		}
		if why := c.leaves(e, ran[e.TestID]); why != "" {
			change(e.TestID, true, why)
		}
	}
	owners := readOwners(c.source)
	for _, test := range c.bench.Main.All() {
		id := c.past.Tests[test]
		facts, _ := c.bench.Main.Facts(test)
		if id == "" || in[id] || rules.isNever(id) || !c.bench.Main.Fresh(test) {
			continue
		}
		entered := change(id, false, facts.String())
		entered.Commits, entered.Owner = facts.Commits(), owners.of(c.fileOf(id))
		entered.ExitCriteria = flaky.Entry{Since: c.now, AutoUnquarantine: true, Commits: entered.Commits, Clean: facts.Clean, Release: facts.Release}.ExitCriteria()
	}
	slices.SortFunc(changes, func(a, b flaky.Change) int { return cmp.Compare(a.TestID, b.TestID) })
	return changes
}

// leaves returns why an entry ends, "" when it stays. One that does not rest on
// evidence, the seed's or one by hand with --auto-release, ends by the seed's
// rule.
func (c *court) leaves(e flaky.Entry, s flaky.TestHealth) string {
	test, known := c.number[e.TestID]
	steady := s.Tier == flaky.TierStable || s.Tier == flaky.TierIntermittent
	switch {
	case !e.ByEvidence():
		if steady && (!known || !c.bench.Main.Held(test)) {
			return fmt.Sprintf("flip rate %.2f (%s)", s.FlipRate, s.Tier)
		}
		return ""
	case !c.now.Before(e.Since.Add(flaky.Expiry)):
		return fmt.Sprintf("expired after %d days", int(flaky.Expiry.Hours()/24))
	case !known || !c.bench.Main.Held(test):
		return "it ran clean long enough, or nothing shows any more that it is flaky"
	}
	return ""
}

// overflow tells which tests found no room in quarantine.
func (c *court) overflow() []engine.Notice {
	var names []string
	for _, test := range c.bench.Main.Overflow() {
		names = append(names, c.past.Tests[test])
	}
	if len(names) == 0 {
		return nil
	}
	return []engine.Notice{warning(fmt.Sprintf("quarantine is full at %s: %s proved flaky and found no room: %s",
		plural(c.bench.Main.Room(), "test", "tests"), plural(len(names), "test", "tests"), quoteSome(names)))}
}

// fileOf returns the source file of a test of this run.
func (c *court) fileOf(id string) string {
	for _, r := range c.got.results {
		if store.CleanID(r.ID) == id {
			return r.File
		}
	}
	return ""
}
