package gh

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/command"
	"github.com/breadcrumb/action/comment"
)

var _ ci.Offers = (*Offers)(nil)

// maxOfferedAt is at how many commits of a pull request the offers are read.
const maxOfferedAt = 4

// Earlier implements [ci.Offers]. The comments on the pull request say only where to
// look: what counts is what runs of those commits saved.
func (f *Offers) Earlier(ctx context.Context, pr int) (found []comment.Offers, err error) {
	defer wrapError(&err, "ask which edits were offered")
	said, err := comment.LoadConversation(ctx, f.artifacts.client.Conversation(f.artifacts.options.Repository, pr), pr)
	if err != nil {
		return nil, err
	}
	var heads []string // newest first
	for _, x := range said.Sticky("") {
		state, _ := comment.ParseState(x.Body)
		for _, o := range slices.Backward(state.Offered) {
			if !slices.Contains(heads, o.Head) {
				heads = append(heads, o.Head)
			}
		}
	}
	for _, head := range heads[:min(len(heads), maxOfferedAt)] {
		of, err := f.ofCommit(ctx, head)
		if err != nil {
			return nil, err
		}
		found = append(found, of...)
	}
	return found, nil
}

// mergedQuery asks for the pull requests that were merged last:
// https://docs.github.com/en/graphql/reference/objects#pullrequest
const mergedQuery = `query($owner:String!,$name:String!,$base:String!){repository(owner:$owner,name:$name){` +
	`pullRequests(first:5,states:MERGED,baseRefName:$base,orderBy:{field:UPDATED_AT,direction:DESC}){nodes{number mergedAt isCrossRepository}}}}`

// Merged implements [ci.Offers]. GraphQL is asked, because a run may make few requests to
// the REST API. A token that may not read pull requests knows of none.
func (f *Offers) Merged(ctx context.Context, since time.Time) (merged []ci.Merged, err error) {
	const op = "ask which pull requests were merged"
	client, options := f.artifacts.client, f.artifacts.options
	owner, name, err := splitRepository(options.Repository)
	if err != nil || options.DefaultBranch == "" {
		return nil, err
	}
	var found struct {
		Repository struct {
			PullRequests struct {
				Nodes []struct {
					Number            int
					MergedAt          time.Time
					IsCrossRepository bool
				}
			}
		}
	}
	err = client.query(withIdempotent(ctx), op, mergedQuery, map[string]any{"owner": owner, "name": name, "base": options.DefaultBranch}, &found)
	if errors.Is(err, ErrNoPermission) {
		return nil, nil
	}
	for _, pull := range found.Repository.PullRequests.Nodes {
		if err == nil && pull.Number > 0 && !pull.IsCrossRepository && pull.MergedAt.After(since) {
			merged = append(merged, ci.Merged{Number: pull.Number, At: pull.MergedAt})
		}
	}
	return merged, err
}

// FileAt implements [ci.Offers]. A commit that is gone has no file.
func (f *Offers) FileAt(ctx context.Context, commit, path string) ([]byte, error) {
	file, err := f.repository.File(ctx, commit, path)
	if errors.Is(err, command.ErrNoFile) || errors.Is(err, ErrNoPermission) {
		return nil, fs.ErrNotExist
	}
	return file.Text, err
}
