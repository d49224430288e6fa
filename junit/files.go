package junit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/breadcrumb/action/engine"
)

// ParseFiles reads many reports on all cores. The files come back sorted by
// name, whatever the order of names; a file that cannot be used becomes a
// blocking notice and the others still count. Names given twice are read once.
// The notices are all there are: those of the files (File.Notices) as well.
//
// At most one file a core is open at a time, and what may be kept of failure
// texts is shared out evenly, so memory does not grow with the number of files.
func ParseFiles(ctx context.Context, open func(name string) (io.ReadCloser, error), names []string, o Options) ([]*File, []engine.Notice) {
	o.Limits = o.Limits.withDefaults()
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	names, notices := withinFiles(names, o.Limits.Files)
	if len(names) > 0 {
		o.Limits.TextBytes = min(o.Limits.TextBytes, max(4*o.Limits.TextBytes/int64(len(names)), 64*kilobyte))
	}
	results := parseAll(ctx, open, names, o)
	var files []*File
	total := o.Limits.TotalBytes
	for i, res := range results {
		switch {
		case res.err != nil:
			notices = append(notices, blocking(names[i], res.err.Error()))
		case res.size > total:
			total = 0
			notices = append(notices, blocking(names[i], fmt.Sprintf("the reports hold more than %d bytes together; this one was left out", o.Limits.TotalBytes)))
		default:
			total -= res.size
			files = append(files, res.file)
			notices = append(notices, res.file.Notices...)
		}
	}
	return files, notices
}

func withinFiles(names []string, limit int) ([]string, []engine.Notice) {
	if len(names) <= limit {
		return names, nil
	}
	return names[:limit], []engine.Notice{blocking(names[limit], fmt.Sprintf("there are more than %d reports; this one and those behind it were left out", limit))}
}

func blocking(file, reason string) engine.Notice {
	return engine.Notice{File: file, Severity: engine.SeverityBlocking, Reason: reason}
}

type parsed struct {
	file *File
	size int64
	err  error
}

func parseAll(ctx context.Context, open func(string) (io.ReadCloser, error), names []string, o Options) []parsed {
	results := make([]parsed, len(names))
	work := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		workers.Go(func() {
			for i := range work {
				results[i] = parseOne(ctx, open, names[i], o)
			}
		})
	}
	for i := range names {
		work <- i
	}
	close(work)
	workers.Wait()
	return results
}

// parseOne opens and reads one report.
func parseOne(ctx context.Context, open func(string) (io.ReadCloser, error), name string, o Options) (res parsed) {
	if err := ctx.Err(); err != nil {
		return parsed{err: fmt.Errorf("read report: %w", err)}
	}
	in, err := open(name)
	if err != nil {
		return parsed{err: fmt.Errorf("open report: %w", err)}
	}
	defer func() {
		if err := in.Close(); err != nil && res.err == nil {
			res = parsed{err: fmt.Errorf("close report: %w", err)}
		}
	}()
	counted := &sizeReader{ctx: ctx, r: in}
	c := newCollector(name, o)
	if err := c.read(counted); err != nil {
		return parsed{err: err}
	}
	return parsed{file: c.file(), size: counted.n}
}

// sizeReader counts bytes and ends when ctx does.
type sizeReader struct {
	ctx context.Context
	r   io.Reader
	n   int64
}

func (s *sizeReader) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(p)
	s.n += int64(n)
	return n, err
}

// IsNotJUnit reports whether err says that a file is another format.
func IsNotJUnit(err error) bool {
	var other *NotJUnitError
	return errors.As(err, &other)
}
