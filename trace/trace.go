package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/boundzip"
)

// Trace is one trace.zip. Its methods and those of its calls are for one
// goroutine.
type Trace struct {
	Name       string // of the file
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
	snapshots []*snapshot
}

// ErrHostile says that a file is none that Playwright writes.
var ErrHostile = boundzip.ErrHostile

// ErrVersion says that a trace's format is one that is not read.
var ErrVersion = errors.New("trace version is not supported")

// Read reads a trace. Name is only told. What can be read of a damaged file
// counts, and Notes say what was left out; the error is ErrHostile, ErrVersion,
// or that there is nothing to read.
func Read(name string, r io.ReaderAt, size int64, limits Limits) (*Trace, error) {
	limits = limits.orDefault()
	a, err := boundzip.Open(r, size, boundzip.Limits{Files: limits.Entries, Unpacked: limits.Unpacked, Line: limits.Line})
	if err != nil {
		return nil, fmt.Errorf("read trace %s: %w", name, err)
	}
	t := &Trace{Name: name, testID: "data-testid", calls: map[string]*Call{}, frames: map[string]*frame{},
		limits: limits, pages: map[*node]*page{}, recent: map[*frame]*page{}, dropped: map[string]int{}}
	if err := t.read(a); err != nil {
		return nil, fmt.Errorf("read trace %s: %w", name, err)
	}
	t.settle()
	return t, nil
}

func (t *Trace) read(a *boundzip.Archive) error {
	files := a.Named(".trace")
	for _, f := range files {
		e := events{trace: t, runner: f.Name == "test.trace"}
		long, err := a.Lines(f, e.line)
		if e.err != nil {
			return e.err
		}
		if errors.Is(err, ErrHostile) {
			return err
		}
		if err != nil { // a killed run leaves half a file
			t.note("%s: %v; what stands before it was read", f.Name, err)
		}
		if n := long + e.unread; n > 0 {
			t.note("%s: %d events could not be read", f.Name, n)
		}
	}
	if t.Version == 0 {
		return fmt.Errorf("%w: it holds no events", ErrHostile)
	}
	for _, f := range a.Named(".stacks") {
		if err := t.readStacks(a, f); errors.Is(err, ErrHostile) {
			return err
		} else if err != nil {
			t.note("%v", err)
		}
	}
	return nil
}

// settle is called when all was read.
func (t *Trace) settle() {
	sites := map[string][]engine.Site{}
	for _, c := range t.Calls {
		c.Failed = c.Failed || !c.ended
		c.Occurrence = occurrence(sites, c)
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
		t.note("%d %s left out", n, what)
	}
}

// occurrence numbers the sites that look for the same.
func occurrence(sites map[string][]engine.Site, c *Call) int {
	at := engine.Site{}
	if c.Site != nil {
		at = *c.Site
	}
	for i, s := range sites[c.Selector] {
		if s == at {
			return i
		}
	}
	sites[c.Selector] = append(sites[c.Selector], at)
	return len(sites[c.Selector]) - 1
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

func (t *Trace) note(format string, args ...any) {
	if len(t.Notes) < maxNotes {
		t.Notes = append(t.Notes, fmt.Sprintf(format, args...))
	}
}

// present reports whether a JSON value is there.
func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
