package githubtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// commitMutation is createCommitOnBranch with its input as the one variable:
// https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch
var commitMutation = regexp.MustCompile(`^\s*mutation\s*\(\s*\$input:\s*CreateCommitOnBranchInput!\s*\)\s*\{\s*createCommitOnBranch\(\s*input:\s*\$input\s*\)\s*\{\s*commit\s*\{\s*oid\s+url\s*\}\s*\}\s*\}\s*$`)

// commitInput is GitHub's CreateCommitOnBranchInput as far as it is used.
type commitInput struct {
	Input struct {
		Branch struct {
			RepositoryNameWithOwner string `json:"repositoryNameWithOwner"`
			BranchName              string `json:"branchName"`
		} `json:"branch"`
		Message struct {
			Headline string `json:"headline"`
			Body     string `json:"body"`
		} `json:"message"`
		FileChanges struct {
			Additions []struct {
				Path     string `json:"path"`
				Contents []byte `json:"contents"` // base64
			} `json:"additions"`
		} `json:"fileChanges"`
		ExpectedHeadOid string `json:"expectedHeadOid"`
	} `json:"input"`
}

// commitOnBranch makes a commit on top of a branch whose head is the expected
// one.
func (s *Server) commitOnBranch(c *call, q query) (any, error) {
	var in commitInput
	if fault := strictly(q.Variables, &in); fault != "" {
		return refuseQuery("INVALID", "Variable $input of type CreateCommitOnBranchInput! was provided invalid value: "+fault), nil
	}
	ask := in.Input
	at := slices.IndexFunc(s.state.Repositories, func(r Repository) bool { return r.FullName == ask.Branch.RepositoryNameWithOwner })
	if at < 0 {
		return refuseQuery("NOT_FOUND", "Could not resolve to a Repository with the name '"+ask.Branch.RepositoryNameWithOwner+"'."), nil
	}
	repo := &s.state.Repositories[at]
	branch, known := repo.branch(ask.Branch.BranchName)
	switch {
	case c.token.ReadOnly || c.token.NoContents || s.options.Fork:
		return refuseQuery("FORBIDDEN", "Resource not accessible by integration"), nil
	case !known:
		return refuseQuery("NOT_FOUND", "No such branch in the repository."), nil
	case ask.ExpectedHeadOid != branch.SHA:
		return refuseQuery("STALE_DATA", fmt.Sprintf("Expected branch to point to %q but it did not. Pull and try again.", ask.ExpectedHeadOid)), nil
	case branch.Protected:
		return refuseQuery("BRANCH_PROTECTION_RULE_VIOLATION", "Changes must be made through a pull request."), nil
	case ask.Message.Headline == "":
		return refuseQuery("INVALID", "headline can't be blank"), nil
	case len(ask.FileChanges.Additions) == 0:
		return refuseQuery("UNPROCESSABLE", "A commit must have changes"), nil
	}
	commit := Commit{Parent: branch.SHA, Branch: branch.Name, Author: c.token.Login, Message: ask.Message.Headline + "\n\n" + ask.Message.Body}
	commit.SHA = blobSHA(fmt.Sprintf("commit %s %s %d", commit.Parent, commit.Message, len(repo.Commits)))
	files := repo.files(branch.SHA)
	for _, a := range ask.FileChanges.Additions {
		files[a.Path] = Content{Path: a.Path, Text: string(a.Contents)} // the mode is not kept
		commit.Paths = append(commit.Paths, a.Path)
	}
	for _, path := range sortedKeys(files) {
		x := files[path]
		x.Ref = commit.SHA
		repo.Contents = append(repo.Contents, x)
	}
	repo.Commits = append(repo.Commits, commit)
	repo.move(branch.Name, commit.SHA)
	url := c.web + "/" + repo.FullName + "/commit/" + commit.SHA
	return object{"data": object{"createCommitOnBranch": object{"commit": object{"oid": commit.SHA, "url": url}}}}, nil
}

func sortedKeys(files map[string]Content) []string {
	var keys []string
	for key := range files {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// strictly decodes JSON in which every field is known, as GraphQL demands, and
// says what is wrong with it.
func strictly(text json.RawMessage, into any) (fault string) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err.Error()
	}
	return ""
}
