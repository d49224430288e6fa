package githubtest

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// readRepository calls do with a repository, if there is one, while the state is locked.
func (s *Server) readRepository(fullName string, do func(*Repository)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.state.findRepository(fullName); r != nil {
		do(r)
	}
}

// changeRepository calls do with a repository while the state is locked. It panics where there
// is none.
func (s *Server) changeRepository(fullName string, do func(*Repository)) {
	found := false
	s.readRepository(fullName, func(r *Repository) { found = true; do(r) })
	if !found {
		panic("githubtest: no repository " + fullName)
	}
}

// Comments returns a copy of the comments of the named repository, none when
// there is no such repository.
func (s *Server) Comments(fullName string) []Comment {
	comments := []Comment{}
	s.readRepository(fullName, func(r *Repository) { comments = append(comments, r.Comments...) })
	return comments
}

// Reviews returns a copy of the reviews of a pull request.
func (s *Server) Reviews(fullName string, number int) (reviews []Review) {
	s.readRepository(fullName, func(r *Repository) {
		if pr := r.findPull(number); pr != nil {
			reviews = slices.Clone(pr.Reviews)
		}
	})
	return reviews
}

// Commits returns a copy of the commits that were made in a repository.
func (s *Server) Commits(fullName string) (commits []Commit) {
	s.readRepository(fullName, func(r *Repository) { commits = slices.Clone(r.Commits) })
	return commits
}

// Artifacts returns the finished artifacts of a repository, oldest first.
func (s *Server) Artifacts(fullName string) (artifacts []Artifact) {
	s.readRepository(fullName, func(repo *Repository) { artifacts = slices.Clone(repo.Artifacts) })
	return artifacts
}

// Pulls returns a copy of the pull requests of a repository.
func (s *Server) Pulls(fullName string) (pulls []PullRequest) {
	s.readRepository(fullName, func(r *Repository) { pulls = slices.Clone(r.PullRequests) })
	return pulls
}

// FileAt returns a file's text at the head of a branch, "" when it is not there.
func (s *Server) FileAt(fullName, branch, path string) (text string) {
	s.readRepository(fullName, func(r *Repository) {
		if b, ok := r.findBranch(branch); ok {
			text = r.filesAt(b.SHA)[path].Text
		}
	})
	return text
}

// Say adds a comment to a pull request's conversation, as a person does on the
// web page.
func (s *Server) Say(fullName string, number int, author, body string) (made Comment) {
	s.changeRepository(fullName, func(r *Repository) {
		if r.findPull(number) == nil {
			panic("githubtest: no such pull request")
		}
		made = *s.state.addComment(r, number, author, body, s.options.Now().UTC())
	})
	return made
}

// Reword changes a comment's text, as a person does, and returns it as it was.
func (s *Server) Reword(fullName string, id int64, body string) (before Comment) {
	s.changeRepository(fullName, func(r *Repository) {
		at := slices.IndexFunc(r.Comments, func(c Comment) bool { return c.ID == id })
		before = r.Comments[at]
		r.Comments[at].Body = body
		r.Comments[at].Edits++
	})
	return before
}

// Answer answers a comment on a diff.
func (s *Server) Answer(fullName string, id int64, author, body string) {
	s.changeRepository(fullName, func(r *Repository) {
		if v, x := r.reviewComment(hasID(id)); v != nil {
			answer := *x
			answer.ID, answer.Author, answer.Body, answer.ReplyTo = s.state.nextID(), author, body, id
			v.Comments = append(v.Comments, answer)
		}
	})
}

// OpenPull adds a pull request, with the files of its commits.
func (s *Server) OpenPull(fullName string, pr PullRequest, files []Content) {
	s.changeRepository(fullName, func(r *Repository) {
		r.PullRequests = append(r.PullRequests, pr)
		r.Contents = append(r.Contents, files...)
	})
}

// Push makes head the head of a pull request that changes files now. As on
// GitHub, comments on the diff follow their lines, and are outdated when their
// line changed. texts are the files that differ at head.
func (s *Server) Push(fullName string, number int, head string, files []File, texts map[string]string) {
	s.changeRepository(fullName, func(r *Repository) {
		pr := r.findPull(number)
		all := r.filesAt(pr.HeadSHA)
		for path, text := range texts {
			all[path] = Content{Path: path, Text: text}
		}
		r.addFiles(head, all)
		for i := range pr.Reviews {
			for j := range pr.Reviews[i].Comments {
				x := &pr.Reviews[i].Comments[j]
				x.followLine(newSide(pr.Files, x.Path), newSide(files, x.Path))
			}
		}
		pr.HeadSHA, pr.Files = head, files
	})
}

// Merge merges a pull request by a commit of its own with the files of the head, as a
// squash merge and a merge commit do.
func (s *Server) Merge(fullName string, number int, commit string) {
	s.changeRepository(fullName, func(r *Repository) {
		pr := r.findPull(number)
		r.addFiles(commit, r.filesAt(pr.HeadSHA))
		pr.Closed, pr.Merged = true, s.options.Now().UTC()
	})
}

