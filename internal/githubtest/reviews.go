package githubtest

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// reviewIn is the body of POST …/reviews.
type reviewIn struct {
	CommitID string `json:"commit_id"`
	Body     string `json:"body"`
	Event    string `json:"event"`
	Comments []struct {
		Path      string `json:"path"`
		Body      string `json:"body"`
		Line      int    `json:"line"`
		Side      string `json:"side"`
		StartLine int    `json:"start_line"`
		StartSide string `json:"start_side"`
		Position  *int   `json:"position"`
	} `json:"comments"`
}

// reviewStates maps the event of a review to its state.
var reviewStates = map[string]string{
	"": "PENDING", "COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED",
}

func (s *Server) listReviews(w http.ResponseWriter, c *call) (any, error) {
	repo, pr, err := s.pull(c)
	if err != nil {
		return nil, err
	}
	shapes := []object{}
	for _, v := range pr.Reviews {
		shapes = append(shapes, c.reviewShape(repo, pr, v))
	}
	return page(w, c, shapes), nil
}

// createReview keeps the review with all its comments or, when a single one
// cannot be placed, nothing.
func (s *Server) createReview(_ http.ResponseWriter, c *call) (any, error) {
	repo, pr, err := s.pull(c)
	if err != nil {
		return nil, err
	}
	var in reviewIn
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	review, err := in.review(pr, c.token.Login)
	if err != nil {
		return nil, err
	}
	review.ID = s.nextID()
	for i := range review.Comments {
		review.Comments[i].ID = s.nextID()
	}
	pr.Reviews = append(pr.Reviews, review)
	return c.reviewShape(repo, pr, review), nil
}

// review checks the body and returns the review it asks for, without ids.
func (in reviewIn) review(pr *PullRequest, author string) (Review, error) {
	state, ok := reviewStates[in.Event]
	if !ok {
		return Review{}, unprocessable(fmt.Sprintf("Variable $event of type PullRequestReviewEvent was provided invalid value %q", in.Event))
	}
	if in.CommitID == "" {
		in.CommitID = pr.HeadSHA
	}
	if in.CommitID != pr.HeadSHA {
		return Review{}, unprocessable("The commit_id is not part of the pull request")
	}
	if in.Body != "" || state == "CHANGES_REQUESTED" || state == "COMMENTED" && len(in.Comments) == 0 {
		if err := checkReviewBody(in.Body); err != nil {
			return Review{}, err
		}
	}
	review := Review{Author: author, State: state, Body: in.Body, CommitID: in.CommitID}
	var reasons []string
	for _, x := range in.Comments {
		if err := checkReviewBody(x.Body); err != nil {
			return Review{}, err
		}
		placed := ReviewComment{Path: x.Path, Side: x.Side, Line: x.Line, StartLine: x.StartLine, Body: x.Body}
		if placed.Side == "" {
			placed.Side = "RIGHT"
		}
		reason := misplaced(pr, placed)
		switch {
		case x.Position != nil:
			reason = "position is not kept by this server; use line and side"
		case x.StartLine > 0 && x.StartSide != "" && x.StartSide != placed.Side:
			reason = "start_side and side must be the same"
		}
		if reason != "" && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
		review.Comments = append(review.Comments, placed)
	}
	if len(reasons) > 0 {
		return Review{}, unprocessable(reasons...)
	}
	return review, nil
}

// highestReviewID returns the highest id of a review or a comment in one.
func highestReviewID(pr PullRequest) int64 {
	highest := int64(0)
	for _, v := range pr.Reviews {
		highest = max(highest, v.ID)
		for _, x := range v.Comments {
			highest = max(highest, x.ID)
		}
	}
	return highest
}

// reviewComment returns a comment on a diff by its id.
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

func (s *Server) deleteReviewComment(w http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	v, at := repo.reviewComment(c.number("id"))
	switch {
	case v == nil:
		return nil, notFound()
	case c.token.NoDelete:
		return nil, forbidden("Resource not accessible by integration")
	}
	v.Comments = slices.Delete(v.Comments, at, at+1)
	w.WriteHeader(http.StatusNoContent)
	return nil, nil
}

var minimizeMutation = regexp.MustCompile(`^\s*mutation\s*\(\s*\$id:\s*ID!\s*\)\s*\{\s*minimizeComment\(\s*input:\s*\{\s*subjectId:\s*\$id\s*,?\s*classifier:\s*OUTDATED\s*\}\s*\)\s*\{\s*minimizedComment\s*\{\s*isMinimized\s*\}\s*\}\s*\}\s*$`)

func (s *Server) minimizeComment(c *call, q query) (any, error) {
	var in struct{ ID string }
	if fault := strictly(q.Variables, &in); fault != "" {
		return refuseQuery("INVALID", "Variable $id of type ID! was provided invalid value: "+fault), nil
	}
	if c.token.ReadOnly || s.options.Fork {
		return refuseQuery("FORBIDDEN", "Resource not accessible by integration"), nil
	}
	for i := range s.state.Repositories {
		for _, pr := range s.state.Repositories[i].PullRequests {
			for _, v := range pr.Reviews {
				for j := range v.Comments {
					if nodeID("PullRequestReviewComment", v.Comments[j].ID) == in.ID {
						v.Comments[j].Minimized = "OUTDATED"
						return object{"data": object{"minimizeComment": object{"minimizedComment": object{"isMinimized": true}}}}, nil
					}
				}
			}
		}
	}
	return refuseQuery("NOT_FOUND", "Could not resolve to a node with the global id of '"+in.ID+"'"), nil
}

// misplaced says why a comment cannot sit where it asks to, "" when it can.
func misplaced(pr *PullRequest, x ReviewComment) string {
	at := slices.IndexFunc(pr.Files, func(f File) bool { return f.Name == x.Path })
	switch {
	case at < 0:
		return "Path could not be resolved"
	case x.Side != "RIGHT" && x.Side != "LEFT":
		return "Side is not included in the list"
	case x.Line <= 0:
		return "Line could not be resolved"
	case x.StartLine < 0 || x.StartLine >= x.Line && x.StartLine != 0:
		return "Start line must precede the end line."
	case anchor(pr.Files[at].Patch, x.Side, 0, x.Line) == nil:
		return "Line could not be resolved"
	case anchor(pr.Files[at].Patch, x.Side, x.StartLine, x.Line) == nil:
		return "Pull request review thread start line must be part of the same hunk as the line."
	}
	return ""
}

// listReviewComments answers for one review and, without one in the path, for
// the whole pull request.
func (s *Server) listReviewComments(w http.ResponseWriter, c *call) (any, error) {
	repo, pr, err := s.pull(c)
	if err != nil {
		return nil, err
	}
	id := c.number("id")
	if id != 0 && !slices.ContainsFunc(pr.Reviews, func(v Review) bool { return v.ID == id }) {
		return nil, notFound()
	}
	shapes := []object{}
	for _, v := range pr.Reviews {
		if id != 0 && v.ID != id || id == 0 && v.State == "PENDING" {
			continue
		}
		for _, x := range v.Comments {
			shapes = append(shapes, c.reviewCommentShape(repo, pr, v, x))
		}
	}
	return page(w, c, shapes), nil
}
