package githubtest

import (
	"fmt"
	"net/http"
	"strings"
)

func (s *Server) getPull(_ http.ResponseWriter, c *call) (any, error) {
	repo, pr, err := s.pull(c)
	if err != nil {
		return nil, err
	}
	return s.pullShape(c, repo, pr), nil
}

// listedFiles is how many changed files GitHub lists of a pull request.
const listedFiles = 3000

func (s *Server) listFiles(w http.ResponseWriter, c *call) (any, error) {
	repo, pr, err := s.pull(c)
	if err != nil {
		return nil, err
	}
	shapes := []object{}
	for _, f := range pr.Files[:min(len(pr.Files), listedFiles)] {
		shapes = append(shapes, c.fileShape(repo, pr, f))
	}
	return page(w, c, shapes), nil
}

// listPulls is how a workflow_run finds the pull request of a fork.
func (s *Server) listPulls(w http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	state, head := c.URL.Query().Get("state"), c.URL.Query().Get("head")
	shapes := []object{}
	for i := range repo.PullRequests {
		pr := &repo.PullRequests[i]
		from := pr.HeadRepository
		if from == "" {
			from = repo.FullName
		}
		owner, _, _ := strings.Cut(from, "/")
		if pr.Closed != (state == "closed") && state != "all" || head != "" && head != owner+":"+pr.HeadRef {
			continue
		}
		shapes = append(shapes, s.pullShape(c, repo, pr))
	}
	return page(w, c, shapes), nil
}

func (s *Server) listPullsOfCommit(w http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	shapes := []object{}
	for i := range repo.PullRequests {
		if repo.PullRequests[i].HeadSHA == c.PathValue("sha") {
			shapes = append(shapes, s.pullShape(c, repo, &repo.PullRequests[i]))
		}
	}
	return page(w, c, shapes), nil
}

// pullShape returns GitHub's "pull request".
func (s *Server) pullShape(c *call, r *Repository, pr *PullRequest) object {
	head := pr.HeadRepository
	if head == "" {
		head = r.FullName
	}
	shape := object{
		"id": r.ID*1000 + int64(pr.Number), "node_id": pullNode(r, pr),
		"number": pr.Number, "state": "open", "locked": pr.Locked, "title": pr.Title, "user": c.userShape(pr.Author),
		"head": s.endShape(c, head, pr.HeadRef, pr.HeadSHA), "base": s.endShape(c, r.FullName, pr.BaseRef, pr.BaseSHA),
		"author_association": association(r, pr.Author), "labels": []any{}, "draft": false,
		"created_at": stamp(c.now), "updated_at": stamp(c.now), "closed_at": nil,
		"changed_files": len(pr.Files), "review_comments": countReviewComments(pr), "comments": countComments(r, pr.Number),
		"commits": 1, "additions": 0, "deletions": 0, "merged": false, "mergeable": nil, "mergeable_state": "unknown", "maintainer_can_modify": false,
	}
	if pr.Closed {
		shape["state"], shape["closed_at"] = "closed", stamp(c.now)
	}
	for _, field := range []string{"assignee", "merge_commit_sha", "merged_at", "merged_by", "milestone", "auto_merge"} {
		shape[field] = nil
	}
	shape["body"] = nil
	if pr.Body != "" {
		shape["body"] = pr.Body
	}
	c.linkPull(shape, r.FullName, pr)
	return shape
}

// linkPull sets the addresses of a pull request.
func (c *call) linkPull(shape object, fullName string, pr *PullRequest) {
	repo := c.base + "/repos/" + fullName
	pull, issue := fmt.Sprintf("%s/pulls/%d", repo, pr.Number), fmt.Sprintf("%s/issues/%d", repo, pr.Number)
	html := fmt.Sprintf("%s/%s/pull/%d", c.web, fullName, pr.Number)
	links := map[string]string{
		"self": pull, "html": html, "issue": issue, "comments": issue + "/comments", "commits": pull + "/commits",
		"review_comments": pull + "/comments", "review_comment": repo + "/pulls/comments{/number}", "statuses": repo + "/statuses/" + pr.HeadSHA,
	}
	all := object{}
	for name, address := range links {
		all[name] = object{"href": address}
		shape[name+"_url"] = address
	}
	delete(shape, "self_url")
	shape["url"], shape["diff_url"], shape["patch_url"], shape["_links"] = pull, html+".diff", html+".patch", all
}

// endShape returns the head or base of a pull request.
func (s *Server) endShape(c *call, fullName, ref, sha string) object {
	owner, _, _ := strings.Cut(fullName, "/")
	return object{"label": owner + ":" + ref, "ref": ref, "sha": sha, "user": c.userShape(owner), "repo": s.repositoryShape(c, fullName)}
}

func countReviewComments(pr *PullRequest) int {
	n := 0
	for _, v := range pr.Reviews {
		n += len(v.Comments)
	}
	return n
}

func countComments(r *Repository, number int) int {
	n := 0
	for _, x := range r.Comments {
		if x.Issue == number {
			n++
		}
	}
	return n
}
