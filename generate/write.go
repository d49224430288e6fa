package generate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// ChangedError names files that are there with another text than the one to be
// written.
type ChangedError struct{ Paths []string }

func (e ChangedError) Error() string {
	return fmt.Sprintf("these files are there and differ: %s (--force overwrites them)", strings.Join(e.Paths, ", "))
}

// Write puts files into a folder, which it makes, and returns the paths of
// those that were not there as they are. Without force a file with another text
// is a ChangedError and nothing is written. No path leads out of the folder,
// not through a symbolic link either.
func Write(dir string, files []File, force bool) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	defer root.Close()
	fresh, changed, err := compareAll(root, files)
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 && !force {
		return nil, ChangedError{changed}
	}
	var written []string
	for _, f := range fresh {
		if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
			return written, fmt.Errorf("make folder: %w", err)
		}
		if err := root.WriteFile(f.Path, []byte(f.Text), 0o644); err != nil {
			return written, fmt.Errorf("write file: %w", err)
		}
		written = append(written, f.Path)
	}
	return written, nil
}

// compareAll returns the files that are to be written, and the paths of those
// among them that are there with another text.
func compareAll(root *os.Root, files []File) (fresh []File, changed []string, err error) {
	for _, f := range files {
		old, err := root.ReadFile(f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fresh = append(fresh, f)
		case err != nil:
			return nil, nil, fmt.Errorf("look at file: %w", err)
		case !bytes.Equal(old, []byte(f.Text)):
			fresh, changed = append(fresh, f), append(changed, f.Path)
		}
	}
	return fresh, changed, nil
}
