package githubtest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
)

var reviewRoutes = []route{
	{"GET", inRepo + "/pulls/{number}/reviews", read, (*call).listReviews},
	{"POST", inRepo + "/pulls/{number}/reviews", write, withBody((*call).createReview)},
	{"GET", inRepo + "/pulls/{number}/reviews/{id}/comments", read, (*call).listReviewComments},
	{"GET", inRepo + "/pulls/{number}/comments", read, (*call).listReviewComments},
	{"DELETE", inRepo + "/pulls/comments/{id}", write, (*call).deleteReviewComment},
}

// reviewIn is the body of POST …/reviews.
type reviewIn struct {
	CommitID string `json:"commit_id"`
	Body     string `json:"body"`
	Event    string `json:"event"`
	Comments []struct {
		ReviewComment
		StartSide string `json:"start_side"`
		Position  *int   `json:"position"`
	} `json:"comments"`
}

// reviewStates maps the event of a review to its state.
var reviewStates = map[string]string{
	"": "PENDING", "COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED",
}

func (c *call) listReviews() (any, error) { return pageOf(c, c.pr.Reviews, c.reviewShape), nil }

// createReview stores the review with all its comments. Where one of them cannot be
// placed it stores nothing.
func (c *call) createReview(in reviewIn) (any, error) {
	review, err := in.review(c.pr, c.token.Login)
	if err != nil {
		return nil, err
	}
	review.ID = c.state.nextID()
	for i := range review.Comments {
		review.Comments[i].ID = c.state.nextID()
	}
	c.pr.Reviews = append(c.pr.Reviews, review)
	return c.reviewShape(review), nil
}

// review checks the body and returns the review it asks for, without ids.
func (in reviewIn) review(pr *PullRequest, author string) (Review, error) {
	state, ok := reviewStates[in.Event]
	if !ok {
		return Review{}, unprocessableReview(fmt.Sprintf("Variable $event of type PullRequestReviewEvent was provided invalid value %q", in.Event))
	}
	if cmp.Or(in.CommitID, pr.HeadSHA) != pr.HeadSHA {
		return Review{}, unprocessableReview("The commit_id is not part of the pull request")
	}
	if in.Body != "" || state == "CHANGES_REQUESTED" || state == "COMMENTED" && len(in.Comments) == 0 {
		if err := checkReviewText(in.Body); err != nil {
			return Review{}, err
		}
	}
	review := Review{Author: author, State: state, Body: in.Body, CommitID: pr.HeadSHA}
	var reasons []string
	for _, x := range in.Comments {
		if err := checkReviewText(x.Body); err != nil {
			return Review{}, err
		}
		placed := ReviewComment{Path: x.Path, Side: cmp.Or(x.Side, "RIGHT"), Line: x.Line, StartLine: x.StartLine, Body: x.Body}
		reason := whyMisplaced(pr, placed)
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
		return Review{}, unprocessableReview(reasons...)
	}
	return review, nil
}

func unprocessableReview(reasons ...string) error {
	return &failure{Status: http.StatusUnprocessableEntity, Message: "Unprocessable Entity", Errors: reasons}
}

// checkReviewText returns an error for a text that a review or a comment in it cannot
// have.
func checkReviewText(body string) error {
	return checkText(body, unprocessableReview("Body can't be blank"), unprocessableReview(tooLong))
}

// whyMisplaced returns the reason why a comment cannot be at its line, "" when it
// can.
func whyMisplaced(pr *PullRequest, x ReviewComment) string {
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
	case findHunk(pr.Files[at].Patch, x.Side, 0, x.Line) == nil:
		return "Line could not be resolved"
	case findHunk(pr.Files[at].Patch, x.Side, x.StartLine, x.Line) == nil:
		return "Pull request review thread start line must be part of the same hunk as the line."
	}
	return ""
}

// listReviewComments lists the comments of the review in the path or, without one, of
// the whole pull request.
func (c *call) listReviewComments() (any, error) {
	id := c.number("id")
	if id != 0 && !slices.ContainsFunc(c.pr.Reviews, func(v Review) bool { return v.ID == id }) {
		return nil, notFound
	}
	shapes := []object{}
	for _, v := range c.pr.Reviews {
		if id != 0 && v.ID != id || id == 0 && v.State == "PENDING" {
			continue
		}
		for _, x := range v.Comments {
			shapes = append(shapes, c.reviewCommentShape(v, x))
		}
	}
	return pageOf(c, shapes, func(shape object) object { return shape }), nil
}

func (c *call) deleteReviewComment() (any, error) {
	id := c.number("id")
	v, _ := c.repo.reviewComment(hasID(id))
	switch {
	case v == nil:
		return nil, notFound
	case c.token.NoDelete:
		return nil, inaccessible
	}
	v.Comments = slices.DeleteFunc(v.Comments, hasID(id))
	c.w.WriteHeader(http.StatusNoContent)
	return nil, nil
}

const minimizeMutation = `mutation($id:ID!){minimizeComment(input:{subjectId:$id,classifier:OUTDATED}){minimizedComment{isMinimized}}}`

func (c *call) reviewShape(v Review) object {
	html, pull := c.html("/pull/%d#pullrequestreview-%d", c.pr.Number, v.ID), c.api("/pulls/%d", c.pr.Number)
	shape := object{
		"id": v.ID, "node_id": nodeID("PullRequestReview", v.ID), "user": c.userShape(v.Author),
		"body": v.Body, "state": v.State, "commit_id": v.CommitID, "html_url": html, "pull_request_url": pull,
		"author_association": c.association(v.Author),
		"_links":             object{"html": object{"href": html}, "pull_request": object{"href": pull}},
	}
	if v.State != "PENDING" {
		shape["submitted_at"] = formatTime(c.now)
	}
	return shape
}

func (c *call) reviewCommentShape(v Review, x ReviewComment) object {
	html, pull, self := c.html("/pull/%d#discussion_r%d", c.pr.Number, x.ID), c.api("/pulls/%d", c.pr.Number), c.api("/pulls/comments/%d", x.ID)
	hunk := ""
	for _, f := range c.pr.Files {
		if h := findHunk(f.Patch, x.Side, x.StartLine, x.Line); f.Name == x.Path && h != nil {
			hunk = h.text
		}
	}
	shape := object{
		"id": x.ID, "node_id": nodeID("PullRequestReviewComment", x.ID), "pull_request_review_id": v.ID, "user": c.userShape(x.author(v)),
		"url": self, "html_url": html, "pull_request_url": pull, "path": x.Path, "side": x.Side, "body": x.Body, "diff_hunk": hunk,
		"commit_id": v.CommitID, "original_commit_id": v.CommitID, "author_association": c.association(x.author(v)),
		"_links": object{"self": object{"href": self}, "html": object{"href": html}, "pull_request": object{"href": pull}},
	}
	setFields(shape, x.Line, "line", "original_line", "position", "original_position")
	setFields(shape, nil, "start_line", "original_start_line", "start_side")
	setFields(shape, formatTime(c.now), "created_at", "updated_at")
	if x.StartLine > 0 {
		setFields(shape, x.StartLine, "start_line", "original_start_line")
		shape["start_side"] = x.Side
	}
	if x.Outdated {
		setFields(shape, nil, "line", "position")
	}
	if x.ReplyTo > 0 {
		shape["in_reply_to_id"] = x.ReplyTo
	}
	return shape
}
