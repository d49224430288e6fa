package githubtest

import (
	"cmp"
	"maps"
	"slices"
)

// find returns the first item for which isMeant holds, nil where there is none.
func find[T any](all []T, isMeant func(T) bool) *T {
	if at := slices.IndexFunc(all, isMeant); at >= 0 {
		return &all[at]
	}
	return nil
}

// filter returns the items for which isWanted holds.
func filter[T any](all []T, isWanted func(T) bool) []T {
	wanted := []T{}
	for _, x := range all {
		if isWanted(x) {
			wanted = append(wanted, x)
		}
	}
	return wanted
}

func (s *State) findRepository(fullName string) *Repository {
	return find(s.Repositories, func(r Repository) bool { return r.FullName == fullName })
}

func (r *Repository) findPull(number int) *PullRequest {
	return find(r.PullRequests, func(pr PullRequest) bool { return pr.Number == number })
}

// reviewComment returns a comment on a diff and the review that has it, nil where
// there is none.
func (r *Repository) reviewComment(isMeant func(ReviewComment) bool) (*Review, *ReviewComment) {
	for i := range r.PullRequests {
		for j := range r.PullRequests[i].Reviews {
			v := &r.PullRequests[i].Reviews[j]
			if x := find(v.Comments, isMeant); x != nil {
				return v, x
			}
		}
	}
	return nil, nil
}

func hasID(id int64) func(ReviewComment) bool {
	return func(x ReviewComment) bool { return x.ID == id }
}

// nextID returns an id that is not in use.
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

// findBranch returns a branch of the state, or the head of a pull request from the
// repository itself.
func (r *Repository) findBranch(name string) (Branch, bool) {
	if b := find(r.Branches, func(b Branch) bool { return b.Name == name }); b != nil {
		return *b, true
	}
	if pr := find(r.PullRequests, func(pr PullRequest) bool { return r.isHead(pr, name) }); pr != nil {
		return Branch{Name: name, SHA: pr.HeadSHA}, true
	}
	return Branch{}, false
}

// moveBranch makes a branch point to another commit, and with it the pull requests
// whose head it is. Comments on their diffs stay where they are.
func (r *Repository) moveBranch(name, sha string) {
	for i := range r.Branches {
		if r.Branches[i].Name == name {
			r.Branches[i].SHA = sha
		}
	}
	for i := range r.PullRequests {
		if r.isHead(r.PullRequests[i], name) {
			r.PullRequests[i].HeadSHA = sha
		}
	}
}

// filesAt returns the files of a commit by path. A file of the commit itself replaces
// one that is for every ref.
func (r *Repository) filesAt(sha string) map[string]Content {
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

// addFiles stores the files of a new commit.
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
		slices.ContainsFunc(r.Commits, func(c Commit) bool { return c.SHA == sha }) ||
		slices.ContainsFunc(r.Contents, func(x Content) bool { return x.Ref == sha }) ||
		slices.ContainsFunc(r.Runs, func(run WorkflowRun) bool { return run.HeadSHA == sha })
}

// author returns the author of a comment on a diff, by default its review's.
func (x ReviewComment) author(v Review) string { return cmp.Or(x.Author, v.Author) }
