package gh

import (
	"context"
	"fmt"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/ci"
)

// listedFiles is how many changed files GitHub lists at most
// (https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files).
const listedFiles = 3000

var _ ci.Changes = (*IssueComments)(nil)

// ChangedFiles implements [ci.Changes]: the paths that the pull request
// changes, of a moved file the old one too. As many as GitHub lists at most are
// an error, because a list cut short would hide changes.
func (ic *IssueComments) ChangedFiles(ctx context.Context, pr int) ([]string, error) {
	files, err := ic.files(ctx, pr)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		names = append(names, f.GetFilename())
		if old := f.GetPreviousFilename(); old != "" {
			names = append(names, old)
		}
	}
	return names, nil
}

// files returns the changed files of a pull request with their patches. They
// are asked for once: both who follows renames and who suggests edits need them.
func (ic *IssueComments) files(ctx context.Context, pr int) ([]*github.CommitFile, error) {
	if ic.err != nil {
		return nil, ic.err
	}
	if found, ok := ic.changed[pr]; ok {
		return found, nil
	}
	var all []*github.CommitFile
	options := github.ListOptions{PerPage: 100}
	for len(all) < listedFiles {
		files, resp, err := ic.client.api.PullRequests.ListFiles(ctx, ic.owner, ic.name, pr, &options)
		if err != nil {
			return nil, ic.client.fault("list changed files", err, refused)
		}
		all = append(all, files...)
		if resp.NextPage <= options.Page && len(all) < listedFiles {
			ic.changed[pr] = all
			return all, nil
		}
		options.Page = resp.NextPage
	}
	return nil, fmt.Errorf("list changed files: GitHub lists %d files at most, and pull request %d changes as many or more", listedFiles, pr)
}
