package gh

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/engine"
)

// RunEvent is the event on which a run publishes the results of another one that
// has ended.
const RunEvent = "workflow_run"

// EndedRun is the head of a pull request whose run has ended, as described by GitHub's
// own event. Nothing that the run left behind is in it.
type EndedRun struct {
	RepositoryID  int64 // of the head
	Owner, Branch string
	SHA           string
	Fork          bool // the head is not of the repository itself
}

// LoadEndedRun returns the pull request's head that the event workflow_run names.
// known is false for every other event, for the run of another event, and where the
// head's repository is gone. readFile is as for [LoadEvent].
func LoadEndedRun(getenv func(string) string, readFile func(string) ([]byte, error)) (run EndedRun, known bool, err error) {
	if getenv("GITHUB_EVENT_NAME") != RunEvent {
		return EndedRun{}, false, nil
	}
	event, err := readPayload[payload](getenv("GITHUB_EVENT_PATH"), readFile)
	if err != nil {
		return EndedRun{}, false, fmt.Errorf("read GitHub event: %w", err)
	}
	ended := event.WorkflowRun
	if ended == nil || ended.Event != "pull_request" || ended.HeadRepository == nil || ended.HeadBranch == "" || !shaPattern.MatchString(ended.HeadSHA) {
		return EndedRun{}, false, nil
	}
	owner, _, ok := strings.Cut(ended.HeadRepository.FullName, "/")
	if !ok || event.Repository.ID == 0 {
		return EndedRun{}, false, nil
	}
	return EndedRun{RepositoryID: ended.HeadRepository.ID, Owner: owner, Branch: ended.HeadBranch, SHA: ended.HeadSHA,
		Fork: engine.IsFork(ended.HeadRepository.ID, event.Repository.ID)}, true, nil
}

// Errors of [Client.PullOf] to branch on.
var (
	// ErrNoPull says that no open pull request has the head that was tested any
	// more: it was closed, or has newer commits with a run of their own.
	ErrNoPull = errors.New("no open pull request has the commit that was tested as its head")
	// ErrManyPulls says that several do, and that it is unknown which was tested.
	ErrManyPulls = errors.New("several open pull requests have the commit that was tested as their head")
)

// PullOf asks GitHub for the one open pull request of the repository
// "owner/name" with this id whose head is the one that was tested: the same
// repository, branch and commit. The errors are those of [IssueComments], ErrNoPull
// and ErrManyPulls. GitHub's event does not name a fork's:
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_run
func (c *Client) PullOf(ctx context.Context, repo string, id int64, run EndedRun) (int, error) {
	owner, name, err := splitRepository(repo)
	if err != nil {
		return 0, err
	}
	found, _, err := c.api.PullRequests.List(ctx, owner, name, &github.PullRequestListOptions{
		State: "open", Head: run.Owner + ":" + run.Branch, ListOptions: github.ListOptions{PerPage: 100},
	})
	if err != nil {
		return 0, c.fault("find the pull request", err, refused)
	}
	number := 0
	for _, pull := range found {
		head := pull.GetHead()
		switch {
		case pull.GetState() != "open" || pull.GetBase().GetRepo().GetID() != id:
		case head.GetRepo().GetID() != run.RepositoryID || head.GetRef() != run.Branch || head.GetSHA() != run.SHA:
		case number != 0:
			return 0, ErrManyPulls
		default:
			number = pull.GetNumber()
		}
	}
	if number <= 0 {
		return 0, ErrNoPull
	}
	return number, nil
}
