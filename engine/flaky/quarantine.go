package flaky

import (
	"fmt"
	"time"

	"github.com/breadcrumb/action/engine"
)

// Expiry is how long evidence keeps a test in quarantine; after that it must
// prove itself flaky again.
const Expiry = 30 * 24 * time.Hour

// Entry is one quarantined test.
type Entry struct {
	TestID           engine.TestID
	Reason           string
	Since            time.Time
	AutoUnquarantine bool // false: only a person releases it

	Owner   string   // who looks after the test, from CODEOWNERS; may be empty
	Commits []string // that gave the evidence, oldest first

	// Clean and Release say how far an entry by evidence is on its way out:
	// executions without evidence so far, and how many let it out; 0 and 0
	// where it is not known. They are not stored.
	Clean, Release int

	// Configured: it is there because the configuration says always, and is
	// not stored.
	Configured bool

	// PullsOnly: excused on pull requests alone, the default branch has not
	// shown it to be flaky. Such an entry is not stored.
	PullsOnly bool

	// Environment limits the entry to results of that environment; "" holds
	// for whatever the test ID names.
	Environment string
}

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

// Change is a test that entered or left quarantine, with the reason.
type Change struct {
	TestID   engine.TestID
	Released bool
	Reason   string
	Tier     Tier
	FlipRate float64 // ratio in [0,1]

	// Pending: shown and not applied, because the run is not trusted.
	Pending bool

	Owner        string   // as in Entry
	Commits      []string // as in Entry
	Who          string   // who decided it; "" is Breadcrumb by what the tests did
	ExitCriteria string   // of one that entered: see Entry.ExitCriteria
}
