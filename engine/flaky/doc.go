// Package flaky turns a test's history into a flip rate, a tier and a
// quarantine, and a run's results into a verdict. It is pure.
package flaky

import (
	"time"

	"github.com/breadcrumb/action/engine"
)

// Tier is how unstable a test is by its flip rate.
type Tier string

// The seed's four tiers.
const (
	TierStable       Tier = "Stable"
	TierIntermittent Tier = "Intermittent"
	TierFlaky        Tier = "Flaky"
	TierChronic      Tier = "Chronic"
)

// History is what is known of one test, newest status last. The statuses are
// of attempts: a retry is an execution of its own, as in the seed.
type History struct {
	TestID   string
	Statuses []engine.Status
}

// Expiry is how long evidence keeps a test in quarantine; after that it must
// prove itself flaky again.
const Expiry = 30 * 24 * time.Hour

// Entry is one quarantined test.
type Entry struct {
	TestID           string
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

// Change is a test that entered or left quarantine, with the reason.
type Change struct {
	TestID   string
	Released bool
	Reason   string
	Tier     Tier
	FlipRate float64 // ratio in [0,1]

	// Pending: told, not applied. Only runs of the default branch, or local
	// ones, change the quarantine.
	Pending bool

	Owner        string   // as in Entry
	Commits      []string // as in Entry
	Who          string   // who decided it; "" is Breadcrumb by what the tests did
	ExitCriteria string   // of one that entered: see Entry.ExitCriteria
}

// TestHealth is where one test stands after this run.
type TestHealth struct {
	TestID   string
	Runs     int     // executions the flip rate was taken over
	FlipRate float64 // ratio in [0,1] over the last 10 executions
	EWMA     float64 // ratio in [0,1] over the last 20 executions
	Tier     Tier
}

// Failure is a failing test of this run.
type Failure struct {
	Result engine.TestResult
	Excuse string // why it does not block; empty in Verdict.Blocking
	Guard  string // why it blocks although its test is in quarantine
}

// Verdict decides the job. It passes only when nothing blocks.
type Verdict struct {
	Blocking []Failure       // failures that fail the job
	Excused  []Failure       // failures of quarantined tests
	Missing  []string        // tests that should have run and are not there
	Notices  []engine.Notice // blocking notices: reports that prove nothing
}

// Pass reports whether the job may pass.
func (v Verdict) Pass() bool {
	return len(v.Blocking) == 0 && len(v.Missing) == 0 && len(v.Notices) == 0
}
