package crumb

import (
	"errors"
	"fmt"
	"time"

	"github.com/mxschmitt/playwright-go"
)

// HealNow heals a locator as if an action on it had timed out, and returns how long
// that took until the action was done again. An action that waited has what was learned
// read ahead.
func HealNow(p *Page, selector string, waited bool) (took time.Duration, err error) {
	var start time.Time
	timeout := func() error {
		if waited {
			time.Sleep(2 * time.Second)
		}
		start = time.Now()
		return fmt.Errorf("%w: waiting for locator(%q)", playwright.ErrTimeout, selector)
	}
	failed := errors.New("done again") // else the next call would not wait
	err = doAt(p.subject(selector, new(*float64)), "click", timeout, func(playwright.Locator) error {
		took = time.Since(start)
		return failed
	})
	if errors.Is(err, failed) {
		err = nil
	}
	return took, err
}

// AwaitLearned waits until what the last action on a page showed is learned, which
// happens in the background.
func AwaitLearned(p *Page) {
	for p.test.Pending() == 0 {
		time.Sleep(time.Millisecond)
	}
}

// CloseWrapper does what closing a page does, and leaves Playwright's page open.
func CloseWrapper(p *Page) {
	p.closing.Store(true) // the page is closed one day, and this is done then
	p.test.forgetPage(p)
	p.test.Flush()
}
