package ci

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

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
		got.results[i].File = inside(got.results[i].File, root, source)
	}
	for _, h := range got.heals {
		if h.Site != nil {
			h.Site.File = inside(h.Site.File, root, source)
		}
	}
}

// inside returns file without root before it where only that names a file of
// source.
func inside(file, root string, source fs.FS) string {
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
