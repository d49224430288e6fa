package generate

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/generate/guard"
	"github.com/breadcrumb/action/generate/markup"
	"github.com/breadcrumb/action/internal/playwrightgo"
)

// Limits of a page in Chromium.
const (
	loadBytes  = 64 << 20 // all that it loads
	settleTime = 3 * time.Second
	tryTime    = 2 * time.Second // one thing that a test would do
	shadowDeep = 20              // shadow roots in one another
)

//go:embed snapshot.js
var snapshotScript string

// pathScript returns the paths of what a locator finds, as Finds wants them.
// A form's own parentNode may be a field of that name.
const pathScript = `(found) => JSON.stringify(found.slice(0, 2).map((element) => {
  const path = [], parentOf = Object.getOwnPropertyDescriptor(Node.prototype, 'parentNode').get;
  for (let e = element; e && e !== document.documentElement; ) {
    const parent = parentOf.call(e);
    path.unshift(parent ? [...parent.children].indexOf(e) : -2);
    if (parent instanceof ShadowRoot) path.unshift(-1);
    e = parent instanceof ShadowRoot ? parent.host : parent;
  }
  return [0, ...path];
}))`

// Chromium renders pages. All its connections go through a checked proxy.
type Chromium struct {
	Notes []string // what is not as it should be

	pw      *playwright.Playwright
	browser playwright.Browser
	proxy   *guard.Proxy
	o       Options
}

// OpenChromium starts Chromium: the one that Playwright installed, or the
// program at a path. The error says what to install. End it with Close.
func OpenChromium(ctx context.Context, program string, o Options) (*Chromium, error) {
	o.Timeout = cmp.Or(max(o.Timeout, 0), DefaultTimeout)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), DefaultMaxBytes)
	pw, err := playwright.Run(&playwright.RunOptions{SkipInstallBrowsers: true, Stdout: io.Discard, Stderr: io.Discard})
	if err != nil {
		return nil, installHint(err)
	}
	c := &Chromium{pw: pw, o: o}
	if c.proxy, err = guard.ListenProxy(ctx, o.AllowPrivate, o.Timeout); err != nil {
		c.Close()
		return nil, err
	}
	if err := c.launch(program); err != nil {
		c.Close()
		return nil, installHint(err)
	}
	return c, nil
}

func installHint(err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("start Chromium: %s; `%s` installs it and its driver", text, playwrightgo.Install)
}

// launch starts the browser in its sandbox, or without where it cannot have
// one.
func (c *Chromium) launch(program string) error {
	options := playwright.BrowserTypeLaunchOptions{
		Args:            guard.Rules(),
		ChromiumSandbox: playwright.Bool(true),
		Timeout:         playwright.Float(30_000),
		Proxy:           &playwright.Proxy{Server: c.proxy.Address, Username: &c.proxy.User, Password: &c.proxy.Password},
	}
	if program != "" {
		options.ExecutablePath = &program
	}
	browser, err := c.pw.Chromium.Launch(options)
	if err != nil {
		options.ChromiumSandbox = playwright.Bool(false)
		var bare error
		if browser, bare = c.pw.Chromium.Launch(options); bare != nil {
			return bare
		}
		c.Notes = append(c.Notes, "Chromium runs without its sandbox, which it could not make here")
	}
	c.browser = browser
	return nil
}

// Close ends the browser.
func (c *Chromium) Close() {
	if c.browser != nil {
		_ = c.browser.Close()
	}
	if c.proxy != nil {
		c.proxy.Close()
	}
	_ = c.pw.Stop()
}

// Open renders the page at an address.
func (c *Chromium) Open(ctx context.Context, address *url.URL) (View, error) {
	c.proxy.Allow(loadBytes)
	scope, err := c.browser.NewContext(playwright.BrowserNewContextOptions{
		AcceptDownloads: playwright.Bool(false), ServiceWorkers: playwright.ServiceWorkerPolicyBlock,
	})
	if err != nil {
		return nil, fmt.Errorf("open page: %w", err)
	}
	v := &rendered{context: scope, end: context.AfterFunc(ctx, func() { _ = scope.Close() })}
	if err := v.openPage(address, c.o); err != nil {
		v.Close()
		if refused := c.proxy.Refused(); refused != nil {
			return nil, refused
		}
		return nil, err
	}
	return v, nil
}

// rendered is a page in Chromium, or a frame of it.
type rendered struct {
	context playwright.BrowserContext
	page    playwright.Page
	frame   playwright.Frame // the main one for a page
	answers *sync.Map        // status codes by frame
	end     func() bool      // of a page
	limit   int64            // bytes of HTML
	url     *url.URL
	source  []byte
	tree    domNode
	closed  int
}

