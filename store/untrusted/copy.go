// Package untrusted reads a database file that a stranger may have written. The
// file is copied with its logs into a private directory, opened read-only,
// unchanging and defensive, and gives nothing but typed columns of plain tables.
package untrusted

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/breadcrumb/action/store"
)

// copyTries is how often copying is tried while the file keeps changing.
const copyTries = 50

// Copy describes the files of a database and a private copy of them.
type Copy struct {
	Files [3]fs.FileInfo // database, write-ahead log, rollback journal; nil: absent
	Dir   string         // private copy, "" without one
	// Recovered means that a log or journal was folded into the copy: the
	// copy, not the file alone, is the database.
	Recovered bool
}

var sourceSuffixes = [3]string{"", WALSuffix, JournalSuffix}

// Exists reports whether there is a database file to copy.
func (s *Copy) Exists() bool { return s.Files[0] != nil }

// File is the private copy's database file.
func (s *Copy) File() string { return filepath.Join(s.Dir, "db") }

// Discard removes the private copy.
func (s *Copy) Discard() error {
	if s.Dir == "" {
		return nil
	}
	err := os.RemoveAll(s.Dir)
	s.Dir = ""
	return err
}

// Stat describes the files at path without copying them.
func Stat(path string) (Copy, error) {
	var s Copy
	for i, suffix := range sourceSuffixes {
		info, err := Regular(path + suffix)
		if err != nil {
			return Copy{}, Unreadable(path, err)
		}
		s.Files[i] = info
	}
	return s, nil
}

// Same reports whether the files are those of t and unchanged.
func (s *Copy) Same(t *Copy) bool {
	for i, a := range s.Files {
		b := t.Files[i]
		if (a == nil) != (b == nil) {
			return false
		}
		if a != nil && (!os.SameFile(a, b) || a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime())) {
			return false
		}
	}
	return true
}

// Size returns the bytes of the database and of what stands beside it.
func (s *Copy) Size() int64 {
	var n int64
	for _, info := range s.Files {
		if info != nil {
			n += info.Size()
		}
	}
	return n
}

// Copier copies a database with its log and journal for private use.
type Copier struct {
	Path    string
	Parent  string // directory of the copy, "" for the system's temporary one
	Pattern string // of the copy's name, as in os.MkdirTemp
	Limit   int64  // bytes
	Step    func(name string)
}

// Copy makes the copy and lets SQLite recover it. It starts again if another
// program writes meanwhile.
func (c Copier) Copy(ctx context.Context) (Copy, error) {
	before, err := Stat(c.Path)
	if err != nil || !before.Exists() {
		return before, err
	}
	for range copyTries {
		s, err := c.copyOnce(ctx, before)
		if err != nil {
			return Copy{}, err
		}
		after, err := Stat(c.Path)
		if err == nil && after.Same(&s) {
			return s, s.recoverLogs(ctx, c.Path, c.Limit)
		}
		before = after
		if err := errors.Join(err, s.Discard(), Pause(ctx)); err != nil {
			return Copy{}, err
		}
	}
	return Copy{}, fmt.Errorf("read %s: %w: it keeps changing", c.Path, store.ErrInUse)
}

// Pause waits a moment for another program, or until ctx ends.
func Pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(20 * time.Millisecond):
		return nil
	}
}

// copyOnce copies the files of s.
func (c Copier) copyOnce(ctx context.Context, s Copy) (Copy, error) {
	if !s.Exists() {
		return Copy{}, fmt.Errorf("read %s: %w: it vanished", c.Path, store.ErrChanged)
	}
	if n := s.Size(); n > c.Limit {
		return Copy{}, Unreadable(c.Path, fmt.Errorf("%d bytes are more than the limit of %d", n, c.Limit))
	}
	dir, err := os.MkdirTemp(c.Parent, c.Pattern)
	if err != nil {
		return Copy{}, fmt.Errorf("make private directory: %w", err)
	}
	s.Dir = dir
	for i, suffix := range sourceSuffixes {
		if s.Files[i] == nil {
			continue
		}
		c.Step("copy" + suffix)
		err := copyFile(ctx, c.Path+suffix, s.File()+suffix, s.Files[i])
		if err != nil && !errors.Is(err, errMoved) {
			return Copy{}, errors.Join(fmt.Errorf("copy %s: %w", c.Path+suffix, err), s.Discard())
		}
	}
	return s, nil
}

// errMoved means that a file was removed or replaced since Stat. The next Stat
// will show it.
var errMoved = errors.New("the file was replaced while it was read")

// copyFile copies no more bytes than info says, so that a growing file cannot
// fill the disk.
func copyFile(ctx context.Context, from, to string, info fs.FileInfo) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return errMoved
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if now, err := in.Stat(); err != nil || !os.SameFile(now, info) {
		return errMoved
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, io.LimitReader(in, info.Size())); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
