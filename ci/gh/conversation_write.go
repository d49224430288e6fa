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
	updateMutation = `mutation($input:UpdateIssueCommentInput!){updateIssueComment(input:$input){issueComment{fullDatabaseId id author{__typename login}body url pullRequest{headRefOid}` +
		`newest:userContentEdits(first:10){nodes` + editFields + `}oldest:userContentEdits(last:10){nodes` + editFields + `}}}}`
	editFields     = `{diff editor{__typename login}}`
	deleteMutation = `mutation($input:DeleteIssueCommentInput!){deleteIssueComment(input:$input){clientMutationId}}`
)

// refusalTypes are the types of GraphQL errors that come before a mutation is
// carried out. One of another type, or of none, may come after.
var refusalTypes = []string{"FORBIDDEN", "INSUFFICIENT_SCOPES", notFoundType, "RATE_LIMITED", "UNPROCESSABLE"}

// Create implements [comment.API]. GraphQL's answer to addComment can be lost or
// broken after the comment was written: then the comment is looked for. The REST
// API is asked only after GraphQL surely refused.
func (c *Conversation) Create(ctx context.Context, pr int, body string) (comment.Comment, error) {
	if c.pullID == "" || pr != c.pr {
		return c.IssueComments.Create(ctx, pr, body)
	}
	var out struct {
		AddComment *struct {
			CommentEdge *struct{ Node *graphQLComment }
		}
	}
	err := c.mutate(ctx, "create comment", addMutation, map[string]any{"subjectId": c.pullID, "body": body}, &out)
	var made *graphQLComment
	if out.AddComment != nil && out.AddComment.CommentEdge != nil {
		made = out.AddComment.CommentEdge.Node
	}
	if made != nil && made.FullDatabaseID != 0 { // also when GraphQL left out a part of it
		return c.toComments([]graphQLComment{*made})[0], nil
	}
	if out.AddComment == nil && isRefused(err) {
		return c.IssueComments.Create(ctx, pr, body)
	}
	if err == nil {
		err = errors.New("create comment: GraphQL's answer has no comment")
	}
	return c.findWritten(ctx, c, pr, body, err)
}

// editedComment is a comment with what it said before: a diff is the whole text after
// an edit. Which end of their list is the newest is not documented.
type editedComment struct {
	graphQLComment
	PullRequest    struct{ HeadRefOid string }
	Newest, Oldest page[struct {
		Diff   string
		Editor graphQLActor
	}]
}

// pastTexts returns what the comment's author wrote.
func (e editedComment) pastTexts() []string {
	var all []string
	for _, edit := range slices.Concat(e.Newest.Nodes, e.Oldest.Nodes) {
		if edit.Editor == e.Author {
			all = append(all, edit.Diff)
		}
	}
	return all
}

// Update implements [comment.API]. Setting a text twice is as good as once, so the
// REST API, which knows nothing of what was said before, is asked whenever GraphQL
// fails.
func (c *Conversation) Update(ctx context.Context, id int64, body string) (comment.Comment, error) {
	node := c.commentIDs[id]
	if node == "" {
		return c.IssueComments.Update(ctx, id, body)
	}
	var out struct {
		UpdateIssueComment struct{ IssueComment *editedComment }
	}
	err := c.mutate(withIdempotent(ctx), "update comment", updateMutation, map[string]any{"id": node, "body": body}, &out)
	made := out.UpdateIssueComment.IssueComment
	switch {
	case err == nil && made != nil && made.FullDatabaseID == bigInt(id):
		written := c.toComments([]graphQLComment{made.graphQLComment})[0]
		written.Past, written.Head = made.pastTexts(), made.PullRequest.HeadRefOid
		return written, nil
	case mustStop(ctx, err):
		return comment.Comment{}, err
	}
	return c.IssueComments.Update(ctx, id, body)
}

// Delete implements [comment.Awaiter], as Update does.
func (c *Conversation) Delete(ctx context.Context, id int64) error {
	node := c.commentIDs[id]
	if node == "" {
		return c.IssueComments.Delete(ctx, id)
	}
	err := c.mutate(withIdempotent(ctx), "delete comment", deleteMutation, map[string]any{"id": node}, nil)
	if err == nil || mustStop(ctx, err) {
		return err
	}
	return c.IssueComments.Delete(ctx, id)
}

// Await implements [comment.Awaiter]: for 15 seconds.
func (c *Conversation) Await(ctx context.Context, pr int, enough func([]comment.Comment) bool) bool {
	return c.await(ctx, c, pr, enough)
}

// listNewest implements [lister]: the last 100 comments, among which are all that
// were written since the conversation was read.
func (c *Conversation) listNewest(ctx context.Context, pr int) ([]comment.Comment, error) {
	if c.pullID == "" || pr != c.pr {
		return c.IssueComments.listNewest(ctx, pr)
	}
	var out commentsAnswer
	err := c.client.query(withIdempotent(ctx), "list the newest comments", newestQuery, map[string]any{"owner": c.owner, "name": c.name, "number": c.pr}, &out)
	switch {
	case err == nil && out.Repository.PullRequest != nil:
		return c.toComments(out.Repository.PullRequest.Comments.Nodes), nil
	case mustStop(ctx, err):
		return nil, err
	}
	return c.IssueComments.listNewest(ctx, pr)
}

// mutate sends a mutation with its input.
func (c *Conversation) mutate(ctx context.Context, op, mutation string, input map[string]any, out any) error {
	return c.client.query(ctx, op, mutation, map[string]any{"input": input}, out)
}

// isRefused reports whether err says that GraphQL carried nothing out.
func isRefused(err error) bool {
	if refusal, ok := errors.AsType[*GraphQLError](err); ok {
		return slices.Contains(refusalTypes, refusal.Type)
	}
	return errors.As(err, new(*APIError)) && !mayBeWritten(err)
}

// mustStop reports whether after err nothing else can be asked either: the run
// ends, or its waiting time is used up.
func mustStop(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.As(err, new(*WaitError)))
}
