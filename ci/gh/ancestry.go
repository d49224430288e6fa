package gh

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/ci"
)

// Ancestry knows where commits branched off from a repository's default branch.
type Ancestry struct {
	client      *Client
	owner, name string
	commits     branchCommits // of the default branch
}

var _ ci.Ancestry = (*Ancestry)(nil)

// Ancestry returns the ancestry of the commits of a repository "owner/name".
func (c *Client) Ancestry(repo, defaultBranch string) (*Ancestry, error) {
	owner, name, err := splitRepository(repo)
	if err == nil && defaultBranch == "" {
		err = errors.New("the event names no default branch")
	}
	return &Ancestry{c, owner, name, branchCommits{client: c, repository: repo, branch: defaultBranch}}, err
}

// MergeBase implements [ci.Ancestry].
func (a *Ancestry) MergeBase(ctx context.Context, commit string) (ci.Base, error) {
	if !shaPattern.MatchString(commit) {
		return ci.Base{}, fmt.Errorf("ask where the commit branched off: %.80q is no full commit hash", commit)
	}
	if err := a.commits.readTip(ctx); err != nil {
		return ci.Base{}, err
	}
	found, _, err := a.client.api.Repositories.CompareCommits(ctx, a.owner, a.name, a.commits.tip, commit, &github.ListOptions{PerPage: 1})
	if err != nil {
		return ci.Base{}, a.client.fault("ask where the commit branched off", err, refused)
	}
	base := found.GetMergeBaseCommit()
	if !shaPattern.MatchString(base.GetSHA()) {
		return ci.Base{}, errors.New("ask where the commit branched off: GitHub names no commit")
	}
	return ci.Base{Commit: base.GetSHA(), At: base.GetCommit().GetCommitter().GetDate().Time}, nil
}
