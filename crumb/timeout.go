package crumb

import (
	"sync/atomic"

	"github.com/playwright-community/playwright-go"
)

// playwrightTimeout is how long Playwright waits when nobody says, in ms.
const playwrightTimeout = 30_000

// defaultTimeout is a timeout somebody set, in ms.
type defaultTimeout struct{ ms atomic.Pointer[float64] }

func (d *defaultTimeout) set(ms float64) { d.ms.Store(&ms) }

// SetDefaultTimeout sets how long the page's actions wait, in ms.
//
// playwright-go up to v0.6100 hands it on for navigations only and lets Click,
// Fill and most others wait 30 s whatever was set. So this package keeps the
// value itself and gives every action its timeout.
func (p *Page) SetDefaultTimeout(timeout float64) {
	p.timeout.set(timeout)
	p.rawPage.SetDefaultTimeout(timeout)
}

// SetDefaultTimeout sets how long the actions of the context's pages wait, in
// ms, unless the page says otherwise.
func (c *browserContext) SetDefaultTimeout(timeout float64) {
	c.timeout.set(timeout)
	c.rawContext.SetDefaultTimeout(timeout)
}

// limit fills in the timeout of an action that names none.
func (p *Page) limit(timeout **float64) {
	if *timeout != nil {
		return
	}
	for _, set := range []*float64{p.timeout.ms.Load(), p.test.context(p.rawPage.Context()).timeout.ms.Load()} {
		if set != nil {
			*timeout = playwright.Float(*set)
			return
		}
	}
	*timeout = playwright.Float(p.test.options.Timeout)
}
