package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
)

var _ comment.ReviewAPI = (*IssueComments)(nil)

// rightSide is the new side of a diff, where suggestions sit.
const rightSide = "RIGHT"

// Diff implements [comment.ReviewAPI].
func (ic *IssueComments) Diff(ctx context.Context, pr int) (comment.Diff, error) {
	pull, err := ic.loadPull(ctx, pr)
	if err != nil {
		return comment.Diff{}, err
	}
	return ic.loadDiff(ctx, pr, pull.GetHead().GetSHA())
}

// loadPull asks for a pull request.
func (ic *IssueComments) loadPull(ctx context.Context, pr int) (*github.PullRequest, error) {
	pull, _, err := ic.client.api.PullRequests.Get(ctx, ic.owner, ic.name, pr)
	if err != nil {
		return nil, ic.client.fault("read pull request", err, refused)
	}
	return pull, nil
}

// loadDiff returns what the pull request of a head changes.
func (ic *IssueComments) loadDiff(ctx context.Context, pr int, head string) (comment.Diff, error) {
	files, err := ic.loadFiles(ctx, pr)
	if err != nil {
		return comment.Diff{}, err
	}
	diff := comment.Diff{Head: head, Files: map[string]comment.ChangedFile{}}
	for _, f := range files {
		diff.Files[f.GetFilename()] = comment.ChangedFile{Blob: f.GetSHA(), Patch: f.GetPatch()}
	}
	return diff, nil
}

// ReviewComments implements [comment.ReviewAPI].
func (ic *IssueComments) ReviewComments(ctx context.Context, pr int) ([]comment.ReviewComment, error) {
	found, err := listAll(func(page github.ListOptions) ([]*github.PullRequestComment, *github.Response, error) {
		return ic.client.api.PullRequests.ListComments(ctx, ic.owner, ic.name, pr, &github.PullRequestListCommentsOptions{ListOptions: page})
	})
	if errors.Is(err, errTooManyComments) {
		return nil, fmt.Errorf("list review comments: pull request %d has more than %d of them or %d MiB", pr, maxCommentPages*100, maxCommentBytes>>20)
	}
	if err != nil {
		return nil, ic.client.fault("list review comments", err, refused)
	}
	var all []comment.ReviewComment
	for _, c := range found {
		all = append(all, comment.ReviewComment{
			ID: c.GetID(), Node: c.GetNodeID(), Author: c.GetUser().GetLogin(), Path: c.GetPath(),
			Line: c.GetLine(), Body: c.GetBody(), ReplyTo: c.GetInReplyTo(),
		})
	}
	return all, nil
}

// Review implements [comment.ReviewAPI]. The review has no text of its own: it
// vanishes with its comments.
func (ic *IssueComments) Review(ctx context.Context, pr int, head string, drafts []comment.Draft) error {
	review := github.PullRequestReviewRequest{CommitID: &head, Event: github.String("COMMENT")}
	for _, d := range drafts {
		review.Comments = append(review.Comments, &github.DraftReviewComment{
			Path: &d.Path, Line: &d.Line, Side: github.String(rightSide), Body: &d.Body,
		})
	}
	_, _, err := ic.client.api.PullRequests.CreateReview(ctx, ic.owner, ic.name, pr, &review)
	return ic.client.fault("create review", err, map[int]error{
		http.StatusForbidden: ErrNoPermission, http.StatusNotFound: ErrNoPermission,
		http.StatusUnprocessableEntity: comment.ErrRefused,
	})
}

// Retract implements [comment.ReviewAPI]: the comment is deleted or, where the
// token may not delete, minimised as outdated.
func (ic *IssueComments) Retract(ctx context.Context, c comment.ReviewComment) error {
	resp, err := ic.client.api.PullRequests.DeleteComment(ctx, ic.owner, ic.name, c.ID)
	if err == nil || resp != nil && resp.StatusCode == http.StatusNotFound { // gone is as good
		return nil
	}
	err = ic.client.fault("delete review comment", err, refused)
	if c.Node == "" || !isUnavailable(err) {
		return err
	}
	return ic.client.query(ctx, "minimise review comment", minimise, map[string]any{"id": c.Node}, nil)
}

const minimise = `mutation($id:ID!){minimizeComment(input:{subjectId:$id,classifier:OUTDATED}){minimizedComment{isMinimized}}}`

// listedFiles is how many changed files GitHub lists at most
// (https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files).
const listedFiles = 3000

var _ ci.Changes = (*IssueComments)(nil)

// ChangedFiles implements [ci.Changes]: the paths that the pull request
// changes, of a moved file the old one too. As many as GitHub lists at most are
// an error, because a list cut short would hide changes.
func (ic *IssueComments) ChangedFiles(ctx context.Context, pr int) ([]string, error) {
	files, err := ic.loadFiles(ctx, pr)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		names = append(names, f.GetFilename())
		if old := f.GetPreviousFilename(); old != "" {
			names = append(names, old)
		}
	}
	return names, nil
}

// loadFiles returns the changed files of a pull request with their patches. They are
// asked for once, although following renames and suggesting edits both need them.
func (ic *IssueComments) loadFiles(ctx context.Context, pr int) ([]*github.CommitFile, error) {
	if found, ok := ic.changed[pr]; ok {
		return found, nil
	}
	var all []*github.CommitFile
	options := github.ListOptions{PerPage: 100}
	for len(all) < listedFiles {
		files, resp, err := ic.client.api.PullRequests.ListFiles(ctx, ic.owner, ic.name, pr, &options)
		if err != nil {
			return nil, ic.client.fault("list changed files", err, refused)
		}
		all = append(all, files...)
		if resp.NextPage <= options.Page && len(all) < listedFiles {
			ic.changed[pr] = all
			return all, nil
		}
		options.Page = resp.NextPage
	}
	return nil, fmt.Errorf("list changed files: GitHub lists %d files at most, and pull request %d changes as many or more", listedFiles, pr)
}
