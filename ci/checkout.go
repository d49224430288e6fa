package ci

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// locateFiles makes the files that reports and heal events name those of the
// checkout.
func (r *run) locateFiles() {
	r.root = rootOf(r.cfg.Repo)
	r.tree.source = r.source
	rebase(r.collected, r.root, r.source)
	locate(r.collected.results, &r.tree)
	r.placeErrors()
}

// rootOf returns the slash-separated path of the checkout folder inside its
// repository, "" for the repository's top. That top is the working directory,
// or the nearest folder on the way from it to repo that holds a repository of
// its own, as a second checkout does. A folder outside the working directory
// counts as a top.
func rootOf(repo string) string {
	root := filepath.Clean(repo)
	if filepath.IsAbs(root) {
		here, err := os.Getwd()
		if err != nil {
			return ""
		}
		if root, err = filepath.Rel(here, root); err != nil {
			return ""
		}
	}
	if !filepath.IsLocal(root) {
		return ""
	}
	for top := root; top != "."; top = filepath.Dir(top) {
		if _, err := os.Stat(filepath.Join(top, ".git")); err == nil {
			root = strings.TrimPrefix(strings.TrimPrefix(root, top), string(filepath.Separator))
			break
		}
	}
	if root == "." {
		return ""
	}
	return filepath.ToSlash(root)
}

// rebase makes the files that a test run named from the repository's top
// relative to the checkout folder root, as all others are.
func rebase(got collected, root string, source fs.FS) {
	if root == "" {
		return
	}
	for i := range got.results {
		got.results[i].File = withoutRoot(got.results[i].File, root, source)
	}
	for _, h := range got.heals {
		if h.Site != nil {
			h.Site.File = withoutRoot(h.Site.File, root, source)
		}
	}
}

// withoutRoot returns file without root before it where only that names a file of
// source.
func withoutRoot(file, root string, source fs.FS) string {
	rest, below := strings.CutPrefix(file, root+"/")
	if !below {
		return file
	}
	if _, err := fs.Stat(source, file); err == nil {
		return file
	}
	if _, err := fs.Stat(source, rest); err != nil {
		return file
	}
	return rest
}

// locate completes the files of failing and flaky tests. A report often names a file by
// its path inside the test folder; where exactly one source file of the
// checkout ends like it, that one is meant, and links and annotations find it.
func locate(results []engine.TestResult, tree *sourceTree) {
	for i := range results {
		r := &results[i]
		if r.File == "" || !r.Final().Status.Failing() && !r.Flaky() {
			continue
		}
		if _, err := fs.Stat(tree.source, r.File); err == nil {
			continue
		}
		if found := bySuffix(r.File, tree.list()); len(found) == 1 {
			r.File = found[0]
		}
	}
}

// bySuffix returns the files of tree whose path ends in name.
func bySuffix(name string, tree []string) []string {
	var found []string
	for _, file := range tree {
		if file == name || strings.HasSuffix(file, "/"+name) {
			found = append(found, file)
		}
	}
	return found
}

// maxWalkEntries bounds the listing of a checkout.
const maxWalkEntries = 50_000

var errTooManyFiles = errors.New("too many files")

// sourceTree lists the source files of a checkout, once and when they are asked for.
type sourceTree struct {
	source fs.FS
	listed bool
	files  []string
	whole  bool // false: the listing was cut at its bound

	indexed bool
	byBase  map[string][]string // files by the last segment of their path
	byStem  map[string][]string // and without its extension
}

// list returns the source files. No link is followed.
func (t *sourceTree) list() []string {
	if t.listed {
		return t.files
	}
	entries := 0
	err := fs.WalkDir(t.source, ".", func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > maxWalkEntries {
			return errTooManyFiles
		}
		if err != nil {
			return err
		}
		if d.IsDir() {
			if holdsNoSource(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() && looksLikeSource(name) {
			t.files = append(t.files, name)
		}
		return nil
	})
	t.listed, t.whole = true, err == nil
	return t.files
}

// sourcesOf returns the source files that the container of a test identity names: by path,
// by path suffix, or as a class by its last segment.
func (t *sourceTree) sourcesOf(container string) []string {
	if !t.indexed {
		t.indexed, t.byBase, t.byStem = true, map[string][]string{}, map[string][]string{}
		for _, name := range t.list() {
			base := path.Base(name)
			stem := strings.TrimSuffix(base, path.Ext(base))
			t.byBase[base], t.byStem[stem] = append(t.byBase[base], name), append(t.byStem[stem], name)
		}
	}
	container = strings.ReplaceAll(container, `\`, "/")
	found := bySuffix(container, t.byBase[path.Base(container)])
	if !looksLikeSource(container) {
		class := container[strings.LastIndexAny(container, ".$/")+1:]
		for _, name := range t.byStem[class] {
			if !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	return found
}

// looksLikeSource reports whether name ends like a source file.
func looksLikeSource(name string) bool {
	switch path.Ext(name) {
	case ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".py", ".java", ".kt", ".scala", ".groovy", ".cs", ".fs", ".vb",
		".go", ".rb", ".php", ".rs", ".swift", ".dart", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".ex", ".exs", ".robot", ".bats", ".feature":
		return true
	}
	return false
}

// holdsNoSource reports whether a folder of that name holds what others wrote or a
// build made.
func holdsNoSource(folder string) bool {
	switch folder {
	case ".git", "node_modules", "vendor", "dist", "build", "target", "bin", "obj":
		return true
	}
	return false
}

// maxSourceBytes bounds one source file that is searched for a title.
const maxSourceBytes = 1 << 20

// readSource reads a regular file of at most maxSourceBytes.
func readSource(source fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(source, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSourceBytes {
		return nil, fs.ErrInvalid
	}
	return fs.ReadFile(source, name)
}
