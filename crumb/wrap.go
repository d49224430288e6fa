package crumb

import (
	"errors"
	"fmt"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb/live"
)

// Wrap returns a page that behaves as raw does and heals broken locators. The
// error is of the options; a page that is wrapped already is returned as it is.
func Wrap(raw playwright.Page, options Options) (*Page, error) {
	if raw == nil {
		return nil, errors.New("wrap page: there is no page")
	}
	if p, ok := raw.(*Page); ok {
		return p, nil
	}
	opened, err := live.Open(options, playwright.ErrTimeout)
	if err != nil {
		return nil, fmt.Errorf("wrap page: %w", err)
	}
	return test{opened}.wrappedPage(raw), nil
}

// test makes the wrappers of one test, one for each value of Playwright's.
type test struct{ *live.Test }

// wrappedPage returns the one wrapped page of a raw one.
func (t test) wrappedPage(raw playwright.Page) *Page {
	c := t.wrappedContext(raw.Context())
	p := t.Wrapper(raw, func() any {
		p := &Page{rawPage: raw, test: t}
		p.surroundings = surroundings{p, scope{frame: raw.MainFrame()}}
		raw.OnClose(func(playwright.Page) { t.forgetPage(p) })
		return p
	}).(*Page)
	if !raw.IsClosed() {
		c.served.Load().Enter(raw)
	}
	return p
}

// forgetPage forgets a page and saves what was learned on it.
func (t test) forgetPage(p *Page) {
	served := p.served()
	served.Leave(p.rawPage)
	t.ForgetWrappers(func(wrapper any) bool {
		f, ok := wrapper.(*frame)
		return wrapper == p || ok && f.page == p
	})
	if !p.closing.Load() { // else Close does it, off Playwright's event loop
		served.Flush()
	}
}

// wrappedContext returns the one wrapped context of a raw one.
func (t test) wrappedContext(raw playwright.BrowserContext) *browserContext {
	return t.Wrapper(raw, func() any {
		c := &browserContext{rawContext: raw, test: t}
		c.served.Store(t.Test)
		return c
	}).(*browserContext)
}

// wrappedFrame returns the one wrapped frame of a raw one.
func (t test) wrappedFrame(raw playwright.Frame) *frame {
	page := t.wrappedPage(raw.Page())
	return t.Wrapper(raw, func() any { return &frame{raw, surroundings{page, scope{frame: raw}}} }).(*frame)
}

func (t test) wrapPage(raw playwright.Page) playwright.Page {
	if needsNoWrapper(raw) {
		return raw
	}
	return t.wrappedPage(raw)
}

func (t test) wrapPages(raw []playwright.Page) []playwright.Page {
	return convertAll(raw, t.wrapPage)
}

func (t test) wrapFrame(raw playwright.Frame) playwright.Frame {
	if needsNoWrapper(raw) {
		return raw
	}
	return t.wrappedFrame(raw)
}

func (t test) wrapFrames(raw []playwright.Frame) []playwright.Frame {
	return convertAll(raw, t.wrapFrame)
}

func (t test) wrapContext(raw playwright.BrowserContext) playwright.BrowserContext {
	if needsNoWrapper(raw) {
		return raw
	}
	return t.wrappedContext(raw)
}

// wrapEvent wraps the value of an event that is a page or a frame.
func (t test) wrapEvent(value any) any {
	switch v := value.(type) {
	case playwright.Page:
		return t.wrapPage(v)
	case playwright.Frame:
		return t.wrapFrame(v)
	}
	return value
}

// needsNoWrapper reports whether a value is wrapped already, or nil.
func needsNoWrapper(v any) bool {
	_, wrapped := v.(wrapper)
	return wrapped || v == nil
}
