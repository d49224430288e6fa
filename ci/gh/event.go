package gh

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
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
// forks. MergeGroup has the last pull request of the group alone. StartedAt is the
// time that the payload has, zero where it has none. Leg is not set, and neither is
// what only [Client.Identify] can find out. All faults of the environment are
// returned together; on an error the RunInfo is the zero value.
func LoadEvent(getenv func(string) string, readFile func(string) ([]byte, error)) (engine.RunInfo, error) {
	env := environment{get: getenv}
	name := env.needVariable("GITHUB_EVENT_NAME")
	if name == "pull_request_target" {
		return engine.RunInfo{}, ErrUnsafeEvent
	}
	info := env.runInfo()
	if path := env.needVariable("GITHUB_EVENT_PATH"); path != "" {
		payload, err := readPayload[payload](path, readFile)
		if err == nil {
			err = payload.fillRunInfo(&info, name, getenv("GITHUB_REF"))
		}
		env.collectFault(err)
	}
	if err := errors.Join(env.faults...); err != nil {
		return engine.RunInfo{}, fmt.Errorf("read GitHub event: %w", err)
	}
	return info, nil
}

// maxTextBytes bounds one environment variable; GitHub's own are far shorter.
const maxTextBytes = 4096

var (
	shaPattern        = lazyregexp.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	repositoryPattern = lazyregexp.New(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
)

// IsCommit reports whether text is a full commit hash in lower-case hexadecimal.
func IsCommit(text string) bool { return shaPattern.MatchString(text) }

// environment reads GitHub's variables and collects every fault, so that one run
// reports all that is wrong.
type environment struct {
	get    func(string) string
	faults []error
}

func (e *environment) collectFault(err error) { e.faults = append(e.faults, err) }

// runInfo returns what the variables alone say.
func (e *environment) runInfo() engine.RunInfo {
	info := engine.RunInfo{
		Repository: e.needVariable("GITHUB_REPOSITORY"),
		RunID:      e.needNumber("GITHUB_RUN_ID", 64),
		RunAttempt: int(e.needNumber("GITHUB_RUN_ATTEMPT", 32)),
		Workflow:   e.needVariable("GITHUB_WORKFLOW_REF"),
		Job:        e.needVariable("GITHUB_JOB"),
		Commit:     e.needVariable("GITHUB_SHA"),
	}
	if info.Repository != "" && !repositoryPattern.MatchString(info.Repository) {
		e.collectFault(fmt.Errorf("GITHUB_REPOSITORY is %q, not owner/name", info.Repository))
	}
	if info.Commit != "" && !shaPattern.MatchString(info.Commit) {
		e.collectFault(fmt.Errorf("GITHUB_SHA is %q, not a full commit hash in lower-case hexadecimal", info.Commit))
	}
	// Servers before GHES 3.7 do not set the id; the payload has it too.
	if e.get("GITHUB_REPOSITORY_ID") != "" {
		info.RepositoryID = e.needNumber("GITHUB_REPOSITORY_ID", 64)
	}
	return info
}

// needVariable returns the variable's value and collects a fault when it is missing or
// is not one line of plain text.
func (e *environment) needVariable(name string) string {
	value := e.get(name)
	switch {
	case value == "":
		e.collectFault(fmt.Errorf("%s is not set: GitHub Actions sets it for every step", name))
	case len(value) > maxTextBytes:
		e.collectFault(fmt.Errorf("%s has %d bytes, more than %d", name, len(value), maxTextBytes))
		return ""
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		e.collectFault(fmt.Errorf("%s is %q, not one line of text", name, value))
		return ""
	}
	return value
}

// needNumber returns the variable's value as a positive number of so many bits.
func (e *environment) needNumber(name string, bits int) int64 {
	value := e.needVariable(name)
	if value == "" {
		return 0
	}
	n, err := strconv.ParseInt(value, 10, bits)
	if err != nil || n <= 0 {
		e.collectFault(fmt.Errorf("%s is %q, not a positive number of %d bits", name, value, bits))
		return 0
	}
	return n
}
