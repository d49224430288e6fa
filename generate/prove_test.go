package generate

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/internal/browsertest"
)

// TestProvenLocatorsFindOneElement compares what the document proves with what
// Chromium finds.
func TestProvenLocatorsFindOneElement(t *testing.T) {
	browser := browsertest.Browser(t)
	pages, err := filepath.Glob(filepath.Join(shop, "*", "*.html"))
	must(t, err)
	for _, name := range append(pages, filepath.Join("testdata", "kitchen.html")) {
		text, err := os.ReadFile(name)
		must(t, err)
		server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(name))))
		defer server.Close()
		site, err := Crawl(t.Context(), server.URL+"/"+filepath.Base(name), Options{AllowPrivate: true})
		must(t, err)
		page, err := browser.NewPage()
		must(t, err)
		must(t, page.SetContent(string(text)))
		for _, e := range site.Pages[0].Elements {
			checkFound(t, page, name, e)
		}
		must(t, page.Close())
	}
}

func checkFound(t *testing.T, page playwright.Page, name string, e Element) {
	t.Helper()
	found := page.Locator(engineOf(e.Locator))
	if n, err := found.Count(); n != 1 || err != nil {
		t.Errorf("%s: %s finds %d elements (%v)", name, e.Found, n, err)
	}
}

// engineOf returns a selector as Playwright's engines read it.
func engineOf(s locator.Selector) string { return s.String() }
