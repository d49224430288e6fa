package githubtest

import (
	"cmp"
	"maps"
	"slices"
)

// repository returns a repository, nil where there is none.
func (s *State) repository(fullName string) *Repository {
	at := slices.IndexFunc(s.Repositories, func(r Repository) bool { return r.FullName == fullName })
	if at < 0 {
		return nil
	}
	return &s.Repositories[at]
}

// pull returns a pull request, nil where there is none.
func (r *Repository) pull(number int) *PullRequest {
	at := slices.IndexFunc(r.PullRequests, func(pr PullRequest) bool { return pr.Number == number })
	if at < 0 {
		return nil
	}
	return &r.PullRequests[at]
}

// run returns a workflow run, nil where there is none.
func (r *Repository) run(id int64) *WorkflowRun {
	at := slices.IndexFunc(r.Runs, func(run WorkflowRun) bool { return run.ID == id })
	if at < 0 {
		return nil
	}
	return &r.Runs[at]
}

// reviewComment returns the review that has a comment on a diff and the comment's
// place in it, nil where there is none.
func (r *Repository) reviewComment(id int64) (review *Review, at int) {
	for i := range r.PullRequests {
		for j := range r.PullRequests[i].Reviews {
			v := &r.PullRequests[i].Reviews[j]
			if at := slices.IndexFunc(v.Comments, func(x ReviewComment) bool { return x.ID == id }); at >= 0 {
				return v, at
			}
		}
	}
	return nil, -1
}

// nextID gives out an id that nothing has.
func (s *State) nextID() int64 {
	for _, r := range s.Repositories {
		for _, c := range r.Comments {
			s.LastID = max(s.LastID, c.ID)
		}
		for _, pr := range r.PullRequests {
			for _, v := range pr.Reviews {
				s.LastID = max(s.LastID, v.ID)
				for _, x := range v.Comments {
					s.LastID = max(s.LastID, x.ID)
				}
			}
		}
	}
	s.LastID++
	return s.LastID
}

// isHead reports whether a branch of the repository is the head of a pull request.
func (r *Repository) isHead(pr PullRequest, branch string) bool {
	return pr.HeadRef == branch && (pr.HeadRepository == "" || pr.HeadRepository == r.FullName)
}

// branch returns a branch: one that is kept, or the head of an open pull
// request of the repository itself.
func (r *Repository) branch(name string) (Branch, bool) {
	for _, b := range r.Branches {
		if b.Name == name {
			return b, true
		}
	}
	for _, pr := range r.PullRequests {
		if r.isHead(pr, name) {
			return Branch{Name: name, SHA: pr.HeadSHA}, true
		}
	}
	return Branch{}, false
}

// files returns the files of a commit by path. One kept for the commit itself
// replaces one for every ref.
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

// addFiles keeps the files of a new commit.
func (r *Repository) addFiles(sha string, files map[string]Content) {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		x := files[path]
		x.Ref = sha
		r.Contents = append(r.Contents, x)
	}
}

// hasCommit reports whether a commit is known.
func (r *Repository) hasCommit(sha string) bool {
	return slices.ContainsFunc(r.Branches, func(b Branch) bool { return b.SHA == sha }) ||
		slices.ContainsFunc(r.PullRequests, func(pr PullRequest) bool { return pr.HeadSHA == sha || pr.BaseSHA == sha }) ||
		slices.ContainsFunc(r.Commits, func(c Commit) bool { return c.SHA == sha })
}

// author returns the author of a comment on a diff, by default its review's.
func (x ReviewComment) author(v Review) string { return cmp.Or(x.Author, v.Author) }
