package gh

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
)

// payload is the part of an event file that is read. Which of its objects are
// there depends on the event:
// https://docs.github.com/en/webhooks/webhook-events-and-payloads
type payload struct {
	Repository  repository   `json:"repository"`
	PullRequest *pullRequest `json:"pull_request"`
	WorkflowRun *workflowRun `json:"workflow_run"`
	MergeGroup  *mergeGroup  `json:"merge_group"`
	Issue       *issue       `json:"issue"`
}

type repository struct {
	ID            int64     `json:"id"`
	FullName      string    `json:"full_name"`
	DefaultBranch string    `json:"default_branch"`
	PushedAt      forgeTime `json:"pushed_at"`
}

// id is 0 for a repository that is not there any more.
func (r *repository) id() int64 {
	if r == nil {
		return 0
	}
	return r.ID
}

type pullRequest struct {
	Number    int       `json:"number"`
	UpdatedAt forgeTime `json:"updated_at"`
	Head      struct {
		SHA  string      `json:"sha"`
		Ref  string      `json:"ref"`
		Repo *repository `json:"repo"` // null once the fork is deleted
	} `json:"head"`
}

type workflowRun struct {
	WorkflowID     int64       `json:"workflow_id"`
	CreatedAt      forgeTime   `json:"created_at"`
	Event          string      `json:"event"`
	HeadSHA        string      `json:"head_sha"`
	HeadBranch     string      `json:"head_branch"` // null for a tag
	Path           string      `json:"path"`        // of the workflow's file
	HeadRepository *repository `json:"head_repository"`
	// PullRequests holds the pull requests of this repository with that head;
	// it is empty for a fork's.
	PullRequests []struct{ Number int } `json:"pull_requests"`
}

type mergeGroup struct {
	HeadSHA string `json:"head_sha"`
}

type issue struct {
	Number      int       `json:"number"`
	PullRequest *struct{} `json:"pull_request"` // there only when the issue is one
}

// forgeTime is a time that GitHub wrote: as text or, in a push, in Unix seconds. The
// zero time stands for what is neither.
type forgeTime struct{ time.Time }

// UnmarshalJSON implements [json.Unmarshaler].
func (t *forgeTime) UnmarshalJSON(text []byte) error {
	var seconds int64
	switch {
	case json.Unmarshal(text, &seconds) == nil && seconds > 0:
		t.Time = time.Unix(seconds, 0).UTC()
	case json.Unmarshal(text, &t.Time) != nil:
		t.Time = time.Time{}
	default:
		t.Time = t.UTC()
	}
	return nil
}

// readPayload reads the part P of the event file.
func readPayload[P any](path string, readFile func(string) ([]byte, error)) (P, error) {
	var p P
	data, err := readFile(path)
	if err != nil {
		return p, fmt.Errorf("GITHUB_EVENT_PATH: %w", err)
	}
	if len(data) > MaxEventBytes {
		return p, fmt.Errorf("event file %s is %d bytes, more than the %d that GitHub sends", path, len(data), MaxEventBytes)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("event file %s: %w", path, describeJSON(data, err))
	}
	return p, nil
}

// describeJSON adds the line to a JSON syntax or type error.
func describeJSON(data []byte, err error) error {
	var offset int64
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = kind.Offset
	} else {
		return err
	}
	line := 1 + strings.Count(string(data[:min(offset, int64(len(data)))]), "\n")
	return fmt.Errorf("line %d: %w", line, err)
}

// fillRunInfo adds what the payload of the named event says to info.
func (p payload) fillRunInfo(info *engine.RunInfo, event, ref string) error {
	if err := p.fillRepository(info); err != nil {
		return err
	}
	if branch, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
		info.Branch = branch
	}
	if event == "push" || event == "merge_group" {
		info.StartedAt = p.Repository.PushedAt.Time
	}
	switch event {
	case "pull_request", "pull_request_review", "pull_request_review_comment":
		return p.fillPullRequest(info, event)
	case RunEvent:
		return p.fillWorkflowRun(info)
	case "issue_comment":
		return p.fillIssueComment(info)
	case "push": // GitHub sends one for the branch of a merge group, too
		if fillMergeGroup(info); len(info.MergeGroup) > 0 {
			info.HeadSHA = info.Commit
		}
	case "merge_group":
		fillMergeGroup(info)
		if p.MergeGroup != nil {
			return setHead(info, "merge_group.head_sha", p.MergeGroup.HeadSHA)
		}
	}
	info.DefaultBranch = engine.IsTrustedEvent(event) && info.Branch != "" && info.Branch == p.defaultBranch(event, ref)
	return nil
}

// defaultBranch returns the name of the default branch. The payload of a schedule
// may lack it, and a schedule only ever runs there.
func (p payload) defaultBranch(event, ref string) string {
	if branch, ok := strings.CutPrefix(ref, "refs/heads/"); ok && p.Repository.DefaultBranch == "" && event == "schedule" {
		return branch
	}
	return p.Repository.DefaultBranch
}

