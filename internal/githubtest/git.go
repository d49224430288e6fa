package githubtest

import (
	"bytes"
	"cmp"
	"crypto/sha1" // git names objects by it
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Git is the part of a repository's git data that was written through the API.
type Git struct {
	Refs    map[string]string    `json:"refs,omitempty"`    // "heads/main" to a commit
	Objects map[string]GitObject `json:"objects,omitempty"` // by git's name
}

// GitObject is a blob, a tree or a commit.
type GitObject struct {
	Content []byte     `json:"content,omitempty"` // of a blob
	Tree    []TreeLine `json:"tree,omitempty"`    // of a tree, sorted as git does
	Commit  *GitCommit `json:"commit,omitempty"`
}

// TreeLine is one entry of a tree.
type TreeLine struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	Type string `json:"type"`
	SHA  string `json:"sha"`
}

// GitCommit is one commit.
type GitCommit struct {
	Message string   `json:"message"`
	Tree    string   `json:"tree"`
	Parents []string `json:"parents,omitempty"`
}

// gitRoutes names the routes of the Git data API.
func (s *Server) gitRoutes(git string) {
	s.read("GET "+git+"/ref/{ref...}", s.getRef)
	s.write("POST "+git+"/refs", s.createRef)
	s.write("PATCH "+git+"/refs/{ref...}", s.updateRef)
	s.read("GET "+git+"/blobs/{sha}", s.getBlob)
	s.write("POST "+git+"/blobs", s.createBlob)
	s.read("GET "+git+"/trees/{sha}", s.getTree)
	s.write("POST "+git+"/trees", s.createTree)
	s.read("GET "+git+"/commits/{sha}", s.getCommit)
	s.write("POST "+git+"/commits", s.createCommit)
}

// add keeps an object under git's name for it, which it returns.
func (g *Git) add(kind string, body []byte, o GitObject) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "%s %d\x00", kind, len(body)), body...))
	sha := hex.EncodeToString(sum[:])
	if g.Objects == nil {
		g.Objects = map[string]GitObject{}
	}
	g.Objects[sha] = o
	return sha
}

// addTree sorts and keeps a tree.
func (g *Git) addTree(lines []TreeLine) string {
	slices.SortFunc(lines, func(a, b TreeLine) int { return cmp.Compare(a.sortKey(), b.sortKey()) })
	var body bytes.Buffer
	for _, l := range lines {
		name, err := hex.DecodeString(l.SHA)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&body, "%s %s\x00%s", strings.TrimPrefix(l.Mode, "0"), l.Path, name)
	}
	return g.add("tree", body.Bytes(), GitObject{Tree: lines})
}

// sortKey is the name by which git sorts: a folder's ends with a slash.
func (l TreeLine) sortKey() string {
	if l.Type == "tree" {
		return l.Path + "/"
	}
	return l.Path
}

func (s *Server) getRef(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	name := c.PathValue("ref")
	sha, known := repo.Git.Refs[name]
	if !known {
		return nil, notFound()
	}
	return c.refShape(repo, name, sha), nil
}

func (c *call) refShape(r *Repository, name, sha string) object {
	git := c.base + "/repos/" + r.FullName + "/git/"
	return object{"ref": "refs/" + name, "node_id": nodeID("Ref", userID(name)), "url": git + "refs/" + name,
		"object": object{"sha": sha, "type": "commit", "url": git + "commits/" + sha}}
}

func (s *Server) createRef(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	var in struct{ Ref, SHA string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	name := strings.TrimPrefix(in.Ref, "refs/")
	if _, taken := repo.Git.Refs[name]; taken {
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "Reference already exists"}
	}
	if repo.Git.Objects[in.SHA].Commit == nil {
		return s.createBranch(c, repo, in.Ref, in.SHA)
	}
	if repo.Git.Refs == nil {
		repo.Git.Refs = map[string]string{}
	}
	repo.Git.Refs[name] = in.SHA
	return created{c.refShape(repo, name, in.SHA)}, nil
}

// updateRef moves a ref, forward only unless it is forced.
func (s *Server) updateRef(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	var in struct {
		SHA   string
		Force bool
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	name := c.PathValue("ref")
	old, known := repo.Git.Refs[name]
	switch {
	case !known:
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "Reference does not exist"}
	case repo.Git.Objects[in.SHA].Commit == nil:
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "Object does not exist"}
	case !in.Force && !repo.Git.descends(in.SHA, old):
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "Update is not a fast forward"}
	}
	repo.Git.Refs[name] = in.SHA
	return c.refShape(repo, name, in.SHA), nil
}

// descends reports whether commit is ancestor or comes after it.
func (g *Git) descends(commit, ancestor string) bool {
	for queue := []string{commit}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == ancestor {
			return true
		}
		if o := g.Objects[queue[0]]; o.Commit != nil {
			queue = append(queue, o.Commit.Parents...)
		}
	}
	return false
}

func (s *Server) createBlob(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	var in struct{ Content, Encoding string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	content := []byte(in.Content)
	if in.Encoding == "base64" {
		if content, err = base64.StdEncoding.DecodeString(in.Content); err != nil {
			return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "content is not valid Base64"}
		}
	}
	sha := repo.Git.add("blob", content, GitObject{Content: content})
	return created{object{"sha": sha, "url": c.base + "/repos/" + repo.FullName + "/git/blobs/" + sha}}, nil
}

