package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/trace"
)

// shared is the browser of all tests here.
var shared = sync.OnceValues(func() (*Browser, error) {
	b, err := Open(browsertest.Env)
	if err == nil {
		browsertest.AtEnd(func() { _ = b.Close() })
	}
	return b, err
})

// open returns the shared browser, or ends the test where there need be none.
func open(t *testing.T) *Browser {
	t.Helper()
	if testing.Short() && !browsertest.Needed() {
		t.Skip("short tests have no browser")
	}
	b, err := shared()
	if err != nil {
		browsertest.Missing(t, err)
	}
	return b
}

func TestMain(m *testing.M) { os.Exit(browsertest.Run(m)) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func show(t *testing.T, b *Browser, html string) trace.View {
	t.Helper()
	v, err := b.Show(context.WithoutCancel(t.Context()), html) // a run that ends closes the page that all tests share
	must(t, err)
	t.Cleanup(func() { _ = v.Close() })
	return v
}

// hostile tries to run something or to reach a server in every way it can. %[1]s
// is the server.
const hostile = `<!doctype html><html><head><meta http-equiv="refresh" content="0;url=%[1]s/refresh">
<link rel="stylesheet" href="%[1]s/style"><link rel="preload" as="image" href="%[1]s/preload"><link rel="dns-prefetch" href="%[1]s"><link rel="prefetch" href="%[1]s/prefetch">
<style>@import url(%[1]s/import); body { background: url(%[1]s/background) } @font-face { font-family: f; src: url(%[1]s/font) } p { font-family: f }</style>
<script>document.documentElement.dataset.ran = "1"; fetch("%[1]s/fetch")</script><script src="%[1]s/script"></script></head>
<body onload="document.documentElement.dataset.ran = '2'"><img src="%[1]s/img" onerror="document.documentElement.dataset.ran = '3'">
<svg onload="document.documentElement.dataset.ran = '4'"><image href="%[1]s/svg"/></svg><iframe src="%[1]s/frame"></iframe>
<iframe srcdoc="<script>fetch('%[1]s/srcdoc')</script><img src='%[1]s/srcdoc'>"></iframe><object data="%[1]s/object"></object><embed src="%[1]s/embed">
<video src="%[1]s/video" autoplay></video><audio src="%[1]s/audio" autoplay></audio><input autofocus onfocus="document.documentElement.dataset.ran = '5'">
<form action="%[1]s/form"><button>Send</button></form><p data-breadcrumb-node="7">Text</p></body></html>`

// A document that gets through all of trace's own filtering runs and loads
// nothing.
func TestAHostilePageRunsAndLoadsNothing(t *testing.T) {
	var hits atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		t.Logf("%s was asked for", r.URL)
	}))
	defer server.Close()
	open(t)                         // or say that there is none
	b, err := Open(browsertest.Env) // its own: what the page began to load may end the next one
	must(t, err)
	defer b.Close()
	v := show(t, b, fmt.Sprintf(hostile, server.URL))
	must(t, v.(*view).page.WaitForLoadState(playwright.PageWaitForLoadStateOptions{State: playwright.LoadStateNetworkidle}))
	found, err := v.Find("p")
	if diff := cmp.Diff([]int{7}, found); err != nil || diff != "" {
		t.Errorf("the page is not there any more: %v %s", err, diff)
	}
	ran, err := v.(*view).page.Evaluate("() => document.documentElement.dataset.ran ?? ''")
	if err != nil || ran != "" {
		t.Errorf("script %v ran (%v)", ran, err)
	}
	if hits.Load() > 0 {
		t.Errorf("the server was asked %d times", hits.Load())
	}

	// The same page in a browser that nothing was forbidden.
	free, err := browsertest.Browser(t).NewPage()
	must(t, err)
	defer free.Close()
	must(t, free.SetContent(strings.Replace(fmt.Sprintf(hostile, server.URL), `http-equiv="refresh"`, "", 1)))
	ran, err = free.Evaluate("() => document.documentElement.dataset.ran ?? ''")
	if err != nil || ran == "" || hits.Load() < 5 {
		t.Errorf("the page is not hostile: ran %q, asked %d times, %v", ran, hits.Load(), err)
	}
}

