package gh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/comment"
)

// The bounds of one pull request's comments. GitHub closes a conversation at
// 2,500. Going beyond ours is an error, because a list cut short would hide
// our own comment and each run would write another.
const (
	maxCommentPages = 100 // of 100 comments
	maxCommentBytes = 64 << 20
)

// errTooManyComments is wrapped by the error for a pull request whose conversation
// is longer than that.
var errTooManyComments = fmt.Errorf("has more than %d comments or %d MiB of them", maxCommentPages*100, maxCommentBytes>>20)

// IssueComments reads and writes the conversation of a repository's pull
// requests. Its errors are [APIError], [WaitError] or faults of the connection;
// those for 403 and 404 wrap [ErrNoPermission].
type IssueComments struct {
	client      *Client
	owner, name string

	changed map[int][]*github.CommitFile // by pull request, once asked
}

var (
	_ comment.Awaiter  = (*IssueComments)(nil)
	_ comment.Rereader = (*IssueComments)(nil)
)

// Comments returns the pull request conversations of the repository
// "owner/name". A name of another form is the error of every call.
func (c *Client) Comments(repo string) *IssueComments {
	owner, name, err := splitRepository(repo)
	if err != nil {
		c = c.failing(err)
	}
	return &IssueComments{client: c, owner: owner, name: name, changed: map[int][]*github.CommitFile{}}
}

// failing returns a client whose every request is the error and is not sent.
func (c *Client) failing(err error) *Client {
	failing := *c
	failing.http = &http.Client{Transport: failingTransport{err}}
	failing.api = github.NewClient(failing.http)
	return &failing
}

// Self implements [comment.API].
func (ic *IssueComments) Self(ctx context.Context) (string, error) { return ic.client.Self(ctx) }

// Comments implements [comment.API]: all comments, oldest first.
func (ic *IssueComments) Comments(ctx context.Context, pr int) ([]comment.Comment, error) {
	found, err := listAll(func(page github.ListOptions) ([]*github.IssueComment, *github.Response, error) {
		return ic.client.api.Issues.ListComments(ctx, ic.owner, ic.name, pr, &github.IssueListCommentsOptions{ListOptions: page})
	})
	if errors.Is(err, errTooManyComments) {
		return nil, fmt.Errorf("list comments: pull request %d %w", pr, err)
	}
	if err != nil {
		return nil, ic.client.fault("list comments", err, refused)
	}
	var all []comment.Comment
	for _, c := range found {
		all = append(all, toComment(c))
	}
	return all, nil
}

// listAll returns the comments of all pages, or [errTooManyComments].
func listAll[T interface{ GetBody() string }](list func(github.ListOptions) ([]T, *github.Response, error)) ([]T, error) {
	var all []T
	size := 0
	page := github.ListOptions{PerPage: 100}
	for range maxCommentPages {
		found, resp, err := list(page)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			size += len(c.GetBody())
		}
		all = append(all, found...)
		if resp.NextPage <= page.Page {
			return all, nil
		}
		if size > maxCommentBytes {
			break
		}
		page.Page = resp.NextPage
	}
	return nil, errTooManyComments
}

// Create implements [comment.API]. When the answer is lost, the comment may
// have been written: then it is looked for, never written twice.
func (ic *IssueComments) Create(ctx context.Context, pr int, body string) (comment.Comment, error) {
	made, _, err := ic.client.api.Issues.CreateComment(ctx, ic.owner, ic.name, pr, &github.IssueComment{Body: &body})
	if err == nil {
		return toComment(made), nil
	}
	return ic.findWritten(ctx, ic, pr, body, ic.client.fault("create comment", err, refused))
}

// Update implements [comment.API]. The answer does not say what the comment said before,
// so that is asked right before; who writes between the two is seen by [IssueComments.Reread].
func (ic *IssueComments) Update(ctx context.Context, id int64, body string) (comment.Comment, error) {
	before, _, beforeErr := ic.client.api.Issues.GetComment(ctx, ic.owner, ic.name, id)
	made, _, err := ic.client.api.Issues.EditComment(ctx, ic.owner, ic.name, id, &github.IssueComment{Body: &body})
	if err != nil {
		return comment.Comment{}, ic.client.fault("update comment", err, map[int]error{
			http.StatusForbidden: ErrNoPermission,
			http.StatusNotFound:  comment.ErrGone,
			http.StatusGone:      comment.ErrGone,
		})
	}
	written := toComment(made)
	written.Blind = true
	if beforeErr == nil {
		written.Past = []string{before.GetBody()}
	}
	return written, nil
}

// settling is longer than another run takes from reading a comment to writing it.
const settling = 3 * time.Second

// Reread implements [comment.Rereader].
func (ic *IssueComments) Reread(ctx context.Context, id int64) (comment.Comment, error) {
	if !ic.client.waiting.pause(ctx, settling) {
		return comment.Comment{}, errors.New("read the comment again: there is no time left to wait")
	}
	now, _, err := ic.client.api.Issues.GetComment(ctx, ic.owner, ic.name, id)
	if err != nil {
		return comment.Comment{}, ic.client.fault("read the comment again", err, refused)
	}
	return toComment(now), nil
}

