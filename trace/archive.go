package trace

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// ErrHostile says that a zip is none that Playwright writes.
var ErrHostile = errors.New("not a trace that Playwright wrote")

// archive is the zip with its bounds.
type archive struct {
	zip    *zip.Reader
	limits Limits
	left   int64 // bytes that may still be unpacked
}

func openArchive(r io.ReaderAt, size int64, limits Limits) (*archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("no zip file: %w", err)
	}
	if n := len(z.File); n > limits.Entries {
		return nil, fmt.Errorf("%w: %d files, more than %d", ErrHostile, n, limits.Entries)
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
	return &archive{zip: z, limits: limits, left: limits.Unpacked}, nil
}

// plainName reports whether name is a path inside the zip as Playwright writes
// them. None is ever written to a disk.
func plainName(name string) bool {
	return name != "" && len(name) < 1024 && !strings.ContainsAny(name, "\\\x00\r\n") &&
		path.Clean("/"+name) == "/"+strings.TrimSuffix(name, "/")
}

// named returns the files whose names end in suffix.
func (a *archive) named(suffix string) []*zip.File {
	var files []*zip.File
	for _, f := range a.zip.File {
		if strings.HasSuffix(f.Name, suffix) && !strings.HasPrefix(f.Name, "resources/") {
			files = append(files, f)
		}
	}
	return files
}

// open opens a file of the zip. Its size is not believed.
func (a *archive) open(f *zip.File) (io.ReadCloser, error) {
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{&bounded{archive: a, from: r, packed: int64(f.CompressedSize64)}, r}, nil
}

// bounded reads a file of the zip within the archive's bounds.
type bounded struct {
	archive        *archive
	from           io.Reader
	packed, passed int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.passed += int64(n)
	b.archive.left -= int64(n)
	switch {
	case b.archive.left < 0:
		return 0, fmt.Errorf("%w: more than %d MiB unpacked", ErrHostile, b.archive.limits.Unpacked>>20)
	case b.passed > ratioFrom && b.passed/maxRatio > b.packed:
		return 0, fmt.Errorf("%w: unpacks to more than %d times its size", ErrHostile, maxRatio)
	}
	return n, err
}

// lines calls f with every line of a file of the zip. A line that is too long is
// passed over and counted.
func (a *archive) lines(file *zip.File, f func(line []byte)) (long int, err error) {
	r, err := a.open(file)
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
