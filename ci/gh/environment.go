package gh

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine"
)

// maxTextBytes bounds one environment variable; GitHub's own are far shorter.
const maxTextBytes = 4096

var (
	shaPattern        = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	repositoryPattern = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
)

// errReported stands for a fault that has been gathered already.
var errReported = errors.New("reported")

// environment reads GitHub's variables and gathers every fault, so that one
// run tells all that is wrong.
type environment struct {
	get    func(string) string
	faults []error
}

func (e *environment) fault(err error) {
	if err != nil && !errors.Is(err, errReported) {
		e.faults = append(e.faults, err)
	}
}

// err returns the gathered faults, nil without any.
func (e *environment) err() error { return errors.Join(e.faults...) }

// runInfo returns what the variables alone say.
func (e *environment) runInfo() engine.RunInfo {
	info := engine.RunInfo{
		Repository: e.need("GITHUB_REPOSITORY"),
		RunID:      e.number("GITHUB_RUN_ID", 64),
		RunAttempt: int(e.number("GITHUB_RUN_ATTEMPT", 32)),
		Workflow:   e.need("GITHUB_WORKFLOW_REF"),
		Job:        e.need("GITHUB_JOB"),
		Commit:     e.need("GITHUB_SHA"),
	}
	if info.Repository != "" && !repositoryPattern.MatchString(info.Repository) {
		e.fault(fmt.Errorf("GITHUB_REPOSITORY is %q, not owner/name", info.Repository))
	}
	if info.Commit != "" && !shaPattern.MatchString(info.Commit) {
		e.fault(fmt.Errorf("GITHUB_SHA is %q, not a full commit hash in lower-case hexadecimal", info.Commit))
	}
	// Servers before GHES 3.7 do not set the id; the payload has it too.
	if e.get("GITHUB_REPOSITORY_ID") != "" {
		info.RepositoryID = e.number("GITHUB_REPOSITORY_ID", 64)
	}
	return info
}

// need returns the variable's value and gathers a fault when it is missing or
// is not one line of plain text.
func (e *environment) need(name string) string {
	value := e.get(name)
	switch {
	case value == "":
		e.fault(fmt.Errorf("%s is not set: GitHub Actions sets it for every step", name))
	case len(value) > maxTextBytes:
		e.fault(fmt.Errorf("%s has %d bytes, more than %d", name, len(value), maxTextBytes))
		return ""
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		e.fault(fmt.Errorf("%s is %q, not one line of text", name, value))
		return ""
	}
	return value
}

// number returns the variable's value as a positive number of so many bits.
func (e *environment) number(name string, bits int) int64 {
	value := e.need(name)
	if value == "" {
		return 0
	}
	n, err := strconv.ParseInt(value, 10, bits)
	if err != nil || n <= 0 {
		e.fault(fmt.Errorf("%s is %q, not a positive number of %d bits", name, value, bits))
		return 0
	}
	return n
}
