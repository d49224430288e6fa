package report

import (
	"github.com/breadcrumb/action/engine"
)

// Document is the JSON report. Every list is there even when it is empty.
type Document struct {
	Schema   string   `json:"schema"`  // "breadcrumb.report/v1"
	Verdict  string   `json:"verdict"` // "pass" or "fail"
	DryRun   bool     `json:"dry_run"`
	Database string   `json:"database"` // where the database was written, "" if it was not
	Root     string   `json:"root"`     // checkout folder inside the repository, "" for its top; files of tests, edits and refusals are relative to it
	Run      RunInfo  `json:"run"`
	Counts   Counts   `json:"counts"`
	Base     *Base    `json:"base,omitempty"` // what the run is compared with, left out where none is known
	Reports  []string `json:"reports"`        // report files that were read

	Causes            []Cause     `json:"causes"`              // what fails the run, each with all the tests it stops
	Redesigns         []Redesign  `json:"redesigns,omitempty"` // pages that changed, with what is offered for each
	Blocking          []Test      `json:"blocking"`            // failures that fail the run
	Missing           []string    `json:"missing"`             // test IDs that should have run, failing the run
	Excused           []Test      `json:"excused"`             // failures of quarantined tests
	Flaky             []Test      `json:"flaky"`               // passed after a failing attempt
	Healed            []Healed    `json:"healed"`              // one per healed locator
	Suggested         []Suggested `json:"suggested"`           // one per locator that may have become another, for a person to decide; its test failed
	Refused           []Refused   `json:"refused"`             // locators that were not healed
	QuarantineChanges []Change    `json:"quarantine_changes"`  // by this run
	Quarantine        []Entry     `json:"quarantine"`          // after this run
	Notices           []Notice    `json:"notices"`             // what people must hear about the input
}

// RunInfo is where the results come from; locally most of it is empty.
type RunInfo struct {
	RepositoryID  int64  `json:"repository_id"`
	Repository    string `json:"repository"`
	RunID         int64  `json:"run_id"`
	RunAttempt    int    `json:"run_attempt"`
	WorkflowID    int64  `json:"workflow_id"` // forge's id, 0 unknown
	Workflow      string `json:"workflow"`
	Job           string `json:"job"`         // "caller / called" where a workflow calls another
	CallingJob    string `json:"calling_job"` // of the workflow that calls, "" where none does
	Leg           string `json:"leg"`
	Commit        string `json:"commit"`   // tested commit
	HeadSHA       string `json:"head_sha"` // head of the pull request
	Branch        string `json:"branch"`
	PullRequest   int    `json:"pull_request"` // 0 outside a pull request
	MergeGroup    []int  `json:"merge_group"`  // pull requests of a merge group, ascending
	DefaultBranch bool   `json:"default_branch"`
	Fork          bool   `json:"fork"`
	StartedAt     string `json:"started_at"` // RFC 3339 in UTC, "" when unknown
}

// Counts are the tests by final status; a flaky test is also in Passed.
type Counts struct {
	Tests      int     `json:"tests"`
	Passed     int     `json:"passed"`
	Failed     int     `json:"failed"`
	Errors     int     `json:"errors"`
	Skipped    int     `json:"skipped"`
	Flaky      int     `json:"flaky"`
	DurationMS float64 `json:"duration_ms"`
}

// Base is the last complete run of the default branch, of the same workflow, job and leg.
type Base struct {
	RunID       int64    `json:"run_id"`
	Branch      string   `json:"branch"`
	Commit      string   `json:"commit"`
	Tests       int      `json:"tests"`
	Failing     int      `json:"failing"`
	DurationMS  float64  `json:"duration_ms"`
	Differences []string `json:"differences"` // in words, those that people are told: "+2 tests", "slower by 20 s"
}

// Test is one test of this run with its deciding attempt.
type Test struct {
	TestID      engine.TestID `json:"test_id"`
	Suite       string        `json:"suite"`
	Class       string        `json:"class"`
	Name        string        `json:"name"`
	File        string        `json:"file"`
	Line        int           `json:"line"` // 1-based, 0 when unknown
	Environment string        `json:"environment"`
	Report      string        `json:"report"`
	Status      string        `json:"status"` // of the last attempt: passed, failed or error
	Attempts    int           `json:"attempts"`
	ErrorType   string        `json:"error_type"`
	Message     string        `json:"message"`
	Text        string        `json:"text"`             // stack trace or failure body
	Excuse      string        `json:"excuse,omitempty"` // of an excused failure
	Guard       string        `json:"guard,omitempty"`  // why a quarantined test's failure blocks
	Triage      string        `json:"triage,omitempty"` // of a blocking failure, in words: since when it fails and where else
	Order       string        `json:"order,omitempty"`  // of a failure, in words: which other test it was shown to fail after
}

