package githubtest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// branch returns a branch: one that is kept, or the head of an open pull
// request of the repository itself.
func (r *Repository) branch(name string) (Branch, bool) {
	for _, b := range r.Branches {
		if b.Name == name {
			return b, true
		}
	}
	for _, pr := range r.PullRequests {
		if pr.HeadRef == name && (pr.HeadRepository == "" || pr.HeadRepository == r.FullName) {
			return Branch{Name: name, SHA: pr.HeadSHA}, true
		}
	}
	return Branch{}, false
}

// move makes a branch point to another commit, and with it the pull requests
// whose head it is. Comments on their diffs stay where they are.
func (r *Repository) move(name, sha string) {
	for i := range r.Branches {
		if r.Branches[i].Name == name {
			r.Branches[i].SHA = sha
		}
	}
	for i := range r.PullRequests {
		pr := &r.PullRequests[i]
		if pr.HeadRef == name && (pr.HeadRepository == "" || pr.HeadRepository == r.FullName) {
			pr.HeadSHA = sha
		}
	}
}

// files returns the files of a commit by path. One kept for the commit itself
// stands before one for every ref.
func (r *Repository) files(sha string) map[string]Content {
	files := map[string]Content{}
	for _, ref := range []string{"", sha} {
		for _, x := range r.Contents {
			if x.Ref == ref {
				files[x.Path] = x
			}
		}
	}
	return files
}

// commits reports whether a commit is known.
func (r *Repository) hasCommit(sha string) bool {
	return slices.ContainsFunc(r.Branches, func(b Branch) bool { return b.SHA == sha }) ||
		slices.ContainsFunc(r.PullRequests, func(pr PullRequest) bool { return pr.HeadSHA == sha || pr.BaseSHA == sha }) ||
		slices.ContainsFunc(r.Commits, func(c Commit) bool { return c.SHA == sha })
}

// treeSHA names the tree of a folder of a commit, so that it can be asked for.
func treeSHA(commit, dir string) string { return blobSHA("tree " + commit + " " + dir) }

// contentTree answers one folder of the kept contents: of a commit its top, of a
// tree's name that folder.
func (c *call) contentTree(repo *Repository, name string) (any, error) {
	commit, dir, ok := repo.findTree(name)
	if !ok {
		return nil, notFound()
	}
	entries := []object{}
	seen := map[string]bool{}
	for path, x := range repo.files(commit) {
		rest, below := strings.CutPrefix(path, dir)
		name, _, nested := strings.Cut(rest, "/")
		if !below || seen[name] {
			continue
		}
		seen[name] = true
		entry := object{"path": name, "mode": mode(x), "type": "blob", "sha": blobSHA(x.Text), "size": len(x.Text)}
		if nested {
			entry = object{"path": name, "mode": "040000", "type": "tree", "sha": treeSHA(commit, dir+name+"/")}
		}
		kind := entry["type"].(string)
		entry["url"] = fmt.Sprintf("%s/repos/%s/git/%ss/%s", c.base, repo.FullName, kind, entry["sha"])
		entries = append(entries, entry)
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i]["path"].(string) < entries[j]["path"].(string) })
	sha := treeSHA(commit, dir)
	return object{"sha": sha, "url": c.base + "/repos/" + repo.FullName + "/git/trees/" + sha, "tree": entries, "truncated": false}, nil
}

func mode(x Content) string {
	if x.Mode == "" {
		return "100644"
	}
	return x.Mode
}

// findTree returns the commit and the folder, with a slash at its end, that a
// name stands for.
func (r *Repository) findTree(sha string) (commit, dir string, ok bool) {
	if r.hasCommit(sha) {
		return sha, "", true
	}
	var commits []string
	for _, b := range r.Branches {
		commits = append(commits, b.SHA)
	}
	for _, pr := range r.PullRequests {
		commits = append(commits, pr.HeadSHA)
	}
	for _, commit := range commits {
		for path := range r.files(commit) {
			for i, ch := range path {
				if ch == '/' && treeSHA(commit, path[:i+1]) == sha {
					return commit, path[:i+1], true
				}
			}
		}
	}
	return "", "", false
}

// contentBlob answers a file of the kept contents by git's name for it.
func (c *call) contentBlob(repo *Repository, sha string) (any, error) {
	for _, x := range repo.Contents {
		if blobSHA(x.Text) == sha {
			return object{
				"sha": sha, "node_id": nodeID("Blob", userID(sha)), "size": len(x.Text), "encoding": "base64",
				"content": base64.StdEncoding.EncodeToString([]byte(x.Text)),
				"url":     c.base + "/repos/" + repo.FullName + "/git/blobs/" + sha,
			}, nil
		}
	}
	return nil, notFound()
}

var refName = regexp.MustCompile(`^refs/heads/[A-Za-z0-9._/-]+$`)

// createBranch makes a branch at a commit of the kept contents.
func (s *Server) createBranch(c *call, repo *Repository, ref, sha string) (any, error) {
	if c.token.NoContents {
		return nil, forbidden("Resource not accessible by integration")
	}
	if !refName.MatchString(ref) {
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "Reference name must start with 'refs/heads/'"}
	}
	if !repo.hasCommit(sha) {
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "Object does not exist"}
	}
	name := strings.TrimPrefix(ref, "refs/heads/")
	if _, there := repo.branch(name); there {
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "Reference already exists"}
	}
	repo.Branches = append(repo.Branches, Branch{Name: name, SHA: sha})
	url := c.base + "/repos/" + repo.FullName + "/git/"
	return created{object{
		"ref": ref, "node_id": nodeID("Ref", userID(name)), "url": url + ref,
		"object": object{"type": "commit", "sha": sha, "url": url + "commits/" + sha},
	}}, nil
}

// createPull opens a pull request between two branches of the repository.
func (s *Server) createPull(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	var in struct{ Title, Head, Base, Body string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	head, headKnown := repo.branch(in.Head)
	base, baseKnown := repo.branch(in.Base)
	switch {
	case c.token.NoPulls:
		return nil, forbidden("GitHub Actions is not permitted to create or approve pull requests.")
	case in.Title == "":
		return nil, invalid("PullRequest", "title", "missing_field", "")
	case !headKnown:
		return nil, invalid("PullRequest", "head", "invalid", "")
	case !baseKnown:
		return nil, invalid("PullRequest", "base", "invalid", "")
	}
	number := 0
	for _, pr := range repo.PullRequests {
		number = max(number, pr.Number)
		if pr.HeadRef == in.Head && pr.BaseRef == in.Base && !pr.Closed {
			return nil, invalid("PullRequest", "base", "custom", "A pull request already exists for "+in.Head+".")
		}
	}
	pr := PullRequest{Number: number + 1, Title: in.Title, Body: in.Body, Author: c.token.Login, HeadRef: in.Head, HeadSHA: head.SHA, BaseRef: in.Base, BaseSHA: base.SHA}
	repo.PullRequests = append(repo.PullRequests, pr)
	return created{s.pullShape(c, repo, &pr)}, nil
}
