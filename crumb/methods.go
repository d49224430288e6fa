package crumb

import "github.com/mxschmitt/playwright-go"

// The methods that the generator does not write.

// WaitFor heals when it waits for an element to come, not for one to go.
func (l *locator) WaitFor(options ...playwright.LocatorWaitForOptions) error {
	option := first(options)
	if waitsForAbsence(option.State) {
		l.page.fillTimeout(&option.Timeout)
		return l.rawLocator.WaitFor(option)
	}
	return do(&l.subject, "waitFor", option, playwright.Locator.WaitFor)
}

// waitsForAbsence reports whether a state is that of an element that nobody sees.
func waitsForAbsence(state *playwright.WaitForSelectorState) bool {
	return state != nil && (*state == *playwright.WaitForSelectorStateHidden || *state == *playwright.WaitForSelectorStateDetached)
}

// doubleClick does what Locator.Dblclick should: in playwright-go up to v0.6100 that
// refuses every call with options ("extra field Steps in src").
func doubleClick(at playwright.Locator, options ...playwright.LocatorDblclickOptions) error {
	o := first(options)
	return at.Click(playwright.LocatorClickOptions{Button: o.Button, ClickCount: playwright.Int(2), Delay: o.Delay, Force: o.Force,
		Modifiers: o.Modifiers, NoWaitAfter: o.NoWaitAfter, Position: o.Position, Steps: o.Steps, Timeout: o.Timeout, Trial: o.Trial})
}

// DragTo heals what is dragged and where it is dropped.
func (l *locator) DragTo(target playwright.Locator, options ...playwright.LocatorDragToOptions) error {
	drag := func(from playwright.Locator, options ...playwright.LocatorDragToOptions) error {
		to, ok := target.(*locator)
		if !ok {
			return from.DragTo(target, options...)
		}
		second := to.subject
		second.before = from
		return do(&second, "dragTo", first(options), from.DragTo)
	}
	return do(&l.subject, "dragTo", first(options), drag)
}

// Page returns the wrapped page.
func (l *locator) Page() (playwright.Page, error) {
	if _, err := l.rawLocator.Page(); err != nil {
		return nil, err
	}
	return l.page, nil
}

// Page returns the wrapped page.
func (f *frame) Page() playwright.Page { return f.page }

// DragAndDrop heals what is dragged and where it is dropped.
func (p *Page) DragAndDrop(source, target string, options ...playwright.PageDragAndDropOptions) error {
	o := first(options)
	from, to := p.subject(source, &o.Timeout), p.subject(target, &o.Timeout)
	return dragAndDrop(from, to, func() error { return p.rawPage.DragAndDrop(source, target, o) }, playwright.FrameDragAndDropOptions(o))
}

// DragAndDrop heals what is dragged and where it is dropped.
func (f *frame) DragAndDrop(source, target string, options ...playwright.FrameDragAndDropOptions) error {
	o := first(options)
	from, to := f.subject(source, &o.Timeout), f.subject(target, &o.Timeout)
	return dragAndDrop(from, to, func() error { return f.rawFrame.DragAndDrop(source, target, o) }, o)
}

func dragAndDrop(source, target *subject, original func() error, o playwright.FrameDragAndDropOptions) error {
	option := playwright.LocatorDragToOptions{Force: o.Force, NoWaitAfter: o.NoWaitAfter, SourcePosition: o.SourcePosition,
		Steps: o.Steps, TargetPosition: o.TargetPosition, Timeout: o.Timeout, Trial: o.Trial}
	return doAt(source, "dragTo",
		func() error {
			target.before = source.raw
			return doAt(target, "dragTo", original, func(at playwright.Locator) error { return source.raw.DragTo(at, option) })
		},
		func(from playwright.Locator) error {
			target.before = from
			return do(target, "dragTo", option, from.DragTo)
		})
}

// WaitForSelector heals when it waits for an element to come.
func (p *Page) WaitForSelector(selector string, options ...playwright.PageWaitForSelectorOptions) (playwright.ElementHandle, error) {
	o := first(options)
	subject := p.subject(selector, &o.Timeout)
	return waitForSelector(subject, playwright.FrameWaitForSelectorOptions(o),
		func() (playwright.ElementHandle, error) { return p.rawPage.WaitForSelector(selector, o) })
}

// WaitForSelector heals when it waits for an element to come.
func (f *frame) WaitForSelector(selector string, options ...playwright.FrameWaitForSelectorOptions) (playwright.ElementHandle, error) {
	o := first(options)
	subject := f.subject(selector, &o.Timeout)
	return waitForSelector(subject, o, func() (playwright.ElementHandle, error) { return f.rawFrame.WaitForSelector(selector, o) })
}

func waitForSelector(s *subject, o playwright.FrameWaitForSelectorOptions, original func() (playwright.ElementHandle, error)) (playwright.ElementHandle, error) {
	if waitsForAbsence(o.State) {
		return original()
	}
	return readAt(s, "waitForSelector", original, func(at playwright.Locator) (playwright.ElementHandle, error) {
		if err := at.WaitFor(playwright.LocatorWaitForOptions{State: o.State, Timeout: o.Timeout}); err != nil {
			return nil, err
		}
		return at.ElementHandle(playwright.LocatorElementHandleOptions{Timeout: o.Timeout})
	})
}

// Close closes the page. What was learned on it and what was healed is saved
// before it returns.
func (p *Page) Close(options ...playwright.PageCloseOptions) error {
	p.closing.Store(true)
	err := p.rawPage.Close(options...)
	p.served().Flush()
	return err
}

// NewCDPSession takes wrapped pages and frames too.
func (c *browserContext) NewCDPSession(page any) (playwright.CDPSession, error) {
	return c.rawContext.NewCDPSession(Unwrap(page))
}
