package githubtest

import (
	"cmp"
	"crypto/sha1" // git names objects by it
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

var repositoryRoutes = []route{
	{"GET", "/user", read, (*call).getUser},
	{"GET", inRepo, read, (*call).getRepository},
	{"GET", inRepo + "/collaborators/{login}/permission", read, (*call).getPermission},
	{"GET", inRepo + "/branches/{branch}", read, (*call).getBranch},
	{"GET", inRepo + "/contents/{path...}", read, (*call).getContents},
}

func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// nodeID returns a stand-in for GraphQL's opaque id.
func nodeID(kind string, id int64) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%s:%d", kind, id))
}

// stableID returns the same id for the same name, always.
func stableID(name string) int64 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int64(h.Sum32()) + 1
}

// hashObject returns git's hash of an object.
func hashObject(kind string, body []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "%s %d\x00", kind, len(body)), body...))
	return hex.EncodeToString(sum[:])
}

// blobSHA returns git's hash of a file with the text.
func blobSHA(text string) string { return hashObject("blob", []byte(text)) }

// setFields sets many fields of a shape to one value.
func setFields(shape object, value any, fields ...string) {
	for _, field := range fields {
		shape[field] = value
	}
}

// setURLs sets fields of a shape to addresses: base followed by the text of the
// table.
func setURLs(shape object, base string, below map[string]string) {
	for field, rest := range below {
		shape[field] = base + rest
	}
}

// userURLs are the addresses below a user's own, by field.
var userURLs = map[string]string{
	"url": "", "followers_url": "/followers", "following_url": "/following{/other_user}", "gists_url": "/gists{/gist_id}", "starred_url": "/starred{/owner}{/repo}",
	"subscriptions_url": "/subscriptions", "organizations_url": "/orgs", "repos_url": "/repos", "events_url": "/events{/privacy}", "received_events_url": "/received_events",
}

// userShape returns GitHub's "simple user".
func (c *call) userShape(login string) object {
	id, name, kind := stableID(login), login, "User"
	if bot, ok := strings.CutSuffix(login, "[bot]"); ok {
		name, kind = bot, "Bot"
	}
	shape := object{"login": login, "id": id, "node_id": nodeID("User", id), "type": kind, "site_admin": false,
		"avatar_url": c.web + "/avatars/" + fmt.Sprint(id), "gravatar_id": "", "html_url": c.web + "/" + name}
	setURLs(shape, c.base+"/users/"+strings.NewReplacer("[", "%5B", "]", "%5D").Replace(login), userURLs)
	return shape
}

// getUser returns the token's owner. GitHub forbids the request to installation
// tokens.
func (c *call) getUser() (any, error) {
	if c.token.Installation {
		return nil, inaccessible
	}
	shape := c.userShape(c.token.Login)
	setFields(shape, nil, "name", "company", "location", "email", "hireable", "bio")
	setFields(shape, 0, "public_repos", "public_gists", "followers", "following")
	setFields(shape, formatTime(c.now), "created_at", "updated_at")
	shape["blog"], shape["user_view_type"] = "", "public"
	return shape, nil
}

// repositoryURLs are the addresses below a repository's own, by field.
var repositoryURLs = map[string]string{
	"archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
	"branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}", "comments_url": "/comments{/number}",
	"commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}", "contents_url": "/contents/{+path}",
	"contributors_url": "/contributors", "deployments_url": "/deployments", "downloads_url": "/downloads", "events_url": "/events",
	"forks_url": "/forks", "git_commits_url": "/git/commits{/sha}", "git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}",
	"hooks_url": "/hooks", "issue_comment_url": "/issues/comments{/number}", "issue_events_url": "/issues/events{/number}",
	"issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}", "labels_url": "/labels{/name}", "languages_url": "/languages",
	"merges_url": "/merges", "milestones_url": "/milestones{/number}", "notifications_url": "/notifications{?since,all,participating}",
	"pulls_url": "/pulls{/number}", "releases_url": "/releases{/id}", "stargazers_url": "/stargazers", "statuses_url": "/statuses/{sha}",
	"subscribers_url": "/subscribers", "subscription_url": "/subscription", "tags_url": "/tags", "teams_url": "/teams", "trees_url": "/git/trees{/sha}",
	"url": "",
}

func (c *call) getRepository() (any, error) {
	shape := c.repositoryShape(c.repo.FullName)
	setFields(shape, 0, "network_count", "subscribers_count")
	shape["has_discussions"] = false
	return shape, nil
}