// fillRepository checks that the file belongs to the repository of the
// environment; a wrong file would file the results under another one's runs.
func (p payload) fillRepository(info *engine.RunInfo) error {
	if info.RepositoryID == 0 {
		info.RepositoryID = p.Repository.ID
	}
	switch {
	case info.RepositoryID <= 0:
		return fmt.Errorf("GITHUB_REPOSITORY_ID is not set and the event file has no repository.id")
	case p.Repository.ID != 0 && p.Repository.ID != info.RepositoryID:
		return fmt.Errorf("the event file is of repository %d, GITHUB_REPOSITORY_ID is %d", p.Repository.ID, info.RepositoryID)
	}
	return nil
}

func (p payload) fillPullRequest(info *engine.RunInfo, event string) error {
	pr := p.PullRequest
	if pr == nil {
		return fmt.Errorf("event %s: the event file has no pull_request", event)
	}
	if pr.Number <= 0 {
		return fmt.Errorf("event %s: pull_request.number is %d", event, pr.Number)
	}
	info.PullRequest, info.StartedAt = pr.Number, pr.UpdatedAt.Time
	info.Fork = engine.IsFork(pr.Head.Repo.id(), info.RepositoryID)
	info.Branch = headBranch(pr.Head.Ref, pr.Head.Repo, info.Fork)
	return setHead(info, "pull_request.head.sha", pr.Head.SHA)
}

// fillWorkflowRun describes the run that has ended, whose results this run
// publishes: its workflow is the one whose history counts. GITHUB_SHA is the
// default branch's newest commit, which that run need not have tested. It tested
// its head only where no merge commit and no other checkout comes between.
func (p payload) fillWorkflowRun(info *engine.RunInfo) error {
	info.Relayed = true
	run := p.WorkflowRun
	if run == nil {
		return fmt.Errorf("event workflow_run: the event file has no workflow_run")
	}
	if err := setHead(info, "workflow_run.head_sha", run.HeadSHA); err != nil {
		return err
	}
	if strings.HasPrefix(run.Path, ".github/workflows/") {
		_, ref, _ := strings.Cut(info.Workflow, "@")
		file, _, _ := strings.Cut(run.Path, "@")
		info.Workflow = info.Repository + "/" + file + "@" + ref
	}
	info.WorkflowID, info.StartedAt = max(run.WorkflowID, 0), run.CreatedAt.Time
	info.Commit = ""
	if run.Event == "merge_group" || engine.IsTrustedEvent(run.Event) {
		info.Commit = run.HeadSHA
	}
	info.Fork = engine.IsFork(run.HeadRepository.id(), info.RepositoryID)
	info.Branch = headBranch(run.HeadBranch, run.HeadRepository, info.Fork)
	// Two pull requests can share a head; the event does not say which was tested.
	if !info.Fork && len(run.PullRequests) == 1 && run.PullRequests[0].Number > 0 {
		info.PullRequest = run.PullRequests[0].Number
	}
	if !info.Fork && (run.Event == "merge_group" || run.Event == "push") {
		fillMergeGroup(info)
	}
	return nil
}

// fillMergeGroup names the last pull request of a merge group, whose branch has its
// number. [Client.Identify] adds the others.
func fillMergeGroup(info *engine.RunInfo) {
	if _, pr := parseQueueBranch(info.Branch); pr != 0 {
		info.MergeGroup, info.PullRequest = []int{pr}, 0
	}
}

// fillIssueComment names the pull request that was commented on. Its head is
// not in the payload and GITHUB_SHA is the default branch's newest commit.
func (p payload) fillIssueComment(info *engine.RunInfo) error {
	if p.Issue == nil || p.Issue.Number <= 0 {
		return fmt.Errorf("event issue_comment: the event file has no issue.number")
	}
	info.Branch, info.Commit = "", ""
	if p.Issue.PullRequest != nil {
		info.PullRequest = p.Issue.Number
	}
	return nil
}

// setHead checks and sets the head commit, where suggestions are anchored.
func setHead(info *engine.RunInfo, field, sha string) error {
	if !shaPattern.MatchString(sha) {
		return fmt.Errorf("event file: %s is %.80q, not a full commit hash", field, sha)
	}
	info.HeadSHA = sha
	return nil
}

// headBranch returns the branch of a head. A fork may name its branch like one
// of ours, so a fork's is written as owner:branch; no git branch holds a colon.
func headBranch(ref string, head *repository, fork bool) string {
	if !fork {
		return ref
	}
	owner := "unknown"
	if head != nil {
		if name, _, ok := strings.Cut(head.FullName, "/"); ok {
			owner = name
		}
	}
	return owner + ":" + ref
}
