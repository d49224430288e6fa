package gh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/breadcrumb/action/ci/gh/resultsservice"
	"github.com/breadcrumb/action/state"
)

// errAddressRefused is wrapped by the error of a download whose signed address is no
// longer good.
var errAddressRefused = errors.New("the storage refused the signed address")

// download fills a file from a signed address. It sends no token, follows no
// redirect, and its errors do not hold the address, which is as good as a
// password.
func (c *Client) download(ctx context.Context, address string, into *tempFile) error {
	req, err := http.NewRequestWithContext(withTempFile(ctx, into), http.MethodGet, address, nil)
	if err != nil || req.URL.Host == "" {
		return errors.New("download: GitHub named no address")
	}
	resp, err := c.withoutRedirects().Do(req)
	if err != nil {
		return fmt.Errorf("download: %w", resultsservice.WithoutAddress(err))
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("download: %w with status %d", errAddressRefused, resp.StatusCode)
	case http.StatusNotFound, http.StatusGone:
		return fmt.Errorf("download: %w", state.ErrGone)
	}
	return fmt.Errorf("download: the storage answered %d", resp.StatusCode)
}

// withoutRedirects returns the HTTP client without following redirects: it returns
// them as answers.
func (c *Client) withoutRedirects() *http.Client {
	sender := *c.http
	sender.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &sender
}

// maxDownloadBytes bounds a download: what an item may hold, and what an archive
// adds to files that cannot be compressed.
const maxDownloadBytes = state.MaxBytes + 1<<20

// tempFile holds the body of a download on disk instead of in memory. Every
// attempt writes it anew.
type tempFile struct {
	file *os.File
	size int64
	sum  [sha256.Size]byte
}

// newTempFile returns an empty temporary file, to be closed.
func newTempFile() (*tempFile, error) {
	f, err := os.CreateTemp("", "breadcrumb-")
	if err != nil {
		return nil, fmt.Errorf("make temporary file: %w", err)
	}
	return &tempFile{file: f}, nil
}

// Close removes the file.
func (s *tempFile) Close() error { return errors.Join(s.file.Close(), os.Remove(s.file.Name())) }

// Digest returns "sha256:<hex>" of what was written.
func (s *tempFile) Digest() string { return "sha256:" + hex.EncodeToString(s.sum[:]) }

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

type tempFileKey struct{}

// withTempFile makes the body of a successful answer go into s; the answer's own
// body is then empty.
func withTempFile(ctx context.Context, s *tempFile) context.Context {
	return context.WithValue(ctx, tempFileKey{}, s)
}
