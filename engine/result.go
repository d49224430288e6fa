// Package engine holds Breadcrumb's domain: test results, heal events and
// element fingerprints, and what can be worked out from them alone.
//
// It is pure. It never opens a file, dials, logs, reads a clock or draws a
// random number: bytes, times and seeds are arguments, and the same arguments
// always give the same result. Every other room depends on it.
package engine

import (
	"strings"
	"time"
)

// Status is how one attempt of a test case ended. The four words are those of
// the seed database's test_runs.status column.
type Status string

// The statuses, best first. StatusError is a fault outside an assertion (a
// crash, a broken fixture); both it and StatusFailed fail a test.
const (
	StatusPassed  Status = "passed"
	StatusSkipped Status = "skipped"
	StatusFailed  Status = "failed"
	StatusError   Status = "error"
)

// Failing reports whether s fails a test: failed or error.
func (s Status) Failing() bool { return s == StatusFailed || s == StatusError }

// Word says how an attempt ended to people: passed, skipped or failed, whichever way.
func (s Status) Word() string {
	if s.Failing() {
		return string(StatusFailed)
	}
	return string(s)
}

// Attempt is one execution of a test case.
type Attempt struct {
	Status     Status
	DurationMS float64 // milliseconds; 0 when the report has none
	ErrorType  string  // exception class or the failure's type attribute
	Message    string  // one-line message as reported, bounded by the reader
	Text       string  // stack trace or failure body, bounded by the reader
	Waited     string  // locator that its output says was waited for, where the error names none; bounded by the reader
	Place      string  // where the error arose in the checkout, by its code and not its line; "" when unknown
}

// TestResult is one test case of a run with every attempt at it, in order.
// All texts are the test run's own: hostile until escaped for where they go.
type TestResult struct {
	ID          TestID // stable identity, see junit's documentation
	Suite       string // suite path, segments joined by " › "
	Class       string // classname as reported
	Name        string // title as reported
	File        string // slash-separated, relative to the checkout where known
	Line        int    // 1-based, 0 when unknown
	Environment string // Playwright project or other environment, may be empty
	Report      string // report file this came from
	Attempts    []Attempt
	Properties  map[string]string // test-case properties
	Attachments []string          // files it left, slash-separated, below the directory of its report
}

// Final returns the attempt that decides the test: the last one. A result
// without attempts counts as an error, because nothing proves that it ran.
func (r TestResult) Final() Attempt {
	if len(r.Attempts) == 0 {
		return Attempt{Status: StatusError, Message: "the report records no attempt"}
	}
	return r.Attempts[len(r.Attempts)-1]
}

// Flaky reports whether the test passed after at least one failing attempt of
// the same run.
func (r TestResult) Flaky() bool {
	if r.Final().Status != StatusPassed {
		return false
	}
	for _, a := range r.Attempts[:len(r.Attempts)-1] {
		if a.Status.Failing() {
			return true
		}
	}
	return false
}

// Severity says what a Notice does to the verdict.
type Severity string

// A warning is shown and changes nothing; a blocking notice makes the run not
// pass, because a result that should be there is missing or cannot be trusted.
const (
	SeverityWarning  Severity = "warning"
	SeverityBlocking Severity = "blocking"
)

// Notice is something about the run's input that people must know: a file that
// could not be read, a truncated report, a suite that vanished.
type Notice struct {
	File     string // as the user named it, may be empty
	Line     int    // 1-based, 0 when it has no place
	Severity Severity
	Reason   string // one sentence, may hold text of the test run
}

// OutsideTests is what a notice says of an error of the runner that no test had, such as
// of a file that did not load.
const OutsideTests = "outside the tests"

// RunInfo says where results come from. The zero value is a local run.
type RunInfo struct {
	RepositoryID  int64  // forge's numeric id, 0 locally
	Repository    string // "owner/name"
	RunID         int64
	RunAttempt    int
	WorkflowID    int64  // forge's id of the workflow; GitHub gives a renamed file another one; 0 unknown
	Workflow      string // workflow ref
	Job           string // the caller's job: "caller / called" where a workflow calls another
	Leg           string // names the matrix leg of a job
	Commit        string // tested SHA (GITHUB_SHA), never the PR's head
	HeadSHA       string // PR head, where suggestions can be anchored
	Branch        string
	PullRequest   int   // 0 outside a pull request
	MergeGroup    []int // pull requests of a merge group, ascending; PullRequest is 0 then
	DefaultBranch bool  // run of the default branch by push, schedule or dispatch
	Fork          bool  // PR from a fork: the token is read-only
	Relayed       bool  // reports on another run, as a workflow_run does
	// StartedAt is the forge's time of the run where there is a forge. It, the run
	// id and the attempt order runs, and no other clock does.
	StartedAt time.Time
	// LateStart says that StartedAt is later than the run began: the forge did not tell
	// that, and its own time when it was asked stands for it.
	LateStart bool
}

// PullRequests returns the pull requests that the run tests: its own one or those of
// its merge group.
func (i RunInfo) PullRequests() []int {
	if i.PullRequest != 0 {
		return []int{i.PullRequest}
	}
	return i.MergeGroup
}

// CallSeparator stands between a calling job's name and the called job's id in
// RunInfo.Job. No id of a job holds it.
const CallSeparator = " / "

// CalledJob returns the id of the called job where a workflow calls another one, as
// older versions knew it alone; otherwise the job.
func CalledJob(job string) string {
	if at := strings.LastIndex(job, CallSeparator); at >= 0 {
		return job[at+len(CallSeparator):]
	}
	return job
}

// CallingJob returns the name of the job that calls a workflow, "" where none does.
func CallingJob(job string) string {
	return job[:max(0, strings.LastIndex(job, CallSeparator))]
}

// Trusted reports whether the run counts for everybody: its results may change
// the quarantine, and what it learned is kept for later runs. Only a run of the
// default branch by push, schedule or dispatch is trusted, or a local one.
func (i RunInfo) Trusted() bool {
	return i.PullRequest == 0 && len(i.MergeGroup) == 0 && !i.Fork && (i.DefaultBranch || i.RunID == 0)
}

// IsTrustedEvent reports whether the runs that a GitHub event starts on the default
// branch test only what is already merged. Those of other events may run with a
// stranger's code or data.
func IsTrustedEvent(event string) bool {
	return event == "push" || event == "schedule" || event == "workflow_dispatch"
}

// IsFork reports whether the head of a pull request or run lies in another
// repository than the run. Id 0 stands for a repository that was deleted, which
// only happens to a fork.
func IsFork(headRepositoryID, repositoryID int64) bool {
	return headRepositoryID == 0 || headRepositoryID != repositoryID
}
