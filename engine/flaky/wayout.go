package flaky

import (
	"fmt"
	"time"
)

// ByEvidence reports whether the entry was put there by evidence: not by a
// person, not by the configuration and not by the seed's rule.
func (e Entry) ByEvidence() bool { return e.AutoUnquarantine && len(e.Commits) > 0 }

// Expires returns when an entry by evidence ends at the latest, the zero time
// for one that does not expire.
func (e Entry) Expires() time.Time {
	if !e.ByEvidence() || e.PullsOnly || e.Since.IsZero() {
		return time.Time{}
	}
	return e.Since.Add(Expiry)
}

// ExitCriteria says in words what gets the test out of quarantine, such as "12 of 18
// clean runs to go; expires 2026-12-01".
func (e Entry) ExitCriteria() string {
	switch {
	case e.Configured:
		return "stays while the configuration says always"
	case !e.AutoUnquarantine:
		return "stays until it is released by hand"
	case !e.ByEvidence():
		return fmt.Sprintf("leaves when its flip rate is at most %.2f", maxIntermittent)
	}
	text := "leaves after enough clean runs"
	if e.Release > 0 {
		text = fmt.Sprintf("%d of %d clean runs to go", max(0, e.Release-e.Clean), e.Release)
	}
	if end := e.Expires(); !end.IsZero() {
		text += "; expires " + end.UTC().Format(time.DateOnly)
	}
	return text
}
