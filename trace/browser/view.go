package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/picture"
	"github.com/breadcrumb/action/trace"
)

// Bounds of one view.
const (
	showTime = 15 * time.Second
	maxFound = 1000 // elements that a selector finds
)

// address is where documents are shown. No such host exists.
const address = "http://snapshot.invalid/"

// policy is what a document may do: nothing but have styles of its own.
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; sandbox"

// view is a document that is shown.
type view struct {
	page  playwright.Page
	ended func() bool // stops the clean-up when the run ends first
}

// Show shows a document in the place of the one before. It loads nothing and
// runs no script, by every one of these: the browser's scripts are off, the
// document's policy and its sandbox, every request is refused, the browser is
// offline and knows no host.
func (b *Browser) Show(ctx context.Context, html string) (trace.View, error) {
	page, err := b.blankPage()
	if err != nil {
		return nil, fmt.Errorf("show a page: %w", err)
	}
	v := &view{page, context.AfterFunc(ctx, func() { _ = page.Close() })}
	b.next.Store(&html)
	_, err = page.Goto(address, playwright.PageGotoOptions{Timeout: playwright.Float(float64(showTime.Milliseconds())),
		WaitUntil: playwright.WaitUntilStateDomcontentloaded})
	if err != nil {
		b.page = nil // a page that hangs is not used again
		return nil, errors.Join(fmt.Errorf("show a page: %w", err), v.Close(), page.Close())
	}
	return v, nil
}

// blankPage returns the page that documents are shown in: to open another for each
// would take longer than all the rest.
func (b *Browser) blankPage() (playwright.Page, error) {
	if b.page != nil && !b.page.IsClosed() {
		return b.page, nil
	}
	page, err := b.context.NewPage()
	if err != nil {
		return nil, err
	}
	page.SetDefaultTimeout(float64(showTime.Milliseconds()))
	b.page = page
	return page, page.Route("**/*", b.answerRequest)
}

// answerRequest gives a page the document that is to be shown, once, and nothing else.
func (b *Browser) answerRequest(r playwright.Route) {
	if r.Request().URL() == address && r.Request().IsNavigationRequest() {
		if html := b.next.Swap(nil); html != nil {
			_ = r.Fulfill(playwright.RouteFulfillOptions{Body: *html, ContentType: playwright.String("text/html; charset=utf-8"),
				Headers: map[string]string{"Content-Security-Policy": policy}})
			return
		}
	}
	_ = r.Abort("blockedbyclient")
}

// boxesScript returns number, place and size of what a person sees, by JSON.
const boxesScript = `(mark) => {
  const list = [];
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const box = element.getBoundingClientRect(), n = element.getAttribute(mark);
      if (n !== null && box.width > 0 && box.height > 0 && element.checkVisibility({visibilityProperty: true})) {
        list.push([Number(n), box.x + scrollX, box.y + scrollY, box.width, box.height].map(Math.round));
      }
      if (element.shadowRoot) walk(element.shadowRoot);
    }
  };
  walk(document);
  return JSON.stringify(list);
}`

// Boxes returns the places of the elements that a person sees, in CSS pixels.
func (v *view) Boxes() (map[int]engine.BoundingBox, error) {
	answer, err := v.page.Evaluate(boxesScript, trace.NodeAttribute)
	if err != nil {
		return nil, fmt.Errorf("lay out a page: %w", err)
	}
	text, _ := answer.(string)
	var list [][5]float64
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("lay out a page: %w", err)
	}
	boxes := make(map[int]engine.BoundingBox, len(list))
	for _, b := range list {
		boxes[int(b[0])] = engine.BoundingBox{X: b[1], Y: b[2], Width: b[3], Height: b[4]}
	}
	return boxes, nil
}

// Picture returns a part of the page around an element, which is outlined.
func (v *view) Picture(element int) ([]byte, error) {
	boxes, err := v.Boxes()
	if err != nil {
		return nil, err
	}
	box, shown := boxes[element]
	if !shown {
		return nil, errors.New("take a picture: the element is not shown")
	}
	whole := engine.BoundingBox{}
	for _, b := range boxes {
		whole.Width, whole.Height = max(whole.Width, b.X+b.Width), max(whole.Height, b.Y+b.Height)
	}
	part := picture.Clip(box, whole)
	shot, err := v.page.Screenshot(playwright.PageScreenshotOptions{FullPage: playwright.Bool(true), Animations: playwright.ScreenshotAnimationsDisabled,
		Clip: &playwright.Rect{X: part.X, Y: part.Y, Width: part.Width, Height: part.Height}})
	if err != nil {
		return nil, fmt.Errorf("take a picture: %w", err)
	}
	box.X, box.Y = box.X-part.X, box.Y-part.Y
	return picture.New(shot, box, nil)
}

// foundScript returns the numbers of what was found, by JSON.
const foundScript = `(found, [mark, most]) => JSON.stringify(found.slice(0, most).map((element) => Number(element.getAttribute(mark) ?? -1)))`

// Find returns the numbers of the elements that Playwright finds, at most 1,000.
func (v *view) Find(selector string) ([]int, error) {
	answer, err := v.page.Locator(selector).EvaluateAll(foundScript, []any{trace.NodeAttribute, maxFound})
	if err != nil {
		return nil, fmt.Errorf("count %.80s: %w", selector, err)
	}
	text, _ := answer.(string)
	var found []int
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return nil, fmt.Errorf("count %.80s: %w", selector, err)
	}
	return found, nil
}

// Close makes room for the next document.
func (v *view) Close() error {
	v.ended()
	return nil
}
