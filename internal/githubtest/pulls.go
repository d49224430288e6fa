package githubtest

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

var pullRoutes = []route{
	{"GET", inRepo + "/pulls", read, (*call).listPulls},
	{"POST", inRepo + "/pulls", write, withBody((*call).createPull)},
	{"GET", inRepo + "/pulls/{number}", read, (*call).getPull},
	{"GET", inRepo + "/pulls/{number}/files", read, (*call).listFiles},
	{"GET", inRepo + "/commits/{sha}/pulls", read, (*call).listPullsOfCommit},
}

func (c *call) getPull() (any, error) { return c.pullShape(*c.pr), nil }

// listPulls is how a workflow_run finds the pull request of a fork.
func (c *call) listPulls() (any, error) {
	state, head := c.URL.Query().Get("state"), c.URL.Query().Get("head")
	return pageOf(c, filter(c.repo.PullRequests, func(pr PullRequest) bool {
		owner, _, _ := strings.Cut(cmp.Or(pr.HeadRepository, c.repo.FullName), "/")
		return (state == "all" || pr.Closed == (state == "closed")) && (head == "" || head == owner+":"+pr.HeadRef)
	}), c.pullShape), nil
}

func (c *call) listPullsOfCommit() (any, error) {
	pulls := filter(c.repo.PullRequests, func(pr PullRequest) bool { return pr.HeadSHA == c.PathValue("sha") })
	return pageOf(c, pulls, c.pullShape), nil
}

// mergedQuery asks for the pull requests into a branch that were merged last.
const mergedQuery = `query($owner:String!,$name:String!,$base:String!){repository(owner:$owner,name:$name){` +
	`pullRequests(first:5,states:MERGED,baseRefName:$base,orderBy:{field:UPDATED_AT,direction:DESC}){nodes{number mergedAt isCrossRepository}}}}`

func (c *call) mergedPulls(in struct{ Owner, Name, Base string }) (any, error) {
	if c.repo = c.state.findRepository(in.Owner + "/" + in.Name); c.repo == nil {
		return nil, refuse("NOT_FOUND", "Could not resolve to a Repository")
	}
	merged := filter(c.repo.PullRequests, func(pr PullRequest) bool { return !pr.Merged.IsZero() && pr.BaseRef == in.Base })
	slices.SortStableFunc(merged, func(a, b PullRequest) int { return b.Merged.Compare(a.Merged) })
	nodes := shapesOf(merged[:min(len(merged), 5)], func(pr PullRequest) object {
		return object{"number": pr.Number, "mergedAt": formatTime(pr.Merged), "isCrossRepository": pr.HeadRepository != "" && pr.HeadRepository != c.repo.FullName}
	})
	return nested(nodes, "data", "repository", "pullRequests", "nodes"), nil
}

// createPull opens a pull request between two branches of the repository.
func (c *call) createPull(in struct{ Title, Head, Base, Body string }) (any, error) {
	head, headKnown := c.repo.findBranch(in.Head)
	base, baseKnown := c.repo.findBranch(in.Base)
	switch {
	case c.token.NoPulls:
		return nil, fail(http.StatusForbidden, "GitHub Actions is not permitted to create or approve pull requests.")
	case in.Title == "":
		return nil, invalid("PullRequest", "title", "missing_field", "")
	case !headKnown:
		return nil, invalid("PullRequest", "head", "invalid", "")
	case !baseKnown:
		return nil, invalid("PullRequest", "base", "invalid", "")
	}
	number := 0
	for _, pr := range c.repo.PullRequests {
		number = max(number, pr.Number)
		if pr.HeadRef == in.Head && pr.BaseRef == in.Base && !pr.Closed {
			return nil, invalid("PullRequest", "base", "custom", "A pull request already exists for "+in.Head+".")
		}
	}
	pr := PullRequest{Number: number + 1, Title: in.Title, Body: in.Body, Author: c.token.Login, HeadRef: in.Head, HeadSHA: head.SHA, BaseRef: in.Base, BaseSHA: base.SHA}
	c.repo.PullRequests = append(c.repo.PullRequests, pr)
	return created{c.pullShape(pr)}, nil
}

