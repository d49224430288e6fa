package crumb

import (
	"errors"
	"fmt"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/breadcrumb/action/crumb/internal/record"
	"github.com/breadcrumb/action/engine/heal"
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
	around, err := readEnvironment()
	if err != nil {
		return nil, fmt.Errorf("wrap page: %w", err)
	}
	resolved, scorer, err := options.resolved(around)
	if err != nil {
		return nil, fmt.Errorf("wrap page: %w", err)
	}
	return process.test(resolved, scorer, around.root).wrappedPage(raw), nil
}

// test is what the wrapped pages of one test share.
type test struct {
	options  Options
	scorer   heal.Options
	root     string
	recorder *record.Recorder
	learning *learning
	forget   func() // tells the process that the last page is closed

	mu       sync.Mutex
	pages    map[playwright.Page]*Page
	frames   map[playwright.Frame]*frame
	contexts map[playwright.BrowserContext]*browserContext
}

// test returns the test of that name, as long as one of its pages is open.
func (s *shared) test(o Options, scorer heal.Options, root string) *test {
	key := testKey{record.Files{Database: o.DB, Baseline: o.Baseline}, o.Events, o.TestID}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tests[key]; t != nil {
		return t
	}
	k := s.recorders[key.Files]
	if k == nil {
		k = record.New(key.Files, s.noteTrouble)
		s.recorders[key.Files] = k
	}
	t := &test{
		options: o, scorer: scorer, root: root, recorder: k, learning: newLearning(),
		pages: map[playwright.Page]*Page{}, frames: map[playwright.Frame]*frame{}, contexts: map[playwright.BrowserContext]*browserContext{},
	}
	t.forget = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.tests[key] == t {
			delete(s.tests, key)
		}
	}
	s.tests[key] = t
	return t
}

// wrappedPage returns the one wrapped page of a raw one.
func (t *test) wrappedPage(raw playwright.Page) *Page {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.pages[raw]; p != nil {
		return p
	}
	p := &Page{rawPage: raw, test: t}
	p.surroundings = surroundings{p, scope{frame: raw.MainFrame()}}
	t.pages[raw] = p
	raw.OnClose(func(playwright.Page) { t.forgetPage(p) })
	return p
}

// forgetPage forgets a page and saves what was learned on it.
func (t *test) forgetPage(p *Page) {
	t.mu.Lock()
	delete(t.pages, p.rawPage)
	for raw, f := range t.frames {
		if f.page == p {
			delete(t.frames, raw)
		}
	}
	last := len(t.pages) == 0
	t.mu.Unlock()
	if !p.closing.Load() { // else Close does it, off Playwright's event loop
		t.flush()
	}
	if last {
		t.forget()
	}
}

// flush saves what was learned so far and, when no page of the test is open any more,
// what was lost.
func (t *test) flush() {
	t.mu.Lock()
	atEnd := len(t.pages) == 0
	t.mu.Unlock()
	t.flushAt(atEnd)
}

func (t *test) flushAt(end bool) {
	t.learning.waitUntilIdle()
	t.saveLosses(end)
	for _, e := range t.recorder.Flush(t.options.Now(), t.options.Log) {
		t.tellDrift(e)
	}
}

// wrappedContext returns the one wrapped context of a raw one.
func (t *test) wrappedContext(raw playwright.BrowserContext) *browserContext {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.contexts[raw]
	if c == nil {
		c = &browserContext{rawContext: raw, test: t}
		t.contexts[raw] = c
	}
	return c
}

// wrappedFrame returns the one wrapped frame of a raw one.
func (t *test) wrappedFrame(raw playwright.Frame) *frame {
	page := t.wrappedPage(raw.Page())
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.frames[raw]
	if f == nil {
		f = &frame{raw, surroundings{page, scope{frame: raw}}}
		t.frames[raw] = f
	}
	return f
}

func (t *test) wrapPage(raw playwright.Page) playwright.Page {
	if needsNoWrapper(raw) {
		return raw
	}
	return t.wrappedPage(raw)
}

func (t *test) wrapPages(raw []playwright.Page) []playwright.Page {
	return convertAll(raw, t.wrapPage)
}

func (t *test) wrapFrame(raw playwright.Frame) playwright.Frame {
	if needsNoWrapper(raw) {
		return raw
	}
	return t.wrappedFrame(raw)
}

func (t *test) wrapFrames(raw []playwright.Frame) []playwright.Frame {
	return convertAll(raw, t.wrapFrame)
}
