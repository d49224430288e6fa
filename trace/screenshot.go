package trace

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// Screenshot is what a page showed shortly before a call acted on an element of it. The
// picture is as the trace holds it: a stranger's.
type Screenshot struct {
	JPEG    []byte
	Element engine.BoundingBox // in CSS pixels of the view; around a point where the trace tells no box
	View    engine.BoundingBox // in CSS pixels
}

// Bounds of the screenshots of a trace.
const (
	maxScreenshots     = 20_000
	maxScreenshotBytes = 1 << 20
	maxShownNodes      = 50_000 // of a page
	maxShownSnapshots  = 20     // between a screenshot and the action
)

const (
	pointSize = 24   // CSS pixels, of the box around a point
	lateness  = 50.0 // ms that a snapshot may be older than it says
)

// screenshotEvent is a file that shows a page.
type screenshotEvent struct {
	PageID   string  `json:"pageId"`
	File     string  `json:"file"` // in the zip; versions before 10 name a resource by SHA1
	SHA1     string  `json:"sha1"`
	Width    float64 `json:"width"` // CSS pixels
	Height   float64 `json:"height"`
	SwapTime float64 `json:"frameSwapWallTime"` // Unix ms, when the browser showed it
}

// addScreenshot takes in which file shows a page from when on.
func (t *Trace) addScreenshot(line []byte) {
	var s screenshotEvent
	if json.Unmarshal(line, &s) != nil || len(t.screenshots) >= maxScreenshots || !(s.SwapTime > 0 && s.Width >= 1 && s.Height >= 1) {
		t.dropped["screenshots"]++
		return
	}
	if s.File == "" {
		s.File = "resources/" + s.SHA1
	}
	t.screenshots = append(t.screenshots, s)
}

// Screenshot returns what the page showed before the call acted on its element; false where
// the trace does not tell it, or where that might show a secret: a screenshot cannot be
// painted over, for a trace does not say where on the screen anything is. So every snapshot
// of the page must be free of secrets, from the last one before the screenshot to the
// action. The reader that Read was given must still be open.
func (c *Call) Screenshot() (shot Screenshot, ok bool) {
	t := c.trace
	s, at := c.markedTarget()
	if s == nil || !s.main || s.phase != phaseAction || len(t.Notes) > 0 || c.box == nil && c.point == nil {
		return shot, false
	}
	var shown *screenshotEvent
	for i, e := range t.screenshots {
		if e.PageID == s.page && e.SwapTime <= s.time-lateness && (shown == nil || e.SwapTime >= shown.SwapTime) {
			shown = &t.screenshots[i]
		}
	}
	if shown == nil || !t.showsNoSecret(shown.SwapTime, s, at) {
		return shot, false
	}
	shot.View = engine.BoundingBox{Width: shown.Width, Height: shown.Height}
	if c.box != nil {
		shot.Element = *c.box
	} else {
		shot.Element = engine.BoundingBox{X: c.point.X - pointSize/2, Y: c.point.Y - pointSize/2, Width: pointSize, Height: pointSize}
	}
	f := t.archive.File(shown.File)
	if f == nil {
		return shot, false
	}
	r, err := t.archive.Open(f)
	if err != nil {
		return shot, false
	}
	defer r.Close()
	shot.JPEG, err = io.ReadAll(io.LimitReader(r, maxScreenshotBytes+1))
	return shot, err == nil && len(shot.JPEG) <= maxScreenshotBytes
}

// showsNoSecret reports whether what a page showed from a time until the snapshot s holds
// no secret, and the element at a place was there and was scrolled to all the time.
func (t *Trace) showsNoSecret(from float64, s *snapshot, at place) bool {
	before := -1.0
	for _, p := range t.order {
		if p.page == s.page && p.main && p.time <= from {
			before = max(before, p.time)
		}
	}
	want, checked := s.scrolled(), 0
	for _, p := range t.order {
		if p.page != s.page || p.time < before || p.time > s.time {
			continue
		}
		if checked++; before < 0 || checked > maxShownSnapshots || !p.isPlain() {
			return false
		}
		if p.main && p.time > from && (!sameElement(p.readTree().at(at), s.readTree().at(at)) || !slices.Equal(p.scrolled(), want)) {
			return false
		}
	}
	return checked > 0
}

// scrolled returns how far the elements of a page are scrolled, in their order.
func (s *snapshot) scrolled() []string {
	root := s.readTree()
	if root == nil {
		return nil
	}
	if nodes, _ := root.countNodes(0); nodes > maxShownNodes {
		return nil // such a page is not plain
	}
	return root.appendScrolled(nil, 0)
}

func (n *node) appendScrolled(list []string, depth int) []string {
	if depth > maxDepth {
		return list
	}
	for _, a := range n.attributes {
		if a.name == "__playwright_scroll_top_" || a.name == "__playwright_scroll_left_" {
			list = append(list, a.name+a.value)
		}
	}
	for c := range n.resolved() {
		list = c.appendScrolled(list, depth+1)
	}
	return list
}
