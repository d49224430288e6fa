package crumb

import (
	"sync"
	"sync/atomic"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb/live"
)

// The interfaces under names of our own: an embedded playwright.Locator would
// be a field Locator and hide the method of that name.
type (
	rawPage         = playwright.Page
	rawFrame        = playwright.Frame
	rawFrameLocator = playwright.FrameLocator
	rawLocator      = playwright.Locator
	rawContext      = playwright.BrowserContext
)

// Page is a playwright.Page whose locators heal. Wrap makes one; popups and
// opened pages that it hands out are wrapped as well.
type Page struct {
	rawPage
	surroundings
	test    test
	timeout defaultTimeout
	closing atomic.Bool // by Close
}

// Unwrap returns the page that was wrapped.
func (p *Page) Unwrap() playwright.Page { return p.rawPage }

// Expect returns Playwright's assertions, which also take what this package
// wrapped. Assertions never heal. The timeout is in ms, 5,000 by default.
func (p *Page) Expect(timeout ...float64) playwright.PlaywrightAssertions { return Expect(timeout...) }

type frame struct {
	rawFrame
	surroundings
}

type frameLocator struct {
	rawFrameLocator
	surroundings       // inside of the frame
	outer        scope // where the frame element is looked for
}

type locator struct {
	rawLocator
	subject
}

type browserContext struct {
	rawContext
	test    test
	timeout defaultTimeout
	moving  sync.Mutex                // from test to test
	served  atomic.Pointer[live.Test] // whose the calls on its pages are
}

// defaultTimeout is a timeout somebody set, in ms.
type defaultTimeout struct{ ms atomic.Pointer[float64] }

func (d *defaultTimeout) set(ms float64) { d.ms.Store(&ms) }

// surroundings are where a locator looks.
type surroundings struct {
	page  *Page
	scope scope
}

// subject is what a locator looks for.
type subject struct {
	surroundings
	raw    playwright.Locator
	name   string             // the selector as it was given to a page or frame, else ""
	site   live.Site          // where the locator is written
	before playwright.Locator // what the same call looks for first, nil for nothing
}

// scope is the document a locator looks in: that of the frame it begins in, or of the
// frame element that owner finds.
type scope struct {
	frame playwright.Frame
	owner playwright.Locator
}

// wrapper is everything that stands around a value of Playwright's.
type wrapper interface{ unwrap() any }

func (p *Page) unwrap() any           { return p.rawPage }
func (f *frame) unwrap() any          { return f.rawFrame }
func (f *frameLocator) unwrap() any   { return f.rawFrameLocator }
func (l *locator) unwrap() any        { return l.rawLocator }
func (c *browserContext) unwrap() any { return c.rawContext }

// Unwrap returns what this package wrapped into v, a page, frame, locator,
// frame locator or browser context, and v itself when it is not wrapped. It is
// for code that takes only Playwright's own implementations.
func Unwrap[T any](v T) T {
	if w, ok := any(v).(wrapper); ok {
		if raw, ok := w.unwrap().(T); ok {
			return raw
		}
	}
	return v
}

// unwrapList returns a copy of a list with its locators unwrapped.
func unwrapList(list []playwright.Locator) []playwright.Locator {
	return convertAll(list, Unwrap[playwright.Locator])
}

// convertAll returns a list of what convert makes of each value, nil for nil.
func convertAll[T any](list []T, convert func(T) T) []T {
	if list == nil {
		return nil
	}
	converted := make([]T, len(list))
	for i, v := range list {
		converted[i] = convert(v)
	}
	return converted
}

// Expect returns Playwright's assertions, which also take pages and locators of
// this package; Playwright's own panic on those. Assertions never heal. The
// timeout is in ms, 5,000 by default.
func Expect(timeout ...float64) playwright.PlaywrightAssertions {
	return assertions{playwright.NewPlaywrightAssertions(timeout...)}
}

type assertions struct {
	playwright.PlaywrightAssertions
}

// Locator returns the assertions of a locator.
func (a assertions) Locator(l playwright.Locator) playwright.LocatorAssertions {
	return a.PlaywrightAssertions.Locator(Unwrap(l))
}

// Page returns the assertions of a page.
func (a assertions) Page(p playwright.Page) playwright.PageAssertions {
	return a.PlaywrightAssertions.Page(Unwrap(p))
}

// first returns the options of a call, the zero value when it has none.
// Playwright itself takes options only when there is exactly one.
func first[T any](options []T) (option T) {
	if len(options) == 1 {
		option = options[0]
	}
	return option
}

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

// fillTimeout fills in the timeout of an action that names none.
func (p *Page) fillTimeout(timeout **float64) {
	if *timeout != nil {
		return
	}
	for _, set := range []*float64{p.timeout.ms.Load(), p.test.wrappedContext(p.rawPage.Context()).timeout.ms.Load()} {
		if set != nil {
			*timeout = playwright.Float(*set)
			return
		}
	}
	*timeout = playwright.Float(p.test.Options().Timeout)
}

// wrapArgument returns a handler that calls fn with the wrapped value.
func wrapArgument[T any](fn func(T), wrap func(T) T) func(T) {
	return func(raw T) { fn(wrap(raw)) }
}

// The wrap methods keep nil nil and the identity of pages, frames and contexts.

func (s surroundings) wrapLocator(raw playwright.Locator) playwright.Locator {
	return &locator{raw, subject{surroundings: s, raw: raw, site: live.CallSite()}}
}

func (s surroundings) wrapLocators(raw []playwright.Locator, err error) ([]playwright.Locator, error) {
	wrapped := make([]playwright.Locator, len(raw))
	for i, r := range raw {
		wrapped[i] = s.wrapLocator(r)
	}
	return wrapped, err
}

func (s surroundings) wrapFrameLocator(raw playwright.FrameLocator) playwright.FrameLocator {
	return &frameLocator{raw, surroundings{s.page, scope{s.scope.frame, raw.Owner()}}, s.scope}
}

// First returns a locator of the first matching frame.
func (f *frameLocator) First() playwright.FrameLocator { return f.sibling(f.rawFrameLocator.First()) }

// Last returns a locator of the last matching frame.
func (f *frameLocator) Last() playwright.FrameLocator { return f.sibling(f.rawFrameLocator.Last()) }

// Nth returns a locator of the matching frame with that index.
func (f *frameLocator) Nth(index int) playwright.FrameLocator {
	return f.sibling(f.rawFrameLocator.Nth(index))
}

// Owner returns a locator of the frame element itself.
func (f *frameLocator) Owner() playwright.Locator {
	return surroundings{f.page, f.outer}.wrapLocator(f.rawFrameLocator.Owner())
}

func (f *frameLocator) sibling(raw playwright.FrameLocator) playwright.FrameLocator {
	return surroundings{f.page, f.outer}.wrapFrameLocator(raw)
}

// subject returns what a page's own action looks for: the first match, as
// Playwright does. It fills in the action's timeout.
func (p *Page) subject(selector string, timeout **float64) *subject {
	p.fillTimeout(timeout)
	return &subject{surroundings: p.surroundings, raw: p.rawPage.Locator(selector).First(), name: selector, site: live.CallSite()}
}

func (f *frame) subject(selector string, timeout **float64) *subject {
	f.page.fillTimeout(timeout)
	return &subject{surroundings: f.surroundings, raw: f.rawFrame.Locator(selector).First(), name: selector, site: live.CallSite()}
}

// OnClose calls fn with the wrapped context.
func (c *browserContext) OnClose(fn func(playwright.BrowserContext)) {
	c.rawContext.OnClose(wrapArgument(fn, c.test.wrapContext))
}
