package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/breadcrumb/action/state"
)

// maxWindow bounds the memory that unpacking may ask for; zstd's own limit for
// decoders is 8 MiB (RFC 8878, section 3.1.1.1.2).
const maxWindow = 8 << 20

// TarZstd returns a tar archive, compressed with Zstandard, that holds the
// top-level files in the folder. The same files give the same bytes.
func TarZstd(files fs.FS, folder string) ([]byte, error) {
	all, err := ReadFiles(files)
	if err != nil {
		return nil, fmt.Errorf("pack tar: %w", err)
	}
	var out bytes.Buffer
	packer, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("pack tar: %w", err)
	}
	w := tar.NewWriter(packer)
	err = w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: folder + "/", Mode: 0o755})
	for _, f := range all {
		if err == nil {
			err = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: folder + "/" + f.Name, Mode: 0o644, Size: int64(len(f.Content))})
		}
		if err == nil {
			_, err = w.Write(f.Content)
		}
	}
	if err := errors.Join(err, w.Close(), packer.Close()); err != nil {
		return nil, fmt.Errorf("pack tar: %w", err)
	}
	return out.Bytes(), nil
}

// UntarZstd writes the files that a tar archive, compressed with Zstandard,
// holds in the folder into a directory. The errors to branch on are
// [state.ErrTooLarge] and [state.ErrHostile].
func UntarZstd(r io.Reader, folder string, into *os.Root) error {
	unpacker, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return fmt.Errorf("unpack tar: %w", err)
	}
	defer unpacker.Close()
	// Headers and padding come on top of the content; a tar that is nothing
	// else must end somewhere, too.
	limited := &io.LimitedReader{R: unpacker, N: state.MaxBytes + maxFiles*4096}
	if err := untar(tar.NewReader(limited), folder, into); err != nil {
		if limited.N <= 0 {
			err = errors.Join(state.ErrTooLarge, err)
		}
		return fmt.Errorf("unpack tar: %w", err)
	}
	return nil
}

func untar(archive *tar.Reader, folder string, into *os.Root) error {
	left, files := int64(state.MaxBytes), 0
	for files <= maxFiles {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) && files == 0 {
			return errEmpty
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		if entry.Typeflag == tar.TypeDir && strings.TrimSuffix(entry.Name, "/") == folder && files == 0 {
			continue // any number of them ends with the bytes that are read
		}
		files++
		name, inside := strings.CutPrefix(entry.Name, folder+"/")
		if !inside || entry.Typeflag != tar.TypeReg {
			return fmt.Errorf("%q: %w", entry.Name, state.ErrHostile)
		}
		n, err := state.WriteFile(into, name, archive, left)
		if err != nil {
			return err
		}
		left -= n
	}
	return state.ErrTooLarge
}