// followLine moves a comment to where its line is after a push.
func (x *ReviewComment) followLine(before, after map[int]string) {
	text := before[x.Line]
	if after[x.Line] == text {
		return
	}
	x.Outdated = true
	for line, t := range after {
		if t == text {
			x.Line, x.Outdated = line, false
		}
	}
}

// newSide returns the lines of the new version of a file, by number.
func newSide(files []File, path string) map[int]string {
	texts := map[int]string{}
	for _, f := range files {
		if f.Name == path {
			for _, h := range parseHunks(f.Patch) {
				maps.Copy(texts, h.right)
			}
		}
	}
	return texts
}

// Protect makes a branch take no direct commit.
func (s *Server) Protect(fullName, branch string) {
	s.changeRepository(fullName, func(r *Repository) {
		if b, ok := r.findBranch(branch); ok {
			b.Protected = true
			r.Branches = append(slices.DeleteFunc(r.Branches, func(x Branch) bool { return x.Name == branch }), b)
		}
	})
}

// Grant adds a token, or replaces the one of the same text.
func (s *Server) Grant(token Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Tokens = append(slices.DeleteFunc(s.state.Tokens, func(t Token) bool { return t.Token == token.Token }), token)
}

// StartRun adds a workflow run to a repository, as a push or a schedule does.
func (s *Server) StartRun(fullName string, run WorkflowRun) {
	s.changeRepository(fullName, func(r *Repository) { r.Runs = append(r.Runs, run) })
}

// EndRun ends the newest attempt of a run; at the zero time the next attempt begins.
func (s *Server) EndRun(fullName string, id int64, when time.Time) {
	s.changeRepository(fullName, func(repo *Repository) {
		at := slices.IndexFunc(repo.Runs, func(r WorkflowRun) bool { return r.ID == id })
		run := &repo.Runs[at]
		if run.Ended = when; when.IsZero() {
			run.Attempt = max(run.Attempt, 1) + 1
		}
	})
}

// Queue adds the commits that a merge queue made for its groups.
func (s *Server) Queue(fullName string, commits []QueuedCommit) {
	s.changeRepository(fullName, func(r *Repository) { r.Queued = append(r.Queued, commits...) })
}

// ForgetArtifacts removes all artifacts of a repository, as GitHub does when they
// expire.
func (s *Server) ForgetArtifacts(fullName string) {
	s.changeRepository(fullName, func(r *Repository) { r.Artifacts = nil })
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.uploads, func(path string, _ *blob) bool { return strings.HasPrefix(path, "/blob/artifacts/") })
}

// AddArtifacts adds finished artifacts with new ids, as jobs of other workflows save
// them.
func (s *Server) AddArtifacts(fullName string, all []Artifact) {
	s.changeRepository(fullName, func(r *Repository) {
		for _, a := range all {
			s.state.LastID++
			a.ID = s.state.LastID
			r.Artifacts = append(r.Artifacts, a)
		}
	})
}

// RenameDefaultBranch gives the default branch of a repository another name. As on
// GitHub, runs that were keep the old one, which leads to the new one.
func (s *Server) RenameDefaultBranch(fullName, name string) {
	s.changeRepository(fullName, func(r *Repository) {
		for i := range r.Branches {
			if r.Branches[i].Name == r.DefaultBranch {
				r.Branches[i].Name = name
				r.noteActivity(Activity{Branch: r.DefaultBranch, Type: "branch_deletion", After: noCommit, At: s.options.Now().UTC()})
				r.noteActivity(Activity{Branch: name, Type: "branch_creation", Before: noCommit, After: r.Branches[i].SHA, At: s.options.Now().UTC()})
			}
		}
		renamed := map[string]string{r.DefaultBranch: name}
		for old := range r.Renamed {
			renamed[old] = name
		}
		delete(renamed, name)
		r.DefaultBranch, r.Renamed = name, renamed
	})
}

// Commit adds a commit to the past, as the tip of a branch where one is named.
func (s *Server) Commit(fullName string, made Past, branch string) {
	s.changeRepository(fullName, func(r *Repository) { r.Past = append(r.Past, made) })
	if branch != "" {
		s.Advance(fullName, branch, made.SHA)
	}
}

// Advance makes a commit the tip of a branch.
func (s *Server) Advance(fullName, branch, sha string) {
	s.changeRepository(fullName, func(r *Repository) {
		kind := ""
		if _, known := r.findBranch(branch); !known {
			kind = "branch_creation"
		}
		r.noteActivity(Activity{Branch: branch, Type: kind, After: sha, At: s.options.Now().UTC()})
		r.Branches = append(slices.DeleteFunc(r.Branches, func(b Branch) bool { return b.Name == branch }), Branch{Name: branch, SHA: sha})
	})
}

// MoveFile gives a file of all commits another path, or adds it where it was
// nowhere: from is "".
func (s *Server) MoveFile(fullName, from, to string) {
	s.changeRepository(fullName, func(r *Repository) {
		r.Contents = append(slices.DeleteFunc(r.Contents, func(x Content) bool { return x.Path == from && x.Ref == "" }), Content{Path: to, Text: "on: push"})
	})
}
