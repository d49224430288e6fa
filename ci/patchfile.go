package ci

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

// writePatch writes every offered edit as one patch for `git apply` at the
// repository's top. Without an offer the file is empty.
func writePatch(cfg Config, offers []outcome.Suggestion) error {
	root, err := os.OpenRoot(cfg.Repo)
	if err != nil {
		return err
	}
	defer root.Close()
	text, err := unified(root.FS(), offers)
	if err != nil {
		return err
	}
	return writeFile(cfg.Patch, []byte(text))
}

// unified returns the patch of all offers, file by file.
func unified(source fs.FS, offers []outcome.Suggestion) (string, error) {
	var out strings.Builder
	for _, f := range byFile(offers) {
		before, err := fs.ReadFile(source, f.name)
		if err != nil {
			return "", err
		}
		after, err := patch.Apply(before, f.edits)
		if err != nil {
			return "", err
		}
		diff, err := patch.Unified(f.path, before, after)
		if err != nil {
			return "", err
		}
		out.WriteString(diff)
	}
	return out.String(), nil
}

// fileEdits are the offered edits of one file.
type fileEdits struct {
	name  string // in the checkout folder
	path  string // from the repository's top
	edits []patch.Edit
}

// byFile gathers offers, which come sorted by file, by their files.
func byFile(offers []outcome.Suggestion) []fileEdits {
	var files []fileEdits
	for _, o := range offers {
		if n := len(files); n == 0 || files[n-1].name != o.Edit.File {
			files = append(files, fileEdits{name: o.Edit.File, path: o.Path})
		}
		last := &files[len(files)-1]
		last.edits = append(last.edits, o.Edit)
	}
	return files
}

// pick returns the offers with the given ids, all of them for none or for
// "all". An id that nothing has is an InputError.
func pick(offers []outcome.Suggestion, ids []string) ([]outcome.Suggestion, error) {
	if everything(ids) {
		return offers, nil
	}
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[strings.ToLower(id)] = true
	}
	var picked []outcome.Suggestion
	for _, o := range offers {
		if wanted[o.ID] {
			picked = append(picked, o)
			delete(wanted, o.ID)
		}
	}
	for _, id := range ids {
		if wanted[strings.ToLower(id)] {
			return nil, InputError{fmt.Errorf("no proposed edit has the id %.40q; `breadcrumb apply --dry-run` lists them", id)}
		}
	}
	return picked, nil
}

func everything(ids []string) bool { return len(ids) == 0 || len(ids) == 1 && ids[0] == "all" }
