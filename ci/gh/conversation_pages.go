package gh

import (
	"context"
	"errors"
	"fmt"
)

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
