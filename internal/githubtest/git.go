package githubtest

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
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
	{"GET", inRepo + "/commits", read, (*call).listCommits},
	{"GET", inRepo + "/compare/{range...}", read, (*call).compareCommits},
	{"POST", inRepo + "/git/commits", write, withBody((*call).createCommit)},
}

// addObject stores an object under its git hash and returns the hash.
func (g *Git) addObject(kind string, body []byte, o GitObject) string {
	sha := hashObject(kind, body)
	if g.Objects == nil {
		g.Objects = map[string]GitObject{}
	}
	g.Objects[sha] = o
	return sha
}

// addTree sorts and stores a tree and returns its hash.
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
	return g.addObject("tree", body.Bytes(), GitObject{Tree: lines})
}

// sortKey returns the name by which git sorts: that of a folder ends with a slash.
func (l TreeLine) sortKey() string {
	if l.Type == "tree" {
		return l.Path + "/"
	}
	return l.Path
}

func (c *call) getRef() (any, error) {
	name := c.PathValue("ref")
	b, known := c.repo.findBranch(strings.TrimPrefix(name, "heads/"))
	if !known {
		return nil, notFound
	}
	return c.refShape(name, b.SHA), nil
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
// of the loaded state.
func (c *call) createRef(in refIn) (any, error) {
	name := strings.TrimPrefix(in.Ref, "refs/")
	branch := strings.TrimPrefix(name, "heads/")
	_, taken := c.repo.findBranch(branch)
	switch {
	case c.token.NoContents:
		return nil, inaccessible
	case !strings.HasPrefix(in.Ref, "refs/") || !branchRef.MatchString(name):
		return nil, unprocessable("Reference name must start with 'refs/heads/'")
	case !c.repo.hasCommit(in.SHA) && c.repo.Git.Objects[in.SHA].Commit == nil:
		return nil, unprocessable("Object does not exist")
	case taken:
		return nil, unprocessable("Reference already exists")
	}
	c.repo.Branches = append(c.repo.Branches, Branch{Name: branch, SHA: in.SHA})
	return created{c.refShape(name, in.SHA)}, nil
}

// updateRef moves a ref. Unless it is forced the new commit must descend from the old.
func (c *call) updateRef(in refIn) (any, error) {
	name := c.PathValue("ref")
	branch := strings.TrimPrefix(name, "heads/")
	old, known := c.repo.findBranch(branch)
	switch {
	case !known:
		return nil, unprocessable("Reference does not exist")
	case c.repo.Git.Objects[in.SHA].Commit == nil:
		return nil, unprocessable("Object does not exist")
	case !in.Force && !c.repo.Git.descends(in.SHA, old.SHA):
		return nil, unprocessable("Update is not a fast forward")
	}
	c.repo.moveBranch(branch, in.SHA)
	return c.refShape(name, in.SHA), nil
}

// descends reports whether commit is ancestor or descends from it.
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

func (c *call) createBlob(in struct{ Content, Encoding string }) (any, error) {
	if in.Encoding == "base64" {
		content, err := base64.StdEncoding.DecodeString(in.Content)
		if err != nil {
			return nil, unprocessable("content is not valid Base64")
		}
		in.Content = string(content)
	}
	sha := c.repo.Git.keepBlob(in.Content)
	return created{object{"sha": sha, "url": c.api("/git/blobs/%s", sha)}}, nil
}

// getBlob returns a blob as JSON, or its bytes alone where the request accepts them.
func (c *call) getBlob() (any, error) {
	sha := c.PathValue("sha")
	if x := find(c.repo.Contents, func(x Content) bool { return blobSHA(x.Text) == sha }); x != nil {
		c.repo.Git.keepBlob(x.Text)
	}
	o, known := c.repo.Git.Objects[sha]
	switch {
	case !known || o.Commit != nil || o.Tree != nil:
		return nil, notFound
	case strings.Contains(c.Header.Get("Accept"), "raw"):
		c.w.Header().Set("Content-Type", "application/vnd.github.raw+json; charset=utf-8")
		_, _ = c.w.Write(o.Content)
		return nil, nil
	}
	return object{"sha": sha, "node_id": nodeID("Blob", stableID(sha)), "size": len(o.Content), "url": c.api("/git/blobs/%s", sha),
		"content": base64.StdEncoding.EncodeToString(o.Content), "encoding": "base64"}, nil
}

// getTree returns the tree of a hash, of a commit or of a branch.
func (c *call) getTree() (any, error) {
	sha := c.PathValue("sha")
	if head, isBranch := c.repo.findBranch(sha); isBranch {
		sha = head.SHA
	}
	if o := c.repo.Git.Objects[sha]; o.Commit != nil {
		sha = o.Commit.Tree
	} else if c.repo.hasCommit(sha) {
		sha = c.repo.Git.keepTree(c.repo.filesAt(sha), "")
	}
	if c.repo.Git.Objects[sha].Tree == nil {
		return nil, notFound
	}
	return c.treeShape(sha, c.URL.Query().Get("recursive") != ""), nil
}

func (c *call) treeShape(sha string, deep bool) object {
	return object{"sha": sha, "url": c.api("/git/trees/%s", sha), "tree": c.lineShapes(sha, "", deep), "truncated": false}
}

// lineShapes returns the lines of a tree, with below before each path, and where deep
// is set also those of its folders.
func (c *call) lineShapes(sha, below string, deep bool) []object {
	lines := []object{}
	for _, l := range c.repo.Git.Objects[sha].Tree {
		shape := object{"path": below + l.Path, "mode": l.Mode, "type": l.Type, "sha": l.SHA, "url": c.api("/git/%ss/%s", l.Type, l.SHA)}
		if l.Type == "blob" {
			shape["size"] = len(c.repo.Git.Objects[l.SHA].Content)
		}
		lines = append(lines, shape)
		if deep && l.Type == "tree" {
			lines = append(lines, c.lineShapes(l.SHA, below+l.Path+"/", deep)...)
		}
	}
	return lines
}

// keepTree stores the files of a folder as git objects and returns the hash of its
// tree. The name of the folder ends with a slash; the top's is "".
func (g *Git) keepTree(files map[string]Content, dir string) string {
	lines := map[string]TreeLine{}
	for path, x := range files {
		rest, below := strings.CutPrefix(path, dir)
		name, _, nested := strings.Cut(rest, "/")
		_, known := lines[name]
		switch {
		case !below || known:
		case nested:
			lines[name] = TreeLine{Path: name, Mode: "040000", Type: "tree", SHA: g.keepTree(files, dir+name+"/")}
		default:
			lines[name] = TreeLine{Path: name, Mode: cmp.Or(x.Mode, "100644"), Type: "blob", SHA: g.keepBlob(x.Text)}
		}
	}
	return g.addTree(slices.AppendSeq([]TreeLine{}, maps.Values(lines)))
}

func (g *Git) keepBlob(content string) string {
	return g.addObject("blob", []byte(content), GitObject{Content: []byte(content)})
}

type treeIn struct {
	Base string `json:"base_tree"`
	Tree []struct {
		Path, Mode, Type string
		SHA              json.RawMessage
	}
}

// createTree writes a tree: the lines of the base tree, if one is named, with those
// of the request over them. A line whose sha is null removes its path.
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
	return created{c.treeShape(sha, false)}, nil
}

