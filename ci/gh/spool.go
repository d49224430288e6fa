package gh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/breadcrumb/action/state"
)

// maxSpoolBytes bounds a download: what an item may hold, and what an archive
// adds to files that cannot be compressed.
const maxSpoolBytes = state.MaxBytes + 1<<20

// spool is a temporary file that the body of a download is written to instead
// of into memory, anew at every attempt.
type spool struct {
	file *os.File
	size int64
	sum  [sha256.Size]byte
}

// newSpool returns an empty spool, to be closed.
func newSpool() (*spool, error) {
	f, err := os.CreateTemp("", "breadcrumb-")
	if err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	return &spool{file: f}, nil
}

// Close removes the file.
func (s *spool) Close() error { return errors.Join(s.file.Close(), os.Remove(s.file.Name())) }

// Digest returns "sha256:<hex>" of what was written.
func (s *spool) Digest() string { return "sha256:" + hex.EncodeToString(s.sum[:]) }

// fill replaces what is in the spool by what r holds.
func (s *spool) fill(r io.Reader) error {
	if err := errors.Join(s.file.Truncate(0), rewind(s.file)); err != nil {
		return localFault{err}
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(localWriter{s.file}, sum), io.LimitReader(r, maxSpoolBytes+1))
	s.size = n
	sum.Sum(s.sum[:0])
	switch {
	case err != nil:
		return fmt.Errorf("read response: %w", err)
	case n > maxSpoolBytes:
		return localFault{state.ErrTooLarge}
	}
	return rewind(s.file)
}

func rewind(f *os.File) error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// localFault is what went wrong on this side, so that asking again is of no
// use.
type localFault struct{ error }

func (f localFault) Unwrap() error { return f.error }

// localWriter marks errors of writing.
type localWriter struct{ w io.Writer }

func (l localWriter) Write(p []byte) (int, error) {
	n, err := l.w.Write(p)
	if err != nil {
		err = localFault{err}
	}
	return n, err
}

type spoolKey struct{}

// withSpool makes the body of a successful answer go into s; the answer's own
// body is then empty.
func withSpool(ctx context.Context, s *spool) context.Context {
	return context.WithValue(ctx, spoolKey{}, s)
}

func spoolOf(ctx context.Context) *spool {
	s, _ := ctx.Value(spoolKey{}).(*spool)
	return s
}
