package junitxml

import (
	"errors"
	"fmt"

	gojunit "github.com/joshdk/go-junit"

	"github.com/breadcrumb/action/engine"
)

// childNames are go-junit's elements for a status.
var childNames = map[engine.Status]string{
	engine.StatusFailed: "failure", engine.StatusError: "error", engine.StatusSkipped: "skipped",
}

// errLost is a fault of this package, which no report can cause.
var errLost = errors.New("go-junit returned other test cases than it was given")

// decide returns how a test case ended: what go-junit makes of one with the child that
// decides. The child's texts stay where they are, so one answer holds for all children
// of a kind, and go-junit is asked once about each.
func (d *Document) decide(v Verdict) (engine.Status, error) {
	child := childNames[v.status]
	if child == "" || v.Decider < 0 {
		return engine.StatusPassed, nil
	}
	if known := d.decided[v.status]; known != "" {
		return known, nil
	}
	suites, err := gojunit.Ingest(fmt.Appendf(nil, `<testsuite><testcase name="case"><%s/></testcase></testsuite>`, child))
	switch {
	case err != nil:
		return "", fmt.Errorf("decide a test case by its <%s>: %w", child, err)
	case len(suites) != 1 || len(suites[0].Tests) != 1:
		return "", errLost
	}
	d.decided[v.status] = engine.Status(suites[0].Tests[0].Status)
	return d.decided[v.status], nil
}
