package ci

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

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
	if q.evaluation.Changes, err = p.changes(ctx, table); err != nil {
		return err
	}
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
	if err := db.FindTests(ctx, &p.checkpoint.Evidence, tests); err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	p.quarantine.steady = map[engine.TestID]bool{}
	numbers := p.checkpoint.Numbers()
	for _, id := range tests {
		number, known := numbers[id]
		p.quarantine.steady[id] = !known || !p.evidence.Suspects(number)
	}
	for _, e := range table {
		tests = append(tests, e.TestID)
		p.quarantine.steady[e.TestID] = false
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
func (p *evidencePolicy) changes(ctx context.Context, table []flaky.Entry) ([]flaky.Change, error) {
	changes := changeList{healths: map[engine.TestID]flaky.TestHealth{}}
	for _, health := range p.quarantine.evaluation.TestHealths {
		changes.healths[health.TestID] = health
	}
	in := map[engine.TestID]bool{}
	inside := 0 // by evidence
	for _, e := range table {
		in[e.TestID] = true
		health, known := changes.healths[e.TestID]
		if never := p.overrides.neverReason(e.TestID); never != "" && e.AutoUnquarantine {
			changes.add(e.TestID, true, never).Who = p.cfg.settingSource(SettingNever)
		} else if reason := p.releaseReason(e, health); known && e.AutoUnquarantine && reason != "" {
			changes.add(e.TestID, true, reason)
		} else if e.ByEvidence() {
			inside++
		}
	}
	if err := p.enter(ctx, &changes, in, inside); err != nil {
		return nil, err
	}
	slices.SortFunc(changes.list, func(a, b flaky.Change) int { return cmp.Compare(a.TestID, b.TestID) })
	return changes.list, nil
}

// changeList gathers changes with how their tests are doing.
type changeList struct {
	healths map[engine.TestID]flaky.TestHealth
	list    []flaky.Change
}

func (l *changeList) add(id engine.TestID, released bool, reason string) *flaky.Change {
	health := l.healths[id]
	l.list = append(l.list, flaky.Change{TestID: id, Released: released, Reason: reason, Tier: health.Tier, FlipRate: health.FlipRate})
	return &l.list[len(l.list)-1]
}

// enter adds the tests that this commit proved to be flaky, as many as there is room
// for beside those inside, and warns of the others.
func (p *evidencePolicy) enter(ctx context.Context, changes *changeList, in map[engine.TestID]bool, inside int) error {
	main := p.evidence.Main
	candidates := slices.DeleteFunc(main.Queue(p.compareNames), func(test int) bool {
		id := p.checkpoint.Tests[test]
		return id == "" || in[id] || p.overrides.neverReason(id) != "" || !main.Fresh(test)
	})
	candidates, err := p.dropReleased(ctx, candidates)
	if err != nil || len(candidates) == 0 {
		return err
	}
	room, err := p.room(ctx)
	if err != nil {
		return err
	}
	entering := min(len(candidates), max(0, room-inside))
	owners := readOwners(p.source)
	for _, test := range candidates[:entering] {
		id := p.checkpoint.Tests[test]
		facts, _ := main.Facts(test)
		entered := changes.add(id, false, facts.String())
		entered.Commits, entered.Owner = facts.Commits(), ownersOf(p.sourceFile(id), owners)
		entered.ExitCriteria = flaky.Entry{Since: p.now, AutoUnquarantine: true, Commits: entered.Commits, Clean: facts.Clean, Release: facts.Release}.ExitCriteria()
	}
	p.noteOverflow(room, candidates[entering:])
	return nil
}

// releaseReason returns why an entry ends, "" when it stays. One that does not
// rest on evidence, the seed's or a manual one with --auto-release, ends by the
// seed's rule. The judge says when one by evidence expires: a run that comes late may
// have moved the time from which it counts, and it forgets the evidence then. Where it
// remembers some, it let the test go for another reason.
func (p *evidencePolicy) releaseReason(e flaky.Entry, health flaky.TestHealth) string {
	test, known := p.number[e.TestID]
	flaking := known && p.evidence.Main.Held(test)
	steady := health.Tier == flaky.TierStable || health.Tier == flaky.TierIntermittent
	expired := !p.now.Before(e.Since.Add(flaky.Expiry))
	remembered := false
	if facts, ok := p.evidence.Main.Facts(test); known && ok {
		remembered = len(facts.Evidence) > 0
	}
	switch {
	case !e.ByEvidence():
		if steady && !flaking {
			return fmt.Sprintf("flip rate %.2f (%s)", health.FlipRate, health.Tier)
		}
		return ""
	case expired && (!flaking && !remembered || flaking && p.evidence.Main.HeldSince(test).IsZero()):
		return fmt.Sprintf("expired after %d days", int(flaky.Expiry.Hours()/24))
	case flaking:
		return ""
	}
	// It may be broken where it ran before, as in a leg that is gone, and leave for another reason.
	passes := slices.ContainsFunc(p.collected.results, func(r engine.TestResult) bool { return r.ID == e.TestID && !r.Final().Status.Failing() })
	if b, broken := p.evidence.Main.Broken(test); known && broken && !passes {
		return "it is broken, not flaky: it failed every attempt" + b.String()
	}
	i := slices.IndexFunc(p.quarantine.before, func(b flaky.Entry) bool { return b.TestID == e.TestID && b.ByEvidence() && b.Release > 0 })
	if i >= 0 && p.quarantine.before[i].Clean+1 >= p.quarantine.before[i].Release {
		return fmt.Sprintf("it ran clean on %d commits since it last flaked", p.quarantine.before[i].Clean+1)
	}
	return "it ran clean long enough, it expired, or nothing shows any more that it is flaky"
}

// sourceFile returns the source file of a test of this run.
func (p *evidencePolicy) sourceFile(id engine.TestID) string {
	if i := slices.IndexFunc(p.collected.results, func(r engine.TestResult) bool { return r.ID == id }); i >= 0 {
		return p.collected.results[i].File
	}
	return ""
}

// dropReleased returns the tests without those that were released after the commit
// that brought their newest evidence: only new evidence brings them back, and a run
// that does not execute them brings none.
func (p *evidencePolicy) dropReleased(ctx context.Context, tests []int) ([]int, error) {
	if len(tests) == 0 {
		return nil, nil
	}
	log, err := p.session.DB.QuarantineLog(ctx)
	if err != nil {
		return nil, fmt.Errorf("read quarantine log: %w", err)
	}
	released := map[engine.TestID]time.Time{}
	for _, e := range log {
		if last := released[e.Change.TestID]; e.Change.Released && e.At.After(last) {
			released[e.Change.TestID] = e.At
		}
	}
	return slices.DeleteFunc(tests, func(test int) bool {
		facts, _ := p.evidence.Main.Facts(test)
		at, known := released[p.checkpoint.Tests[test]]
		return known && !facts.Newest.IsZero() && !facts.Newest.After(at)
	}), nil
}

// noteOverflow says which tests found no room in quarantine.
func (p *evidencePolicy) noteOverflow(room int, tests []int) {
	if len(tests) == 0 {
		return
	}
	names := make([]engine.TestID, len(tests))
	for i, test := range tests {
		names[i] = p.checkpoint.Tests[test]
	}
	p.warn("quarantine is full at %s: %s proved flaky and found no room: %s",
		text.Count(room, "test", "tests"), text.Count(len(names), "test", "tests"), quoteSome(names))
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
