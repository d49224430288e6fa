package crumb_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/engine"
)

// chromiumArguments are those that Debian's chromium needs in a container.
var chromiumArguments = []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
	"--disable-background-networking", "--disable-component-update", "--disable-sync"}

var theBrowser struct {
	once    sync.Once
	browser playwright.Browser
	stop    func()
	err     error
}

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil { // they wait for timeouts most of the time
		panic(err)
	}
	code := m.Run()
	if theBrowser.stop != nil {
		theBrowser.stop()
	}
	os.Exit(code)
}

// browser returns the one browser of this process. Without one, tests fail in
// CI and where BREADCRUMB_BROWSER is set, and are skipped elsewhere.
func browser(tb testing.TB) playwright.Browser {
	tb.Helper()
	theBrowser.once.Do(func() { theBrowser.browser, theBrowser.stop, theBrowser.err = launch() })
	if theBrowser.err != nil {
		if browserNeeded() {
			tb.Fatalf("no browser: %v; run `make browser`", theBrowser.err)
		}
		tb.Skipf("no browser: %v; run `make browser` to have these tests", theBrowser.err)
	}
	return theBrowser.browser
}

func browserNeeded() bool { return os.Getenv("CI") != "" || os.Getenv("BREADCRUMB_BROWSER") != "" }

func launch() (playwright.Browser, func(), error) {
	program, err := chromium()
	if err != nil {
		return nil, nil, err
	}
	if err := driverIsThere(); err != nil {
		return nil, nil, err
	}
	pw, err := playwright.Run(&playwright.RunOptions{SkipInstallBrowsers: true})
	if err != nil {
		return nil, nil, err
	}
	b, err := pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{ExecutablePath: &program, Args: chromiumArguments})
	if err != nil {
		return nil, nil, err
	}
	return b, func() { _ = b.Close(); _ = pw.Stop() }, nil
}

// chromium returns the browser that .ci/browser finds.
func chromium() (program string, err error) {
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if set := os.Getenv("CHROMIUM"); set != "" {
		names = []string{set}
	}
	for _, name := range names {
		if program, err = exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", err
}

// driverIsThere looks before playwright.Run does, which makes the folder.
func driverIsThere() error {
	folder := os.Getenv("PLAYWRIGHT_DRIVER_PATH")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		folder = filepath.Join(cache, "ms-playwright-go", "1.60.0")
	}
	_, err := os.Stat(filepath.Join(folder, "package", "cli.js"))
	return err
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// site is a small web site whose pages a test may change.
type site struct {
	*httptest.Server
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
		fmt.Fprint(w, body)
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
	context, err := browser(tb).NewContext()
	must(tb, err)
	tb.Cleanup(func() { _ = context.Close() })
	page, err := context.NewPage()
	must(tb, err)
	return page
}

// wrapped returns a new wrapped page at a URL.
func wrapped(tb testing.TB, options crumb.Options, url string) *crumb.Page {
	tb.Helper()
	if options.TestID == "" {
		options.TestID = tb.Name()
	}
	page, err := crumb.Wrap(rawPage(tb), options)
	must(tb, err)
	_, err = page.Goto(url)
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

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