// Healed is a healed locator and the edit that makes it last.
type Healed struct {
	TestID     engine.TestID `json:"test_id"`
	Locator    string        `json:"locator"`         // as it was
	Healed     string        `json:"replacement"`     // as it became, in the author's own form
	Code       string        `json:"code"`            // the replacement in the test's language
	Confidence float64       `json:"confidence"`      // match × place, ratio in [0,1]
	Match      float64       `json:"match"`           // that it is the right element, ratio in [0,1]
	Place      float64       `json:"place"`           // that the edit is in the right place, ratio in [0,1]; 0 without an edit
	Edit       *Edit         `json:"edit"`            // null: see reason
	ID         string        `json:"id"`              // of the edit that is offered, by which commands name it, "" for none
	Missing    string        `json:"missing"`         // where the edit is not offered, and why, "" for everywhere
	Reason     string        `json:"reason"`          // why there is no edit
	SameAs     int           `json:"same_as"`         // 1 + index of the entry with the same edit in healed and, behind it, suggested; 0 for none
	Source     string        `json:"source"`          // file the heal event was read from
	Count      int           `json:"count,omitempty"` // calls that met this loss, when more than one
	Uses       []Use         `json:"uses,omitempty"`  // other uses of the element, which are edited with this one
	Trial      *Trial        `json:"trial,omitempty"` // of the edit, left out where there was none
	Ahead      bool          `json:"ahead,omitempty"` // looked for because its page changed, not because its test lost it
}

// Trial is what came of an edit in a copy of the checkout, as the tests' own job says.
type Trial struct {
	Proven bool   `json:"proven"`
	Tests  int    `json:"tests"`            // that ran with the edit
	Green  int    `json:"green"`            // of them passed
	Red    int    `json:"red"`              // of the green ones failed in every control
	Reason string `json:"reason,omitempty"` // why nothing is proven, as in breadcrumb.heal/v1
}

// Redesign is what is offered together for a page that changed.
type Redesign struct {
	Page     string   `json:"page"`
	Locators int      `json:"locators"`
	Tests    int      `json:"tests"` // that look for them, as far as that is known
	IDs      []string `json:"ids"`   // that name its edits
}

// Use is another use of a healed element and its edit.
type Use struct {
	TestID engine.TestID `json:"test_id"`
	Edit   Edit          `json:"edit"`
}

// Suggested is a locator that was not healed, because what is likely its element
// means something else now, and the edit for it.
type Suggested struct {
	Healed
	Why     string    `json:"why"`     // other-meaning, other-page, not-told-apart, below-threshold or ambiguous
	Changed []Meaning `json:"changed"` // what the element means otherwise, empty when nothing is known
}

// Edit replaces bytes [start,end) of file with new.
type Edit struct {
	File   string `json:"file"`
	Line   int    `json:"line"` // 1-based
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Old    string `json:"old"`
	New    string `json:"new"`
	Before string `json:"before"` // the whole line as it stands
	After  string `json:"after"`  // the whole line as edited
}

// Refused is a broken locator that was not healed.
type Refused struct {
	TestID     engine.TestID `json:"test_id"`
	Locator    string        `json:"locator"`
	Reason     string        `json:"reason"`
	Confidence float64       `json:"confidence"` // of the best candidate, ratio in [0,1]
	RunnerUp   float64       `json:"runner_up"`  // of the second best
	File       string        `json:"file"`       // where the locator is used, "" when unknown
	Line       int           `json:"line"`
	Source     string        `json:"source"`
}

// Change is a test that entered or left quarantine.
type Change struct {
	TestID   engine.TestID `json:"test_id"`
	Action   string        `json:"action"`  // "enter" or "leave"
	Pending  bool          `json:"pending"` // told, not applied
	Reason   string        `json:"reason"`
	Tier     string        `json:"tier"`
	FlipRate float64       `json:"flip_rate"` // ratio in [0,1]
	WayOut   string        `json:"way_out"`   // what gets a test out that entered, "" for one that leaves
	Owner    string        `json:"owner,omitempty"`
}

// Entry is one quarantined test.
type Entry struct {
	Environment string        `json:"environment"` // "" for whatever the test ID names
	TestID      engine.TestID `json:"test_id"`
	Reason      string        `json:"reason"`
	Since       string        `json:"since"`        // RFC 3339 in UTC
	AutoRelease bool          `json:"auto_release"` // false: only a person releases it
	WayOut      string        `json:"way_out"`      // in words, what gets it out
	CleanRuns   int           `json:"clean_runs"`   // executions since the last evidence
	ReleaseRuns int           `json:"release_runs"` // how many let it out, 0 when not known
	Expires     string        `json:"expires"`      // RFC 3339 in UTC, "" when it does not

	Owner     string   `json:"owner,omitempty"`      // from CODEOWNERS
	Commits   []string `json:"commits,omitempty"`    // that showed it to be flaky
	PullsOnly bool     `json:"pulls_only,omitempty"` // in quarantine on pull requests alone
}

// Notice is something about the run's input.
type Notice struct {
	Severity string `json:"severity"` // "warning" or "blocking"
	File     string `json:"file"`
	Line     int    `json:"line"` // 1-based, 0 when it has no place
	Reason   string `json:"reason"`
}