// repositoryShape returns GitHub's "repository". Of a fork that is not in the state
// it invents the fields from the name.
func (c *call) repositoryShape(fullName string) object {
	owner, name, _ := strings.Cut(fullName, "/")
	kept, fork := c.keptRepository(fullName), c.state.findRepository(fullName) == nil
	web := c.web + "/" + fullName
	shape := object{
		"id": kept.ID, "node_id": nodeID("Repository", kept.ID), "name": name, "full_name": fullName, "owner": c.userShape(owner),
		"private": kept.Private, "fork": fork, "default_branch": kept.DefaultBranch, "html_url": web, "has_issues": true,
		"clone_url": web + ".git", "svn_url": web, "git_url": "git:" + path.Join("//", fullName) + ".git", "ssh_url": "git@github.com:" + fullName + ".git",
	}
	setURLs(shape, c.base+"/repos/"+fullName, repositoryURLs)
	setFields(shape, nil, "description", "homepage", "language", "mirror_url", "license")
	setFields(shape, false, "has_downloads", "has_projects", "has_wiki", "has_pages", "archived", "disabled")
	setFields(shape, 0, "forks", "forks_count", "open_issues", "open_issues_count", "size", "stargazers_count", "watchers", "watchers_count")
	setFields(shape, formatTime(c.now.Add(-time.Hour)), "pushed_at", "created_at", "updated_at")
	return shape
}

// keptRepository returns a repository, which is a fork where the state has none of the name.
func (c *call) keptRepository(fullName string) *Repository {
	if kept := c.state.findRepository(fullName); kept != nil {
		return kept
	}
	return &Repository{ID: stableID(fullName), FullName: fullName, DefaultBranch: "main"}
}

// repositoryText returns the shape of a repository as JSON, made once for an answer: the
// shapes of a hundred runs have it twice each.
func (c *call) repositoryText(fullName string) json.RawMessage {
	if c.texts == nil {
		c.texts = map[string]json.RawMessage{}
	}
	if c.texts[fullName] == nil {
		c.texts[fullName], _ = json.Marshal(c.repositoryShape(fullName)) // texts and numbers always marshal
	}
	return c.texts[fullName]
}

// getPermission returns the role of a login, and GitHub's older word for it, of
// which there are four.
func (c *call) getPermission() (any, error) {
	login := c.PathValue("login")
	role, known := c.repo.Permissions[login]
	switch {
	case !known && c.repo.Private:
		role = "none"
	case !known:
		role = "read"
	}
	older := cmp.Or(map[string]string{"maintain": "write", "triage": "read"}[role], role)
	user := c.userShape(login)
	rank := slices.Index([]string{"none", "read", "triage", "write", "maintain", "admin"}, role)
	user["role_name"] = role
	user["permissions"] = object{"pull": rank >= 1, "triage": rank >= 2, "push": rank >= 3, "maintain": rank >= 4, "admin": rank >= 5}
	return object{"permission": older, "role_name": role, "user": user}, nil
}

// association returns how GitHub describes an author. It does not say what they
// may do.
func (c *call) association(login string) string {
	words := map[string]string{"admin": "OWNER", "maintain": "COLLABORATOR", "write": "COLLABORATOR", "triage": "COLLABORATOR"}
	return cmp.Or(words[c.repo.Permissions[login]], "NONE")
}

// getContents returns a file at a ref, or what is in a folder, by default at the default branch.
func (c *call) getContents() (any, error) {
	ref := strings.TrimPrefix(cmp.Or(c.URL.Query().Get("ref"), c.repo.DefaultBranch), "refs/heads/")
	files := c.repo.filesAt(ref)
	if x, known := files[c.PathValue("path")]; known {
		shape := c.contentShape(x, ref)
		shape["encoding"], shape["content"] = "base64", base64.StdEncoding.EncodeToString([]byte(x.Text))
		return shape, nil
	}
	var inside []object // of a folder; those in it are left out
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Dir(name) == c.PathValue("path") {
			inside = append(inside, c.contentShape(files[name], ref))
		}
	}
	if len(inside) == 0 {
		return nil, notFound
	}
	return inside, nil
}

func (c *call) contentShape(x Content, ref string) object {
	sha := blobSHA(x.Text)
	self, git, html := c.api("/contents/%s?ref=%s", x.Path, ref), c.api("/git/blobs/%s", sha), c.html("/blob/%s/%s", ref, x.Path)
	return object{
		"type": "file", "size": len(x.Text), "name": path.Base(x.Path), "path": x.Path, "sha": sha,
		"url": self, "git_url": git, "html_url": html, "download_url": c.html("/raw/%s/%s", ref, x.Path),
		"_links": object{"self": self, "git": git, "html": html},
	}
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
