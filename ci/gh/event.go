package gh

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// MaxEventBytes bounds the event file: GitHub sends no webhook payload above
// 25 MB (https://docs.github.com/en/webhooks/webhook-events-and-payloads).
const MaxEventBytes = 25 << 20

// ErrUnsafeEvent is returned for pull_request_target. Such a run holds the
// repository's secrets and a writing token, and GITHUB_SHA is the base commit:
// results of the pull request's code in that place would run untrusted code
// beside the secrets and be filed under a commit that was never tested.
var ErrUnsafeEvent = errors.New("event pull_request_target is not supported: it gives the pull request's code the repository's secrets" +
	" and names the base commit as the tested one; run the tests on pull_request and, to comment on forks, Breadcrumb on workflow_run")

// LoadEvent returns what the environment and the event file of a GitHub
// Actions run say about it. The file named by GITHUB_EVENT_PATH is read with
// readFile, which should stop at [MaxEventBytes].
//
// Commit is GITHUB_SHA where that is the commit under test. It is empty where
// GitHub names another one: for workflow_run after a pull request (the merge
// commit that was tested is not in the payload) and for issue_comment.
// PullRequest is 0 where the payload names none, as workflow_run does for
// forks. Leg and StartedAt are not set. All faults of the environment are
// returned together; on an error the RunInfo is the zero value.
func LoadEvent(getenv func(string) string, readFile func(string) ([]byte, error)) (engine.RunInfo, error) {
	env := environment{get: getenv}
	name := env.need("GITHUB_EVENT_NAME")
	if name == "pull_request_target" {
		return engine.RunInfo{}, ErrUnsafeEvent
	}
	info := env.runInfo()
	payload, err := readPayload(env.need("GITHUB_EVENT_PATH"), readFile)
	env.fault(err)
	if err == nil {
		env.fault(payload.fill(&info, name, getenv("GITHUB_REF")))
	}
	if err := env.err(); err != nil {
		return engine.RunInfo{}, fmt.Errorf("read GitHub event: %w", err)
	}
	return info, nil
}

// readPayload reads the event file. Without a path there is nothing to read
// and the missing variable has been reported.
func readPayload(path string, readFile func(string) ([]byte, error)) (payload, error) {
	if path == "" {
		return payload{}, errReported
	}
	data, err := readFile(path)
	if err != nil {
		return payload{}, fmt.Errorf("GITHUB_EVENT_PATH: %w", err)
	}
	if len(data) > MaxEventBytes {
		return payload{}, fmt.Errorf("event file %s is %d bytes, more than the %d that GitHub sends", path, len(data), MaxEventBytes)
	}
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		return payload{}, fmt.Errorf("event file %s: %w", path, describeJSON(data, err))
	}
	return p, nil
}

// describeJSON adds the line to a JSON syntax or type error.
func describeJSON(data []byte, err error) error {
	var offset int64
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return err
	}
	line := 1 + strings.Count(string(data[:min(offset, int64(len(data)))]), "\n")
	return fmt.Errorf("line %d: %w", line, err)
}

// trustedEvents are the events whose runs on the default branch test only what
// is already merged.
var trustedEvents = []string{"push", "schedule", "workflow_dispatch"}

// onDefaultBranch reports whether the run is of the default branch's own code.
// A schedule payload may lack the repository, and a schedule only ever runs on
// the default branch.
func (p payload) onDefaultBranch(event, ref string) bool {
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	if !isBranch || !slices.Contains(trustedEvents, event) {
		return false
	}
	if p.Repository.DefaultBranch == "" {
		return event == "schedule"
	}
	return branch == p.Repository.DefaultBranch
}
