// Package outcome is what one CI run found, in the one shape that every teller
// (comment, job summary, console, JSON, annotations, outputs) tells it from.
package outcome

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/patch"
)

// Counts are the run's tests by final status; a flaky test is also in Passed.
type Counts struct {
	Tests, Passed, Failed, Errors, Skipped, Flaky int
	DurationMS                                    float64
}

// Run is the outcome of one run.
type Run struct {
	Info        engine.RunInfo
	Root        string // slash-separated path of the checkout folder inside the repository, "" for its top
	Counts      Counts
	Verdict     flaky.Verdict
	FlakyTests  []engine.TestResult // passed after a failing attempt
	Proposals   []patch.Proposal    // one per healed locator of this run
	Suggestions []Suggestion        // the edits among them that may be made
	Refused     []engine.HealEvent  // locators that were not healed
	Changes     []flaky.Change      // quarantine changes by this run
	Quarantine  []flaky.Entry       // quarantine after this run
	TestHealths []flaky.TestHealth  // of the tests in this run that are worth a look
	Groups      map[string]int      // how many instances of each parametrised test ran, by flaky.Group
	Notices     []engine.Notice     // warnings; the blocking ones are in Verdict too
	Reports     []string            // report files that were read
	Database    string              // where the database was written, "" for a dry run
	DryRun      bool
}

// Count returns the counts of results.
func Count(results []engine.TestResult) Counts {
	var c Counts
	for _, r := range results {
		c.Tests++
		switch r.Final().Status {
		case engine.StatusPassed:
			c.Passed++
		case engine.StatusSkipped:
			c.Skipped++
		case engine.StatusFailed:
			c.Failed++
		case engine.StatusError:
			c.Errors++
		}
		if r.Flaky() {
			c.Flaky++
		}
		for _, a := range r.Attempts {
			c.DurationMS += a.DurationMS
		}
	}
	return c
}
