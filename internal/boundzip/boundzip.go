// Package boundzip opens zip files that a test run left. They may be hostile: the
// number of files, their names and their unpacked size are bounded, and nothing is
// written to disk.
package boundzip

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strings"
)

// ErrHostile means that Playwright cannot have written the zip.
var ErrHostile = errors.New("not a file that Playwright wrote")

// Limits bound what one zip may cost.
type Limits struct {
	Files    int   // in the zip
	Unpacked int64 // bytes of everything that is read, unpacked
	Line     int   // bytes of one line
}

// Bounds that no file of Playwright comes near.
const (
	maxRatio  = 400     // bytes unpacked for one packed, in a file of more than ratioFrom
	ratioFrom = 4 << 20 // bytes
)

// Archive is a zip with its bounds.
type Archive struct {
	zip    *zip.Reader
	size   int64 // bytes of the zip
	limits Limits
	left   int64 // bytes that may still be unpacked
}

// Open opens a zip. The error is ErrHostile or says that it is no zip.
func Open(r io.ReaderAt, size int64, limits Limits) (*Archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("no zip file: %w", err)
	}
	if n := len(z.File); n > limits.Files {
		return nil, fmt.Errorf("%w: %d files, more than %d", ErrHostile, n, limits.Files)
	}
	seen := make(map[string]bool, len(z.File))
	for _, f := range z.File {
		if seen[f.Name] {
			return nil, fmt.Errorf("%w: two files are named %.80q", ErrHostile, f.Name)
		}
		if !plainName(f.Name) {
			return nil, fmt.Errorf("%w: a file is named %.80q", ErrHostile, f.Name)
		}
		seen[f.Name] = true
	}
	return &Archive{zip: z, size: size, limits: limits, left: limits.Unpacked}, nil
}

// plainName reports whether name is a path inside the zip, as Playwright writes
// them.
func plainName(name string) bool {
	return name != "" && len(name) < 1024 && !strings.ContainsAny(name, "\\\x00\r\n") &&
		path.Clean("/"+name) == "/"+strings.TrimSuffix(name, "/")
}

// Named returns the files at the top of the zip whose names end in suffix.
func (a *Archive) Named(suffix string) []*zip.File {
	var files []*zip.File
	for _, f := range a.zip.File {
		if strings.HasSuffix(f.Name, suffix) && !strings.Contains(f.Name, "/") {
			files = append(files, f)
		}
	}
	return files
}

// File returns the file of a name, nil when there is none.
func (a *Archive) File(name string) *zip.File {
	if at := slices.IndexFunc(a.zip.File, func(f *zip.File) bool { return f.Name == name }); at >= 0 {
		return a.zip.File[at]
	}
	return nil
}

// Open opens a file of the zip. One that states a size beyond the bounds is refused
// before anything of it is unpacked. What is unpacked is counted all the same, for a
// zip may state anything.
func (a *Archive) Open(f *zip.File) (io.ReadCloser, error) {
	b := &bounded{archive: a, packed: int64(min(f.CompressedSize64, uint64(a.size)))}
	if err := b.check(int64(min(f.UncompressedSize64, math.MaxInt64)), a.left); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	b.from = r
	return struct {
		io.Reader
		io.Closer
	}{b, r}, nil
}

// bounded reads a file of the zip within the archive's bounds.
type bounded struct {
	archive        *Archive
	from           io.Reader
	packed, passed int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.passed += int64(n)
	b.archive.left -= int64(n)
	if err := b.check(b.passed, b.archive.left+b.passed); err != nil {
		return 0, err
	}
	return n, err
}

// check returns an error where unpacked bytes of the file are more than room, or than
// so many packed ones can hold.
func (b *bounded) check(unpacked, room int64) error {
	switch {
	case unpacked > room:
		return fmt.Errorf("%w: more than %d MiB unpacked", ErrHostile, b.archive.limits.Unpacked>>20)
	case unpacked > ratioFrom && unpacked/maxRatio > b.packed:
		return fmt.Errorf("%w: unpacks to more than %d times its size", ErrHostile, maxRatio)
	}
	return nil
}

// Lines calls f with every line of a file of the zip that is not blank. A line
// that is too long is skipped and counted. f must not keep the line.
func (a *Archive) Lines(file *zip.File, f func(line []byte)) (long int, err error) {
	r, err := a.Open(file)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	buffer := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	skipping := false
	for {
		part, err := buffer.ReadSlice('\n')
		if !skipping {
			line = append(line, part...)
		}
		if skipping = skipping || len(line) > a.limits.Line; skipping {
			line = line[:0]
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if skipping {
			long++
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			f(line)
		}
		line, skipping = line[:0], false
		if errors.Is(err, io.EOF) {
			return long, nil
		}
		if err != nil {
			return long, fmt.Errorf("%s: %w", file.Name, err)
		}
	}
}
