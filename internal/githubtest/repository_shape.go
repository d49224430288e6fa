package githubtest

import (
	"net/http"
	"path"
	"strings"
	"time"
)

// repositoryLinks are the addresses below a repository's own, by field.
var repositoryLinks = map[string]string{
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

func (s *Server) getRepository(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	shape := s.repositoryShape(c, repo.FullName)
	shape["has_discussions"], shape["network_count"], shape["subscribers_count"] = false, 0, 0
	return shape, nil
}

// repositoryShape returns GitHub's "repository". A fork that is not kept here
// is made up from its name.
func (s *Server) repositoryShape(c *call, fullName string) object {
	owner, name, _ := strings.Cut(fullName, "/")
	kept := Repository{ID: userID(fullName), FullName: fullName, DefaultBranch: "main"}
	fork := true
	for _, r := range s.state.Repositories {
		if r.FullName == fullName {
			kept, fork = r, false
		}
	}
	web := c.web + "/" + fullName
	shape := object{
		"id": kept.ID, "node_id": nodeID("Repository", kept.ID), "name": name, "full_name": fullName, "owner": c.userShape(owner),
		"private": kept.Private, "fork": fork, "default_branch": kept.DefaultBranch, "html_url": web,
		"clone_url": web + ".git", "svn_url": web, "git_url": "git:" + path.Join("//", fullName) + ".git", "ssh_url": "git@github.com:" + fullName + ".git",
	}
	for field, below := range repositoryLinks {
		shape[field] = c.base + "/repos/" + fullName + below
	}
	for _, field := range []string{"description", "homepage", "language", "mirror_url", "license"} {
		shape[field] = nil
	}
	for _, field := range []string{"has_downloads", "has_issues", "has_projects", "has_wiki", "has_pages", "archived", "disabled"} {
		shape[field] = field == "has_issues"
	}
	for _, field := range []string{"forks", "forks_count", "open_issues", "open_issues_count", "size", "stargazers_count", "watchers", "watchers_count"} {
		shape[field] = 0
	}
	for _, field := range []string{"pushed_at", "created_at", "updated_at"} {
		shape[field] = stamp(c.now.Add(-time.Hour))
	}
	return shape
}
