package gh

import (
	"context"
	"fmt"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/ci"
)

// maxFilePages bounds the pages of changed files; GitHub ends at 3,000 files.
const maxFilePages = 30

var _ ci.Changes = (*IssueComments)(nil)

// ChangedFiles implements [ci.Changes]: the paths that the pull request
// changes, of a moved file the old one too. More than GitHub lists is an error,
// because a list cut short would hide changes.
func (ic *IssueComments) ChangedFiles(ctx context.Context, pr int) ([]string, error) {
	if ic.err != nil {
		return nil, ic.err
	}
	var names []string
	options := github.ListOptions{PerPage: 100}
	for range maxFilePages {
		files, resp, err := ic.client.api.PullRequests.ListFiles(ctx, ic.owner, ic.name, pr, &options)
		if err != nil {
			return nil, ic.client.fault("list changed files", err, refused)
		}
		for _, f := range files {
			names = append(names, f.GetFilename())
			if old := f.GetPreviousFilename(); old != "" {
				names = append(names, old)
			}
		}
		if resp.NextPage <= options.Page {
			return names, nil
		}
		options.Page = resp.NextPage
	}
	return nil, fmt.Errorf("list changed files: pull request %d changes more than %d", pr, maxFilePages*100)
}
