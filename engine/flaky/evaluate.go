package flaky

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// Policy names the rules by which tests enter and leave quarantine.
type Policy string

// The policies.
const (
	// PolicySeed holds the seed's documented rules: a test enters at Flaky or
	// Chronic and leaves at Stable or Intermittent unless a person holds it.
	PolicySeed Policy = "seed"
	// PolicyEvidence quarantines a test that proved to be flaky and guards
	// every failure of it, see Judge.
	PolicyEvidence Policy = "evidence"
)

// ParsePolicy returns the policy of that name. The error names the valid ones.
func ParsePolicy(name string) (Policy, error) {
	if p := Policy(name); p == PolicySeed || p == PolicyEvidence {
		return p, nil
	}
	return "", fmt.Errorf("quarantine policy %.40q is not known (valid: %s, %s)", name, PolicyEvidence, PolicySeed)
}

// Evaluation is what the histories say: one TestHealth per test that has ever
// run, and the quarantine changes that follow. Both are sorted by TestID.
type Evaluation struct {
	TestHealths []TestHealth
	Changes     []Change
}

// Evaluate judges every history, of which there is one per test, against the
// quarantine as it stands, under policy p. A test without a single execution is
// left alone, quarantined or not. The zero Policy is PolicySeed; under a policy
// this version does not know nothing changes. The arguments are not modified.
func Evaluate(histories []History, quarantined []Entry, p Policy) Evaluation {
	held := holdsOf(quarantined)
	e := Evaluation{TestHealths: make([]TestHealth, 0, len(histories))}
	byTest := func(a, b History) int { return cmp.Compare(a.TestID, b.TestID) }
	for _, h := range slices.SortedStableFunc(slices.Values(histories), byTest) {
		if len(h.Statuses) == 0 {
			continue
		}
		rate := FlipRate(h.Statuses)
		s := TestHealth{TestID: h.TestID, Runs: min(len(h.Statuses), flipWindow), FlipRate: rate, EWMA: EWMA(h.Statuses), Tier: TierOf(rate)}
		e.TestHealths = append(e.TestHealths, s)
		if p != PolicySeed && p != "" {
			continue
		}
		if c, changed := seedChange(s, held[s.TestID]); changed {
			e.Changes = append(e.Changes, c)
		}
	}
	return e
}

// hold is a test's state in quarantine.
type hold int

const (
	free     hold = iota
	heldAuto      // leaves when its tier improves
	heldManually
)

// holdsOf returns each quarantined test's hold. A manual entry outweighs the
// others of a test that has several.
func holdsOf(quarantined []Entry) map[engine.TestID]hold {
	held := make(map[engine.TestID]hold, len(quarantined))
	for _, e := range quarantined {
		h := heldManually
		if e.AutoUnquarantine {
			h = heldAuto
		}
		held[e.TestID] = max(held[e.TestID], h)
	}
	return held
}

// seedChange applies the seed's QuarantineManager.auto_update to one test.
func seedChange(s TestHealth, h hold) (Change, bool) {
	unstable := s.Tier == TierFlaky || s.Tier == TierChronic
	enters := unstable && h == free
	leaves := !unstable && h == heldAuto
	if !enters && !leaves {
		return Change{}, false
	}
	reason := fmt.Sprintf("flip rate %.2f over the last %s (%s)", s.FlipRate, text.Count(s.Runs, "execution", "executions"), s.Tier)
	c := Change{TestID: s.TestID, Released: leaves, Reason: reason, Tier: s.Tier, FlipRate: s.FlipRate}
	if enters {
		c.ExitCriteria = Entry{AutoUnquarantine: true}.ExitCriteria()
	}
	return c, true
}
