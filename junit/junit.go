package junit

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"sort"
	"time"

	gojunit "github.com/joshdk/go-junit"

	"github.com/breadcrumb/action/engine"
)

// Options says how reports are read. The zero value is fit for use.
type Options struct {
	// Root is the absolute directory of the checkout. It is only used to make
	// paths relative: nothing is ever opened. It may be empty.
	Root   string
	Limits Limits
}

// File is what one report says.
type File struct {
	Name    string              // as given to Parse
	Format  string              // runner that wrote it where that is recognised, else "junit"
	Results []engine.TestResult // one per identity, in the order of the report
	Cases   []Case              // one per <testcase>, in the order of the report
	Suites  []string            // suite paths seen, in the order of the report, each once
	Notices []engine.Notice
	Started time.Time // earliest suite timestamp, zero if none
	Digest  string    // hex SHA-256 of the raw bytes read
	Rows    int       // number of <testcase> rows counted
}

// Green reports whether the file alone lets a job pass: no test of it fails
// and no notice blocks.
func (f *File) Green() bool {
	for _, n := range f.Notices {
		if n.Severity == engine.SeverityBlocking {
			return false
		}
	}
	for _, r := range f.Results {
		if r.Final().Status.Failing() {
			return false
		}
	}
	return true
}

// Counts are the rows of a report by their own status, as other readers of
// JUnit count them, and the tests that passed after failing.
type Counts struct{ Tests, Passed, Failed, Errors, Skipped, Flaky int }

