package githubtest

import (
	"crypto/sha1" // git names a blob by it
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strings"
	"time"
)

const timeFormat = "2006-01-02T15:04:05Z"

func stamp(t time.Time) string { return t.UTC().Format(timeFormat) }

// nodeID returns a stand-in for GraphQL's opaque id.
func nodeID(kind string, id int64) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s:%d", kind, id))
}

// userID returns the same id for the same login, always.
func userID(login string) int64 {
	h := fnv.New32a()
	h.Write([]byte(login))
	return int64(h.Sum32()) + 1
}

// userShape returns GitHub's "simple user".
func (c *call) userShape(login string) object {
	id := userID(login)
	api := c.base + "/users/" + strings.NewReplacer("[", "%5B", "]", "%5D").Replace(login)
	kind := "User"
	if strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	return object{
		"login": login, "id": id, "node_id": nodeID("User", id), "type": kind, "site_admin": false,
		"avatar_url": c.web + "/avatars/" + fmt.Sprint(id), "gravatar_id": "", "url": api,
		"html_url":      c.web + "/" + strings.TrimSuffix(login, "[bot]"),
		"followers_url": api + "/followers", "following_url": api + "/following{/other_user}",
		"gists_url": api + "/gists{/gist_id}", "starred_url": api + "/starred{/owner}{/repo}",
		"subscriptions_url": api + "/subscriptions", "organizations_url": api + "/orgs",
		"repos_url": api + "/repos", "events_url": api + "/events{/privacy}",
		"received_events_url": api + "/received_events",
	}
}

func (c *call) commentShape(r *Repository, x Comment) object {
	repo := c.base + "/repos/" + r.FullName
	return object{
		"id": x.ID, "node_id": nodeID("IssueComment", x.ID), "body": x.Body, "user": c.userShape(x.Author),
		"url":                c.base + "/repos/" + r.FullName + "/issues/comments/" + fmt.Sprint(x.ID),
		"html_url":           fmt.Sprintf("%s/%s/pull/%d#issuecomment-%d", c.web, r.FullName, x.Issue, x.ID),
		"issue_url":          fmt.Sprintf("%s/issues/%d", repo, x.Issue),
		"author_association": association(r, x.Author),
		"created_at":         stamp(x.CreatedAt), "updated_at": stamp(x.UpdatedAt),
		"performed_via_github_app": nil,
	}
}

// association returns what GitHub says of an author, which says nothing of
// what they may do.
func association(r *Repository, login string) string {
	switch r.Permissions[login] {
	case "admin":
		return "OWNER"
	case "maintain", "write", "triage":
		return "COLLABORATOR"
	}
	return "NONE"
}

func (c *call) fileShape(r *Repository, pr *PullRequest, f File) object {
	status := f.Status
	if status == "" {
		status = "modified"
	}
	added, deleted := countLines(f.Patch)
	text := f.Patch
	if x, ok := r.files(pr.HeadSHA)[f.Name]; ok {
		text = x.Text
	}
	shape := object{
		"sha": blobSHA(text), "filename": f.Name, "status": status,
		"additions": added, "deletions": deleted, "changes": added + deleted,
		"blob_url":     fmt.Sprintf("%s/%s/blob/%s/%s", c.web, r.FullName, pr.HeadSHA, f.Name),
		"raw_url":      fmt.Sprintf("%s/%s/raw/%s/%s", c.web, r.FullName, pr.HeadSHA, f.Name),
		"contents_url": fmt.Sprintf("%s/repos/%s/contents/%s?ref=%s", c.base, r.FullName, f.Name, pr.HeadSHA),
	}
	if f.Patch != "" {
		shape["patch"] = f.Patch
	}
	if f.Previous != "" {
		shape["previous_filename"] = f.Previous
	}
	return shape
}

func (c *call) reviewShape(r *Repository, pr *PullRequest, v Review) object {
	html := fmt.Sprintf("%s/%s/pull/%d#pullrequestreview-%d", c.web, r.FullName, pr.Number, v.ID)
	api := fmt.Sprintf("%s/repos/%s/pulls/%d", c.base, r.FullName, pr.Number)
	shape := object{
		"id": v.ID, "node_id": nodeID("PullRequestReview", v.ID), "user": c.userShape(v.Author),
		"body": v.Body, "state": v.State, "commit_id": v.CommitID, "html_url": html, "pull_request_url": api,
		"author_association": association(r, v.Author),
		"_links":             object{"html": object{"href": html}, "pull_request": object{"href": api}},
	}
	if v.State != "PENDING" {
		shape["submitted_at"] = stamp(c.now)
	}
	return shape
}

func (c *call) reviewCommentShape(r *Repository, pr *PullRequest, v Review, x ReviewComment) object {
	html := fmt.Sprintf("%s/%s/pull/%d#discussion_r%d", c.web, r.FullName, pr.Number, x.ID)
	api := fmt.Sprintf("%s/repos/%s/pulls/%d", c.base, r.FullName, pr.Number)
	self := fmt.Sprintf("%s/repos/%s/pulls/comments/%d", c.base, r.FullName, x.ID)
	author := x.Author
	if author == "" {
		author = v.Author
	}
	shape := object{
		"id": x.ID, "node_id": nodeID("PullRequestReviewComment", x.ID), "pull_request_review_id": v.ID,
		"url": self, "html_url": html, "pull_request_url": api, "user": c.userShape(author),
		"path": x.Path, "side": x.Side, "line": x.Line, "original_line": x.Line, "position": x.Line, "original_position": x.Line,
		"body": x.Body, "diff_hunk": hunkAt(pr, x), "commit_id": v.CommitID, "original_commit_id": v.CommitID,
		"author_association": association(r, author), "created_at": stamp(c.now), "updated_at": stamp(c.now),
		"_links":     object{"self": object{"href": self}, "html": object{"href": html}, "pull_request": object{"href": api}},
		"start_line": nil, "original_start_line": nil, "start_side": nil,
	}
	if x.StartLine > 0 {
		shape["start_line"], shape["original_start_line"], shape["start_side"] = x.StartLine, x.StartLine, x.Side
	}
	if x.Outdated {
		shape["line"], shape["position"] = nil, nil
	}
	if x.ReplyTo > 0 {
		shape["in_reply_to_id"] = x.ReplyTo
	}
	return shape
}

// blobSHA returns git's hash of a file with the text.
func blobSHA(text string) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text))
	return hex.EncodeToString(sum[:])
}