func TestWhatIsHiddenHasNoBox(t *testing.T) {
	v := show(t, open(t), `<!doctype html><style>.gone { display: none } .far { visibility: hidden }</style>
<p data-breadcrumb-node="1">a</p><p class="gone" data-breadcrumb-node="2">b</p><p class="far" data-breadcrumb-node="3">c</p>
<div data-breadcrumb-node="4"><template shadowrootmode="open"><b data-breadcrumb-node="5">in shadow</b></template></div>`)
	boxes, err := v.Boxes()
	must(t, err)
	var got []int
	for n := range 10 {
		if box, ok := boxes[n]; ok && box.Width > 0 && box.Height > 0 {
			got = append(got, n)
		}
	}
	if diff := cmp.Diff([]int{1, 4, 5}, got); diff != "" {
		t.Error(diff)
	}
	if found, err := v.Find("b"); err != nil || len(found) != 1 || found[0] != 5 {
		t.Errorf("found %v, %v", found, err)
	}
	if _, err := v.Find("p:hm("); err == nil {
		t.Error("a bad selector was counted")
	}
}

func TestAnElementIsShownOutlined(t *testing.T) {
	v := show(t, open(t), `<!doctype html><style>body { margin: 0; height: 4000px; background: #fff } b { position: absolute; left: 700px; top: 3000px; width: 40px; height: 20px; background: #00f } .gone { display: none }</style>
<b data-breadcrumb-node="3"></b><i class="gone" data-breadcrumb-node="4">x</i>`)
	content, err := v.Picture(3)
	must(t, err)
	shown, err := jpeg.Decode(bytes.NewReader(content))
	must(t, err)
	size := shown.Bounds().Size()
	at := func(x, y int) string {
		r, g, b, _ := shown.At(x, y).RGBA()
		switch high := uint32(0xa000); {
		case r > high && g > high && b > high:
			return "white"
		case r > high:
			return "red"
		case b > high:
			return "blue"
		}
		return "dark"
	}
	// The element is at the right and at the lower edge of what has a box.
	x, y := size.X-20, size.Y-10
	if got := []string{at(x, y), at(x-21, y), at(x-40, y)}; size != (image.Point{X: 480, Y: 270}) || got[0] != "blue" || got[1] != "red" || got[2] != "white" {
		t.Errorf("%v, from the element to the left: %v", size, got)
	}
	if _, err := v.Picture(4); err == nil {
		t.Error("what is hidden has a picture")
	}
}

func TestTheEndOfTheRunEndsAView(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	v, err := open(t).Show(ctx, "<p>x</p>")
	must(t, err)
	closed := make(chan struct{})
	v.(*view).page.OnClose(func(playwright.Page) { close(closed) })
	cancel()
	<-closed
	if _, err := v.Find("p"); err == nil {
		t.Error("the page is still open")
	}
}

func TestWithoutDriverOrBrowserTheErrorSaysWhatIsMissing(t *testing.T) {
	empty := t.TempDir()
	_, err := Open(func(name string) string { return map[string]string{"PLAYWRIGHT_DRIVER_PATH": empty}[name] })
	if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), empty) || !strings.Contains(err.Error(), "install") {
		t.Errorf("no driver: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(empty, "*")); len(files) > 0 {
		t.Errorf("something was put there: %v", files)
	}
	open(t) // where there is a driver
	_, err = Open(func(name string) string {
		if name == "CHROMIUM" {
			return filepath.Join(empty, "chromium")
		}
		return os.Getenv(name)
	})
	if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "Chromium") {
		t.Errorf("no browser: %v", err)
	}
}
