package githubtest

import (
	"net/http"
	"slices"
	"time"
)

// Past is a commit of a repository's past, of which nothing but its place is kept.
type Past struct {
	SHA     string    `json:"sha"`
	Parents []string  `json:"parents,omitempty"`
	At      time.Time `json:"at,omitzero"`
}

// comparePast returns where two commits, or branches, part.
func (c *call) comparePast(base, head string) (any, error) {
	ours, theirs := c.ancestors(c.tipOf(base)), c.ancestors(c.tipOf(head))
	i := slices.IndexFunc(theirs, func(sha string) bool { return slices.Contains(ours, sha) })
	if i < 0 {
		return nil, notFound
	}
	merged, status := theirs[i], "diverged"
	switch {
	case merged == ours[0] && merged == theirs[0]:
		status = "identical"
	case merged == ours[0]:
		status = "ahead"
	case merged == theirs[0]:
		status = "behind"
	}
	self := c.api("/compare/%s...%s", base, head)
	return object{"url": self, "html_url": self, "permalink_url": self, "diff_url": self, "patch_url": self, "base_commit": c.pastShape(ours[0]),
		"merge_base_commit": c.pastShape(merged), "status": status, "ahead_by": i, "behind_by": slices.Index(ours, merged), "total_commits": i,
		"commits": []any{}, "files": []any{}}, nil
}

// tipOf returns the commit that a branch or a hash names.
func (c *call) tipOf(name string) string {
	if branch := find(c.repo.Branches, func(b Branch) bool { return b.Name == name }); branch != nil {
		return branch.SHA
	}
	return name
}

// ancestors returns a commit of the past and those before it, the nearest first.
func (c *call) ancestors(sha string) []string {
	var all []string
	for next := []string{sha}; len(next) > 0; next = next[1:] {
		if past := c.past(next[0]); past != nil && !slices.Contains(all, past.SHA) {
			all, next = append(all, past.SHA), append(next, past.Parents...)
		}
	}
	return all
}

func (c *call) past(sha string) *Past {
	return find(c.repo.Past, func(p Past) bool { return p.SHA == sha })
}

func (c *call) pastShape(sha string) object {
	past := c.past(sha)
	self := c.api("/commits/%s", sha)
	person := object{"name": "Mona", "email": "mona@example.com", "date": formatTime(past.At)}
	parents := []object{}
	for _, p := range past.Parents {
		parents = append(parents, object{"sha": p, "url": c.api("/commits/%s", p), "html_url": c.html("/commit/%s", p)})
	}
	return object{"url": self, "sha": sha, "node_id": nodeID("Commit", stableID(sha)), "html_url": c.html("/commit/%s", sha), "comments_url": self + "/comments",
		"commit": object{"url": self, "author": person, "committer": person, "message": "m", "comment_count": 0, "tree": object{"sha": sha, "url": self}},
		"author": nil, "committer": nil, "parents": parents}
}

// getBranch returns a branch. From the former name of one it leads to the present
// one, until a branch of that name is made.
func (c *call) getBranch() (any, error) {
	name := c.PathValue("branch")
	branch := find(c.repo.Branches, func(b Branch) bool { return b.Name == name })
	if to := c.repo.Renamed[name]; branch == nil && to != "" {
		c.w.Header().Set("Location", c.api("/branches/%s", to))
		return nil, fail(http.StatusMovedPermanently, "Moved Permanently")
	}
	if branch == nil || c.past(branch.SHA) == nil {
		return nil, notFound
	}
	self := c.api("/branches/%s", name)
	return object{"name": name, "commit": c.pastShape(branch.SHA), "_links": object{"html": c.html("/tree/%s", name), "self": self}, "protected": branch.Protected,
		"protection": object{"enabled": false}, "protection_url": self + "/protection"}, nil
}
