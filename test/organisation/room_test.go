package organisation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/flaky"
)

var fullAt = regexp.MustCompile(`quarantine is full at ([0-9,]+) tests?`)

// checkRoom looks whether a quarantine that is full is full of tests inside.
func (o *organisation) checkRoom(r *record, k kept) {
	for _, n := range r.result.Outcome.Notices {
		full := fullAt.FindStringSubmatch(n.Reason)
		if full == nil {
			continue
		}
		inside, room := 0, 0
		for _, automatic := range k.entries {
			if automatic {
				inside++
			}
		}
		if _, err := fmt.Sscan(strings.ReplaceAll(full[1], ",", ""), &room); err != nil || inside < room {
			o.fail(ruleRoom, "%s of %s: %d tests are inside: %s", r.spec.name(), r.run, inside, n.Reason)
		}
	}
}

// What is surely enough for a test to be in quarantine: so many commits on which it
// failed and passed, alone, one of them late.
const (
	surelyFlaked = 4
	lookedAt     = 30 // commits back
	lately       = 8
)

// checkHeld looks whether tests that flake again and again are in quarantine, by the
// records that must still be kept.
func (o *organisation) checkHeld(r *record, k kept, still []*record) {
	if o.setting.share < 1 || r.run.workflow.since > 0 {
		return
	}
	for test := range r.results {
		if _, in := k.entries[test]; in || o.wasReleased(test) || slices.Contains(o.setting.never, test) || r.leftAnew(test) {
			continue
		}
		all := o.commitsOf(test, r, slices.DeleteFunc(slices.Clone(still), func(s *record) bool { return s.before < o.model.left[test] }))
		all = all[max(0, len(all)-lookedAt):]
		flaked, last := 0, -1
		for i, c := range all[:max(0, len(all)-1)] {
			if c.failed && c.passed && o.isLone(test, c.sha) {
				flaked, last = flaked+1, i
			}
		}
		if flaked >= surelyFlaked && last >= len(all)-lately && last >= enterExecuted+2 {
			o.fail(ruleHeld, "%s of %s: %q is not in quarantine after it failed and passed on %d of its last %d commits", r.spec.name(), r.run, test, flaked, len(all))
		}
	}
}

// leftAnew reports whether a test left the quarantine by the run itself, because it always
// fails now, or because its time there is over and only what it does afterwards counts.
func (r *record) leftAnew(test string) bool {
	return slices.ContainsFunc(r.result.Outcome.Changes, func(c flaky.Change) bool {
		return nameOf(string(c.TestID)) == test && c.Released && !c.Pending && (strings.HasPrefix(c.Reason, leavesBroken) || strings.HasPrefix(c.Reason, "expired"))
	})
}

func (o *organisation) wasReleased(test string) bool {
	d, decided := o.model.decisions[test]
	return decided && !d.hold
}

// isLone reports whether no other test failed on a commit.
func (o *organisation) isLone(test, sha string) bool {
	for _, r := range o.model.records {
		if r.run.tested.sha != sha {
			continue
		}
		for other := range r.results {
			if other != test && r.failedOnce(other) {
				return false
			}
		}
	}
	return true
}
