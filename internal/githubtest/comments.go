package githubtest

import (
	"net/http"
	"slices"
	"time"
)

var commentRoutes = []route{
	{"GET", inRepo + "/issues/comments/{comment}", read, (*call).getComment},
	{"PATCH", inRepo + "/issues/comments/{comment}", write, withBody((*call).updateComment)},
	{"DELETE", inRepo + "/issues/comments/{comment}", write, (*call).deleteComment},
	{"GET", inRepo + "/issues/{number}/comments", read, (*call).listComments},
	{"POST", inRepo + "/issues/{number}/comments", write, withBody((*call).createComment)},
}

// commentBody is the body of a request that writes a comment.
type commentBody struct{ Body string }

func (b commentBody) check() error {
	return checkText(b.Body, invalid("IssueComment", "body", "missing_field", ""), invalid("IssueComment", "data", "unprocessable", tooLong))
}

func (c *call) listComments() (any, error) {
	return pageOf(c, c.listedComments(), c.commentShape), nil
}

// listedComments returns the comments on the call's pull request that lists show by
// now.
func (c *call) listedComments() []Comment {
	return filter(c.repo.Comments, func(x Comment) bool {
		return x.Issue == c.pr.Number && (c.options.CommentLag == 0 || !x.CreatedAt.Add(c.options.CommentLag).After(c.now))
	})
}

func (c *call) createComment(in commentBody) (any, error) {
	if c.pr.Locked {
		return nil, fail(http.StatusForbidden, "Unable to create comment because issue is locked.")
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	return created{c.commentShape(*c.state.addComment(c.repo, c.pr.Number, c.token.Login, in.Body, c.now))}, nil
}

// addComment adds a comment to a pull request.
func (s *State) addComment(r *Repository, number int, author, body string, now time.Time) *Comment {
	r.Comments = append(r.Comments, Comment{ID: s.nextID(), Issue: number, Author: author, Body: body, CreatedAt: now, UpdatedAt: now})
	return &r.Comments[len(r.Comments)-1]
}

// editComment changes the text of a comment.
func (c *call) editComment(comment *Comment, body string) {
	if len(comment.Past) == 0 {
		comment.Past = []Edit{{comment.Author, comment.Body}}
	}
	comment.Past = append(comment.Past, Edit{c.token.Login, body})
	comment.Body, comment.UpdatedAt = body, c.now
	comment.Edits++
}

func (c *call) getComment() (any, error) { return c.commentShape(*c.comment), nil }

func (c *call) updateComment(in commentBody) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	c.editComment(c.comment, in.Body)
	return c.commentShape(*c.comment), nil
}

func (c *call) deleteComment() (any, error) {
	c.removeComment(c.comment.ID)
	c.w.WriteHeader(http.StatusNoContent)
	return nil, nil
}

func (c *call) removeComment(id int64) {
	c.repo.Comments = slices.DeleteFunc(c.repo.Comments, func(x Comment) bool { return x.ID == id })
}

func (c *call) commentShape(x Comment) object {
	return object{
		"id": x.ID, "node_id": nodeID("IssueComment", x.ID), "body": x.Body, "user": c.userShape(x.Author),
		"url": c.api("/issues/comments/%d", x.ID), "html_url": c.html("/pull/%d#issuecomment-%d", x.Issue, x.ID), "issue_url": c.api("/issues/%d", x.Issue),
		"author_association": c.association(x.Author), "created_at": formatTime(x.CreatedAt), "updated_at": formatTime(x.UpdatedAt),
		"performed_via_github_app": nil,
	}
}
