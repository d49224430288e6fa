package generate

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"
)

// Limits of the frames of a page in Chromium.
const (
	maxListed = 100             // that are looked at, in one page or frame
	frameTime = 3 * time.Second // to read one
)

// Frames returns the frames that the browser has, loaded or not.
func (v *rendered) Frames() []Frame {
	var frames []Frame
	for _, f := range v.frame.ChildFrames() {
		if len(frames) == maxListed {
			break
		}
		if path, ok := pathOfFrame(f); ok {
			frames = append(frames, Frame{Path: path, Open: func() (View, error) { return v.openFrame(f, path) }})
		}
	}
	return frames
}

// pathOfFrame returns where the element of a frame is.
func pathOfFrame(f playwright.Frame) ([]int, bool) {
	answer, _ := ofElement(f, "(element) => ("+pathScript+")([element])").(string)
	var paths [][]int
	if json.Unmarshal([]byte(answer), &paths) != nil || len(paths) != 1 {
		return nil, false
	}
	return paths[0], true
}

// openFrame reads a frame.
func (v *rendered) openFrame(f playwright.Frame, path []int) (View, error) {
	answer, _ := v.answers.Load(f)
	status, _ := answer.(int)
	if status == 0 && waitsToLoad(f) || status != 0 && status != http.StatusOK || strings.HasPrefix(f.URL(), "chrome-error:") {
		return nil, errNotLoaded
	}
	if f.WaitForLoadState(playwright.FrameWaitForLoadStateOptions{State: playwright.LoadStateDomcontentloaded, Timeout: milliseconds(frameTime)}) != nil {
		return nil, errNotLoaded
	}
	inner := &rendered{context: v.context, page: v.page, frame: f, answers: v.answers, limit: v.limit, tree: v.tree.frameDocument(path)}
	err, done := withTimeout(inner.readSnapshot)
	if !done {
		return nil, errNotLoaded
	}
	return inner, err
}

// waitsToLoad reports whether a frame is still empty that has an address to load,
// such as one that loads when it is scrolled to.
func waitsToLoad(f playwright.Frame) bool {
	if f.URL() != "" && f.URL() != "about:blank" {
		return false
	}
	loads, _ := ofElement(f, "(element) => /^https?:/.test(element.src) && !element.hasAttribute('srcdoc')").(bool)
	return loads
}

// ofElement returns what a script says of the element of a frame, nil for
// nothing.
func ofElement(f playwright.Frame, script string) any {
	answer, _ := withTimeout(func() any {
		element, err := f.FrameElement()
		if err != nil {
			return nil
		}
		answer, err := element.Evaluate(script)
		if err != nil {
			return nil
		}
		return answer
	})
	return answer
}

// withTimeout does what a hostile frame may never answer, and reports whether it
// came to an end.
func withTimeout[T any](do func() T) (T, bool) {
	done := make(chan T, 1)
	go func() { done <- do() }()
	select {
	case answer := <-done:
		return answer, true
	case <-time.After(frameTime):
		return *new(T), false
	}
}

// Limits of the nodes that are asked for to count closed shadow roots: a script
// may nest more than JSON is read.
const (
	maxNodes = 300_000
	maxDepth = 1_000
)

// loadTree asks the browser for the nodes of the page, or of a frame that is in a
// process of its own, unless they are too many.
func (v *rendered) loadTree() error {
	var of any = v.frame
	if v.frame == v.page.MainFrame() {
		of = v.page
	}
	session, err := v.context.NewCDPSession(of)
	switch {
	case err != nil && v.frame != v.page.MainFrame():
		return nil // it is one of a page too large
	case err != nil:
		return err
	}
	defer func() { _ = session.Detach() }()
	counters, err := session.Send("Memory.getDOMCounters", nil)
	if err != nil {
		return err
	}
	numbers, _ := counters.(map[string]any)
	if numberOf(numbers["nodes"]) > maxNodes {
		return nil
	}
	answer, err := session.Send("DOM.getDocument", map[string]any{"depth": maxDepth, "pierce": true})
	if err != nil {
		return err
	}
	nodes, _ := answer.(map[string]any)
	v.tree = child(nodes["root"])
	return nil
}

func numberOf(v any) float64 {
	switch n := v.(type) {
	case float64:
		return n
	case int:
		return float64(n)
	}
	return 0
}

// domNode is what the browser says of a node
// (https://chromedevtools.github.io/devtools-protocol/tot/DOM/#type-Node).
type domNode map[string]any

func child(v any) domNode {
	n, _ := v.(map[string]any)
	return n
}

func (n domNode) childNodes(name string) []domNode {
	all, _ := n[name].([]any)
	nodes := make([]domNode, len(all))
	for i, v := range all {
		nodes[i] = child(v)
	}
	return nodes
}

// countClosed counts the closed shadow roots in a node, those of frames left out.
func (n domNode) countClosed() int {
	count := 0
	for _, root := range n.childNodes("shadowRoots") {
		if root["shadowRootType"] == "closed" {
			count++
		}
		count += root.countClosed()
	}
	for _, c := range n.childNodes("children") {
		count += c.countClosed()
	}
	return count
}

// frameDocument returns the document of the frame whose element is at a path, nil for
// one that another process has.
func (n domNode) frameDocument(path []int) domNode {
	for _, at := range path {
		if n = n.stepInto(at); n == nil {
			return nil
		}
	}
	return child(n["contentDocument"])
}

// stepInto returns an element in a node, or with -1 its open shadow root.
func (n domNode) stepInto(at int) domNode {
	if at < 0 {
		for _, root := range n.childNodes("shadowRoots") {
			if root["shadowRootType"] == "open" {
				return root
			}
		}
		return nil
	}
	for _, c := range n.childNodes("children") {
		if numberOf(c["nodeType"]) != 1 { // no element
			continue
		}
		if at == 0 {
			return c
		}
		at--
	}
	return nil
}
