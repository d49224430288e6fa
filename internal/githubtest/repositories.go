package githubtest

import (
	"encoding/base64"
	"net/http"
	"path"
)

// permission answers what a login may do, with the older four words beside the
// role's name.
func (s *Server) permission(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	login := c.PathValue("login")
	role, known := repo.Permissions[login]
	if !known {
		role = "read"
		if repo.Private {
			role = "none"
		}
	}
	older := map[string]string{"maintain": "write", "triage": "read"}
	permission, ok := older[role]
	if !ok {
		permission = role
	}
	return object{"permission": permission, "role_name": role, "user": c.collaboratorShape(login, role)}, nil
}

func (c *call) collaboratorShape(login, role string) object {
	shape := c.userShape(login)
	rank := map[string]int{"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}[role]
	shape["role_name"] = role
	shape["permissions"] = object{"pull": rank >= 1, "triage": rank >= 2, "push": rank >= 3, "maintain": rank >= 4, "admin": rank >= 5}
	return shape
}

// contents answers one file of a ref, the default branch's when none is asked.
func (s *Server) contents(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	ref := c.URL.Query().Get("ref")
	if ref == "" {
		ref = repo.DefaultBranch
	}
	for _, x := range repo.Contents {
		if x.Path == c.PathValue("path") && (x.Ref == "" || x.Ref == ref) {
			return c.contentShape(repo, x, ref), nil
		}
	}
	return nil, notFound()
}

func (c *call) contentShape(r *Repository, x Content, ref string) object {
	sha := blobSHA(x.Text)
	self := c.base + "/repos/" + r.FullName + "/contents/" + x.Path + "?ref=" + ref
	git := c.base + "/repos/" + r.FullName + "/git/blobs/" + sha
	html := c.web + "/" + r.FullName + "/blob/" + ref + "/" + x.Path
	return object{
		"type": "file", "encoding": "base64", "size": len(x.Text), "name": path.Base(x.Path), "path": x.Path,
		"content": base64.StdEncoding.EncodeToString([]byte(x.Text)), "sha": sha,
		"url": self, "git_url": git, "html_url": html,
		"download_url": c.web + "/" + r.FullName + "/raw/" + ref + "/" + x.Path,
		"_links":       object{"self": self, "git": git, "html": html},
	}
}
