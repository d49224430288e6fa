package junit

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/results"
)

// FormatNames are the formats that Parse and ParseFiles read, for people.
const FormatNames = "JUnit XML, Playwright JSON or blob, CTRF, go test -json or TAP"

// Options says how reports are read. The zero value is fit for use.
type Options struct {
	// Root is the absolute directory of the checkout. It is only used to make
	// paths relative: nothing is ever opened. It may be empty.
	Root   string
	Limits input.Limits
	// TracesNamed says that the caller finds traces without the reports, so that
	// one outside the report's directory is worth no notice.
	TracesNamed bool
	// Wait, if set, is called every few hundred results, so that a caller that
	// bounds memory can wait for a garbage collection. Reports are read in
	// parallel, so several calls can come at once.
	Wait func()
}

// File is what one report says.
type File struct {
	Name    string // as given to Parse
	Format  string // another format's name, else the runner where it is recognised, else "junit"
	Notices []engine.Notice
	Started time.Time // earliest suite timestamp, zero if none
	Digest  string    // hex SHA-256 of the raw bytes read
	Rows    int       // number of <testcase> rows counted
	Whole   bool      // no test of the report is known to be missing here; a notice says which may be
	// Unrun are the identities of at most 1,000 tests that count as skipped because
	// Playwright did not run them, although no annotation skips them: a failure
	// ended their group, the projects that depend on it, or the whole run.
	Unrun []engine.TestID
	// LeftOut says that Merge counted another file for it: a copy of it, or a report of
	// the same run.
	LeftOut bool

	results results.Set
}

// Len returns the number of results, one per identity.
func (f *File) Len() int { return f.results.Len() }

// Result returns result i, in the order of the report. It is made anew at each
// call.
func (f *File) Result(i int) engine.TestResult { return f.results.Result(i, f.Name) }

// ID returns the identity of result i.
func (f *File) ID(i int) engine.TestID { return f.results.ID(i) }

// Final returns how result i ended.
func (f *File) Final(i int) engine.Status { return f.results.Final(i) }

// Suites returns the suite paths seen, in the order of the report, each once.
func (f *File) Suites() []string { return f.results.SuitePaths() }

// Results returns every result. Of a large report Result takes less memory.
func (f *File) Results() []engine.TestResult {
	return slices.AppendSeq(make([]engine.TestResult, 0, f.Len()), f.results.All(f.Name))
}

// DropResults lets go of the results and rows of f, for a caller that has merged them.
func (f *File) DropResults() { f.results = results.Set{} }

// Case returns row i of Rows, in the order of the report.
func (f *File) Case(i int) results.Case { return f.results.Row(i) }

// CaseNames returns suite path, class and name of row i as the report has them.
// Rows of one identity can differ in what identity leaves out.
func (f *File) CaseNames(i int) (suite, class, name string) { return f.results.RowNames(i) }

// Green reports whether the file alone lets a job pass: no test of it fails
// and no notice blocks.
func (f *File) Green() bool {
	return !f.Fails() && !slices.ContainsFunc(f.Notices, func(n engine.Notice) bool { return n.Severity == engine.SeverityBlocking })
}

// Fails reports whether a test of the file fails.
func (f *File) Fails() bool {
	for i := range f.Len() {
		if f.results.Final(i).Failing() {
			return true
		}
	}
	return false
}

// Counts are the rows of a report by their own status, as other readers of
// JUnit count them, and the tests that passed after failing.
type Counts struct{ Tests, Passed, Failed, Errors, Skipped, Flaky int }

// Counts returns the counts of f's rows.
func (f *File) Counts() Counts {
	rows := map[engine.Status]int{}
	for i := range f.Rows {
		rows[f.Case(i).Status]++
	}
	c := Counts{
		Tests: f.Rows, Passed: rows[engine.StatusPassed], Failed: rows[engine.StatusFailed],
		Errors: rows[engine.StatusError], Skipped: rows[engine.StatusSkipped],
	}
	for i := range f.Len() {
		if f.results.Flaky(i) {
			c.Flaky++
		}
	}
	return c
}

// Parse reads one report. An error says that nothing in it can be used: it
// could not be read, declares a document type, or is another format (a
// *NotJUnitError). Everything else that is wrong comes as a notice beside what
// could be read; it blocks where a result may be missing.
func Parse(name string, r io.Reader, o Options) (*File, error) {
	f, err := newCollector(name, o).readReport(r)
	if err != nil {
		return nil, fmt.Errorf("read report %s: %w", name, err)
	}
	return f, nil
}

// ParseFiles reads many reports on all cores. The files come back sorted by
// name, whatever the order of names; a file that cannot be used becomes a
// blocking notice and the others still count. Names given twice are read once.
// The notices are all there are: those of the files (File.Notices) as well.
//
// At most one file per core is open at a time, and the files share evenly what
// may be kept of failure texts, so memory does not grow with their number.
func ParseFiles(ctx context.Context, open func(name string) (io.ReadCloser, error), names []string, o Options) ([]*File, []engine.Notice) {
	o.Limits = o.Limits.WithDefaults()
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	var notices []engine.Notice
	if limit := o.Limits.Files; len(names) > limit {
		notices = append(notices, blockingNotice(names[limit], fmt.Sprintf("there are more than %d reports; this one and those behind it were left out", limit)))
		names = names[:limit]
	}
	if len(names) > 0 {
		o.Limits.TextBytes = min(o.Limits.TextBytes, max(4*o.Limits.TextBytes/int64(len(names)), 64<<10))
	}
	results := parseAll(ctx, open, names, o)
	var files []*File
	total := o.Limits.TotalBytes
	for i, res := range results {
		switch {
		case res.err != nil:
			notices = append(notices, blockingNotice(names[i], res.err.Error()))
		case res.size > total:
			total = 0
			notices = append(notices, blockingNotice(names[i], fmt.Sprintf("the reports hold more than %d bytes together; this one was left out", o.Limits.TotalBytes)))
		default:
			total -= res.size
			files = append(files, res.file)
			notices = append(notices, res.file.Notices...)
		}
	}
	return files, notices
}

func blockingNotice(file, reason string) engine.Notice {
	return engine.Notice{File: file, Severity: engine.SeverityBlocking, Reason: reason}
}

type parsed struct {
	file *File
	size int64
	err  error
}

func parseAll(ctx context.Context, open func(string) (io.ReadCloser, error), names []string, o Options) []parsed {
	results := make([]parsed, len(names))
	cores := make(chan struct{}, runtime.GOMAXPROCS(0))
	var readers sync.WaitGroup
	for i, name := range names {
		cores <- struct{}{}
		readers.Go(func() {
			results[i] = parseOne(ctx, open, name, o)
			<-cores
		})
	}
	readers.Wait()
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
	file, err := newCollector(name, o).readReport(counted)
	if err != nil {
		return parsed{err: err}
	}
	return parsed{file: file, size: counted.n}
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

// Limits bounds what one report may cost; see input.Limits.
type Limits = input.Limits