// Delete implements [comment.Awaiter].
func (ic *IssueComments) Delete(ctx context.Context, id int64) error {
	resp, err := ic.client.api.Issues.DeleteComment(ctx, ic.owner, ic.name, id)
	if err == nil || resp != nil && resp.StatusCode == http.StatusNotFound {
		return nil
	}
	return ic.client.fault("delete comment", err, refused)
}

// Await implements [comment.Awaiter]: for 15 seconds.
func (ic *IssueComments) Await(ctx context.Context, pr int, enough func([]comment.Comment) bool) bool {
	return ic.await(ctx, ic, pr, enough)
}

// await lists the comments until they are enough.
func (ic *IssueComments) await(ctx context.Context, from lister, pr int, enough func([]comment.Comment) bool) bool {
	for pause := time.Second; ; pause *= 2 {
		listed, err := from.listNewest(ctx, pr)
		if err != nil {
			ic.client.log.DebugContext(ctx, "looking for a comment", slog.Any("error", err))
			return false
		}
		if enough(listed) {
			return true
		}
		if pause > lastPause || !ic.client.waiting.pause(ctx, pause) {
			return false
		}
	}
}

// listNewest implements [lister].
func (ic *IssueComments) listNewest(ctx context.Context, pr int) ([]comment.Comment, error) {
	return ic.Comments(ctx, pr)
}

// findWritten returns the comment of ours with the body when creating it failed and
// it is there all the same, and otherwise err, which says why it failed.
func (ic *IssueComments) findWritten(ctx context.Context, from lister, pr int, body string, err error) (comment.Comment, error) {
	if !mayBeWritten(err) || ctx.Err() != nil {
		return comment.Comment{}, err
	}
	self, selfErr := from.Self(ctx)
	if selfErr != nil {
		return comment.Comment{}, errors.Join(err, fmt.Errorf("look for the comment: %w", selfErr))
	}
	var made comment.Comment
	found := ic.await(ctx, from, pr, func(listed []comment.Comment) bool {
		for _, c := range listed {
			if strings.EqualFold(c.Author, self) && sameText(c.Body, body) {
				made = c
			}
		}
		return made.ID != 0
	})
	if !found {
		return comment.Comment{}, err
	}
	return made, nil
}

// lister lists a pull request's newest comments and knows who we are.
type lister interface {
	Self(ctx context.Context) (string, error)
	listNewest(ctx context.Context, pr int) ([]comment.Comment, error)
}

// lastPause is the last of the pauses between two looks at a list: of 1, 2, 4
// and 8 seconds, 15 in all.
const lastPause = 8 * time.Second

// mayBeWritten reports whether a failed write may have been carried out: its
// answer was lost, or the server failed after taking it.
func mayBeWritten(err error) bool {
	if api, ok := errors.AsType[*APIError](err); ok {
		return api.Status >= http.StatusInternalServerError
	}
	return !errors.As(err, new(*WaitError)) && !neverSent(err)
}

// sameText compares bodies without what GitHub changes in storing one.
func sameText(a, b string) bool {
	norm := func(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }
	return norm(a) == norm(b)
}

func toComment(c *github.IssueComment) comment.Comment {
	return comment.Comment{ID: c.GetID(), Author: c.GetUser().GetLogin(), Body: c.GetBody(), URL: c.GetHTMLURL()}
}

// actionsBot is the login of a job's own GITHUB_TOKEN.
const actionsBot = "github-actions[bot]"

// errNoViewer is a GraphQL answer that names no viewer.
var errNoViewer = errors.New("GraphQL names no viewer")

// Self returns the login that the token's comments are written under. GraphQL
// knows it for every kind of token; GET /user is asked where there is no
// GraphQL, and is forbidden to installation tokens. When neither answers an
// installation token, it is taken for the job's own: [actionsBot].
func (c *Client) Self(ctx context.Context) (string, error) {
	login, viewerErr := c.askViewer(ctx)
	if viewerErr == nil || !isUnavailable(viewerErr) {
		return login, viewerErr
	}
	user, _, err := c.api.Users.Get(ctx, "")
	if err == nil && user.GetLogin() != "" {
		return user.GetLogin(), nil
	}
	userErr := c.fault("ask who the token is", err, refused)
	if userErr != nil && isUnavailable(userErr) && c.isInstallation(userErr) {
		return actionsBot, nil
	}
	return "", errors.Join(viewerErr, userErr)
}

// askViewer asks GraphQL for the token's own login.
func (c *Client) askViewer(ctx context.Context) (string, error) {
	const op = "ask GraphQL who the token is"
	var out struct{ Viewer struct{ Login string } }
	err := c.query(withIdempotent(ctx), op, "query{viewer{login}}", nil, &out)
	switch {
	case err != nil && !errors.As(err, new(*GraphQLError)):
		return "", err
	case out.Viewer.Login == "":
		return "", fmt.Errorf("%s: %w", op, errNoViewer)
	}
	return out.Viewer.Login, nil
}

// isUnavailable reports whether err says that the token may not ask, or that
// there is nothing to ask.
func isUnavailable(err error) bool {
	return errors.Is(err, ErrNoPermission) || errors.Is(err, errNoViewer)
}

// isInstallation reports whether the token is an app installation's, by its
// form or by GitHub's refusal.
func (c *Client) isInstallation(refusal error) bool {
	api, ok := errors.AsType[*APIError](refusal)
	return strings.HasPrefix(c.token, "ghs_") || ok && strings.Contains(api.Message, "not accessible by integration")
}
