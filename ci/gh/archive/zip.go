package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/breadcrumb/action/state"
)

// Zip returns a zip archive of the top-level files. The same files give the
// same bytes.
func Zip(files fs.FS) ([]byte, error) {
	all, err := ReadFiles(files)
	if err != nil {
		return nil, fmt.Errorf("pack zip: %w", err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range all {
		entry, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Deflate})
		if err == nil {
			_, err = entry.Write(f.Content)
		}
		if err != nil {
			return nil, fmt.Errorf("pack zip: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack zip: %w", err)
	}
	return out.Bytes(), nil
}

// Unzip writes the files of a zip archive of size bytes into a directory. The
// errors to branch on are [state.ErrTooLarge] and [state.ErrHostile].
func Unzip(r io.ReaderAt, size int64, into *os.Root) error {
	if err := unzip(r, size, into); err != nil {
		return fmt.Errorf("unpack zip: %w", err)
	}
	return nil
}

func unzip(r io.ReaderAt, size int64, into *os.Root) error {
	archive, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	switch {
	case len(archive.File) == 0:
		return errEmpty
	case len(archive.File) > maxFiles:
		return state.ErrTooLarge
	}
	left := int64(state.MaxBytes)
	for _, entry := range archive.File {
		if !entry.Mode().IsRegular() {
			return fmt.Errorf("%q: %w", entry.Name, state.ErrHostile)
		}
		content, err := entry.Open()
		if err != nil {
			return fmt.Errorf("%q: %w", entry.Name, err)
		}
		n, err := state.WriteFile(into, entry.Name, content, left)
		if err := errors.Join(err, content.Close()); err != nil {
			return err
		}
		left -= n
	}
	return nil
}
