// Package blob reads Playwright's blob report, a zip that a shard leaves for
// `playwright merge-reports`. Report returns it as Playwright's JSON reporter
// would have written it, so that it is read by the same rules; Attachment opens
// a file that a test left.
//
// The format is Playwright's own and has no specification; what is read here is
// what its versions 1.52 to 1.65 write (blob version 2).
package blob

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/breadcrumb/action/internal/boundzip"
)

// newestVersion is the newest version of the format that is read.
const newestVersion = 2

// Bounds of one report.
const (
	maxFiles      = 200_000
	maxLine       = 64 << 20 // bytes of one event: a project lists all its tests in one
	maxUnpacked   = 1 << 30  // bytes of the events
	maxTests      = 1_000_000
	maxAttempts   = 2_000_000 // of all tests
	maxTexts      = 16 << 20  // bytes of errors and attachments that are kept whole
	maxMessage    = 200       // bytes kept of an error beyond that
	maxErrors     = 8         // of one attempt
	maxFaults     = 1_000     // errors outside the tests
	maxAttached   = 64        // attachments of one attempt
	maxAttachment = 64 << 20  // bytes
)

// The names of the events in the zip and of the folder with the attachments.
const (
	eventsFile = "report.jsonl"
	resources  = "resources/"
)

// Reader returns a reader of the report in f: f itself or, of a blob report, what Report
// returns of it within most bytes. Closing it closes f.
func Reader(f *os.File, most int64) (io.ReadCloser, error) {
	if !isBlob(f) {
		return f, nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	text, err := Report(f, info.Size(), most)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{bytes.NewReader(text), f}, nil
}

// isBlob reports whether a file begins as a zip does.
func isBlob(r io.ReaderAt) bool {
	head := make([]byte, 4)
	n, _ := r.ReadAt(head, 0) // whoever reads the file reports the error
	return bytes.Equal(head[:n], []byte("PK\x03\x04"))
}

// traceSuffix gives a trace in the zip the name that traces have elsewhere.
const traceSuffix = "/trace.zip"

// ErrNone says that a file is no blob report, or that an attachment is not in it.
var ErrNone = errors.New("the attachment is in no blob report")

// Attachment returns a file that Report named as an attachment of the report
// with that file name, or ErrNone.
func Attachment(report, name string) (*bytes.Reader, error) {
	f, err := os.Open(report)
	if err != nil {
		return nil, fmt.Errorf("open attachment %s: %w", name, err)
	}
	defer f.Close()
	if !isBlob(f) {
		return nil, ErrNone
	}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("open attachment %s: %w", name, err)
	}
	return attachmentOf(f, info.Size(), name)
}

func attachmentOf(r io.ReaderAt, size int64, name string) (*bytes.Reader, error) {
	if before, ok := strings.CutSuffix(name, traceSuffix); ok {
		name = before + ".zip"
	}
	a, err := boundzip.Open(r, size, boundzip.Limits{Files: maxFiles, Unpacked: maxAttachment})
	if err != nil {
		return nil, fmt.Errorf("open attachment %s: %w", name, err)
	}
	file := a.File(name)
	if file == nil || !strings.HasPrefix(name, resources) {
		return nil, ErrNone
	}
	f, err := a.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open attachment: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("open attachment %s: %w", name, err)
	}
	return bytes.NewReader(text), nil
}
