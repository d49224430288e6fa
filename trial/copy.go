package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a checkout that is copied.
const (
	maxCopiedBytes = 2 << 30
	maxCopiedFiles = 200_000
)

// checkout is a copy of a checkout in a folder of its own.
type checkout struct {
	ctx   context.Context // ends the copying
	from  string          // the user's
	root  string          // the copy's
	top   string          // folder that holds the copy and goes with it
	bytes int64
	files int
}

// copyCheckout copies a checkout as it stands, with what is not committed. What is
// installed is linked: the copy has links to each package of node_modules and to Python's
// virtual environments. The history and the results of earlier runs are left out.
func copyCheckout(ctx context.Context, root string) (*checkout, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	top, err := os.MkdirTemp("", "breadcrumb-trial-")
	if err == nil {
		top, err = filepath.EvalSymlinks(top)
	}
	if err != nil {
		return nil, err
	}
	c := &checkout{ctx: ctx, from: root, top: top, root: filepath.Join(top, filepath.Base(root))}
	if filepath.Base(root) == string(filepath.Separator) {
		return nil, errors.Join(errors.New("the checkout is the root of the file system"), c.remove())
	}
	err = c.copyFolder("")
	if err == nil {
		err = os.MkdirAll(filepath.Join(c.root, ".git"), 0o700) // marks the top of a repository
	}
	if err != nil {
		return nil, errors.Join(err, c.remove())
	}
	return c, nil
}

// remove removes the copy. What it links to stays.
func (c *checkout) remove() error { return os.RemoveAll(c.top) }

// moved returns a text with the copy's folder in the place of the checkout's.
func (c *checkout) moved(text string) string {
	var out strings.Builder
	for {
		at := strings.Index(text, c.from)
		if at < 0 {
			return out.String() + text
		}
		end := at + len(c.from)
		out.WriteString(text[:at])
		if end < len(text) && !strings.ContainsRune("/\\:;,\"' ", rune(text[end])) {
			out.WriteString(c.from) // a folder whose name only begins so
		} else {
			out.WriteString(c.root)
		}
		text = text[end:]
	}
}

// left are folders and files that no test needs from an earlier run.
var left = []string{".git", "test-results", "playwright-report", "blob-report", ".breadcrumb.db", ".breadcrumb.db-wal", ".breadcrumb.db-shm", ".pytest_cache", "__pycache__"}

// copyFolder copies a folder below the root.
func (c *checkout) copyFolder(name string) error {
	from := filepath.Join(c.from, name)
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(c.root, name), 0o700); err != nil {
		return err
	}
	for _, e := range entries {
		if slices.Contains(left, e.Name()) || name == "" && e.Name() == "heals" {
			continue
		}
		if err := c.copyEntry(filepath.Join(name, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

func (c *checkout) copyEntry(name string, e fs.DirEntry) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if c.files++; c.files > maxCopiedFiles {
		return fmt.Errorf("the checkout has more than %d files", maxCopiedFiles)
	}
	from, to := filepath.Join(c.from, name), filepath.Join(c.root, name)
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		return c.copyLink(from, to)
	case e.IsDir() && e.Name() == "node_modules":
		return c.linkModules(name)
	case e.IsDir():
		if _, err := os.Stat(filepath.Join(from, "pyvenv.cfg")); err == nil {
			return os.Symlink(from, to)
		}
		return c.copyFolder(name)
	case e.Type().IsRegular():
		return c.copyFile(from, to)
	}
	return nil // a socket or pipe of a process
}

// copyLink copies a symbolic link. One into the checkout leads into the copy.
func (c *checkout) copyLink(from, to string) error {
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(target) {
		whole := filepath.Join(filepath.Dir(from), target)
		if below, err := filepath.Rel(c.from, whole); err == nil && filepath.IsLocal(below) {
			return os.Symlink(target, to)
		}
		target = whole
	}
	return os.Symlink(c.moved(target), to)
}

// linkModules makes a node_modules whose packages are links to the installed ones. A
// package of the checkout itself, which npm links there, is the copy's. Caches are left
// out: tools would write into them.
func (c *checkout) linkModules(name string) error {
	from, to := filepath.Join(c.from, name), filepath.Join(c.root, name)
	entries, err := os.ReadDir(from)
	if err == nil {
		err = os.MkdirAll(to, 0o700)
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		here, there := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), ".") && e.Name() != ".bin" && e.Name() != ".pnpm":
		case e.IsDir() && strings.HasPrefix(e.Name(), "@"):
			err = c.linkModules(filepath.Join(name, e.Name()))
		case e.Type()&fs.ModeSymlink != 0 && !strings.Contains(linkTarget(here), "node_modules"):
			err = c.copyLink(here, there)
		default:
			err = os.Symlink(here, there)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func linkTarget(name string) string {
	target, _ := os.Readlink(name)
	if strings.HasPrefix(filepath.ToSlash(target), ".pnpm/") {
		return "node_modules/" + target
	}
	return target
}

func (c *checkout) copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if c.bytes += info.Size(); c.bytes > maxCopiedBytes {
		return fmt.Errorf("the checkout holds more than %d MB beside what is installed", maxCopiedBytes>>20)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600) //nolint:gosec // as in the checkout
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, info.Size())) // a log may grow meanwhile
	return errors.Join(err, out.Close())
}
