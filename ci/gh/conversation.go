package gh

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/comment"
)

// Conversation reads and writes the comments on one pull request. It loads all of
// them with one GraphQL query and writes with GraphQL too, because a run may make
// few requests to the REST API. Where GraphQL does not answer, or not with
// everything, the REST API is asked as by [IssueComments].
type Conversation struct {
	*IssueComments
	pr     int
	loaded bool                // and nothing was written since
	found  *conversationAnswer // nil where GraphQL does not answer

	// GraphQL's ids, as far as they are known.
	pullID     string
	commentIDs map[int64]string // by the id of the REST API
}

var (
	_ comment.Awaiter   = (*Conversation)(nil)
	_ comment.ReviewAPI = (*Conversation)(nil)

	_ comment.HeadTeller = (*Conversation)(nil)
)

// Conversation returns the conversation on a pull request of the repository
// "owner/name".
func (c *Client) Conversation(repo string, pr int) *Conversation {
	return &Conversation{IssueComments: c.Comments(repo), pr: pr, commentIDs: map[int64]string{}}
}

// conversationQuery asks for what fits one answer: the first 100 comments, and 100
// threads of 20 comments on the diff.
const conversationQuery = `query($owner:String!,$name:String!,$number:Int!){viewer{login}repository(owner:$owner,name:$name){pullRequest(number:$number){id headRefOid ` +
	`comments(first:100){pageInfo{hasNextPage endCursor}nodes` + commentFields + `}` +
	`reviewThreads(first:100){pageInfo{hasNextPage}nodes{path line isOutdated comments(first:20){pageInfo{hasNextPage}nodes{fullDatabaseId id author{__typename login}body replyTo{fullDatabaseId}}}}}}}}`

// commentFields are those of a [graphQLComment] that is no review's.
const commentFields = `{fullDatabaseId id author{__typename login}body url}`

// conversationAnswer is GraphQL's answer to [conversationQuery].
type conversationAnswer struct {
	Viewer     struct{ Login string }
	Repository struct {
		PullRequest *struct {
			ID            string
			HeadRefOid    string
			Comments      page[graphQLComment]
			ReviewThreads page[struct {
				Path       string
				Line       int
				IsOutdated bool
				Comments   page[graphQLComment]
			}]
		}
	}
}

// page is one page of a connection.
type page[T any] struct {
	PageInfo struct {
		HasNextPage bool
		EndCursor   string
	}
	Nodes []T
}

// commentsAnswer is GraphQL's answer to a query for comments alone.
type commentsAnswer struct {
	Repository struct {
		PullRequest *struct{ Comments page[graphQLComment] }
	}
}

type graphQLComment struct {
	FullDatabaseID bigInt
	ID             string
	Author         graphQLActor
	Body, URL      string
	ReplyTo        struct{ FullDatabaseID bigInt }
}

type graphQLActor struct {
	Typename string `json:"__typename"`
	Login    string
}

// bigInt is GraphQL's BigInt: an id of more than 32 bits, which databaseId does
// not hold. GitHub writes it as a string.
type bigInt int64

// UnmarshalJSON implements [json.Unmarshaler].
func (b *bigInt) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseInt(strings.Trim(string(text), `"`), 10, 64)
	if err != nil && string(text) != "null" {
		return fmt.Errorf("%.40s is no BigInt", text)
	}
	*b = bigInt(n)
	return nil
}

// authorLogin returns the author as the REST API names them: apps with a suffix.
func (s graphQLComment) authorLogin() string {
	if s.Author.Typename == "Bot" && !strings.HasSuffix(s.Author.Login, "[bot]") {
		return s.Author.Login + "[bot]"
	}
	return s.Author.Login
}

// loadConversation returns the conversation, nil where GraphQL does not answer. The error is that
// of a wait or of ctx, after which nothing else can be asked either.
func (c *Conversation) loadConversation(ctx context.Context) (*conversationAnswer, error) {
	if c.loaded {
		return c.found, nil
	}
	found := &conversationAnswer{}
	err := c.client.query(withIdempotent(ctx), "ask GraphQL for the conversation", conversationQuery,
		map[string]any{"owner": c.owner, "name": c.name, "number": c.pr}, found)
	if mustStop(ctx, err) {
		return nil, err
	}
	c.loaded = true
	if pull := found.Repository.PullRequest; err == nil && found.Viewer.Login != "" && pull != nil {
		c.found, c.pullID = found, pull.ID
	}
	return c.found, nil
}

// Self implements [comment.API].
func (c *Conversation) Self(ctx context.Context) (string, error) {
	found, err := c.loadConversation(ctx)
	if err != nil {
		return "", err
	}
	if found == nil {
		return c.IssueComments.Self(ctx)
	}
	return found.Viewer.Login, nil
}

// Head implements [comment.HeadTeller].
func (c *Conversation) Head(ctx context.Context, pr int) (string, error) {
	found, err := c.loadConversation(ctx)
	if err != nil || found == nil || pr != c.pr {
		return "", err
	}
	return found.Repository.PullRequest.HeadRefOid, nil
}

