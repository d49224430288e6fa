package githubtest

import (
	"slices"
	"strings"
)

// pullOf returns a pull request that must be there.
func (s *Server) pullOf(fullName string, number int) (*Repository, *PullRequest) {
	repo, pr := s.findPull(fullName, number)
	if pr == nil {
		panic("githubtest: no such pull request")
	}
	return repo, pr
}

// findPull returns a pull request, nil where there is none.
func (s *Server) findPull(fullName string, number int) (*Repository, *PullRequest) {
	for i := range s.state.Repositories {
		repo := &s.state.Repositories[i]
		for j := range repo.PullRequests {
			if repo.FullName == fullName && repo.PullRequests[j].Number == number {
				return repo, &repo.PullRequests[j]
			}
		}
	}
	return nil, nil
}

// Say adds a comment to a pull request's conversation, as a person does on the
// web page.
func (s *Server) Say(fullName string, number int, author, body string) Comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	repo, _ := s.pullOf(fullName, number)
	now := s.options.Now().UTC()
	c := Comment{ID: s.nextID(), Issue: number, Author: author, Body: body, CreatedAt: now, UpdatedAt: now}
	repo.Comments = append(repo.Comments, c)
	return c
}

// Reword changes a comment's text, as a person does, and returns it as it was.
func (s *Server) Reword(fullName string, id int64, body string) Comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.state.Repositories {
		repo := &s.state.Repositories[i]
		at := slices.IndexFunc(repo.Comments, func(c Comment) bool { return c.ID == id })
		if repo.FullName == fullName && at >= 0 {
			before := repo.Comments[at]
			repo.Comments[at].Body = body
			repo.Comments[at].Edits++
			return before
		}
	}
	panic("githubtest: no such comment")
}

// Answer answers a comment on a diff.
func (s *Server) Answer(fullName string, id int64, author, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.state.Repositories {
		if v, at := s.state.Repositories[i].reviewComment(id); v != nil && s.state.Repositories[i].FullName == fullName {
			answer := v.Comments[at]
			answer.ID, answer.Author, answer.Body, answer.ReplyTo = s.nextID(), author, body, id
			v.Comments = append(v.Comments, answer)
		}
	}
}

// Push makes head the head of a pull request that changes files now. As on
// GitHub, comments on the diff follow their lines, and are outdated when their
// line changed. texts are the files at head that are not as before.
func (s *Server) Push(fullName string, number int, head string, files []File, texts map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	repo, pr := s.pullOf(fullName, number)
	at := repo.files(pr.HeadSHA)
	for path, text := range texts {
		at[path] = Content{Path: path, Text: text}
	}
	for _, path := range sortedKeys(at) {
		x := at[path]
		x.Ref = head
		repo.Contents = append(repo.Contents, x)
	}
	for i := range pr.Reviews {
		for j := range pr.Reviews[i].Comments {
			x := &pr.Reviews[i].Comments[j]
			before, after := rightTexts(pr.Files, x.Path), rightTexts(files, x.Path)
			text := before[x.Line]
			if after[x.Line] == text {
				continue
			}
			x.Outdated = true
			for line, t := range after {
				if t == text {
					x.Line, x.Outdated = line, false
				}
			}
		}
	}
	pr.HeadSHA, pr.Files = head, files
}

// rightTexts returns the lines of a file's new side by number.
func rightTexts(files []File, path string) map[int]string {
	texts := map[int]string{}
	for _, f := range files {
		if f.Name != path {
			continue
		}
		for _, h := range hunks(f.Patch) {
			lines := strings.Split(h.text, "\n")
			at := atoi(hunkHeader.FindStringSubmatch(lines[0])[2], 0)
			for _, l := range lines[1:] {
				if l[0] == '+' || l[0] == ' ' {
					texts[at] = l[1:]
					at++
				}
			}
		}
	}
	return texts
}

// Grant makes a token known, in place of one of the same text.
func (s *Server) Grant(token Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Tokens = append(slices.DeleteFunc(s.state.Tokens, func(t Token) bool { return t.Token == token.Token }), token)
}

// OpenPull opens a pull request, with what its commits hold.
func (s *Server) OpenPull(fullName string, pr PullRequest, files []Content) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.state.Repositories {
		if r := &s.state.Repositories[i]; r.FullName == fullName {
			r.PullRequests = append(r.PullRequests, pr)
			r.Contents = append(r.Contents, files...)
		}
	}
}

// Commits returns a copy of the commits that were made in a repository.
func (s *Server) Commits(fullName string) []Commit {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.state.Repositories {
		if r.FullName == fullName {
			return slices.Clone(r.Commits)
		}
	}
	return nil
}

// FileAt returns a file's text at the head of a branch, "" when it is not there.
func (s *Server) FileAt(fullName, branch, path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.state.Repositories {
		r := &s.state.Repositories[i]
		if b, ok := r.branch(branch); ok && r.FullName == fullName {
			return r.files(b.SHA)[path].Text
		}
	}
	return ""
}

// Pulls returns a copy of the pull requests of a repository.
func (s *Server) Pulls(fullName string) []PullRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.state.Repositories {
		if r.FullName == fullName {
			return slices.Clone(r.PullRequests)
		}
	}
	return nil
}

// Protect makes a branch take no direct commit.
func (s *Server) Protect(fullName, branch string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.state.Repositories {
		r := &s.state.Repositories[i]
		b, ok := r.branch(branch)
		if !ok || r.FullName != fullName {
			continue
		}
		b.Protected = true
		r.Branches = append(slices.DeleteFunc(r.Branches, func(x Branch) bool { return x.Name == branch }), b)
	}
}
