package crumb

import (
	"errors"

	"github.com/playwright-community/playwright-go"
)

// HealNow heals a locator as if an action on it had timed out just now, and
// replays nothing.
func HealNow(p *Page, selector string) error {
	s := p.subject(selector)
	_, err := heal(s, p.test.keyOf(s), "click", struct{}{}, errors.New("lost"), func(playwright.Locator) (struct{}, error) { return struct{}{}, nil })
	return err
}

// Flush saves what a page learned.
func Flush(p *Page) { p.test.flush() }

// Leave does what closing a page does, and leaves Playwright's page open.
func Leave(p *Page) {
	p.closing.Store(true) // the page is closed one day, and this is done then
	p.test.closed(p)
	p.test.flush()
}
