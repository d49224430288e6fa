package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// copyTries is how often a file that changes while it is copied is tried.
const copyTries = 50

// superMagic ends a rollback journal that names a super-journal, a file which
// recovery would read and delete (https://www.sqlite.org/fileformat2.html#the_rollback_journal).
const superMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"

// source is the database at a path as it was taken over.
type source struct {
	files [3]fs.FileInfo // database, write-ahead log, rollback journal; nil: absent
	dir   string         // private copy, "" without one
	// recovered says that the copy holds what a log or journal added, so that
	// it, not the bare file, is the old database.
	recovered bool
}

var sourceSuffixes = [3]string{"", walSuffix, journalSuffix}

func (s *source) exists() bool { return s.files[0] != nil }

// copied is the private copy's database file.
func (s *source) copied() string { return filepath.Join(s.dir, "db") }

// hasSidecars reports whether a log or journal lies beside the database.
func (s *source) hasSidecars() bool { return s.files[1] != nil || s.files[2] != nil }

// discard removes the private copy.
func (s *source) discard() error {
	if s.dir == "" {
		return nil
	}
	err := os.RemoveAll(s.dir)
	s.dir = ""
	return err
}

// look notes the files at path without reading them.
func look(path string) (source, error) {
	var s source
	for i, suffix := range sourceSuffixes {
		info, err := regular(path + suffix)
		if err != nil {
			return source{}, unreadable(path, err)
		}
		s.files[i] = info
	}
	return s, nil
}

// same reports whether the files are those of t, unchanged.
func (s *source) same(t *source) bool {
	for i, a := range s.files {
		b := t.files[i]
		if (a == nil) != (b == nil) {
			return false
		}
		if a != nil && (!os.SameFile(a, b) || a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime())) {
			return false
		}
	}
	return true
}

func (s *source) size() int64 {
	var n int64
	for _, info := range s.files {
		if info != nil {
			n += info.Size()
		}
	}
	return n
}

// copier copies a database with its log and journal for private use.
type copier struct {
	path    string
	parent  string // directory of the copy, "" for the system's temporary one
	pattern string // of the copy's name, as in os.MkdirTemp
	limit   int64  // bytes
	step    func(name string)
}

// copy makes the copy and lets SQLite recover it. It copies again while
// another program writes.
func (c copier) copy(ctx context.Context) (source, error) {
	before, err := look(c.path)
	if err != nil || !before.exists() {
		return before, err
	}
	for range copyTries {
		s, err := c.once(ctx, before)
		if err != nil {
			return source{}, err
		}
		after, err := look(c.path)
		if err == nil && after.same(&s) {
			return s, s.recover(ctx, c.path, c.limit)
		}
		before = after
		if err := errors.Join(err, s.discard(), pause(ctx)); err != nil {
			return source{}, err
		}
	}
	return source{}, fmt.Errorf("read %s: %w: it keeps changing", c.path, ErrInUse)
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(20 * time.Millisecond):
		return nil
	}
}

// once copies the files of s.
func (c copier) once(ctx context.Context, s source) (source, error) {
	if !s.exists() {
		return source{}, fmt.Errorf("read %s: %w: it vanished", c.path, ErrChanged)
	}
	if n := s.size(); n > c.limit {
		return source{}, unreadable(c.path, fmt.Errorf("%d bytes are more than the limit of %d", n, c.limit))
	}
	dir, err := os.MkdirTemp(c.parent, c.pattern)
	if err != nil {
		return source{}, fmt.Errorf("make private directory: %w", err)
	}
	s.dir = dir
	for i, suffix := range sourceSuffixes {
		if s.files[i] == nil {
			continue
		}
		c.step("copy" + suffix)
		err := copyFile(ctx, c.path+suffix, s.copied()+suffix, s.files[i])
		if err != nil && !errors.Is(err, errMoved) {
			return source{}, errors.Join(fmt.Errorf("copy %s: %w", c.path+suffix, err), s.discard())
		}
	}
	return s, nil
}

// errMoved says that a file went away or became another one since it was
// looked at, which the second look will show.
var errMoved = errors.New("the file was replaced while it was read")

// copyFile copies the size that info says and no more, so that a file which
// grows meanwhile cannot fill the disk.
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

// superJournal reports whether the journal file ends in the name of a
// super-journal.
func superJournal(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() < int64(len(superMagic)) {
		return false, err
	}
	tail := make([]byte, len(superMagic))
	if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
		return false, err
	}
	return string(tail) == superMagic, nil
}
