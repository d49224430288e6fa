package setup

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Bounds of what is looked at.
const (
	maxFiles     = 50_000
	maxDepth     = 5 // folders below the top
	maxFileBytes = 256 << 10
)

// project is a checkout as its file names and small texts tell it.
type project struct {
	tree  fs.FS
	files []string // sorted, those of a folder before those below it

	improve bool // Playwright's configurations are read as pwconfig.Improve makes them
}

// plainPath is a path that means itself wherever it stands in a workflow: in an
// expression, a shell, a glob or YAML.
var plainPath = regexp.MustCompile(`^[\w.@+][\w.@+-]*(/[\w.@+][\w.@+-]*)*$`)

// skipped are folders that hold what others wrote or what a build left.
var skipped = []string{".git", "node_modules", "vendor", "bin", "obj", "target", "build", "dist", "out", ".venv", "venv", "testdata", "test-results", "__pycache__"}

// open lists a checkout.
func open(tree fs.FS) (*project, error) {
	p := &project{tree: tree}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil, len(p.files) >= maxFiles:
			return fs.SkipDir
		case d.IsDir() && name != "." && (slices.Contains(skipped, d.Name()) || strings.Count(name, "/") >= maxDepth):
			return fs.SkipDir
		case d.Type().IsRegular():
			p.files = append(p.files, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look through the checkout: %w", err)
	}
	slices.SortStableFunc(p.files, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return p, nil
}

// has reports whether a file is there.
func (p *project) has(name string) bool {
	info, err := fs.Stat(p.tree, name)
	return err == nil && info.Mode().IsRegular()
}

// first returns the first of the names that is a file in dir, "" for none.
func (p *project) first(dir string, names ...string) string {
	for _, name := range names {
		if p.has(path.Join(dir, name)) {
			return name
		}
	}
	return ""
}

// text returns a small file's text, "" where there is none. What is no regular
// file is not opened: a pipe would never end.
func (p *project) text(name string) string {
	if name == "" || !p.has(name) {
		return ""
	}
	f, err := p.tree.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes))
	if err != nil {
		return ""
	}
	return string(text)
}

// named returns the files whose last segment matches.
func (p *project) named(pattern *regexp.Regexp) []string {
	var names []string
	for _, name := range p.files {
		if pattern.MatchString(path.Base(name)) {
			names = append(names, name)
		}
	}
	return names
}

// above returns the nearest folder from dir up to the top that holds one of the
// names, and that name.
func (p *project) above(dir string, names ...string) (folder, name string) {
	for {
		if name := p.first(dir, names...); name != "" {
			return dir, name
		}
		if dir == "." {
			return "", ""
		}
		dir = path.Dir(dir)
	}
}

var (
	remoteHead  = regexp.MustCompile(`^ref: refs/remotes/origin/(\S+)\s*$`)
	currentHead = regexp.MustCompile(`^ref: refs/heads/(\S+)\s*$`)
)

// defaultBranch returns the repository's default branch as far as the checkout
// tells: what the remote's HEAD names, else main or master where there is one,
// else the current branch.
func (p *project) defaultBranch() string {
	if m := remoteHead.FindStringSubmatch(p.text(".git/refs/remotes/origin/HEAD")); m != nil && plainPath.MatchString(m[1]) {
		return m[1]
	}
	packed := p.text(".git/packed-refs")
	for _, name := range []string{"main", "master"} {
		if p.has(".git/refs/heads/"+name) || p.has(".git/refs/remotes/origin/"+name) || strings.Contains(packed, " refs/remotes/origin/"+name+"\n") {
			return name
		}
	}
	if m := currentHead.FindStringSubmatch(p.text(".git/HEAD")); m != nil && plainPath.MatchString(m[1]) {
		return m[1]
	}
	return "main"
}
