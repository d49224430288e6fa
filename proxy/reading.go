package proxy

import (
	"time"

	"github.com/breadcrumb/action/crumb/live"
)

// actsAtOnce are the methods of calls that act with the first thing that they ask the page.
// All others look for their element first, and then act on it with a second one
// (_retryWithProgressIfNotConnected in packages/playwright-core/src/server/frames.ts) or only
// read, so that a page that is asked right behind such a call tells what is there before it.
var actsAtOnce = map[string]bool{"dispatchEvent": true, "evalOnSelector": true}

// readsBehind reports whether the page is asked right behind the call what it shows, and not
// before it: so the call need not wait for that. A call with little time does, because the
// page does one after the other.
func (c *call) readsBehind() bool {
	return !c.begun && !actsAtOnce[c.method] && (c.timeout == 0 || c.timeout > shortTimeout)
}

// notedLocator tells its call what the page shows at the time of the call.
type notedLocator struct {
	locator
	call *call
}

// StartReading implements [live.SelfReading].
func (n notedLocator) StartReading(testIDAttribute string) live.Reading {
	c, began := n.call, make(chan live.Reading, 1)
	if c.byWorker {
		return c.awaitTold()
	}
	c.beginReading(false)
	asked := c.noteAsked()
	c.reading = func(now bool) {
		if now {
			began <- n.locator.StartReading(testIDAttribute)
		} else {
			began <- readNothing
		}
	}
	if !c.readsBehind() {
		c.beginReading(true)
	}
	return func() (string, []live.Answer, error) {
		defer close(asked)
		text, frames, err := (<-began)()
		c.shown = err == nil && text != ""
		return text, frames, err
	}
}

func readNothing() (string, []live.Answer, error) { return "", nil, errEnded }

// awaitTold returns what waits for the answers to the questions that the worker asked behind
// its call. Of each question it does so once; then it returns an error.
func (c *call) awaitTold() live.Reading {
	told := c.told
	if len(told) == 0 {
		return readNothing
	}
	c.told = nil
	asked := c.noteAsked()
	return func() (string, []live.Answer, error) {
		defer close(asked)
		frames := make([]live.Answer, len(told)-1)
		for i, answer := range told[1:] {
			frames[i] = c.r.textRead(answer)
		}
		text, err := c.r.textRead(told[0])()
		return text, frames, err
	}
}

// noteAsked notes that the page is asked; what it returns is closed when it has answered.
func (c *call) noteAsked() chan struct{} {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	c.asked = make(chan struct{})
	return c.asked
}

// beginReading asks the page what is to be asked behind the call, or does without. From then
// on the page is asked at once.
func (c *call) beginReading(now bool) {
	c.begun = c.begun || now
	if begin := c.reading; begin != nil {
		c.reading = nil
		begin(now)
	}
}

// hasRead reports whether the page has told what it shows.
func (c *call) hasRead() bool {
	c.r.mu.Lock()
	asked := c.asked
	c.r.mu.Unlock()
	if asked == nil {
		return false
	}
	select {
	case <-asked:
		return true
	default:
		return false
	}
}

// seenTime is how long a call waits for a page to tell what it shows.
const seenTime = 500 * time.Millisecond

// awaitReading waits a moment until the page has told what it shows right before the call,
// and reports whether the element is there.
func (c *call) awaitReading() (shown bool) {
	if c.asked == nil || c.readsBehind() {
		return false
	}
	select {
	case <-c.asked:
		return c.shown
	case <-time.After(seenTime):
		return false
	}
}
