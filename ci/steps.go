package ci

import (
	"slices"

	"github.com/breadcrumb/action/engine"
)

// How a step ended, in the words of GitHub's steps context:
// https://docs.github.com/en/actions/reference/workflows-and-actions/contexts#steps-context
const (
	stepSuccess   = "success"
	stepFailure   = "failure"
	stepCancelled = "cancelled"
	stepSkipped   = "skipped"
)

// StepOutcomes returns the words for how a step ended.
func StepOutcomes() []string {
	return []string{stepSuccess, stepFailure, stepCancelled, stepSkipped}
}

// unexplained returns a blocking notice where the steps that ran the tests ended
// in another way than their reports tell. A runner fails for what no report has
// room for, such as an error after the last test; a step that may fail without
// failing the job would hide it.
func unexplained(steps []string, got collected) []engine.Notice {
	failing := slices.ContainsFunc(got.results, func(r engine.TestResult) bool { return r.Final().Status.Failing() })
	reason := ""
	switch {
	case len(steps) == 0:
	case slices.Contains(steps, stepCancelled):
		reason = "the step that ran the tests was cancelled: its reports may lack tests"
	case slices.Contains(steps, stepFailure) && !failing && !blocks(got.notices):
		reason = "the step that ran the tests failed and no report shows a failure: its log says why, such as an error outside the tests"
	case !slices.ContainsFunc(steps, func(s string) bool { return s != stepSkipped }):
		reason = "the step that runs the tests was skipped: the reports are not its"
	}
	if reason == "" {
		return nil
	}
	return []engine.Notice{{Severity: engine.SeverityBlocking, Reason: reason}}
}
