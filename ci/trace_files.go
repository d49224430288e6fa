package ci

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/junit/blob"
)

// traceFile is a trace.zip and the test that it is of, nil where only the trace
// itself says which.
type traceFile struct {
	name string
	test *engine.TestResult
	open func() (content, error)
}

// findFiles returns the traces, each once, in a stable order.
func (t *traces) findFiles() ([]traceFile, error) {
	results := t.collected.results
	var files []traceFile
	seen := map[string]bool{}
	add := func(f traceFile) {
		at, err := filepath.Abs(f.name)
		if err == nil && !seen[at] && len(seen) < maxTraces {
			seen[at] = true
			files = append(files, f)
		}
	}
	for i := range results {
		for _, name := range results[i].Attachments {
			if !junit.IsTrace(name) {
				continue
			}
			report := results[i].Report
			add(traceFile{filepath.ToSlash(filepath.Join(filepath.Dir(report), name)), &results[i], func() (content, error) { return openAttachment(report, name) }})
		}
	}
	found, err := matchFiles(t.cfg.Traces)
	if err != nil {
		return nil, err
	}
	t.note(found.warnings()...)
	for _, name := range found.names {
		add(traceFile{name, nil, func() (content, error) { return openRegular(os.Open(name)) }})
	}
	return files, nil
}

// content is a file that is open.
type content struct {
	io.ReaderAt
	io.Closer
	size int64
}

// openRegular returns the content of a file that was opened, if it is a regular
// one.
func openRegular(f fs.File, err error) (content, error) {
	if err != nil {
		return content{}, err
	}
	info, err := f.Stat()
	at, ok := f.(io.ReaderAt)
	if err == nil && (!ok || !info.Mode().IsRegular()) {
		err = errors.New("is no regular file")
	}
	if err != nil {
		return content{}, errors.Join(err, f.Close())
	}
	return content{at, f, info.Size()}, nil
}

// openAttachment opens an attachment of a report, which a blob report holds itself.
func openAttachment(report, name string) (content, error) {
	inside, err := blob.Attachment(report, name)
	switch {
	case errors.Is(err, blob.ErrNone):
		return openRegular(junit.OpenAttachment(report, name))
	case err != nil:
		return content{}, err
	}
	return content{inside, io.NopCloser(inside), inside.Size()}, nil
}