// Counts returns the counts of f's rows.
func (f *File) Counts() Counts {
	c := Counts{Tests: len(f.Cases)}
	for _, row := range f.Cases {
		switch row.Status {
		case engine.StatusPassed:
			c.Passed++
		case engine.StatusFailed:
			c.Failed++
		case engine.StatusError:
			c.Errors++
		case engine.StatusSkipped:
			c.Skipped++
		}
	}
	for _, r := range f.Results {
		if r.Flaky() {
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
	c := newCollector(name, o)
	if err := c.read(r); err != nil {
		return nil, fmt.Errorf("read report %s: %w", name, err)
	}
	return c.file(), nil
}

// collector is one Parse.
type collector struct {
	options Options
	notes   *notes
	builder builder
	doc     *document
	sum     hash.Hash
	raw     *countingReader
	out     File
	index   map[string]int // identity to index in out.Results
	groups  map[int]*group // results with more than one row
	numbers []int          // row numbers of out.Cases
	runners map[Runner]int
	ids     int64 // bytes of identities still kept
}

func newCollector(name string, o Options) *collector {
	o.Limits = o.Limits.withDefaults()
	return &collector{
		options: o,
		notes:   newNotes(name),
		sum:     sha256.New(),
		out:     File{Name: name},
		index:   map[string]int{},
		groups:  map[int]*group{},
		runners: map[Runner]int{},
		ids:     o.Limits.NameBytes,
	}
}

// countingReader stops after max bytes.
type countingReader struct {
	r    io.Reader
	left int64
	over bool
}

func (c *countingReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		n, err := c.r.Read(p[:1])
		c.over = n > 0
		if n > 0 {
			err = io.EOF
		}
		return 0, err
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

func (c *collector) read(r io.Reader) error {
	c.raw = &countingReader{r: r, left: c.options.Limits.FileBytes}
	input, warning := openUTF8(io.TeeReader(c.raw, c.sum))
	head, _ := input.Peek(sniffBytes)
	head = append([]byte(nil), head...)
	if warning != "" {
		c.notes.warn("encoding", 1, warning)
	}
	scan := newScanner(input)
	b := newBatch(c.add)
	c.doc = newDocument(scan, c.notes, b, c.options.Limits)
	c.builder = builder{report: c.out.Name, root: c.options.Root, suites: &c.doc.suites, files: map[string]string{}}
	if err := c.document(head); err != nil {
		return err
	}
	if err := b.flush(); err != nil && !errors.Is(err, errStop) {
		return err
	}
	return c.rest(input)
}

// document reads the structure and decides between an error and a notice.
func (c *collector) document(head []byte) error {
	err := c.doc.read()
	if scanErr := c.doc.scan.err; scanErr != nil && !c.raw.over {
		if !c.doc.seen {
			return scanErr
		}
		c.notes.block("read", c.doc.scan.line, fmt.Sprintf("reading failed: %v; the rest of the file is missing", scanErr))
	}
	if c.raw.over {
		c.notes.block("limit", c.doc.scan.line, fmt.Sprintf("the file is larger than %d bytes; the rest was not read", c.options.Limits.FileBytes))
	}
	switch {
	case err == nil, errors.Is(err, errStop):
	case errors.Is(err, errDoctype) && c.doc.rows > 0:
		c.notes.block("doctype", c.doc.scan.line, err.Error()+"; the rest of the file was not read")
	case errors.Is(err, errDoctype):
		return c.refuseDoctype(head, err)
	default:
		return err
	}
	if err != nil {
		if err := c.doc.abandon(); err != nil && !errors.Is(err, errStop) {
			return err
		}
	}
	if !c.doc.seen && len(trimSpaceNUL(head)) > 0 {
		return foreign(head, c.doc.root)
	}
	return nil
}

// refuseDoctype names a format that begins with a DTD or HTML, else the
// document type itself.
func (c *collector) refuseDoctype(head []byte, err error) error {
	if f, ok := foreignPrefix(head); ok {
		return &NotJUnitError{f}
	}
	return fmt.Errorf("not usable as JUnit XML: %w", err)
}

// rest reads what a stopped document left, so that the digest is that of the
// whole file.
func (c *collector) rest(input *bufio.Reader) error {
	if _, err := io.Copy(io.Discard, input); err != nil && c.doc.scan.err == nil {
		c.notes.block("read", 0, fmt.Sprintf("reading failed: %v", err))
	}
	return nil
}

// add takes one test case from go-junit.
func (c *collector) add(t gojunit.Test) error {
	r, err := c.builder.build(t)
	if err != nil {
		return err
	}
	c.runners[r.runner]++
	at, known := c.index[r.result.ID]
	if !known {
		if c.ids -= int64(len(r.result.ID)); c.ids < 0 {
			return c.doc.stop(0, "the names of tests are too large; the rest of the file was not read")
		}
		at = len(c.out.Results)
		c.index[r.result.ID] = at
		c.out.Results = append(c.out.Results, r.result)
	} else {
		c.join(at, r)
		r.shared.keepNames(r.result, c.out.Results[at])
	}
	r.shared.Result = at
	c.out.Cases = append(c.out.Cases, r.shared)
	c.numbers = append(c.numbers, r.number)
	return nil
}

// file returns what was gathered.
func (c *collector) file() *File {
	f := &c.out
	c.settle()
	c.sortRows()
	f.Rows = len(f.Cases)
	f.Suites = suitePaths(c.doc.suites)
	f.Started = c.doc.started
	f.Digest = hex.EncodeToString(c.sum.Sum(nil))
	f.Format = c.format()
	c.checkWhole()
	f.Notices = c.notes.list()
	return f
}

// sortRows puts cases that closed out of order, one inside the other, back
// into the order of the report.
func (c *collector) sortRows() {
	if sort.IntsAreSorted(c.numbers) {
		return
	}
	order := make([]int, len(c.numbers))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return c.numbers[order[i]] < c.numbers[order[j]] })
	cases := make([]Case, len(order))
	for i, from := range order {
		cases[i] = c.out.Cases[from]
	}
	c.out.Cases = cases
}

func suitePaths(suites []suite) []string {
	var paths []string
	seen := map[string]bool{}
	for _, s := range suites {
		if !s.group && s.path != "" && !seen[s.path] {
			seen[s.path] = true
			paths = append(paths, s.path)
		}
	}
	return paths
}

// format is the runner most cases were recognised as.
func (c *collector) format() string {
	best, most := Runner(""), 0
	for _, r := range []Runner{"", RunnerPlaywright, RunnerVitest, RunnerPytest, RunnerGo} {
		if c.runners[r] > most {
			best, most = r, c.runners[r]
		}
	}
	if best == "" {
		return "junit"
	}
	return string(best)
}

// checkWhole adds the notices on the file as a whole.
func (c *collector) checkWhole() {
	if len(c.out.Cases) == 0 {
		c.notes.block("empty", 0, "the report holds no test case")
		return
	}
	whole := &c.doc.suites[0]
	if whole.counted.failing() > 0 || whole.flaky > 0 || c.notes.blocked() {
		return
	}
	for _, s := range c.doc.suites {
		if n := max(s.declared.failures, 0) + max(s.declared.errors, 0); n > 0 {
			c.notes.block("hidden-failure", s.line, fmt.Sprintf("suite %q names %d failures or errors and no test case of the file fails", shorten(s.name, 80), n))
			return
		}
	}
}