func (c *call) getCommit() (any, error) {
	sha := c.PathValue("sha")
	if made := find(c.repo.Commits, func(m Commit) bool { return m.SHA == sha }); made != nil {
		return c.gitCommitShape(sha, GitCommit{Message: made.Message, Tree: sha, Parents: []string{made.Parent}}), nil
	}
	if c.repo.Git.Objects[sha].Commit == nil {
		return nil, notFound
	}
	return c.commitShape(sha), nil
}

func (c *call) commitShape(sha string) object {
	return c.gitCommitShape(sha, *c.repo.Git.Objects[sha].Commit)
}

func (c *call) gitCommitShape(sha string, commit GitCommit) object {
	who := object{"name": c.token.Login, "email": "bot@users.noreply.github.com", "date": formatTime(c.now)}
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
	return created{c.commitShape(c.repo.Git.addObject("commit", body, GitObject{Commit: &in}))}, nil
}

// compareCommits lists the commits of a merge group that its base lacks.
func (c *call) compareCommits() (any, error) {
	base, head, ok := strings.Cut(c.PathValue("range"), "...")
	queued := filter(c.repo.Queued, func(q QueuedCommit) bool { return q.Head == head })
	if ok && len(queued) == 0 {
		return c.comparePast(base, head)
	}
	if !ok {
		return nil, notFound
	}
	start := c.comparedShape(QueuedCommit{SHA: queued[0].SHA, Message: "base"})
	shape := object{"base_commit": start, "merge_base_commit": start, "status": "ahead", "ahead_by": len(queued), "behind_by": 0, "total_commits": len(queued),
		"commits": pageOf(c, queued, c.comparedShape), "files": []any{}}
	setURLs(shape, c.html("/compare/%s...%s", base, head), map[string]string{"html_url": "", "permalink_url": "", "diff_url": ".diff", "patch_url": ".patch"})
	shape["url"] = c.api("/compare/%s...%s", base, head)
	return shape, nil
}

// comparePast returns where two commits, or branches, part.
func (c *call) comparePast(base, head string) (any, error) {
	ours, theirs := c.ancestors(c.tipOf(base), math.MaxInt), c.ancestors(c.tipOf(head), math.MaxInt)
	i := slices.IndexFunc(theirs, func(sha string) bool { return slices.Contains(ours, sha) })
	if i < 0 {
		return nil, notFound
	}
	merged, status := theirs[i], c.statusOf(ours[0], theirs[0])
	self := c.api("/compare/%s...%s", base, head)
	return object{"url": self, "html_url": self, "permalink_url": self, "diff_url": self, "patch_url": self, "base_commit": c.pastShape(ours[0]),
		"merge_base_commit": c.pastShape(merged), "status": status, "ahead_by": i, "behind_by": slices.Index(ours, merged), "total_commits": i,
		"commits": []any{}, "files": []any{}}, nil
}

func (c *call) comparedShape(q QueuedCommit) object {
	who := object{"name": c.token.Login, "email": "bot@users.noreply.github.com", "date": formatTime(c.now)}
	self := c.api("/commits/%s", q.SHA)
	return object{"sha": q.SHA, "node_id": nodeID("Commit", stableID(q.SHA)), "url": self, "html_url": c.html("/commit/%s", q.SHA), "comments_url": self + "/comments",
		"author": nil, "committer": nil, "parents": []any{}, "commit": object{
			"url": c.api("/git/commits/%s", q.SHA), "author": who, "committer": who, "message": q.Message, "comment_count": 0,
			"tree":         object{"sha": q.SHA, "url": c.api("/git/trees/%s", q.SHA)},
			"verification": object{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil}}}
}

// listCommits lists the commits of a branch, or those before a commit.
func (c *call) listCommits() (any, error) {
	all := c.ancestors(c.tipOf(c.URL.Query().Get("sha")), math.MaxInt)
	if len(all) == 0 {
		return nil, notFound
	}
	return pageOf(c, all, c.pastShape), nil
}