// noteAnswer keeps the status code that a frame was answered with.
func (v *rendered) noteAnswer(r playwright.Response) {
	if request := r.Request(); request.IsNavigationRequest() {
		v.answers.Store(request.Frame(), r.Status())
	}
}

func (v *rendered) openPage(address *url.URL, o Options) error {
	page, err := v.context.NewPage()
	if err != nil {
		return fmt.Errorf("open page: %w", err)
	}
	v.page, v.frame, v.limit, v.answers = page, page.MainFrame(), o.MaxBytes, &sync.Map{}
	page.OnResponse(v.noteAnswer)
	page.OnPopup(func(p playwright.Page) { _ = p.Close() })
	response, err := page.Goto(address.String(), playwright.PageGotoOptions{Timeout: milliseconds(o.Timeout)})
	switch {
	case err != nil:
		return errors.New(plainGoto(err))
	case response == nil:
		return errors.New("the server answers 0")
	case response.Status() != http.StatusOK:
		return fmt.Errorf("the server answers %d", response.Status())
	}
	// Pages that never rest are read as they are.
	_ = page.WaitForLoadState(playwright.PageWaitForLoadStateOptions{State: playwright.LoadStateNetworkidle, Timeout: milliseconds(settleTime)})
	return v.readSnapshot()
}

// readSnapshot takes the snapshot of the page or frame.
func (v *rendered) readSnapshot() (err error) {
	if v.url, err = url.Parse(v.frame.URL()); err != nil {
		return fmt.Errorf("read address: %w", err)
	}
	html, err := v.frame.Evaluate(snapshotScript, []any{markup.HiddenAttribute, v.limit, shadowDeep})
	text, _ := html.(string)
	switch {
	case err != nil:
		return fmt.Errorf("read page: %w", err)
	case text == "" || int64(len(text)) > 4*v.limit:
		return fmt.Errorf("it is larger than %d characters (--max-bytes)", v.limit)
	}
	v.source = []byte(text)
	v.closed, err = v.countClosed()
	return err
}

// countClosed counts the closed shadow roots of a page or frame, which only the
// browser sees.
func (v *rendered) countClosed() (int, error) {
	if v.tree == nil {
		if err := v.loadTree(); err != nil {
			return 0, fmt.Errorf("look for closed shadow roots: %w", err)
		}
	}
	if v.tree == nil {
		return uncounted, nil
	}
	return v.tree.countClosed(), nil
}

// plainGoto says in one line why a page did not open, without the names of
// calls that the driver puts before it.
func plainGoto(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if _, why, found := strings.Cut(text, "playwright: "); found {
		return why
	}
	return text
}

func (v *rendered) URL() *url.URL { return v.url }

func (v *rendered) Source() []byte { return v.source }

func (v *rendered) Closed() int { return v.closed }

// Finds asks the browser.
func (v *rendered) Finds(s locator.Selector, path []int) bool {
	answer, err := v.page.Locator(s.String()).EvaluateAll(pathScript)
	text, _ := answer.(string)
	var found [][]int
	return err == nil && json.Unmarshal([]byte(text), &found) == nil && len(found) == 1 && slices.Equal(found[0], path)
}

// Keeps does what a test would and reports whether it passes.
func (v *rendered) Keeps(e Element) bool {
	l, limit := v.page.Locator(e.Locator.String()), milliseconds(tryTime)
	var err error
	switch {
	case e.Fill != "":
		err = l.Fill(e.Fill, playwright.LocatorFillOptions{Timeout: limit})
	case e.Choose != "":
		_, err = l.SelectOption(playwright.SelectOptionValues{Values: playwright.StringSlice(e.Choose)}, playwright.LocatorSelectOptionOptions{Timeout: limit})
	case e.Check != "":
		return l.SetChecked(e.Check == Tick, playwright.LocatorSetCheckedOptions{Timeout: limit}) == nil
	default:
		return true
	}
	if err != nil {
		return false
	}
	kept, err := l.InputValue(playwright.LocatorInputValueOptions{Timeout: limit})
	return err == nil && kept == cmp.Or(e.Fill, e.Choose)
}

// Close ends a page; a frame ends with it.
func (v *rendered) Close() {
	if v.end != nil {
		v.end()
		_ = v.context.Close()
	}
}

func milliseconds(d time.Duration) *float64 {
	return playwright.Float(float64(d.Milliseconds()))
}
