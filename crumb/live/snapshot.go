package live

import (
	"slices"
	"sync"
	"time"

	"github.com/breadcrumb/action/engine/heal"
)

// Times that a heal gives a page to describe itself.
const (
	ownTime   = 5 * time.Second
	otherTime = 2 * time.Second
)

// snapshot is a page with all its frames at the time of a heal.
type snapshot struct {
	documents []document
	page      *heal.Page // all documents, one after the other
	own       bool       // documents[0] is the one the locator looks in
}

// document is one frame's part of a snapshot.
type document struct {
	frame  Frame
	handle Handle // {nodes, text}
	start  int    // index of its first element
}

// snapshot describes the page around a subject, its own document first. Another
// frame that does not answer is left out; when its own does not, the snapshot is
// empty, because what is missing there cannot be told from what is lost.
func (t *Test) snapshot(s *Subject) *snapshot {
	own, known := s.Document()
	frames := s.Page.Frames()
	if at := slices.Index(frames, own); at > 0 {
		frames = slices.Concat(frames[at:at+1], frames[:at], frames[at+1:])
	}
	var views []view
	now := &snapshot{}
	start := 0
	for _, d := range t.descriptions(frames, own) {
		v, err := readView(d.text)
		if err != nil {
			continue
		}
		now.own = now.own || d.frame == own
		d.start = start
		start += len(v.elements)
		now.documents = append(now.documents, d.document)
		views = append(views, v)
	}
	if !known || own != nil && !now.own {
		views = nil
	}
	now.page = heal.NewPage(joinViews(views))
	return now
}

// description is a document and what collect.js told of it.
type description struct {
	document
	text string
}

// descriptions asks all frames at once and returns their answers in the order
// of the frames.
func (t *Test) descriptions(frames []Frame, own Frame) []description {
	list := make([]description, len(frames))
	var all sync.WaitGroup
	for i, f := range frames {
		limit := otherTime
		if f == own {
			limit = ownTime
		}
		all.Go(func() {
			handle, text := t.describe(f, limit)
			list[i] = description{document{frame: f, handle: handle}, text}
		})
	}
	all.Wait()
	return list
}

// describe returns what collect.js returns in a frame.
func (t *Test) describe(f Frame, limit time.Duration) (Handle, string) {
	value, err := callWithin(limit, func() (any, error) { return f.EvaluateHandle(collectAll, t.options.TestIDAttribute) })
	handle, ok := value.(Handle)
	if err != nil || !ok {
		return nil, ""
	}
	value, err = callWithin(limit, func() (any, error) { return handle.Evaluate("page => page.text") })
	text, _ := value.(string)
	if err != nil || len(text) > maxViewBytes {
		return nil, ""
	}
	return handle, text
}

// documentOf returns the document of an element and its index in there.
func (n *snapshot) documentOf(index int) (document, int) {
	for i := len(n.documents) - 1; i > 0; i-- {
		if index >= n.documents[i].start {
			return n.documents[i], index - n.documents[i].start
		}
	}
	return n.documents[0], index
}

// inOtherFrame reports whether an element is in another frame than it was looked for.
func (n *snapshot) inOtherFrame(index int) bool {
	d, _ := n.documentOf(index)
	return !n.own || d.start > 0
}