// pullShape returns GitHub's "pull request".
func (c *call) pullShape(pr PullRequest) object {
	reviewComments := 0
	for _, v := range pr.Reviews {
		reviewComments += len(v.Comments)
	}
	comments := len(filter(c.repo.Comments, func(x Comment) bool { return x.Issue == pr.Number }))
	shape := object{
		"id": c.repo.ID*1000 + int64(pr.Number), "node_id": c.pullNode(pr), "number": pr.Number, "title": pr.Title, "user": c.userShape(pr.Author),
		"state": "open", "locked": pr.Locked, "labels": []any{}, "author_association": c.association(pr.Author), "mergeable_state": "unknown",
		"head": c.endShape(cmp.Or(pr.HeadRepository, c.repo.FullName), pr.HeadRef, pr.HeadSHA), "base": c.endShape(c.repo.FullName, pr.BaseRef, pr.BaseSHA),
		"changed_files": len(pr.Files), "review_comments": reviewComments, "comments": comments, "commits": 1,
	}
	setFields(shape, false, "draft", "merged", "maintainer_can_modify")
	setFields(shape, 0, "additions", "deletions")
	setFields(shape, formatTime(c.now), "created_at", "updated_at")
	setFields(shape, nil, "body", "closed_at", "mergeable", "assignee", "merge_commit_sha", "merged_at", "merged_by", "milestone", "auto_merge")
	if pr.Closed {
		shape["state"], shape["closed_at"] = "closed", formatTime(c.now)
	}
	if !pr.Merged.IsZero() {
		shape["merged"], shape["merged_at"] = true, formatTime(pr.Merged)
	}
	if pr.Body != "" {
		shape["body"] = pr.Body
	}
	pull, issue, html := c.api("/pulls/%d", pr.Number), c.api("/issues/%d", pr.Number), c.html("/pull/%d", pr.Number)
	links := object{"self": object{"href": pull}}
	for name, address := range map[string]string{
		"html": html, "issue": issue, "comments": issue + "/comments", "commits": pull + "/commits", "review_comments": pull + "/comments",
		"review_comment": c.api("/pulls/comments{/number}"), "statuses": c.api("/statuses/%s", pr.HeadSHA),
	} {
		links[name] = object{"href": address}
		shape[name+"_url"] = address
	}
	shape["url"], shape["diff_url"], shape["patch_url"], shape["_links"] = pull, html+".diff", html+".patch", links
	return shape
}

// endShape returns the head or base of a pull request.
func (c *call) endShape(fullName, ref, sha string) object {
	owner, _, _ := strings.Cut(fullName, "/")
	return object{"label": owner + ":" + ref, "ref": ref, "sha": sha, "user": c.userShape(owner), "repo": c.repositoryShape(fullName)}
}

// pullNode is GraphQL's id of a pull request.
func (c *call) pullNode(pr PullRequest) string {
	return nodeID("PullRequest", c.repo.ID<<20+int64(pr.Number))
}

// maxListedFiles is how many changed files GitHub lists of a pull request.
const maxListedFiles = 3000

func (c *call) listFiles() (any, error) {
	return pageOf(c, c.pr.Files[:min(len(c.pr.Files), maxListedFiles)], c.fileShape), nil
}

func (c *call) fileShape(f File) object {
	added, deleted := 0, 0
	for _, h := range parseHunks(f.Patch) {
		added += strings.Count(h.text, "\n+")
		deleted += strings.Count(h.text, "\n-")
	}
	text := f.Patch
	if x, ok := c.repo.filesAt(c.pr.HeadSHA)[f.Name]; ok {
		text = x.Text
	}
	shape := object{
		"sha": blobSHA(text), "filename": f.Name, "status": cmp.Or(f.Status, "modified"), "additions": added, "deletions": deleted, "changes": added + deleted,
		"blob_url": c.html("/blob/%s/%s", c.pr.HeadSHA, f.Name), "raw_url": c.html("/raw/%s/%s", c.pr.HeadSHA, f.Name),
		"contents_url": c.api("/contents/%s?ref=%s", f.Name, c.pr.HeadSHA),
	}
	if f.Patch != "" {
		shape["patch"] = f.Patch
	}
	if f.Previous != "" {
		shape["previous_filename"] = f.Previous
	}
	return shape
}
