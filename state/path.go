package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/replace"
)

// Path is a backend in a directory: for local use, other CI systems or a
// mounted volume. An item is a folder. Nothing expires, and the directory does
// not know who saved an item: whoever may write to it is trusted.
type Path struct {
	dir string
}

var _ Backend = (*Path)(nil)

// tempItem begins the name of an item that is not complete yet.
const tempItem = ".put-"

// NewPath returns the backend in the directory dir, which the first Put
// creates.
func NewPath(dir string) *Path { return &Path{dir: dir} }

// List implements Backend. An item's time is that of its folder.
func (p *Path) List(ctx context.Context, prefix string) ([]Item, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("list state: %w", err)
	}
	entries, err := os.ReadDir(p.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list state: %w", err)
	}
	var items []Item
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) || !validName(e.Name()) {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list state: %w", err)
		}
		items = append(items, Item{ID: e.Name(), Name: e.Name(), Created: info.ModTime()})
	}
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.Name, b.Name))
	})
	return items, nil
}

// Get implements Backend.
func (p *Path) Get(ctx context.Context, item Item, into *os.Root) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("read %s: %w", item.Name, err)
	}
	if !validName(item.ID) {
		return fmt.Errorf("read %s: %w", item.Name, ErrGone)
	}
	root, err := os.OpenRoot(filepath.Join(p.dir, item.ID))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrGone
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", item.Name, err)
	}
	defer root.Close()
	if err := CopyFiles(ctx, root.FS(), into); err != nil {
		return fmt.Errorf("read %s: %w", item.Name, err)
	}
	return nil
}

// Put implements Backend. If it is killed at any moment, the item is missing
// or complete.
func (p *Path) Put(ctx context.Context, name string, files fs.FS) error {
	if !validName(name) {
		return fmt.Errorf("save %s: not a name of an item", name)
	}
	if err := p.putFolder(ctx, name, files); err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	return nil
}

func (p *Path) putFolder(ctx context.Context, name string, files fs.FS) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(p.dir, tempItem)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	into, err := os.OpenRoot(temp)
	if err != nil {
		return err
	}
	// Windows renames no folder that is open.
	if err := errors.Join(CopyFiles(ctx, files, into), into.Close()); err != nil {
		return err
	}
	return renameFolder(temp, filepath.Join(p.dir, name))
}

// renameFolder renames a folder to a name that must not exist. A folder with files
// cannot be replaced, which every system reports by another error.
func renameFolder(folder, name string) error {
	err := replace.File(folder, name)
	if err == nil {
		return nil
	}
	if _, there := os.Lstat(name); there == nil {
		return ErrExists
	}
	return err
}

// CopyFiles copies the top-level files of from into a directory and syncs
// them, at most MaxBytes together. Anything but a plain file is an error.
func CopyFiles(ctx context.Context, from fs.FS, into *os.Root) error {
	entries, err := fs.ReadDir(from, ".")
	if err != nil {
		return err
	}
	left := int64(MaxBytes)
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !e.Type().IsRegular() {
			return fmt.Errorf("%s: %w", e.Name(), ErrHostile)
		}
		f, err := from.Open(e.Name())
		if err != nil {
			return err
		}
		n, err := WriteFile(into, e.Name(), f, left)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// WriteFile writes the content of r to a new file of a directory, syncs it and
// returns the number of bytes. The error is ErrTooLarge when there are more
// than limit, ErrHostile for a bad name or one that is there already.
func WriteFile(into *os.Root, name string, r io.Reader, limit int64) (int64, error) {
	if name != filepath.Base(name) || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) {
		return 0, fmt.Errorf("%q: %w", name, ErrHostile)
	}
	f, err := into.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%q twice: %w", name, ErrHostile)
	}
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(f, io.LimitReader(r, limit+1))
	if err == nil && n > limit {
		err = ErrTooLarge
	}
	if err == nil {
		err = f.Sync()
	}
	return n, errors.Join(err, f.Close())
}

// validName reports whether name can be the name of an item: [a-z0-9-]+.
func validName(name string) bool {
	return name != "" && len(name) <= 200 && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}
