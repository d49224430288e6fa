package gh

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/ci/command"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
)

// maxFileBytes bounds a file that is read to be edited.
const maxFileBytes = 1 << 20

// Repository reads and writes a repository's branches. Its errors are those of
// [IssueComments].
type Repository struct {
	*IssueComments
	trees map[string][]*github.TreeEntry // by their hashes, once asked for
}

var (
	_ command.Source   = (*Repository)(nil)
	_ command.Branches = (*Repository)(nil)
)

// Repository returns the repository "owner/name". A name of another form is the
// error of every call.
func (c *Client) Repository(repo string) *Repository {
	return &Repository{IssueComments: c.Comments(repo), trees: map[string][]*github.TreeEntry{}}
}

// Permission implements [command.Source]. Somebody who is no collaborator has none.
func (r *Repository) Permission(ctx context.Context, login string) (string, error) {
	// The login is hostile until GitHub knows it.
	level, resp, err := r.client.api.Repositories.GetPermissionLevel(ctx, r.owner, r.name, url.PathEscape(login))
	if resp != nil && resp.StatusCode == http.StatusNotFound {
		return "none", nil
	}
	if err != nil {
		return "", r.client.fault("ask for a permission", err, refused)
	}
	return level.GetPermission(), nil
}

// Pull implements [command.Source].
func (r *Repository) Pull(ctx context.Context, pr int) (command.PullRequest, error) {
	pull, err := r.loadPull(ctx, pr)
	if err != nil {
		return command.PullRequest{}, err
	}
	head, base := pull.GetHead(), pull.GetBase()
	if !shaPattern.MatchString(head.GetSHA()) {
		return command.PullRequest{}, fmt.Errorf("read pull request: its head is %.80q, no commit", head.GetSHA())
	}
	return command.PullRequest{
		Head: head.GetSHA(), Branch: head.GetRef(), Open: pull.GetState() == "open",
		Fork: engine.IsFork(head.GetRepo().GetID(), base.GetRepo().GetID()),
	}, nil
}

// File implements [command.Source]. The folders are walked one by one, because the
// contents API follows symbolic links.
func (r *Repository) File(ctx context.Context, commit, path string) (command.File, error) {
	tree := commit
	folders := strings.Split(path, "/")
	for _, folder := range folders[:len(folders)-1] {
		entry, err := r.findEntry(ctx, tree, folder)
		if err != nil {
			return command.File{}, err
		}
		if entry.GetType() != "tree" {
			return command.File{}, command.ErrNoFile
		}
		tree = entry.GetSHA()
	}
	entry, err := r.findEntry(ctx, tree, folders[len(folders)-1])
	if err != nil {
		return command.File{}, err
	}
	mode := entry.GetMode()
	if entry.GetType() != "blob" || mode != "100644" && mode != "100755" || entry.GetSize() > maxFileBytes {
		return command.File{}, command.ErrNoFile
	}
	blob, _, err := r.client.api.Git.GetBlob(ctx, r.owner, r.name, entry.GetSHA())
	if err != nil {
		return command.File{}, r.client.fault("read a file of the head", err, refused)
	}
	text, err := base64.StdEncoding.DecodeString(blob.GetContent()) // passes over line ends
	if err != nil {
		return command.File{}, fmt.Errorf("read a file of the head: %w", err)
	}
	return command.File{Text: text, Executable: mode == "100755"}, nil
}

// findEntry returns the entry of that name in a tree.
func (r *Repository) findEntry(ctx context.Context, tree, name string) (*github.TreeEntry, error) {
	entries, ok := r.trees[tree]
	if !ok {
		got, _, err := r.client.api.Git.GetTree(ctx, r.owner, r.name, tree, false)
		if err != nil {
			return nil, r.client.fault("read a folder of the head", err, refused)
		}
		entries = got.Entries
		r.trees[tree] = entries
	}
	for _, e := range entries {
		if e.GetPath() == name {
			return e, nil
		}
	}
	return nil, command.ErrNoFile
}

const commitOnBranch = `mutation($input:CreateCommitOnBranchInput!){createCommitOnBranch(input:$input){commit{oid url}}}`

// addition is a file with its new text, which goes as base64.
type addition struct {
	Path     string `json:"path"`
	Contents []byte `json:"contents"`
}

// Commit implements [command.Branches] with createCommitOnBranch, whose commits
// GitHub signs:
// https://docs.github.com/en/graphql/reference/mutations#createcommitonbranch
func (r *Repository) Commit(ctx context.Context, c command.NewCommit) (comment.Commit, error) {
	var files []addition
	for _, path := range slices.Sorted(maps.Keys(c.Files)) {
		files = append(files, addition{path, c.Files[path]})
	}
	input := map[string]any{
		"branch":          map[string]string{"repositoryNameWithOwner": r.owner + "/" + r.name, "branchName": c.Branch},
		"message":         map[string]string{"headline": c.Headline, "body": c.Body},
		"fileChanges":     map[string]any{"additions": files},
		"expectedHeadOid": c.Expected,
	}
	var made struct {
		CreateCommitOnBranch struct {
			Commit struct{ OID, URL string }
		}
	}
	err := r.client.query(ctx, "commit", commitOnBranch, map[string]any{"input": input}, &made)
	if err != nil {
		return comment.Commit{}, commitFault(err)
	}
	commit := made.CreateCommitOnBranch.Commit
	return comment.Commit{SHA: commit.OID, URL: commit.URL}, nil
}

// commitFault gives the errors of a branch that moved and of one that takes no
// commit their sentinels.
func commitFault(err error) error {
	refusal, ok := errors.AsType[*GraphQLError](err)
	switch {
	case !ok || errors.Is(err, ErrNoPermission):
		return err
	case refusal.Type == "STALE_DATA":
		return fmt.Errorf("%w: %w", command.ErrStale, err)
	case strings.Contains(refusal.Type, "RULE_VIOLATION"), strings.Contains(strings.ToLower(refusal.Message), "protected branch"),
		strings.Contains(strings.ToLower(refusal.Message), "rule violation"), strings.Contains(refusal.Message, "through a pull request"):
		return fmt.Errorf("%w: %w", command.ErrRuled, err)
	}
	return err
}

// Branch implements [command.Branches].
func (r *Repository) Branch(ctx context.Context, name, commit string) error {
	ref := github.Reference{Ref: github.String("refs/heads/" + name), Object: &github.GitObject{SHA: &commit}}
	_, _, err := r.client.api.Git.CreateRef(ctx, r.owner, r.name, &ref)
	err = r.client.fault("create branch", err, refused)
	api, ok := errors.AsType[*APIError](err)
	if ok && api.Status == http.StatusUnprocessableEntity && strings.Contains(api.Message, "already exists") {
		return fmt.Errorf("%w: %w", command.ErrExists, err)
	}
	return err
}

// Open implements [command.Branches].
func (r *Repository) Open(ctx context.Context, from, into, title, body string) (string, error) {
	pull, _, err := r.client.api.PullRequests.Create(ctx, r.owner, r.name, &github.NewPullRequest{Title: &title, Head: &from, Base: &into, Body: &body})
	if err != nil {
		return "", r.client.fault("open pull request", err, refused)
	}
	return pull.GetHTMLURL(), nil
}
