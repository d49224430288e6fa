package crumb

import (
	"errors"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
)

// Scope makes the page another test's from now on, for a suite whose tests share one:
//
//	err := page.Scope(t.Name())
//
// What is learned, healed and reported is that test's, in all pages of the browser context
// and through locators that were made before. What the test before it learned and lost is
// saved. A call that is under way stays with the test it began in, so tests that run at
// once need contexts of their own. The error says that testID is no name.
func (p *Page) Scope(testID string) error {
	id := engine.NewTestID(testID)
	if id == "" {
		return errors.New("scope of page: name the test, as t.Name() does")
	}
	if string(id) != p.served().Options().TestID {
		p.serve(id)
	}
	return nil
}

// ResetScope begins the page's test anew, as before a retry of it: what it learned and
// lost is saved, uses of one locator are counted from the first again, and each loss is
// looked for and told again. It does nothing as long as pages of another context are the
// same test's.
func (p *Page) ResetScope() { p.serve(engine.NewTestID(p.served().Options().TestID)) }

// serve makes the pages of the page's context those of a test.
func (p *Page) serve(id engine.TestID) {
	c := p.test.wrappedContext(p.rawPage.Context())
	c.moving.Lock()
	defer c.moving.Unlock()
	before := c.served.Load()
	raw := c.rawContext.Pages()
	for _, r := range raw {
		before.Leave(r)
	}
	before.Flush()
	c.served.Store(before.Named(id))
	for _, r := range raw {
		c.test.wrappedPage(r) // enters the test
	}
}

// served returns the test that the calls on the page are of.
func (p *Page) served() *live.Test {
	return p.test.wrappedContext(p.rawPage.Context()).served.Load()
}
