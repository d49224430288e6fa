package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/comment"
)

// The bounds of one pull request's comments. GitHub closes a conversation at
// 2,500; what is above ours is an error, because a list cut short would hide
// our own comment and each run would write another.
const (
	maxCommentPages = 100 // of 100 comments
	maxCommentBytes = 64 << 20
)

// errEndless is what a pull request with too long a conversation has.
var errEndless = fmt.Errorf("has more than %d comments or %d MiB of them", maxCommentPages*100, maxCommentBytes>>20)

// IssueComments reads and writes the conversation of a repository's pull
// requests. Its errors are [APIError], [WaitError] or faults of the connection;
// those for 403 and 404 wrap [ErrNoPermission].
type IssueComments struct {
	client      *Client
	owner, name string
	err         error // why there is no such repository

	changed map[int][]*github.CommitFile // by pull request, once asked
}

var _ comment.Late = (*IssueComments)(nil)

// Comments returns the pull request conversations of the repository
// "owner/name". A name of another form is the error of every call.
func (c *Client) Comments(repo string) *IssueComments {
	owner, name, _ := strings.Cut(repo, "/")
	ic := &IssueComments{client: c, owner: owner, name: name, changed: map[int][]*github.CommitFile{}}
	if !repositoryPattern.MatchString(repo) {
		ic.err = fmt.Errorf("repository %.80q is not owner/name", repo)
	}
	return ic
}

// Self implements [comment.API].
func (ic *IssueComments) Self(ctx context.Context) (string, error) { return ic.client.Self(ctx) }

// Comments implements [comment.API]: all comments, oldest first.
func (ic *IssueComments) Comments(ctx context.Context, pr int) ([]comment.Comment, error) {
	if ic.err != nil {
		return nil, ic.err
	}
	var all []comment.Comment
	size := 0
	options := github.IssueListCommentsOptions{ListOptions: github.ListOptions{PerPage: 100}}
	for range maxCommentPages {
		found, resp, err := ic.client.api.Issues.ListComments(ctx, ic.owner, ic.name, pr, &options)
		if err != nil {
			return nil, ic.client.fault("list comments", err, refused)
		}
		for _, c := range found {
			size += len(c.GetBody())
			all = append(all, fromGitHub(c))
		}
		if resp.NextPage <= options.Page {
			return all, nil
		}
		if size > maxCommentBytes {
			break
		}
		options.Page = resp.NextPage
	}
	return nil, fmt.Errorf("list comments: pull request %d %w", pr, errEndless)
}

// Create implements [comment.API]. When the answer is lost, the comment may be
// there all the same: it is then looked for, never written twice.
func (ic *IssueComments) Create(ctx context.Context, pr int, body string) (comment.Comment, error) {
	if ic.err != nil {
		return comment.Comment{}, ic.err
	}
	made, _, err := ic.client.api.Issues.CreateComment(ctx, ic.owner, ic.name, pr, &github.IssueComment{Body: &body})
	if err == nil {
		return fromGitHub(made), nil
	}
	return ic.unlessWritten(ctx, ic, pr, body, ic.client.fault("create comment", err, refused))
}

// Update implements [comment.API].
func (ic *IssueComments) Update(ctx context.Context, id int64, body string) (comment.Comment, error) {
	if ic.err != nil {
		return comment.Comment{}, ic.err
	}
	made, _, err := ic.client.api.Issues.EditComment(ctx, ic.owner, ic.name, id, &github.IssueComment{Body: &body})
	if err != nil {
		return comment.Comment{}, ic.client.fault("update comment", err, map[int]error{
			http.StatusForbidden: ErrNoPermission,
			http.StatusNotFound:  comment.ErrGone,
			http.StatusGone:      comment.ErrGone,
		})
	}
	return fromGitHub(made), nil
}

// Delete implements [comment.Late].
func (ic *IssueComments) Delete(ctx context.Context, id int64) error {
	if ic.err != nil {
		return ic.err
	}
	resp, err := ic.client.api.Issues.DeleteComment(ctx, ic.owner, ic.name, id)
	if err == nil || resp != nil && resp.StatusCode == http.StatusNotFound {
		return nil
	}
	return ic.client.fault("delete comment", err, refused)
}

// refused maps the statuses of a call that the token may not make.
var refused = map[int]error{http.StatusForbidden: ErrNoPermission, http.StatusNotFound: ErrNoPermission}

// mayBeDone reports whether a failed write may have been carried out: its
// answer was lost, or the server failed after taking it.
func mayBeDone(err error) bool {
	var api *APIError
	if errors.As(err, &api) {
		return api.Status >= http.StatusInternalServerError
	}
	var wait *WaitError
	return !errors.As(err, &wait) && !neverSent(err)
}

// sameText compares bodies without what GitHub changes in storing one.
func sameText(a, b string) bool {
	norm := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return norm(a) == norm(b)
}

func fromGitHub(c *github.IssueComment) comment.Comment {
	return comment.Comment{ID: c.GetID(), Author: c.GetUser().GetLogin(), Body: c.GetBody(), URL: c.GetHTMLURL()}
}
