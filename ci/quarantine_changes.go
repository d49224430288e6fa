package ci

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/hmarr/codeowners"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/text"
)

// updateQuarantine sets how the tests are doing and, in a trusted run, changes
// the quarantine by the evidence.
func (p *evidencePolicy) updateQuarantine(ctx context.Context) error {
	q := &p.quarantine
	table, err := p.session.DB.Quarantine(ctx)
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
	if err := p.applyChanges(ctx); err != nil {
		return err
	}
	q.after = p.overrides.apply(p.withProgress(q.after), p.collected.results)
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
	tests, err := db.FailedLately(ctx, flaky.HistoryWindow, maxTestHealths, p.cfg.Info)
	if err != nil {
		return nil, fmt.Errorf("read failing tests: %w", err)
	}
	for _, e := range table {
		tests = append(tests, e.TestID)
	}
	for _, test := range p.evidence.Main.All() {
		tests = append(tests, p.checkpoint.Tests[test])
	}
	histories, err := db.HistoriesOf(ctx, tests, flaky.HistoryWindow, p.cfg.Info)
	if err != nil {
		return nil, fmt.Errorf("read histories: %w", err)
	}
	return flaky.Evaluate(histories, nil, flaky.PolicyEvidence).TestHealths, nil
}

// changes compares the quarantine with what the evidence says now.
func (p *evidencePolicy) changes(table []flaky.Entry) []flaky.Change {
	in := map[engine.TestID]bool{}
	healths := map[engine.TestID]flaky.TestHealth{}
	for _, health := range p.quarantine.evaluation.TestHealths {
		healths[health.TestID] = health
	}
	var changes []flaky.Change
	add := func(id engine.TestID, released bool, reason string) *flaky.Change {
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
		entered.Commits, entered.Owner = facts.Commits(), ownersOf(p.sourceFile(id), owners)
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
func (p *evidencePolicy) sourceFile(id engine.TestID) string {
	if i := slices.IndexFunc(p.collected.results, func(r engine.TestResult) bool { return r.ID == id }); i >= 0 {
		return p.collected.results[i].File
	}
	return ""
}

// noteOverflow says which tests found no room in quarantine.
func (p *evidencePolicy) noteOverflow() {
	var names []engine.TestID
	for _, test := range p.evidence.Main.Overflow() {
		names = append(names, p.checkpoint.Tests[test])
	}
	if len(names) > 0 {
		p.warn("quarantine is full at %s: %s proved flaky and found no room: %s",
			text.Count(p.evidence.Main.Room(), "test", "tests"), text.Count(len(names), "test", "tests"), quoteSome(names))
	}
}

// ownerFiles are the places GitHub reads CODEOWNERS from, in its order.
var ownerFiles = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}

// readOwners reads the checkout's CODEOWNERS. A file that is missing or cannot
// be read names nobody.
func readOwners(source fs.FS) codeowners.Ruleset {
	for _, name := range ownerFiles {
		if text, err := readSource(source, name); err == nil {
			rules, _ := codeowners.ParseFile(bytes.NewReader(text))
			return rules
		}
	}
	return nil
}

// ownersOf returns the owners of file, a space between them, "" for none.
func ownersOf(file string, rules codeowners.Ruleset) string {
	if file == "" {
		return ""
	}
	rule, err := rules.Match(file)
	if err != nil || rule == nil {
		return ""
	}
	names := make([]string, 0, len(rule.Owners))
	for _, owner := range rule.Owners {
		names = append(names, owner.String())
	}
	return strings.Join(names, " ")
}