// WorkflowOf returns the id and the file of a run's workflow.
func (c *Conversation) WorkflowOf(ctx context.Context, run int64) (id int64, file string, err error) {
	var found struct {
		WorkflowID int64 `json:"workflow_id"`
		Path       string
	}
	if _, err := c.client.get(ctx, fmt.Sprintf("repos/%s/%s/actions/runs/%d", c.owner, c.name, run), &found); err != nil {
		return 0, "", c.client.faultNeeding(actionsRead, "ask for the run", err)
	}
	file, _, _ = strings.Cut(found.Path, "@")
	return found.WorkflowID, file, nil
}

// Comments implements [comment.API].
func (c *Conversation) Comments(ctx context.Context, pr int) ([]comment.Comment, error) {
	found, err := c.loadConversation(ctx)
	if err != nil {
		return nil, err
	}
	if found == nil || pr != c.pr {
		return c.IssueComments.Comments(ctx, pr)
	}
	all, err := c.loadPages(ctx, found.Repository.PullRequest.Comments)
	if err != nil && !errors.Is(err, errTooManyComments) && !mustStop(ctx, err) {
		return c.IssueComments.Comments(ctx, pr)
	}
	return c.toComments(all), err
}

// toComments converts comments and keeps their GraphQL ids.
func (c *Conversation) toComments(found []graphQLComment) []comment.Comment {
	var all []comment.Comment
	for _, s := range found {
		id := int64(s.FullDatabaseID)
		c.commentIDs[id] = s.ID
		all = append(all, comment.Comment{ID: id, Author: s.authorLogin(), Body: s.Body, URL: s.URL})
	}
	return all
}

// Diff implements [comment.ReviewAPI].
func (c *Conversation) Diff(ctx context.Context, pr int) (comment.Diff, error) {
	found, err := c.loadConversation(ctx)
	if err != nil {
		return comment.Diff{}, err
	}
	if found == nil || pr != c.pr {
		return c.IssueComments.Diff(ctx, pr)
	}
	return c.loadDiff(ctx, pr, found.Repository.PullRequest.HeadRefOid)
}

// ReviewComments implements [comment.ReviewAPI].
func (c *Conversation) ReviewComments(ctx context.Context, pr int) ([]comment.ReviewComment, error) {
	found, err := c.loadConversation(ctx)
	if err != nil {
		return nil, err
	}
	if found == nil || pr != c.pr || found.Repository.PullRequest.ReviewThreads.PageInfo.HasNextPage {
		return c.IssueComments.ReviewComments(ctx, pr)
	}
	var all []comment.ReviewComment
	for _, t := range found.Repository.PullRequest.ReviewThreads.Nodes {
		if t.Comments.PageInfo.HasNextPage {
			return c.IssueComments.ReviewComments(ctx, pr)
		}
		if t.IsOutdated {
			t.Line = 0
		}
		for _, s := range t.Comments.Nodes {
			all = append(all, comment.ReviewComment{ID: int64(s.FullDatabaseID), Node: s.ID, Author: s.authorLogin(), Path: t.Path, Line: t.Line, Body: s.Body, ReplyTo: int64(s.ReplyTo.FullDatabaseID)})
		}
	}
	return all, nil
}

// Review implements [comment.ReviewAPI]. What was loaded before is out of date then.
func (c *Conversation) Review(ctx context.Context, pr int, head string, drafts []comment.Draft) error {
	c.loaded, c.found = c.found == nil && c.loaded, nil
	return c.IssueComments.Review(ctx, pr, head, drafts)
}

// nextQuery asks for the 100 comments after a cursor.
const nextQuery = `query($owner:String!,$name:String!,$number:Int!,$after:String!){repository(owner:$owner,name:$name){pullRequest(number:$number){` +
	`comments(first:100,after:$after){pageInfo{hasNextPage endCursor}nodes` + commentFields + `}}}}`

// loadPages returns the comments of a page and of all after it.
func (c *Conversation) loadPages(ctx context.Context, p page[graphQLComment]) ([]graphQLComment, error) {
	const op = "list more comments"
	all, size := p.Nodes, 0
	for n := 1; p.PageInfo.HasNextPage; n++ {
		for _, s := range p.Nodes {
			size += len(s.Body)
		}
		if n == maxCommentPages || size > maxCommentBytes {
			return nil, fmt.Errorf("%s: pull request %d %w", op, c.pr, errTooManyComments)
		}
		var out commentsAnswer
		err := c.client.query(withIdempotent(ctx), op, nextQuery,
			map[string]any{"owner": c.owner, "name": c.name, "number": c.pr, "after": p.PageInfo.EndCursor}, &out)
		if err != nil {
			return nil, err
		}
		if out.Repository.PullRequest == nil {
			return nil, errors.New(op + ": GraphQL's answer has no pull request")
		}
		p = out.Repository.PullRequest.Comments
		all = append(all, p.Nodes...)
	}
	return all, nil
}
