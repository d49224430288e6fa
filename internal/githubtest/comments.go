package githubtest

import (
	"net/http"
	"slices"
)

// repository returns the repository of a call.
func (s *Server) repository(c *call) (*Repository, error) {
	name := c.PathValue("owner") + "/" + c.PathValue("repo")
	for i := range s.state.Repositories {
		if s.state.Repositories[i].FullName == name {
			return &s.state.Repositories[i], nil
		}
	}
	return nil, notFound()
}

// pull returns the repository and the pull request of a call.
func (s *Server) pull(c *call) (*Repository, *PullRequest, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, nil, err
	}
	number := int(c.number("number"))
	for i := range repo.PullRequests {
		if repo.PullRequests[i].Number == number {
			return repo, &repo.PullRequests[i], nil
		}
	}
	return nil, nil, notFound()
}

// comment returns the repository and the place in it of a call's comment.
func (s *Server) comment(c *call) (*Repository, int, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, 0, err
	}
	id := c.number("id")
	at := slices.IndexFunc(repo.Comments, func(x Comment) bool { return x.ID == id })
	if at < 0 {
		return nil, 0, notFound()
	}
	return repo, at, nil
}

// nextID gives out an id that nothing has.
func (s *Server) nextID() int64 {
	highest := s.state.LastID
	for _, r := range s.state.Repositories {
		for _, c := range r.Comments {
			highest = max(highest, c.ID)
		}
		for _, pr := range r.PullRequests {
			highest = max(highest, highestReviewID(pr))
		}
	}
	s.state.LastID = highest + 1
	return s.state.LastID
}

func (s *Server) listComments(w http.ResponseWriter, c *call) (any, error) {
	repo, pr, err := s.pull(c)
	if err != nil {
		return nil, err
	}
	shapes := []object{}
	for _, comment := range s.listed(c, repo, pr) {
		shapes = append(shapes, c.commentShape(repo, comment))
	}
	return page(w, c, shapes), nil
}

// listed returns the comments on a pull request that are listed by now.
func (s *Server) listed(c *call, repo *Repository, pr *PullRequest) []Comment {
	var all []Comment
	for _, x := range repo.Comments {
		if x.Issue == pr.Number && (s.options.CommentLag == 0 || !x.CreatedAt.Add(s.options.CommentLag).After(c.now)) {
			all = append(all, x)
		}
	}
	return all
}

func (s *Server) createComment(_ http.ResponseWriter, c *call) (any, error) {
	repo, pr, err := s.pull(c)
	if err != nil {
		return nil, err
	}
	if pr.Locked {
		return nil, forbidden("Unable to create comment because issue is locked.")
	}
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if err := checkBody("IssueComment", in.Body); err != nil {
		return nil, err
	}
	return created{c.commentShape(repo, *s.newComment(c, repo, pr, in.Body))}, nil
}

// newComment adds a comment of the call's.
func (s *Server) newComment(c *call, repo *Repository, pr *PullRequest, body string) *Comment {
	repo.Comments = append(repo.Comments, Comment{ID: s.nextID(), Issue: pr.Number, Author: c.token.Login, Body: body, CreatedAt: c.now, UpdatedAt: c.now})
	return &repo.Comments[len(repo.Comments)-1]
}

// reword gives a comment another text.
func (c *call) reword(comment *Comment, body string) {
	comment.Body, comment.UpdatedAt = body, c.now
	comment.Edits++
}

func (s *Server) getComment(_ http.ResponseWriter, c *call) (any, error) {
	repo, at, err := s.comment(c)
	if err != nil {
		return nil, err
	}
	return c.commentShape(repo, repo.Comments[at]), nil
}

func (s *Server) updateComment(_ http.ResponseWriter, c *call) (any, error) {
	repo, at, err := s.comment(c)
	if err != nil {
		return nil, err
	}
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if err := checkBody("IssueComment", in.Body); err != nil {
		return nil, err
	}
	c.reword(&repo.Comments[at], in.Body)
	return c.commentShape(repo, repo.Comments[at]), nil
}

func (s *Server) deleteComment(w http.ResponseWriter, c *call) (any, error) {
	repo, at, err := s.comment(c)
	if err != nil {
		return nil, err
	}
	repo.Comments = slices.Delete(repo.Comments, at, at+1)
	w.WriteHeader(http.StatusNoContent)
	return nil, nil
}
