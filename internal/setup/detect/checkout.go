package detect

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Bounds of what is looked at.
const (
	maxFiles     = 50_000
	maxDepth     = 5 // folders below the top
	MaxFileBytes = 256 << 10
)

// Checkout is a checkout, of which file names and small files are read.
type Checkout struct {
	tree  fs.FS
	files []string // sorted, those of a folder before those below it

	packages map[string]PackageFile // by folder, read so far

	Improve bool // read Playwright's configurations as pwconfig.Improve changes them
}

// PlainPath matches paths without special meaning anywhere in a workflow: in an
// expression, a shell, a glob or YAML.
var PlainPath = lazyregexp.New(`^[\w.@+][\w.@+-]*(/[\w.@+][\w.@+-]*)*$`)

// skipped are folders with the code of others or the results of builds.
var skipped = []string{".git", "node_modules", "vendor", "bin", "obj", "target", "build", "dist", "out", ".venv", "venv", "testdata", "test-results", "__pycache__"}

// Open lists the files of a checkout.
func Open(tree fs.FS) (*Checkout, error) {
	p := &Checkout{tree: tree, packages: map[string]PackageFile{}}
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

// Has reports whether a regular file exists.
func (p *Checkout) Has(name string) bool {
	info, err := fs.Stat(p.tree, name)
	return err == nil && info.Mode().IsRegular()
}

// firstFile returns the first of the names that is a file in dir, "" for none.
func (p *Checkout) firstFile(dir string, names ...string) string {
	for _, name := range names {
		if p.Has(path.Join(dir, name)) {
			return name
		}
	}
	return ""
}

// Text returns the text of a small file, "" when there is none. Only regular
// files are opened: reading a pipe would never end.
func (p *Checkout) Text(name string) string {
	if name == "" || !p.Has(name) {
		return ""
	}
	f, err := p.tree.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxFileBytes))
	if err != nil {
		return ""
	}
	return string(text)
}

// Files returns the files whose base name matches.
func (p *Checkout) Files(pattern *lazyregexp.Regexp) []string {
	var names []string
	for _, name := range p.files {
		if pattern.MatchString(path.Base(name)) {
			names = append(names, name)
		}
	}
	return names
}

// nearestAbove returns the nearest folder from dir up to the top that holds one of the
// names, and that name.
func (p *Checkout) nearestAbove(dir string, names ...string) (folder, name string) {
	for {
		if name := p.firstFile(dir, names...); name != "" {
			return dir, name
		}
		if dir == "." {
			return "", ""
		}
		dir = path.Dir(dir)
	}
}

var (
	remoteHead  = lazyregexp.New(`^ref: refs/remotes/origin/(\S+)\s*$`)
	currentHead = lazyregexp.New(`^ref: refs/heads/(\S+)\s*$`)
)

// DefaultBranch returns the repository's default branch as far as the checkout
// shows it: the one that the remote's HEAD names, else main or master if it
// exists, else the current branch.
func (p *Checkout) DefaultBranch() string {
	if m := remoteHead.FindStringSubmatch(p.Text(".git/refs/remotes/origin/HEAD")); m != nil && PlainPath.MatchString(m[1]) {
		return m[1]
	}
	packed := p.Text(".git/packed-refs")
	for _, name := range []string{"main", "master"} {
		if p.Has(".git/refs/heads/"+name) || p.Has(".git/refs/remotes/origin/"+name) || strings.Contains(packed, " refs/remotes/origin/"+name+"\n") {
			return name
		}
	}
	if m := currentHead.FindStringSubmatch(p.Text(".git/HEAD")); m != nil && PlainPath.MatchString(m[1]) {
		return m[1]
	}
	return "main"
}
