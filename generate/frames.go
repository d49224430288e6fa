package generate

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/generate/markup"
)

// Limits of the frames of a page that are read.
const (
	maxFrames     = 10
	maxFrameDepth = 3
)

// Why frames are not looked into, as it is told.
const (
	unknownFrame = ""
	emptyFrame   = " that did not load"
	brokenFrame  = " that could not be read"
	closedFrame  = " that no frame locator reaches"
	lostFrame    = " that no locator was proven to find alone"
	lateFrame    = " that there was no time for (--timeout)"
)

// tally counts what is not written of a page.
type tally struct {
	more, unproven, unseen int
	frames                 int            // that were read
	beyond                 int            // that are too many or too deep
	passed                 map[string]int // that were not, by reason
	closed                 int            // shadow roots; uncounted
}

// addClosed adds what is known of closed shadow roots.
func (t *tally) addClosed(n int) {
	if n < 0 || t.closed < 0 {
		t.closed = uncounted
		return
	}
	t.closed += n
}

// skipped says what holds elements of its own that are not read.
func (t *tally) skipped() string {
	var parts []string
	for _, why := range []string{unknownFrame, emptyFrame, brokenFrame, closedFrame, lostFrame, lateFrame} {
		if n := t.passed[why]; n > 0 {
			parts = append(parts, text.Count(n, "frame", "frames")+why)
		}
	}
	if t.beyond > 0 {
		parts = append(parts, fmt.Sprintf("%s beyond %d, or deeper than %d", text.Count(t.beyond, "frame", "frames"), maxFrames, maxFrameDepth))
	}
	switch {
	case t.closed < 0:
		parts = append(parts, "closed shadow roots, which are not counted on a page so large")
	case t.closed > 0:
		parts = append(parts, text.Count(t.closed, "closed shadow root", "closed shadow roots"))
	}
	return strings.Join(parts, ", ")
}

// readFrames reads the frames that r shows, and those in them.
func (c *crawl) readFrames(ctx context.Context, r *reading, page *Page, t *tally) error {
	frames := slices.Clone(r.view.Frames())
	for _, n := range r.doc.Elements {
		if n.DataAtom != atom.Iframe && n.DataAtom != atom.Frame {
			continue
		}
		path := pathTo(n)
		at := slices.IndexFunc(frames, func(f Frame) bool { return slices.Equal(f.Path, path) })
		hidden := r.doc.Hidden(n) || markup.Unsized(n)
		if at < 0 {
			if !hidden {
				t.passed[unknownFrame]++
			}
			continue
		}
		frame := frames[at]
		frames = slices.Delete(frames, at, at+1)
		if hidden {
			continue
		}
		if err := c.readFrame(ctx, r, n, frame, page, t); err != nil {
			return err
		}
	}
	t.passed[closedFrame] += len(frames)
	return nil
}

// readFrame reads the frame of an element. Its error is that time is up.
func (c *crawl) readFrame(ctx context.Context, r *reading, n *html.Node, f Frame, page *Page, t *tally) error {
	if t.frames == maxFrames || r.depth == maxFrameDepth {
		t.beyond++
		return nil
	}
	if end, bound := ctx.Deadline(); bound && time.Until(end) < c.o.Timeout/3 {
		t.passed[lateFrame]++ // frames that never answer cost no more than themselves
		return nil
	}
	way, ok := r.proveFirst(n, r.frameWays(n))
	if !ok {
		t.passed[lostFrame]++
		return nil
	}
	view, doc, why := openFrame(f)
	if doc == nil {
		t.passed[why]++
		return ctx.Err()
	}
	t.frames++
	where := view.URL()
	if where.Scheme == "about" { // it is written in the page, whose addresses it shares
		where = r.base
	}
	inner := c.newReading(doc, view, where, r.forms)
	inner.frame, inner.frameName, inner.depth = way.Inside(r.frame).Frame(), r.frameNameOf(n), r.depth+1
	if _, err := c.elements(ctx, inner, page, t); err != nil {
		return err
	}
	return c.readFrames(ctx, inner, page, t)
}

// openFrame returns what is in a frame, or why it is not known.
func openFrame(f Frame) (View, *markup.Document, string) {
	view, err := f.Open()
	if errors.Is(err, errNotLoaded) {
		return nil, nil, emptyFrame
	}
	if err != nil {
		return nil, nil, brokenFrame
	}
	doc, err := markup.Parse(view.Source())
	if err != nil {
		return nil, nil, brokenFrame
	}
	return view, doc, ""
}

// frameNameOf returns what a frame is called, or the one around it.
func (r *reading) frameNameOf(n *html.Node) string {
	for _, name := range []string{markup.Attr(n, "title"), r.authorName(n)} {
		if len(identOf(name)) > 0 {
			return text.First(name, 80)
		}
	}
	return r.frameName
}

// frameWays returns CSS for the element of a frame, which is what frameLocator
// takes: what the authors call it, what it is, where it stands. An address of
// another site may be another one where the tests run.
func (r *reading) frameWays(n *html.Node) []locator.Selector {
	var ways []locator.Selector
	add := func(before, name string) {
		if css := attributeCSS(n, name); css != "" {
			ways = append(ways, locator.ByCSS(before+css))
		}
	}
	add("", r.testID)
	add("", "id")
	add(n.Data, "name")
	add(n.Data, "title")
	if u, err := url.Parse(markup.Attr(n, "src")); err == nil && u.Scheme == "" && u.Host == "" {
		add(n.Data, "src")
	}
	every := locator.ByCSS(n.Data)
	ways = append(append(ways, every), r.byCSS(n)...)
	return append(ways, r.waysByPlace(n, []locator.Selector{every})...)
}
