package flaky

import "github.com/breadcrumb/action/engine"

// Run is one run as the Judge sees it. Only tests that did not simply pass at
// their first attempt are listed; every other test for which Ran reports true
// passed.
type Run struct {
	Commit string // tested commit; "" when unknown, which is a commit of its own
	// Source is who testifies: "" for the default branch, otherwise the pull
	// request or branch that the run belongs to.
	Source string
	// Variant names the workflow, job and matrix leg, "" where there is none. A test
	// that fails in one lane and passes in another shows how they differ, not
	// that it is flaky, so a run is compared only with others of its lane.
	Variant string
	Tests   int // test cases that ran
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

	// Before is in how many earlier runs the test was executed, BeforeMain in
	// how many of the default branch.
	Before, BeforeMain int
	// PassedBefore says that an earlier run of the same witness and lane on the
	// same commit passed it.
	PassedBefore bool
}

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

// recovered reports whether a retry passed. A failure after a pass shows no
// retry: two tests under one name are reported like that.
func (o Observation) recovered() bool { return o.firstFailed() && o.passed() }

func (o Observation) passed() bool {
	return len(o.Attempts) > 0 && o.Attempts[len(o.Attempts)-1] == engine.StatusPassed
}

// executed reports whether any attempt ran.
func (o Observation) executed() bool {
	for _, s := range o.Attempts {
		if s != engine.StatusSkipped {
			return true
		}
	}
	return false
}
