package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/boundzip"
)

// Trace is one trace.zip. Its methods and those of its calls are for one
// goroutine.
type Trace struct {
	Version    int    // of the format
	Playwright string // version that wrote it, "" when it does not say
	Language   string // as the trace says: "javascript", "python", "java", "csharp"; playwright-go says "javascript"
	Title      string // of the test: "login.spec.ts:4 › signs in", "" when it does not say
	Failed     bool   // the test failed, or one of its calls where only those are known
	Calls      []*Call
	Notes      []string // what was left out

	testID  string // the attribute that getByTestId reads
	runner  bool   // the test runner's own events are there
	broken  bool   // a call failed
	calls   map[string]*Call
	frames  map[string]*frame
	order   []*snapshot
	kept    int64
	typed   []string
	limits  Limits
	pages   map[*node]*page // by root
	recent  map[*frame]*page
	dropped map[string]int

	archive     *boundzip.Archive
	screenshots []screenshotEvent
}

// Call is a call of Playwright that looked for an element.
type Call struct {
	ID       string
	Method   string // "click", "fill", "expect", …
	Selector string // in Playwright's own notation
	Site     *engine.Site
	Failed   bool // it ended with an error, or not at all
	Found    bool // the log says that the locator found something

	// Occurrence tells the call sites apart that look for the same: they are
	// numbered from 0 as the test came to them.
	Occurrence int

	// Asserts is that the call is an expectation. Awaited is that the
	// expectation holds only where there is an element.
	Asserts, Awaited bool

	trace     *Trace
	ended     bool
	box       *engine.BoundingBox
	point     *point // where it was clicked, nil where that is not told
	snapshots []*snapshot
}

// ErrHostile says that a file is none that Playwright writes.
var ErrHostile = boundzip.ErrHostile

// ErrVersion says that a trace's format is one that is not read.
var ErrVersion = errors.New("trace version is not supported")

// Read reads a trace; its name is for messages. What can be read of a damaged
// file counts, and Notes say what was left out. The error is ErrHostile,
// ErrVersion, or says that there is nothing to read.
func Read(name string, r io.ReaderAt, size int64, limits Limits) (*Trace, error) {
	limits = limits.orDefault()
	a, err := boundzip.Open(r, size, boundzip.Limits{Files: limits.Entries, Unpacked: limits.Unpacked, Line: limits.Line})
	if err != nil {
		return nil, fmt.Errorf("read trace %s: %w", name, err)
	}
	t := &Trace{testID: "data-testid", calls: map[string]*Call{}, frames: map[string]*frame{},
		limits: limits, archive: a, pages: map[*node]*page{}, recent: map[*frame]*page{}, dropped: map[string]int{}}
	if err := t.readArchive(a); err != nil {
		return nil, fmt.Errorf("read trace %s: %w", name, err)
	}
	t.completeCalls()
	return t, nil
}

// Versions of the format that are read.
const (
	oldestVersion = 7  // Playwright 1.52
	newestVersion = 10 // Playwright 1.65
)

// Limits bound what one trace may cost. A zero field is the default.
type Limits struct {
	Entries  int   // files in the zip
	Unpacked int64 // bytes of all events, unpacked
	Line     int   // bytes of one event
	Kept     int64 // bytes of snapshots that are held
	Calls    int   // calls that look for an element
}

// DefaultLimits are what a zero Limits means: a trace of an hour's test of a
// large page stays below them.
var DefaultLimits = Limits{Entries: 100_000, Unpacked: 512 << 20, Line: 32 << 20, Kept: 96 << 20, Calls: 20_000}

func (l Limits) orDefault() Limits {
	d := DefaultLimits
	return Limits{
		Entries: cmp.Or(max(l.Entries, 0), d.Entries), Unpacked: cmp.Or(max(l.Unpacked, 0), d.Unpacked),
		Line: cmp.Or(max(l.Line, 0), d.Line), Kept: cmp.Or(max(l.Kept, 0), d.Kept), Calls: cmp.Or(max(l.Calls, 0), d.Calls),
	}
}

// Bounds that no trace of a browser comes near.
const (
	maxSnapshots = 200_000   // of all frames
	maxFrames    = 2_000     // documents
	maxNodes     = 1_000_000 // of a page put together
	maxDepth     = 380       // of a page put together
	maxStacks    = 16 << 20  // bytes of a file of stacks
	maxTyped     = 1_000     // texts that were typed
	maxNotes     = 20
)

func (t *Trace) readArchive(a *boundzip.Archive) error {
	files := a.Named(".trace")
	for _, f := range files {
		e := eventReader{trace: t, runner: f.Name == "test.trace"}
		long, err := a.Lines(f, e.readLine)
		if e.err != nil {
			return e.err
		}
		if errors.Is(err, ErrHostile) {
			return err
		}
		if err != nil { // a killed run leaves half a file
			t.addNote("%s: %v; what stands before it was read", f.Name, err)
		}
		if n := long + e.unread; n > 0 {
			t.addNote("%s: %d events could not be read", f.Name, n)
		}
	}
	if t.Version == 0 {
		return fmt.Errorf("%w: it holds no events", ErrHostile)
	}
	for _, f := range a.Named(".stacks") {
		if err := t.readStacks(a, f); errors.Is(err, ErrHostile) {
			return err
		} else if err != nil {
			t.addNote("%v", err)
		}
	}
	return nil
}

// completeCalls completes the calls when all was read: their numbers, their snapshots.
func (t *Trace) completeCalls() {
	sites := engine.CallSites{}
	for _, c := range t.Calls {
		c.Failed = c.Failed || !c.ended
		c.Occurrence = sites.Occurrence(c.Selector, c.Site, math.MaxInt)
	}
	if !t.runner {
		t.Failed = t.broken
	}
	for _, s := range t.order {
		if c := t.calls[s.call]; c != nil {
			c.snapshots = append(c.snapshots, s)
		}
	}
	for what, n := range t.dropped {
		t.addNote("%d %s left out", n, what)
	}
}

// TestID returns the test's identity: its title without the line in it, which
// changes when something is added above the test. It is "" when the trace does
// not say.
func (t *Trace) TestID() string {
	head, rest, more := strings.Cut(t.Title, " › ")
	head = positionTail.ReplaceAllString(head, "")
	if !more {
		return head
	}
	return head + " › " + rest
}

func (t *Trace) addNote(format string, args ...any) {
	if len(t.Notes) < maxNotes {
		t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
	}
}
