package ci

import (
	"cmp"
	"context"
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
	db     *store.DB
	got    collected
	run    int64 // row id of the run being judged
	source fs.FS
	now    time.Time

	past   store.Evidence
	number map[string]int // of a test id in past
	bench  *flaky.Judge
	here   *flaky.Run // the run being judged, nil when it is too old for past
}

// judge decides the run by the runs before it, then lets the quarantine follow
// from all.
func (c *court) judge(ctx context.Context, before []flaky.Entry) (quarantine, error) {
	standings, err := c.standings(ctx)
	if err != nil {
		return quarantine{}, err
	}
	rest, err := c.hear(ctx)
	if err != nil {
		return quarantine{}, err
	}
	rules := overrides{c.cfg.Always, c.cfg.Never}
	q := quarantine{evaluation: flaky.Evaluation{Standings: standings}}
	q.before = rules.apply(append(slices.Clone(before), c.pullEntries()...), c.got.results)
	touched, notices := c.touched(ctx)
	q.notices = notices
	q.guards = c.guards(q.before, touched)
	for _, run := range rest {
		c.bench.Observe(run)
	}
	if !trusted(c.cfg.Info) {
		q.after = q.before
		return q, nil
	}
	table, err := c.db.Quarantine(ctx)
	if err != nil {
		return q, fmt.Errorf("read quarantine: %w", err)
	}
	q.evaluation.Changes = c.changes(table, rules, standings)
	q.notices = append(q.notices, c.overflow()...)
	if err := c.db.ApplyChanges(ctx, q.evaluation.Changes, c.now); err != nil {
		return q, fmt.Errorf("update quarantine: %w", err)
	}
	after, err := c.db.Quarantine(ctx)
	if err != nil {
		return q, fmt.Errorf("read quarantine: %w", err)
	}
	q.after = rules.apply(after, c.got.results)
	return q, nil
}

// standings returns the flip rates, which people see under every policy.
func (c *court) standings(ctx context.Context) ([]flaky.Standing, error) {
	histories, err := c.db.Histories(ctx, historyWindow, c.cfg.Info)
	if err != nil {
		return nil, fmt.Errorf("read histories: %w", err)
	}
	return flaky.Evaluate(histories, nil, flaky.PolicyEvidence).Standings, nil
}

// hear lets the bench observe the runs before this one. It returns the others,
// this one first.
func (c *court) hear(ctx context.Context) ([]flaky.Run, error) {
	past, err := c.db.Evidence(ctx, c.cfg.Info)
	if err != nil {
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	c.past, c.bench, c.number = past, flaky.NewJudge(c.cfg.MaxQuarantine), make(map[string]int, len(past.Tests))
	for i, id := range past.Tests {
		c.number[id] = i
	}
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
	return rest, nil
}

// pullEntries returns the tests in quarantine on pull requests alone, when the
// run is not one of the default branch.
func (c *court) pullEntries() []flaky.Entry {
	if c.here == nil || c.here.Witness == "" {
		return nil
	}
	var entries []flaky.Entry
	for _, test := range c.bench.Pulls.All() {
		if facts, ok := c.bench.Pulls.Facts(test); ok && !c.bench.Main.Held(test) {
			entries = append(entries, flaky.Entry{TestID: c.past.Tests[test], Reason: facts.String(), Since: c.now,
				AutoUnquarantine: true, Commits: facts.Commits(), PullsOnly: true})
		}
	}
	return entries
}

// guards returns why failures of quarantined tests block all the same.
func (c *court) guards(held []flaky.Entry, touched map[string]bool) map[string]string {
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

func (c *court) guard(r engine.TestResult, entry flaky.Entry, touched map[string]bool) string {
	if r.File != "" && touched[r.File] {
		return "this pull request changes the test's own file " + r.File
	}
	o, ok := c.observation(r)
	switch {
	case ok && byEvidence(entry):
		return c.bench.Guard(*c.here, o)
	case ok:
		return c.bench.GuardByHand(*c.here, o)
	case byEvidence(entry):
		return "the run is older than the evidence"
	}
	return ""
}

// byEvidence reports whether the entry was put there by evidence: not by a
// person and not by the seed.
func byEvidence(e flaky.Entry) bool { return e.AutoUnquarantine && len(e.Commits) > 0 }

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

// touched returns the files that the pull request changed.
func (c *court) touched(ctx context.Context) (map[string]bool, []engine.Notice) {
	if c.deps.Changes == nil || c.cfg.Info.PullRequest == 0 {
		return nil, nil
	}
	files, err := c.deps.Changes.ChangedFiles(ctx, c.cfg.Info.PullRequest)
	if err != nil {
		return nil, []engine.Notice{warning("the files this pull request changes are not known, so a quarantined test whose own file it changes may be excused: " + err.Error())}
	}
	touched := make(map[string]bool, len(files))
	for _, f := range files {
		touched[f] = true
	}
	return touched, nil
}

// changes compares the quarantine with what the evidence says now.
func (c *court) changes(table []flaky.Entry, rules overrides, standings []flaky.Standing) []flaky.Change {
	in := map[string]bool{}
	ran := map[string]flaky.Standing{}
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
		if _, known := ran[e.TestID]; !known || !e.AutoUnquarantine {
			continue
		}
		if why := c.leaves(e, rules, ran[e.TestID]); why != "" {
			change(e.TestID, true, why)
		}
	}
	owners := readOwners(c.source)
	for _, test := range c.bench.Main.All() {
		id := c.past.Tests[test]
		facts, _ := c.bench.Main.Facts(test)
		if in[id] || rules.isNever(id) || !c.bench.Main.Fresh(test) {
			continue
		}
		entered := change(id, false, facts.String())
		entered.Commits, entered.Owner = facts.Commits(), owners.of(c.fileOf(id))
	}
	slices.SortFunc(changes, func(a, b flaky.Change) int { return cmp.Compare(a.TestID, b.TestID) })
	return changes
}

// leaves returns why an entry ends, "" when it stays. One that does not rest on
// evidence, the seed's or one by hand with --auto-release, ends by the seed's
// rule.
func (c *court) leaves(e flaky.Entry, rules overrides, s flaky.Standing) string {
	test, known := c.number[e.TestID]
	steady := s.Tier == flaky.TierStable || s.Tier == flaky.TierIntermittent
	switch {
	case rules.isNever(e.TestID):
		return "the configuration says never"
	case !byEvidence(e):
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
