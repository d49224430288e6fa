// Package archive packs the files of one saved item into the archives that
// GitHub Actions keeps, and unpacks them again: zip for artifacts, tar with
// Zstandard for caches. What is unpacked may come from anyone: it is read as a
// stream, bounded by [state.MaxBytes], and holds plain files only.
package archive

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/breadcrumb/action/state"
)

// maxFiles bounds the files of one item; ours have a few.
const maxFiles = 100

// errEmpty says that an archive holds nothing, which nothing of ours saves.
var errEmpty = errors.New("holds no file")

// File is one file of an item in memory.
type File struct {
	Name    string
	Content []byte
}

// ReadFiles returns the top-level files by name, at most [state.MaxBytes]
// together, or [state.ErrTooLarge] or [state.ErrHostile].
func ReadFiles(files fs.FS) ([]File, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, err
	}
	if len(entries) > maxFiles {
		return nil, state.ErrTooLarge
	}
	var all []File
	left := int64(state.MaxBytes)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: %w", e.Name(), state.ErrHostile)
		}
		if info.Size() > left {
			return nil, state.ErrTooLarge
		}
		content, err := fs.ReadFile(files, e.Name())
		if err != nil {
			return nil, err
		}
		if left -= int64(len(content)); left < 0 {
			return nil, state.ErrTooLarge
		}
		all = append(all, File{e.Name(), content})
	}
	return all, nil
}
