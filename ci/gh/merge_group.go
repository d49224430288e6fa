package gh

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// queueBranch is the branch on which GitHub tests a merge group: that of its last
// pull request. Nobody else may push there.
var queueBranch = lazyregexp.New(`^gh-readonly-queue/(.+)/pr-([1-9][0-9]{0,8})-(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// parseQueueBranch returns the branch that a merge group is to be merged into and the
// number of its last pull request, 0 for another branch.
func parseQueueBranch(branch string) (base string, pr int) {
	m := queueBranch.FindStringSubmatch(branch)
	if m == nil {
		return "", 0
	}
	pr, _ = strconv.Atoi(m[2]) // nine digits at most
	return m[1], pr
}

// mergedPull is how GitHub begins or ends the first line of a commit that merges a
// pull request.
var mergedPull = lazyregexp.New(`^Merge pull request #([1-9][0-9]{0,8}) from |\(#([1-9][0-9]{0,8})\)$`)

// completeGroup adds the pull requests that are merged before the last one: those of
// the commits that the group has and its base lacks. That a commit's own author
// wrote another number makes the group larger, which excuses nothing.
func (c *Client) completeGroup(ctx context.Context, info *engine.RunInfo) error {
	owner, name, err := splitRepository(info.Repository)
	if err != nil {
		return err
	}
	base, _ := parseQueueBranch(info.Branch)
	if base == "" || info.HeadSHA == "" {
		return fmt.Errorf("the branch %.80q is none of a merge queue", info.Branch)
	}
	found, _, err := c.api.Repositories.CompareCommits(ctx, owner, name, base, info.HeadSHA, &github.ListOptions{PerPage: 100})
	if err != nil {
		return c.faultNeeding("contents: read", "list the group's commits", err)
	}
	group := slices.Clone(info.MergeGroup)
	for _, commit := range found.Commits {
		title, _, _ := strings.Cut(commit.GetCommit().GetMessage(), "\n")
		m := mergedPull.FindStringSubmatch(strings.TrimSpace(title))
		if m == nil {
			continue
		}
		if pr, err := strconv.Atoi(m[1] + m[2]); err == nil {
			group = append(group, pr)
		}
	}
	slices.Sort(group)
	info.MergeGroup = slices.Compact(group)
	if found.GetTotalCommits() > len(found.Commits) {
		return fmt.Errorf("it has %d commits, of which GitHub lists %d", found.GetTotalCommits(), len(found.Commits))
	}
	return nil
}
