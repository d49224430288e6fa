package junit

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
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
	// TracesNamed says that the traces are named elsewhere, so that one outside
	// the report's directory is worth no notice.
	TracesNamed bool
	// Wait, where there is one, is called every few hundred results, so that a
	// caller that bounds memory can wait for a collection. Reports are read beside
	// each other: several calls can come at once.
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
	// Unrun are the identities of at most 1,000 tests that count as skipped and
	// that Playwright did not run although no annotation skips them: a failure
	// ended their group, the projects that need it, or the whole run.
	Unrun []string

	packed packed
}

// Len returns the number of results, one per identity.
func (f *File) Len() int { return f.packed.results.len() }

// Result returns result i, in the order of the report. It is made anew at each
// call.
func (f *File) Result(i int) engine.TestResult {
	var u unpacker
	return u.result(&f.packed, i, f.Name)
}

// ID returns the identity of result i.
func (f *File) ID(i int) string { return f.packed.id(i) }

// Suites returns the suite paths seen, in the order of the report, each once.
func (f *File) Suites() []string { return f.packed.suitePaths() }

// Results returns every result. Of a large report Result takes less memory.
func (f *File) Results() []engine.TestResult {
	out := make([]engine.TestResult, f.Len())
	var u unpacker
	for i := range out {
		out[i] = u.result(&f.packed, i, f.Name)
	}
	return out
}

// Case returns row i of Rows, in the order of the report.
func (f *File) Case(i int) Case { return f.packed.row(i) }

// Cases returns every row.
func (f *File) Cases() []Case {
	out := make([]Case, f.Rows)
	for i := range out {
		out[i] = f.Case(i)
	}
	return out
}

// Green reports whether the file alone lets a job pass: no test of it fails
// and no notice blocks.
func (f *File) Green() bool {
	for _, n := range f.Notices {
		if n.Severity == engine.SeverityBlocking {
			return false
		}
	}
	for i := range f.Len() {
		if f.packed.results.at(i).flags.final().Failing() {
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
	c := Counts{Tests: f.Rows}
	for i := range f.Rows {
		switch f.packed.row(i).Status {
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
	for i := range f.Len() {
		if f.packed.results.at(i).flags&flagFlaky != 0 {
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
	runners map[Runner]int
	texts   int64 // bytes of failure texts and properties still kept
	kept    int   // results and suites
	counted bool  // go test -json shows that -count ran tests again
}

func newCollector(name string, o Options) *collector {
	o.Limits = o.Limits.withDefaults()
	return &collector{
		options: o,
		notes:   newNotes(name),
		sum:     sha256.New(),
		out:     File{Name: name},
		runners: map[Runner]int{},
		texts:   o.Limits.TextBytes,
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
	c.doc = newDocument(scan, c.notes, c.options.Limits)
	b := newBatch(c.add, c.doc.release)
	c.doc.batch, c.doc.attach, c.doc.entered = b, c.attach, c.enterSuite
	c.builder = builder{report: c.out.Name, root: c.options.Root, suites: &c.doc.suites, files: map[string]string{}}
	if read := formatOf(head); read != nil {
		if err := c.other(read, head); err != nil {
			return err
		}
		return c.rest(input)
	}
	if err := c.document(head); err != nil {
		return err
	}
	if err := b.flush(); err != nil && !errors.Is(err, errStop) {
		return err
	}
	return c.rest(input)
}

// other reads a report that is no XML.
func (c *collector) other(read formatReader, head []byte) error {
	name, err := read(newFeed(c))
	if err != nil && !errors.Is(err, errStop) {
		return err
	}
	if name == "" {
		if err := c.doc.scan.err; err != nil {
			return err
		}
		return foreign(head, "")
	}
	c.out.Format = name
	c.faults()
	return nil
}

// document reads the structure and decides between an error and a notice.
func (c *collector) document(head []byte) error {
	err := c.doc.read()
	if scanErr := c.doc.scan.err; scanErr != nil && !c.raw.over && !c.doc.seen {
		return scanErr
	}
	c.faults()
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
	if (c.doc.foreign() || c.doc.rows == 0 && foreignNamespace(head)) && len(trimSpaceNUL(head)) > 0 {
		return foreign(head, c.doc.root)
	}
	return nil
}

// faults tells what was repaired and why the rest of the file could not be
// read.
func (c *collector) faults() {
	if line := c.doc.scan.bare; line > 0 {
		c.notes.warn("unescaped", line, "an '&' or '<' that begins no markup was read as text")
	}
	if err := c.doc.scan.err; err != nil && !c.raw.over {
		c.notes.blockf("read", c.doc.scan.line, "reading failed: %v; the rest of the file is missing", err)
	}
	if c.raw.over {
		c.notes.blockf("limit", c.doc.scan.line, "the file is larger than %d bytes; the rest was not read", c.options.Limits.FileBytes)
	}
}

// refuseDoctype names a format that begins with a DTD or HTML, else the
// document type itself.
func (c *collector) refuseDoctype(head []byte, err error) error {
	if f, ok := foreignPrefix(head); ok {
		return &NotJUnitError{f}
	}
	if m := doctypeName.FindSubmatch(head); m != nil && foreignRoots[string(m[1])] != "" {
		return foreign(head, string(m[1]))
	}
	return fmt.Errorf("not usable as JUnit XML: %w", err)
}

// rest reads what a stopped document left, so that the digest is that of the
// whole file.
func (c *collector) rest(input *bufio.Reader) error {
	if _, err := io.Copy(io.Discard, input); err != nil && c.doc.scan.err == nil {
		c.notes.blockf("read", 0, "reading failed: %v", err)
	}
	return nil
}

// add takes one test case from go-junit.
func (c *collector) add(t gojunit.Test, read *openCase, v verdict) error {
	return c.keep(c.builder.build(t, read, v))
}

// file returns what was gathered.
func (c *collector) file() *File {
	f := &c.out
	c.settle()
	f.packed.close()
	f.Rows = f.packed.rows.len()
	f.Started = c.doc.started
	f.Digest = hex.EncodeToString(c.sum.Sum(nil))
	if f.Format == "" {
		f.Format = c.format()
	}
	c.checkWhole()
	f.Notices = c.notes.list()
	return f
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
	if c.out.Rows == 0 {
		c.notes.block("empty", 0, "the report holds no test case")
		return
	}
	if s := c.doc.hidden; s.failures > 0 && !c.notes.blocked() {
		c.notes.blockf("hidden-failure", s.line, "suite %q names %d failures or errors and none of its test cases fails", s.name, s.failures)
	}
}