// getBlob answers in JSON, or the bytes alone when those are asked for.
func (s *Server) getBlob(w http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	sha := c.PathValue("sha")
	o, known := repo.Git.Objects[sha]
	if !known {
		return c.contentBlob(repo, sha)
	}
	if o.Commit != nil || o.Tree != nil {
		return nil, notFound()
	}
	if strings.Contains(c.Header.Get("Accept"), "raw") {
		w.Header().Set("Content-Type", "application/vnd.github.raw+json; charset=utf-8")
		_, _ = w.Write(o.Content)
		return nil, nil
	}
	return object{"sha": sha, "node_id": nodeID("Blob", userID(sha)), "size": len(o.Content), "url": c.base + c.URL.Path,
		"content": base64.StdEncoding.EncodeToString(o.Content), "encoding": "base64"}, nil
}

// getTree answers a tree by its name, or that of a commit or branch.
func (s *Server) getTree(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	sha := c.PathValue("sha")
	if head, isBranch := repo.Git.Refs["heads/"+sha]; isBranch {
		sha = head
	}
	if o := repo.Git.Objects[sha]; o.Commit != nil {
		sha = o.Commit.Tree
	}
	if repo.Git.Objects[sha].Tree == nil {
		return c.contentTree(repo, sha)
	}
	return c.treeShape(repo, sha, c.URL.Query().Get("recursive") != ""), nil
}

func (c *call) treeShape(r *Repository, sha string, deep bool) object {
	git := c.base + "/repos/" + r.FullName + "/git/"
	lines := []any{}
	var walk func(sha, below string)
	walk = func(sha, below string) {
		for _, l := range r.Git.Objects[sha].Tree {
			shape := object{"path": below + l.Path, "mode": l.Mode, "type": l.Type, "sha": l.SHA, "url": git + l.Type + "s/" + l.SHA}
			if l.Type == "blob" {
				shape["size"] = len(r.Git.Objects[l.SHA].Content)
			}
			lines = append(lines, shape)
			if deep && l.Type == "tree" {
				walk(l.SHA, below+l.Path+"/")
			}
		}
	}
	walk(sha, "")
	return object{"sha": sha, "url": git + "trees/" + sha, "tree": lines, "truncated": false}
}

// createTree writes a tree of lines, over the base tree when one is named. A
// line whose sha is null takes its path away.
func (s *Server) createTree(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	var in struct {
		Base string `json:"base_tree"`
		Tree []struct {
			Path, Mode, Type string
			SHA              json.RawMessage
		}
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	lines := slices.Clone(repo.Git.Objects[in.Base].Tree)
	for _, l := range in.Tree {
		before := len(lines)
		lines = slices.DeleteFunc(lines, func(old TreeLine) bool { return old.Path == l.Path })
		sha := text(l.SHA)
		_, known := repo.Git.Objects[sha]
		switch {
		case sha == "null" && before == len(lines), sha != "null" && !known, strings.Contains(l.Path, "/"):
			return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "GitRPC::BadObjectState"}
		case sha != "null":
			lines = append(lines, TreeLine{Path: l.Path, Mode: l.Mode, Type: l.Type, SHA: sha})
		}
	}
	if len(lines) == 0 {
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "Invalid tree info"}
	}
	return created{c.treeShape(repo, repo.Git.addTree(lines), false)}, nil
}

func (s *Server) getCommit(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	sha := c.PathValue("sha")
	if repo.Git.Objects[sha].Commit == nil {
		return nil, notFound()
	}
	return c.commitShape(repo, sha), nil
}

func (c *call) commitShape(r *Repository, sha string) object {
	commit := r.Git.Objects[sha].Commit
	git := c.base + "/repos/" + r.FullName + "/git/"
	who := object{"name": c.token.Login, "email": "bot@users.noreply.github.com", "date": stamp(c.now)}
	parents := []any{}
	for _, p := range commit.Parents {
		parents = append(parents, object{"sha": p, "url": git + "commits/" + p, "html_url": c.web + "/" + r.FullName + "/commit/" + p})
	}
	return object{"sha": sha, "node_id": nodeID("Commit", userID(sha)), "url": git + "commits/" + sha, "html_url": c.web + "/" + r.FullName + "/commit/" + sha,
		"author": who, "committer": who, "message": commit.Message, "parents": parents,
		"tree":         object{"sha": commit.Tree, "url": git + "trees/" + commit.Tree},
		"verification": object{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil}}
}

func (s *Server) createCommit(_ http.ResponseWriter, c *call) (any, error) {
	repo, err := s.repository(c)
	if err != nil {
		return nil, err
	}
	var in GitCommit
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if repo.Git.Objects[in.Tree].Tree == nil {
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: "Tree SHA does not exist"}
	}
	body := fmt.Appendf(nil, "tree %s\n", in.Tree)
	for _, p := range in.Parents {
		body = fmt.Appendf(body, "parent %s\n", p)
	}
	body = fmt.Appendf(body, "author %s %d\n\n%s", c.token.Login, c.now.UnixNano(), in.Message)
	sha := repo.Git.add("commit", body, GitObject{Commit: &in})
	return created{c.commitShape(repo, sha)}, nil
}
