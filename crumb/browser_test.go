package crumb_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/browsertest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil { // they wait for timeouts most of the time
		panic(err)
	}
	os.Exit(browsertest.Run(m))
}

// site is a small web site whose pages a test may change.
type site struct {
	*httptest.Server
	head  string // what every page begins with
	mu    sync.Mutex
	pages map[string]string
}

func newSite(tb testing.TB, pages map[string]string) *site {
	tb.Helper()
	s := &site{pages: pages}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		body, ok := s.pages[r.URL.Path]
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, strings.Replace(body, "<!doctype html>", "<!doctype html>"+s.head, 1))
	}))
	tb.Cleanup(s.Close)
	return s
}

func (s *site) set(path, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = body
}

// rawPage returns a new page of a new context, closed with the test.
func rawPage(tb testing.TB) playwright.Page {
	tb.Helper()
	context, err := browsertest.Browser(tb).NewContext()
	must(tb, err)
	tb.Cleanup(func() { _ = context.Close() })
	page, err := context.NewPage()
	must(tb, err)
	return page
}

// borrowed are blank pages, each in a context of its own, that wait to be used
// again: to open another costs half a second of CPU, to leave one a tenth.
var borrowed struct {
	mu   sync.Mutex
	free []playwright.Page
}

// borrowPage returns a page that others had before and will have after giveBack
// is called.
func borrowPage(tb testing.TB) (page playwright.Page, giveBack func()) {
	tb.Helper()
	b := browsertest.Browser(tb)
	borrowed.mu.Lock()
	if last := len(borrowed.free) - 1; last >= 0 {
		page, borrowed.free = borrowed.free[last], borrowed.free[:last]
	}
	borrowed.mu.Unlock()
	if page == nil {
		context, err := b.NewContext(playwright.BrowserNewContextOptions{HasTouch: playwright.Bool(true)})
		must(tb, err)
		page, err = context.NewPage()
		must(tb, err)
	}
	return page, func() {
		for _, p := range page.Context().Pages() {
			if p != page {
				must(tb, p.Close())
			}
		}
		must(tb, page.Mouse().Up())        // a drag that took too long still holds it
		_, err := page.Goto("about:blank") // after everything that the page still had to tell
		must(tb, err)
		borrowed.mu.Lock()
		borrowed.free = append(borrowed.free, page)
		borrowed.mu.Unlock()
	}
}

// pace is how long, in ms, an action took of late that found its element.
var pace atomic.Int64

// measurePace notes how long something takes that waits for nothing.
func measurePace(act func()) {
	start := time.Now()
	act()
	pace.Store(time.Since(start).Milliseconds())
}

// learningTime is how long an action waits, in ms, for what is there: for ever,
// unless something hangs.
const learningTime = 300_000

// patience is how long a try waits at least for what is not there, in ms.
type patience float64

// timeout returns how long to wait for it now, in ms: a busy machine may need
// seconds to act on what is there.
func (p patience) timeout() float64 { return max(float64(p), min(30_000, 4*float64(pace.Load()))) }

// patiently tries something with ever more patience. A try returns what is
// wrong, "" for nothing.
func patiently(t *testing.T, try func(p patience) string) {
	t.Helper()
	for _, p := range []patience{800, 6000, 25_000, 100_000} {
		problem := try(p)
		if problem == "" || t.Failed() {
			return
		}
		t.Logf("with a timeout of %g ms or more: %s", float64(p), problem)
	}
	t.Fail()
}

// wrapped returns a new wrapped page at a URL.
func wrapped(tb testing.TB, options crumb.Options, url string) *crumb.Page {
	tb.Helper()
	if options.TestID == "" {
		options.TestID = tb.Name()
	}
	page, err := crumb.Wrap(rawPage(tb), options)
	must(tb, err)
	measurePace(func() { _, err = page.Goto(url) })
	must(tb, err)
	return page
}

// events returns what a file of heal events holds.
func events(tb testing.TB, path string) []engine.HealEvent {
	tb.Helper()
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	must(tb, err)
	list, notices := engine.ReadHeals(path, strings.NewReader(string(text)))
	if len(notices) > 0 {
		tb.Fatalf("events that cannot be read: %v", notices)
	}
	return list
}

// lostEvents returns the events of what tests lost themselves.
func lostEvents(tb testing.TB, path string) []engine.HealEvent {
	tb.Helper()
	return slices.DeleteFunc(events(tb, path), func(e engine.HealEvent) bool { return e.Ahead })
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
