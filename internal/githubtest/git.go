package githubtest

import (
	"bytes"
	"cmp"
	"crypto/sha1" // git names objects by it
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var gitRoutes = []route{
	{"GET", inRepo + "/git/ref/{ref...}", read, (*call).getRef},
	{"POST", inRepo + "/git/refs", write, withBody((*call).createRef)},
	{"PATCH", inRepo + "/git/refs/{ref...}", write, withBody((*call).updateRef)},
	{"GET", inRepo + "/git/blobs/{sha}", read, (*call).getBlob},
	{"POST", inRepo + "/git/blobs", write, withBody((*call).createBlob)},
	{"GET", inRepo + "/git/trees/{sha}", read, (*call).getTree},
	{"POST", inRepo + "/git/trees", write, withBody((*call).createTree)},
	{"GET", inRepo + "/git/commits/{sha}", read, (*call).getCommit},
	{"POST", inRepo + "/git/commits", write, withBody((*call).createCommit)},
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

func (c *call) getRef() (any, error) {
	name := c.PathValue("ref")
	sha, known := c.repo.Git.Refs[name]
	if !known {
		return nil, notFound()
	}
	return c.refShape(name, sha), nil
}

func (c *call) refShape(name, sha string) object {
	return object{"ref": "refs/" + name, "node_id": nodeID("Ref", stableID(name)), "url": c.api("/git/refs/%s", name),
		"object": object{"sha": sha, "type": "commit", "url": c.api("/git/commits/%s", sha)}}
}

var branchRef = regexp.MustCompile(`^heads/[A-Za-z0-9._/-]+$`)

type refIn struct {
	Ref, SHA string
	Force    bool
}

// createRef makes a branch at a commit that was written through the API, or at one
// of the kept contents.
func (c *call) createRef(in refIn) (any, error) {
	name := strings.TrimPrefix(in.Ref, "refs/")
	if _, taken := c.repo.Git.Refs[name]; taken {
		return nil, unprocessable("Reference already exists")
	}
	if c.repo.Git.Objects[in.SHA].Commit != nil {
		if c.repo.Git.Refs == nil {
			c.repo.Git.Refs = map[string]string{}
		}
		c.repo.Git.Refs[name] = in.SHA
		return created{c.refShape(name, in.SHA)}, nil
	}
	branch := strings.TrimPrefix(name, "heads/")
	_, taken := c.repo.branch(branch)
	switch {
	case c.token.NoContents:
		return nil, forbidden("Resource not accessible by integration")
	case !strings.HasPrefix(in.Ref, "refs/") || !branchRef.MatchString(name):
		return nil, unprocessable("Reference name must start with 'refs/heads/'")
	case !c.repo.hasCommit(in.SHA):
		return nil, unprocessable("Object does not exist")
	case taken:
		return nil, unprocessable("Reference already exists")
	}
	c.repo.Branches = append(c.repo.Branches, Branch{Name: branch, SHA: in.SHA})
	return created{c.refShape(name, in.SHA)}, nil
}

// updateRef moves a ref, forward only unless it is forced.
func (c *call) updateRef(in refIn) (any, error) {
	name := c.PathValue("ref")
	old, known := c.repo.Git.Refs[name]
	switch {
	case !known:
		return nil, unprocessable("Reference does not exist")
	case c.repo.Git.Objects[in.SHA].Commit == nil:
		return nil, unprocessable("Object does not exist")
	case !in.Force && !c.repo.Git.descends(in.SHA, old):
		return nil, unprocessable("Update is not a fast forward")
	}
	c.repo.Git.Refs[name] = in.SHA
	return c.refShape(name, in.SHA), nil
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

type blobIn struct{ Content, Encoding string }

func (c *call) createBlob(in blobIn) (any, error) {
	content := []byte(in.Content)
	if in.Encoding == "base64" {
		var err error
		if content, err = base64.StdEncoding.DecodeString(in.Content); err != nil {
			return nil, unprocessable("content is not valid Base64")
		}
	}
	sha := c.repo.Git.add("blob", content, GitObject{Content: content})
	return created{object{"sha": sha, "url": c.api("/git/blobs/%s", sha)}}, nil
}

// getBlob answers in JSON, or the bytes alone when those are asked for. A file of
// the kept contents is found by git's name for it, too.
func (c *call) getBlob() (any, error) {
	sha := c.PathValue("sha")
	o, written := c.repo.Git.Objects[sha]
	at := slices.IndexFunc(c.repo.Contents, func(x Content) bool { return blobSHA(x.Text) == sha })
	switch {
	case o.Commit != nil || o.Tree != nil || !written && at < 0:
		return nil, notFound()
	case !written:
		o.Content = []byte(c.repo.Contents[at].Text)
	case strings.Contains(c.Header.Get("Accept"), "raw"):
		c.w.Header().Set("Content-Type", "application/vnd.github.raw+json; charset=utf-8")
		_, _ = c.w.Write(o.Content)
		return nil, nil
	}
	return object{"sha": sha, "node_id": nodeID("Blob", stableID(sha)), "size": len(o.Content), "url": c.api("/git/blobs/%s", sha),
		"content": base64.StdEncoding.EncodeToString(o.Content), "encoding": "base64"}, nil
}

// getTree answers a tree by its name, or that of a commit or branch.
func (c *call) getTree() (any, error) {
	sha := c.PathValue("sha")
	if head, isBranch := c.repo.Git.Refs["heads/"+sha]; isBranch {
		sha = head
	}
	if o := c.repo.Git.Objects[sha]; o.Commit != nil {
		sha = o.Commit.Tree
	}
	if c.repo.Git.Objects[sha].Tree != nil {
		return c.treeShape(sha, c.writtenLines(sha, "", c.URL.Query().Get("recursive") != "")), nil
	}
	commit, dir, known := c.repo.findTree(sha)
	if !known {
		return nil, notFound()
	}
	return c.treeShape(treeSHA(commit, dir), c.contentLines(commit, dir)), nil
}

// lineShape is one line of a tree, with the size of a blob.
func (c *call) lineShape(path string, l TreeLine, size int) object {
	shape := object{"path": path, "mode": l.Mode, "type": l.Type, "sha": l.SHA, "url": c.api("/git/%ss/%s", l.Type, l.SHA)}
	if l.Type == "blob" {
		shape["size"] = size
	}
	return shape
}

func (c *call) treeShape(sha string, lines []object) object {
	return object{"sha": sha, "url": c.api("/git/trees/%s", sha), "tree": lines, "truncated": false}
}

// writtenLines are the lines of a tree that was written through the API. Their paths
// begin with below; when it is deep, those of all folders follow.
func (c *call) writtenLines(sha, below string, deep bool) []object {
	lines := []object{}
	for _, l := range c.repo.Git.Objects[sha].Tree {
		lines = append(lines, c.lineShape(below+l.Path, l, len(c.repo.Git.Objects[l.SHA].Content)))
		if deep && l.Type == "tree" {
			lines = append(lines, c.writtenLines(l.SHA, below+l.Path+"/", deep)...)
		}
	}
	return lines
}

// contentLines are the lines of a folder of the kept contents. Its name ends with a
// slash.
func (c *call) contentLines(commit, dir string) []object {
	lines := map[string]object{}
	for path, x := range c.repo.files(commit) {
		rest, below := strings.CutPrefix(path, dir)
		name, _, nested := strings.Cut(rest, "/")
		switch {
		case nested && below:
			lines[name] = c.lineShape(name, TreeLine{Mode: "040000", Type: "tree", SHA: treeSHA(commit, dir+name+"/")}, 0)
		case below:
			lines[name] = c.lineShape(name, TreeLine{Mode: cmp.Or(x.Mode, "100644"), Type: "blob", SHA: blobSHA(x.Text)}, len(x.Text))
		}
	}
	sorted := []object{}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		sorted = append(sorted, lines[name])
	}
	return sorted
}

// treeSHA names the tree of a folder of a commit, so that it can be asked for.
func treeSHA(commit, dir string) string { return blobSHA("tree " + commit + " " + dir) }

// findTree returns the commit and the folder, with a slash at its end, that a
// name stands for.
func (r *Repository) findTree(sha string) (commit, dir string, known bool) {
	if r.hasCommit(sha) {
		return sha, "", true
	}
	var commits []string
	for _, b := range r.Branches {
		commits = append(commits, b.SHA)
	}
	for _, pr := range r.PullRequests {
		commits = append(commits, pr.HeadSHA)
	}
	for _, commit := range commits {
		for path := range r.files(commit) {
			for i, ch := range path {
				if ch == '/' && treeSHA(commit, path[:i+1]) == sha {
					return commit, path[:i+1], true
				}
			}
		}
	}
	return "", "", false
}

type treeIn struct {
	Base string `json:"base_tree"`
	Tree []struct {
		Path, Mode, Type string
		SHA              json.RawMessage
	}
}

// createTree writes a tree of lines, over the base tree when one is named. A
// line whose sha is null takes its path away.
func (c *call) createTree(in treeIn) (any, error) {
	lines := slices.Clone(c.repo.Git.Objects[in.Base].Tree)
	for _, l := range in.Tree {
		before := len(lines)
		lines = slices.DeleteFunc(lines, func(old TreeLine) bool { return old.Path == l.Path })
		sha := unquote(l.SHA)
		_, known := c.repo.Git.Objects[sha]
		switch {
		case sha == "null" && before == len(lines), sha != "null" && !known, strings.Contains(l.Path, "/"):
			return nil, unprocessable("GitRPC::BadObjectState")
		case sha != "null":
			lines = append(lines, TreeLine{Path: l.Path, Mode: l.Mode, Type: l.Type, SHA: sha})
		}
	}
	if len(lines) == 0 {
		return nil, unprocessable("Invalid tree info")
	}
	sha := c.repo.Git.addTree(lines)
	return created{c.treeShape(sha, c.writtenLines(sha, "", false))}, nil
}

func (c *call) getCommit() (any, error) {
	sha := c.PathValue("sha")
	if c.repo.Git.Objects[sha].Commit == nil {
		return nil, notFound()
	}
	return c.commitShape(sha), nil
}

func (c *call) commitShape(sha string) object {
	commit := c.repo.Git.Objects[sha].Commit
	who := object{"name": c.token.Login, "email": "bot@users.noreply.github.com", "date": stamp(c.now)}
	parents := []any{}
	for _, p := range commit.Parents {
		parents = append(parents, object{"sha": p, "url": c.api("/git/commits/%s", p), "html_url": c.html("/commit/%s", p)})
	}
	return object{"sha": sha, "node_id": nodeID("Commit", stableID(sha)), "url": c.api("/git/commits/%s", sha), "html_url": c.html("/commit/%s", sha),
		"author": who, "committer": who, "message": commit.Message, "parents": parents,
		"tree":         object{"sha": commit.Tree, "url": c.api("/git/trees/%s", commit.Tree)},
		"verification": object{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil}}
}

func (c *call) createCommit(in GitCommit) (any, error) {
	if c.repo.Git.Objects[in.Tree].Tree == nil {
		return nil, unprocessable("Tree SHA does not exist")
	}
	body := fmt.Appendf(nil, "tree %s\n", in.Tree)
	for _, p := range in.Parents {
		body = fmt.Appendf(body, "parent %s\n", p)
	}
	body = fmt.Appendf(body, "author %s %d\n\n%s", c.token.Login, c.now.UnixNano(), in.Message)
	return created{c.commitShape(c.repo.Git.add("commit", body, GitObject{Commit: &in}))}, nil
}
