package githubtest

import "fmt"

// commitMutation is createCommitOnBranch with its input as the one variable:
// https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch
const commitMutation = `mutation($input:CreateCommitOnBranchInput!){createCommitOnBranch(input:$input){commit{oid url}}}`

// commitInput is GitHub's CreateCommitOnBranchInput as far as it is used.
type commitInput struct {
	Input struct {
		Branch      struct{ RepositoryNameWithOwner, BranchName string }
		Message     struct{ Headline, Body string }
		FileChanges struct {
			Additions []struct {
				Path     string
				Contents []byte // base64
			}
		}
		ExpectedHeadOid string
	}
}

// commitOnBranch makes a commit on top of a branch whose head is the expected
// one.
func (c *call) commitOnBranch(in commitInput) (any, error) {
	ask := in.Input
	if c.repo = c.state.findRepository(ask.Branch.RepositoryNameWithOwner); c.repo == nil {
		return nil, refuse("NOT_FOUND", "Could not resolve to a Repository with the name '"+ask.Branch.RepositoryNameWithOwner+"'.")
	}
	branch, known := c.repo.findBranch(ask.Branch.BranchName)
	switch {
	case c.token.NoContents:
		return nil, refuse("FORBIDDEN", "Resource not accessible by integration")
	case !known:
		return nil, refuse("NOT_FOUND", "No such branch in the repository.")
	case ask.ExpectedHeadOid != branch.SHA:
		return nil, refuse("STALE_DATA", fmt.Sprintf("Expected branch to point to %q but it did not. Pull and try again.", ask.ExpectedHeadOid))
	case branch.Protected:
		return nil, refuse("BRANCH_PROTECTION_RULE_VIOLATION", "Changes must be made through a pull request.")
	case ask.Message.Headline == "":
		return nil, refuse("INVALID", "headline can't be blank")
	case len(ask.FileChanges.Additions) == 0:
		return nil, refuse("UNPROCESSABLE", "A commit must have changes")
	}
	commit := Commit{Parent: branch.SHA, Branch: branch.Name, Author: c.token.Login, Message: ask.Message.Headline + "\n\n" + ask.Message.Body}
	commit.SHA = hashObject("blob", fmt.Appendf(nil, "commit %s %s %d", commit.Parent, commit.Message, len(c.repo.Commits)))
	files := c.repo.filesAt(branch.SHA)
	for _, a := range ask.FileChanges.Additions {
		files[a.Path] = Content{Path: a.Path, Text: string(a.Contents)} // the mode is not kept
		commit.Paths = append(commit.Paths, a.Path)
	}
	c.repo.addFiles(commit.SHA, files)
	c.repo.Commits = append(c.repo.Commits, commit)
	c.repo.moveBranch(branch.Name, commit.SHA)
	return nested(object{"oid": commit.SHA, "url": c.html("/commit/%s", commit.SHA)}, "data", "createCommitOnBranch", "commit"), nil
}
