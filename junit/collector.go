package junit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/junit/formats"
	"github.com/breadcrumb/action/junit/identity"
	"github.com/breadcrumb/action/junit/input"
	"github.com/breadcrumb/action/junit/junitxml"
	"github.com/breadcrumb/action/junit/results"
	"github.com/breadcrumb/action/junit/scan"
)

// Bounds of what is kept of one report.
const (
	nameBytes = 2 << 10 // name of a test
	maxUnrun  = 1000    // File.Unrun
	waitEvery = 512     // results between calls of Options.Wait
)

// collector reads one report into a File.
type collector struct {
	*input.Report
	options  Options
	builder  builder
	doc      *junitxml.Document
	sum      hash.Hash
	raw      *boundedReader
	out      File
	runners  map[identity.Runner]int // number of cases by runner
	storable int64                   // bytes of failure texts and properties that results may still hold
	added    int                     // results and suites
}

func newCollector(name string, o Options) *collector {
	l := o.Limits.WithDefaults()
	return &collector{
		Report:   input.NewReport(name, o.Root, l),
		options:  o,
		sum:      sha256.New(),
		out:      File{Name: name},
		runners:  map[identity.Runner]int{},
		storable: l.TextBytes,
	}
}

// boundedReader stops after left bytes.
type boundedReader struct {
	r    io.Reader
	left int64
	over bool // there was more
}

