package generate

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"
)

// Limits of the frames of a page in Chromium.
const (
	maxListed = 100             // that are looked at, in one page or frame
	frameTime = 3 * time.Second // to read one
)

// answers are the status codes that frames were answered with.
type answers struct {
	mu     sync.Mutex
	status map[playwright.Frame]int
}

func (a *answers) note(r playwright.Response) {
	request := r.Request()
	if !request.IsNavigationRequest() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status[request.Frame()] = r.Status()
}

func (a *answers) of(f playwright.Frame) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status[f]
}

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
	status := v.answers.of(f)
	if status == 0 && waiting(f) || status != 0 && status != http.StatusOK || strings.HasPrefix(f.URL(), "chrome-error:") {
		return nil, errNotLoaded
	}
	if f.WaitForLoadState(playwright.FrameWaitForLoadStateOptions{State: playwright.LoadStateDomcontentloaded, Timeout: milliseconds(frameTime)}) != nil {
		return nil, errNotLoaded
	}
	inner := &rendered{context: v.context, page: v.page, frame: f, answers: v.answers, limit: v.limit, tree: v.tree.document(path)}
	err, done := inTime(inner.read)
	if !done {
		return nil, errNotLoaded
	}
	return inner, err
}

// waiting reports whether a frame is still empty that has an address to load,
// such as one that loads when it is scrolled to.
func waiting(f playwright.Frame) bool {
	if f.URL() != "" && f.URL() != "about:blank" {
		return false
	}
	loads, _ := ofElement(f, "(element) => /^https?:/.test(element.src) && !element.hasAttribute('srcdoc')").(bool)
	return loads
}

// ofElement returns what a script says of the element of a frame, nil for
// nothing.
func ofElement(f playwright.Frame, script string) any {
	answer, _ := inTime(func() any {
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

// inTime does what a hostile frame may never answer, and reports whether it
// came to an end.
func inTime[T any](do func() T) (T, bool) {
	done := make(chan T, 1)
	go func() { done <- do() }()
	select {
	case answer := <-done:
		return answer, true
	case <-time.After(frameTime):
		var none T
		return none, false
	}
}
