package crumb

import (
	"fmt"
	"reflect"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
)

// pageView, frameView and locatorView are Playwright's values as package live sees them.
type (
	pageView    struct{ playwright.Page }
	frameView   struct{ playwright.Frame }
	locatorView struct{ playwright.Locator }
)

func (p pageView) Frames() []live.Frame {
	raw := p.Page.Frames()
	frames := make([]live.Frame, len(raw))
	for i, f := range raw {
		frames[i] = frameView{f}
	}
	return frames
}

// Screenshot implements [live.Camera].
func (p pageView) Screenshot(clip engine.BoundingBox, mask string) ([]byte, error) {
	var masks []playwright.Locator
	for _, f := range p.Page.Frames() {
		masks = append(masks, f.Locator(mask))
	}
	return p.Page.Screenshot(playwright.PageScreenshotOptions{
		Clip: &playwright.Rect{X: clip.X, Y: clip.Y, Width: clip.Width, Height: clip.Height}, Type: playwright.ScreenshotTypePng,
		Scale: playwright.ScreenshotScaleCss, Caret: playwright.ScreenshotCaretInitial, Mask: masks, MaskColor: playwright.String("#808080"),
		Timeout: playwright.Float(screenshotTime),
	})
}

// screenshotTime is how long the driver may take for a picture, in ms.
const screenshotTime = 1000

func (f frameView) Find(selector string) live.Locator { return locatorView{f.Locator(selector)} }

func (f frameView) EvaluateHandle(function string, argument any) (live.Handle, error) {
	return f.Frame.EvaluateHandle(function, argument)
}

// Selector returns what the locator looks for. playwright-go keeps it in a field that
// nothing returns; its text stands for it should that field ever go.
func (l locatorView) Selector() string {
	v := reflect.Indirect(reflect.ValueOf(l.Locator))
	if v.Kind() == reflect.Struct {
		if f := v.FieldByName("selector"); f.Kind() == reflect.String {
			return f.String()
		}
	}
	return fmt.Sprint(l.Locator)
}

// live returns the subject as package live sees it.
func (s *subject) live() *live.Subject {
	found := &live.Subject{Page: pageView{s.page.rawPage}, Locator: locatorView{s.raw}, Name: s.name, Site: s.site, Base: frameView{s.scope.frame}, Document: s.scope.document}
	if s.before != nil {
		found.Before = locatorView{s.before}
	}
	return found
}

// document returns the frame that a scope is; known is false when that cannot be
// told. A frame that is known to be gone is nil.
func (s scope) document() (f live.Frame, known bool) {
	if s.owner == nil {
		return frameView{s.frame}, true
	}
	n, err := s.owner.Count()
	if err != nil || n != 1 {
		return nil, err == nil
	}
	element, err := s.owner.ElementHandle(playwright.LocatorElementHandleOptions{Timeout: playwright.Float(1000)})
	if err != nil {
		return nil, false
	}
	content, err := element.ContentFrame()
	if err != nil || content == nil {
		return nil, err == nil
	}
	return frameView{content}, true
}