func (c *boundedReader) Read(p []byte) (int, error) {
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

// readReport reads the report r.
func (c *collector) readReport(r io.Reader) (*File, error) {
	c.raw = &boundedReader{r: r, left: c.Limits.FileBytes}
	input, head, warning := scan.OpenUTF8(io.TeeReader(c.raw, c.sum))
	if warning != "" {
		c.Notices.Warn("encoding", 1, "%s", warning)
	}
	c.Scan = scan.NewScanner(input)
	c.doc = junitxml.New(c.Report, c)
	c.builder = builder{report: c.Name, root: c.Root, files: map[string]string{}, namer: identity.Namer{Root: c.Root}}
	var err error
	if read := formats.ReaderOf(head); read != nil {
		err = c.readOther(read, head)
	} else {
		err = c.readXML(head)
	}
	if err != nil {
		return nil, err
	}
	// What a stopped reader left is read so that the digest is that of the whole file.
	if _, err := io.Copy(io.Discard, input); err != nil && c.Scan.Err == nil {
		c.Notices.Miss("read", 0, "reading failed: %v", err)
	}
	return c.finishFile(), nil
}

// readOther reads a report that is no XML.
func (c *collector) readOther(read formats.Reader, head []byte) error {
	name, err := read(formats.NewFeed(c.Report, c))
	if err != nil && !errors.Is(err, input.ErrStop) {
		return err
	}
	if name == "" {
		if err := c.Scan.Err; err != nil {
			return err
		}
		return formats.OtherFormat(head, "")
	}
	c.out.Format = name
	c.noteFaults()
	return nil
}

// readXML reads the elements and decides whether what is wrong is an error or a
// notice.
func (c *collector) readXML(head []byte) error {
	err := c.doc.Read()
	if scanErr := c.Scan.Err; scanErr != nil && !c.raw.over && !c.doc.Seen {
		return scanErr
	}
	c.noteFaults()
	switch {
	case err == nil, errors.Is(err, input.ErrStop):
	case errors.Is(err, scan.ErrDoctype) && c.Rows > 0:
		c.Notices.Miss("doctype", c.Scan.Line(), "%v; the rest of the file was not read", err)
	case errors.Is(err, scan.ErrDoctype):
		return formats.RefuseDoctype(head, err)
	default:
		return err
	}
	if err != nil {
		if err := c.doc.AbandonOpen(); err != nil && !errors.Is(err, input.ErrStop) {
			return err
		}
	}
	if (c.doc.OtherFormat() || c.Rows == 0 && formats.HasOtherNamespace(head)) && len(formats.TrimSpaceNUL(head)) > 0 {
		return formats.OtherFormat(head, c.doc.RootName)
	}
	return nil
}

// noteFaults says what was repaired and why the rest of the file could not be
// read.
func (c *collector) noteFaults() {
	if line := c.Scan.Unescaped; line > 0 {
		c.Notices.Warn("unescaped", line, "an '&' or '<' that begins no markup was read as text")
	}
	if err := c.Scan.Err; err != nil && !c.raw.over {
		c.Notices.Miss("read", c.Scan.Line(), "reading failed: %v; the rest of the file is missing", err)
	}
	if c.raw.over {
		c.Notices.Miss("limit", c.Scan.Line(), "the file is larger than %d bytes; the rest was not read", c.Limits.FileBytes)
	}
}

// AddSuite adds a suite path and returns how many there are.
func (c *collector) AddSuite(path string) (int, error) {
	return c.out.results.AddSuite(path), c.checkSize(c.Scan.Line())
}

func (c *collector) addRow(r row) error {
	c.runners[r.runner]++
	if name := r.result.Name; len(name) > nameBytes {
		r.result.Name = text.Cut(name, nameBytes)
		c.Notices.Warn("name", r.line, "the name of a test is longer than %d bytes and was cut; its identity ends in a digest of the whole", nameBytes)
	}
	c.boundTexts(&r.result, r.line)
	if r.unrun && len(c.out.Unrun) < maxUnrun {
		c.out.Unrun = append(c.out.Unrun, r.result.ID)
	}
	c.out.results.AddRow(r.number, &r.result, r.shared, r.runner == identity.RunnerGo, c.Limits.Attempts)
	return c.checkSize(r.line)
}

// checkSize stops a report at line if it holds more than may be kept of it.
func (c *collector) checkSize(line int) error {
	if c.added++; c.added%waitEvery == 0 && c.options.Wait != nil {
		c.options.Wait()
	}
	if most := c.Limits.KeptBytes; c.out.results.Size() > most {
		return c.Stop(line, "the names of suites and tests are too large: they need more than %d bytes; the rest of the file was not read; the bound is names in report-limits", most)
	}
	return nil
}

// boundTexts counts the texts of r towards what may be kept of one file. Near
// the bound failure texts and properties are dropped and messages cut; at the
// bound messages are dropped too. The tests still count.
func (c *collector) boundTexts(r *engine.TestResult, line int) {
	size := textSize(r)
	if size == 0 {
		return
	}
	if c.storable-size < c.Limits.TextBytes/8 {
		c.DropTexts(line)
		for i := range r.Attempts {
			a := &r.Attempts[i]
			a.Text, a.Waited, a.Message = "", "", text.Cut(a.Message, 120)
		}
		r.Properties, r.Attachments = nil, nil
		size = textSize(r)
	}
	if c.storable < size {
		c.Mute = true
		for i := range r.Attempts {
			r.Attempts[i].Message, r.Attempts[i].ErrorType = "", ""
		}
		return
	}
	c.storable -= size
	c.out.results.AddTextSize(size)
}

// textSize is what r holds beside its names and outcomes, in bytes.
func textSize(r *engine.TestResult) int64 {
	size := 0
	for _, a := range r.Attempts {
		size += len(a.Text) + len(a.Message) + len(a.ErrorType) + len(a.Waited)
	}
	for name, value := range r.Properties {
		size += len(name) + len(value) + 2
	}
	for _, name := range r.Attachments {
		size += len(name) + 2
	}
	return int64(size)
}

// finishFile returns what was read.
func (c *collector) finishFile() *File {
	f := &c.out
	f.results.Finish(c.Notices, results.RerunRules{
		Limit:    c.Limits.Attempts,
		Repeated: c.Repeated,
		ByName:   f.Format != formats.GoTest,
	})
	f.Rows = f.results.RowCount()
	f.Started = c.Started
	f.Digest = hex.EncodeToString(c.sum.Sum(nil))
	if f.Format == "" {
		f.Format = c.commonestRunner()
	}
	c.checkWhole()
	f.Notices, f.Whole = c.Notices.List(), !c.Notices.Missed()
	return f
}

// commonestRunner returns the runner that wrote most cases.
func (c *collector) commonestRunner() string {
	known := []identity.Runner{"", identity.RunnerPlaywright, identity.RunnerVitest, identity.RunnerPytest, identity.RunnerGo}
	most := slices.MaxFunc(known, func(a, b identity.Runner) int { return cmp.Compare(c.runners[a], c.runners[b]) })
	return cmp.Or(string(most), "junit")
}

// checkWhole adds the notices on the file as a whole.
func (c *collector) checkWhole() {
	if c.out.Rows == 0 {
		c.Notices.Miss("empty", 0, "the report holds no test case")
		return
	}
	if s := c.doc.Hidden; s.Failures > 0 && !c.Notices.Blocked() {
		if s.Shown == 0 {
			c.Notices.Block("hidden-failure", s.Line, "suite %q names %d failures or errors and none of its test cases fails", s.Name, s.Failures)
		} else {
			c.Notices.Block("hidden-failure", s.Line, "suite %q names %d failures or errors and its test cases show %d", s.Name, s.Failures, s.Shown)
		}
	}
}
