package gh

import (
	"context"
	"errors"
	"slices"

	"github.com/breadcrumb/action/comment"
)

// The mutations that write a comment, as GitHub's own command line makes them:
// https://docs.github.com/en/graphql/reference/mutations#addcomment
const (
	newestQuery = `query($owner:String!,$name:String!,$number:Int!){repository(owner:$owner,name:$name){pullRequest(number:$number){comments(last:100){nodes` + commentFields + `}}}}`

	addMutation    = `mutation($input:AddCommentInput!){addComment(input:$input){commentEdge{node` + commentFields + `}}}`
	updateMutation = `mutation($input:UpdateIssueCommentInput!){updateIssueComment(input:$input){issueComment` + commentFields + `}}`
	deleteMutation = `mutation($input:DeleteIssueCommentInput!){deleteIssueComment(input:$input){clientMutationId}}`
)

// undone are the kinds of GraphQL's errors that come before a mutation is
// carried out. One of another kind, or without, may come after.
var undone = []string{"FORBIDDEN", "INSUFFICIENT_SCOPES", "NOT_FOUND", "RATE_LIMITED", "UNPROCESSABLE"}

// Create implements [comment.API]. GraphQL's answer to addComment can be lost or
// broken after the comment was written; it is then looked for, and only what
// GraphQL surely refused is asked of the REST API.
func (c *Conversation) Create(ctx context.Context, pr int, body string) (comment.Comment, error) {
	if c.subject == "" || pr != c.pr {
		return c.IssueComments.Create(ctx, pr, body)
	}
	var out struct {
		AddComment *struct {
			CommentEdge *struct{ Node *saidComment }
		}
	}
	err := c.mutate(ctx, "create comment", addMutation, map[string]any{"subjectId": c.subject, "body": body}, &out)
	var made *saidComment
	if out.AddComment != nil && out.AddComment.CommentEdge != nil {
		made = out.AddComment.CommentEdge.Node
	}
	if made != nil && made.FullDatabaseID != 0 { // also when a part of it could not be told
		return c.named([]saidComment{*made})[0], nil
	}
	if out.AddComment == nil && surelyRefused(err) {
		return c.IssueComments.Create(ctx, pr, body)
	}
	if err == nil {
		err = errors.New("create comment: GraphQL's answer has no comment")
	}
	return c.unlessWritten(ctx, c, pr, body, err)
}

// Update implements [comment.API]. To set a text twice is as good as once, so
// whatever keeps GraphQL from it, the REST API is asked.
func (c *Conversation) Update(ctx context.Context, id int64, body string) (comment.Comment, error) {
	node := c.nodes[id]
	if node == "" {
		return c.IssueComments.Update(ctx, id, body)
	}
	var out struct {
		UpdateIssueComment struct{ IssueComment *saidComment }
	}
	err := c.mutate(withIdempotent(ctx), "update comment", updateMutation, map[string]any{"id": node, "body": body}, &out)
	made := out.UpdateIssueComment.IssueComment
	switch {
	case err == nil && made != nil && made.FullDatabaseID == bigInt(id):
		return c.named([]saidComment{*made})[0], nil
	case final(ctx, err):
		return comment.Comment{}, err
	}
	return c.IssueComments.Update(ctx, id, body)
}

// Delete implements [comment.Awaiter], as Update does.
func (c *Conversation) Delete(ctx context.Context, id int64) error {
	node := c.nodes[id]
	if node == "" {
		return c.IssueComments.Delete(ctx, id)
	}
	var out struct{}
	err := c.mutate(withIdempotent(ctx), "delete comment", deleteMutation, map[string]any{"id": node}, &out)
	if err == nil || final(ctx, err) {
		return err
	}
	return c.IssueComments.Delete(ctx, id)
}

// Await implements [comment.Awaiter]: for 15 seconds.
func (c *Conversation) Await(ctx context.Context, pr int, enough func([]comment.Comment) bool) bool {
	return c.await(ctx, c, pr, enough)
}

// newest implements [lister]: the last 100 comments, among which are all that
// were written since the conversation was read.
func (c *Conversation) newest(ctx context.Context, pr int) ([]comment.Comment, error) {
	if c.subject == "" || pr != c.pr {
		return c.IssueComments.newest(ctx, pr)
	}
	var out struct {
		Repository struct {
			PullRequest *struct{ Comments page[saidComment] }
		}
	}
	err := c.client.query(withIdempotent(ctx), "list the newest comments", newestQuery, map[string]any{"owner": c.owner, "name": c.name, "number": c.pr}, &out)
	switch {
	case err == nil && out.Repository.PullRequest != nil:
		return c.named(out.Repository.PullRequest.Comments.Nodes), nil
	case final(ctx, err):
		return nil, err
	}
	return c.IssueComments.newest(ctx, pr)
}

// mutate sends a mutation with its input.
func (c *Conversation) mutate(ctx context.Context, op, mutation string, input map[string]any, out any) error {
	return c.client.query(ctx, op, mutation, map[string]any{"input": input}, out)
}

// surelyRefused reports whether err says that GraphQL carried nothing out.
func surelyRefused(err error) bool {
	var refusal *GraphQLError
	if errors.As(err, &refusal) {
		return slices.Contains(undone, refusal.Type)
	}
	return errors.As(err, new(*APIError)) && !mayBeDone(err)
}

// final reports whether after err nothing else need be asked either: the run
// ends, or its waiting is used up.
func final(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.As(err, new(*WaitError)))
}
