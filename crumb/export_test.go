package crumb

import (
	"errors"
	"time"

	"github.com/playwright-community/playwright-go"
)

// HealNow heals a locator as if an action on it had timed out just now, and
// replays nothing. Prepared says that the action waited long enough to recall
// what was lost. It returns how long that took, in both cases without the time
// that the action would have waited.
func HealNow(p *Page, selector string, prepared bool) (time.Duration, error) {
	s := p.subject(selector, new(*float64))
	k := p.test.keyOf(s)
	recall, _ := p.test.prepareRecall(s, k, true)
	if prepared {
		recall()
	}
	start := time.Now()
	h := &healing{subject: s, test: p.test, key: k, action: "click", recall: recall}
	_, err := replayHealed(h, struct{}{}, errors.New("lost"), func(playwright.Locator) (struct{}, error) { return struct{}{}, nil })
	return time.Since(start), err
}

// AwaitLearned waits until what the last action on a page showed is learned, which
// is the work of a moment in the background.
func AwaitLearned(p *Page) {
	for p.test.recorder.Pending() == 0 {
		time.Sleep(time.Millisecond)
	}
}

// CloseWrapper does what closing a page does, and leaves Playwright's page open.
func CloseWrapper(p *Page) {
	p.closing.Store(true) // the page is closed one day, and this is done then
	p.test.forgetPage(p)
	p.test.flush()
}
