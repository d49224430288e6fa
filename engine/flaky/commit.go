package flaky

import (
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
)

// Commit is every run of one commit for the same sources, in the order in which
// they were tested: its workflows, legs, shards, attempts and events. It counts
// once, however many they are.
type Commit []Run

// Run is one run of a commit: one attempt of a leg. Only tests that did not simply
// pass at their first attempt are listed; every other test for which Ran reports
// true passed.
type Run struct {
	Commit string // tested commit; "" when unknown, which is a commit of its own
	// Sources is where the commit comes from: nothing for the default branch,
	// otherwise the pull request or branch that it belongs to, or the pull requests
	// of a merge group.
	Sources []string
	// Queued is a run of a merge group: it may be thrown out, and what is merged is
	// tested again on the default branch. It teaches nothing.
	Queued bool
	// At is the forge's time of the commit's first run, the zero time when unknown.
	At time.Time
	// Variant names the workflow, job and matrix leg, "" where there is none. A test
	// that fails in one variant and passes in another shows how they differ, not
	// that it is flaky, so a run is compared only with others of its variant.
	Variant string
	Tests   int // test cases that ran
	// InJob is what ran again in the job of another run, which is no run of its own.
	InJob bool
	// Ran reports whether a test was part of this run. nil: every test was.
	Ran          func(test int) bool
	Observations []Observation
}

// Observation is one test of a run that failed at least once or healed a
// locator. Tests are numbered by the caller.
type Observation struct {
	Test       int
	Attempts   []engine.Status // in order, skipped ones included
	Signatures []string        // of the failing attempts, see Signature
	Healed     bool            // a locator was healed: the page changed
	Place      string          // "file:line" of the failure, "" when unknown

	// Before is on how many earlier commits the test was executed, BeforeMain on
	// how many of the default branch.
	Before, BeforeMain int
}

func (c Commit) onMain() bool { return c[0].onMain() }

func (r Run) onMain() bool { return len(r.Sources) == 0 }

func (r Run) ran(test int) bool { return r.Ran == nil || r.Ran(test) }

// Ended returns how a test ended in a run: passed or failed, and skipped where that says
// nothing, because it did not run or healed a locator.
func (r Run) Ended(test int) engine.Status {
	for _, o := range r.Observations {
		switch {
		case o.Test != test:
		case o.executions() == 0, o.Healed, o.failed() && o.isTrouble(Trouble):
			return engine.StatusSkipped
		case o.failed():
			return engine.StatusFailed
		default:
			return engine.StatusPassed
		}
	}
	if r.ran(test) {
		return engine.StatusPassed
	}
	return engine.StatusSkipped
}

// key returns the branch of the run, of which the runs of its variant follow upon
// each other.
func (r Run) key() branchKey { return branchKey{strings.Join(r.Sources, "\n"), r.Variant} }

// firstFailed reports whether the first executed attempt failed.
func (o Observation) firstFailed() bool {
	for _, s := range o.Attempts {
		if s != engine.StatusSkipped {
			return s.Failing()
		}
	}
	return false
}

// failed reports whether the test failed for good.
func (o Observation) failed() bool {
	return len(o.Attempts) > 0 && o.Attempts[len(o.Attempts)-1].Failing()
}
