package gh

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/comment"
)

// Conversation is what one run has to say on one pull request, and what is said
// there. It asks GraphQL for all of that at once and lets it write the comment,
// since a run has few requests to the REST API; where GraphQL does not answer, or
// not with all there is, the REST API is asked as by [IssueComments].
type Conversation struct {
	*IssueComments
	pr    int
	asked bool          // and not old
	said  *conversation // nil where GraphQL does not tell

	// GraphQL's names, as far as it told them.
	subject string           // of the pull request
	nodes   map[int64]string // of comments, by id
}

var (
	_ comment.Awaiter   = (*Conversation)(nil)
	_ comment.ReviewAPI = (*Conversation)(nil)
)

// Conversation returns the conversation on a pull request of the repository
// "owner/name".
func (c *Client) Conversation(repo string, pr int) *Conversation {
	return &Conversation{IssueComments: c.Comments(repo), pr: pr, nodes: map[int64]string{}}
}

// conversationQuery asks for what fits one answer: the first 100 comments, and 100
// threads of 20 comments on the diff.
const conversationQuery = `query($owner:String!,$name:String!,$number:Int!){viewer{login}repository(owner:$owner,name:$name){pullRequest(number:$number){id headRefOid ` +
	`comments(first:100){pageInfo{hasNextPage endCursor}nodes` + commentFields + `}` +
	`reviewThreads(first:100){pageInfo{hasNextPage}nodes{path line isOutdated comments(first:20){pageInfo{hasNextPage}nodes{fullDatabaseId id author{__typename login}body replyTo{fullDatabaseId}}}}}}}}`

// commentFields are those of a [saidComment] that is no review's.
const commentFields = `{fullDatabaseId id author{__typename login}body url}`

// conversation is GraphQL's answer.
type conversation struct {
	Viewer     struct{ Login string }
	Repository struct {
		PullRequest *struct {
			ID            string
			HeadRefOid    string
			Comments      page[saidComment]
			ReviewThreads page[struct {
				Path       string
				Line       int
				IsOutdated bool
				Comments   page[saidComment]
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

type saidComment struct {
	FullDatabaseID bigInt
	ID             string
	Author         struct {
		Typename string `json:"__typename"`
		Login    string
	}
	Body, URL string
	ReplyTo   struct{ FullDatabaseID bigInt }
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

// login returns the author as the REST API names them: apps with a suffix.
func (s saidComment) login() string {
	if s.Author.Typename == "Bot" && !strings.HasSuffix(s.Author.Login, "[bot]") {
		return s.Author.Login + "[bot]"
	}
	return s.Author.Login
}

// ask returns what is said, nil where GraphQL does not tell. The error is that
// of a wait or of ctx, after which nothing else need be asked either.
func (c *Conversation) ask(ctx context.Context) (*conversation, error) {
	if c.asked {
		return c.said, nil
	}
	said := &conversation{}
	err := c.err
	if err == nil {
		err = c.client.query(withIdempotent(ctx), "ask GraphQL for the conversation", conversationQuery,
			map[string]any{"owner": c.owner, "name": c.name, "number": c.pr}, said)
	}
	if final(ctx, err) {
		return nil, err
	}
	c.asked = true
	if pull := said.Repository.PullRequest; err == nil && said.Viewer.Login != "" && pull != nil {
		c.said, c.subject = said, pull.ID
	}
	return c.said, nil
}

// Self implements [comment.API].
func (c *Conversation) Self(ctx context.Context) (string, error) {
	said, err := c.ask(ctx)
	if err != nil {
		return "", err
	}
	if said == nil {
		return c.IssueComments.Self(ctx)
	}
	return said.Viewer.Login, nil
}

// Comments implements [comment.API].
func (c *Conversation) Comments(ctx context.Context, pr int) ([]comment.Comment, error) {
	said, err := c.ask(ctx)
	if err != nil {
		return nil, err
	}
	if said == nil || pr != c.pr {
		return c.IssueComments.Comments(ctx, pr)
	}
	all, err := c.pages(ctx, said.Repository.PullRequest.Comments)
	if err != nil && !errors.Is(err, errEndless) && !final(ctx, err) {
		return c.IssueComments.Comments(ctx, pr)
	}
	return c.named(all), err
}

// named returns comments and keeps GraphQL's names of them.
func (c *Conversation) named(said []saidComment) []comment.Comment {
	var all []comment.Comment
	for _, s := range said {
		id := int64(s.FullDatabaseID)
		c.nodes[id] = s.ID
		all = append(all, comment.Comment{ID: id, Author: s.login(), Body: s.Body, URL: s.URL})
	}
	return all
}

// Diff implements [comment.ReviewAPI].
func (c *Conversation) Diff(ctx context.Context, pr int) (comment.Diff, error) {
	said, err := c.ask(ctx)
	if err != nil {
		return comment.Diff{}, err
	}
	if said == nil || pr != c.pr {
		return c.IssueComments.Diff(ctx, pr)
	}
	return c.diff(ctx, pr, said.Repository.PullRequest.HeadRefOid)
}

// ReviewComments implements [comment.ReviewAPI].
func (c *Conversation) ReviewComments(ctx context.Context, pr int) ([]comment.ReviewComment, error) {
	said, err := c.ask(ctx)
	if err != nil {
		return nil, err
	}
	if said == nil || pr != c.pr || said.Repository.PullRequest.ReviewThreads.PageInfo.HasNextPage {
		return c.IssueComments.ReviewComments(ctx, pr)
	}
	var all []comment.ReviewComment
	for _, t := range said.Repository.PullRequest.ReviewThreads.Nodes {
		if t.Comments.PageInfo.HasNextPage {
			return c.IssueComments.ReviewComments(ctx, pr)
		}
		if t.IsOutdated {
			t.Line = 0
		}
		for _, s := range t.Comments.Nodes {
			all = append(all, comment.ReviewComment{ID: int64(s.FullDatabaseID), Node: s.ID, Author: s.login(), Path: t.Path, Line: t.Line, Body: s.Body, ReplyTo: int64(s.ReplyTo.FullDatabaseID)})
		}
	}
	return all, nil
}

// Review implements [comment.ReviewAPI]. What was said before is old then.
func (c *Conversation) Review(ctx context.Context, pr int, head string, drafts []comment.Draft) error {
	c.asked, c.said = c.said == nil && c.asked, nil
	return c.IssueComments.Review(ctx, pr, head, drafts)
}

// nextQuery asks for the 100 comments after a place.
const nextQuery = `query($owner:String!,$name:String!,$number:Int!,$after:String!){repository(owner:$owner,name:$name){pullRequest(number:$number){` +
	`comments(first:100,after:$after){pageInfo{hasNextPage endCursor}nodes` + commentFields + `}}}}`

// pages returns the comments of a page and of all after it.
func (c *Conversation) pages(ctx context.Context, p page[saidComment]) ([]saidComment, error) {
	const op = "list more comments"
	all, size := p.Nodes, 0
	for n := 1; p.PageInfo.HasNextPage; n++ {
		for _, s := range p.Nodes {
			size += len(s.Body)
		}
		if n == maxCommentPages || size > maxCommentBytes {
			return nil, fmt.Errorf("%s: pull request %d %w", op, c.pr, errEndless)
		}
		var out struct {
			Repository struct {
				PullRequest *struct{ Comments page[saidComment] }
			}
		}
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
