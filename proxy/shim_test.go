package proxy

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/internal/browsertest"
)

const (
	oldShop = `<!doctype html><title>Shop</title><h1>Account</h1><form><label>City <input id="city"></label><button id="save" type="button" onclick="document.title += ' saved'">Save changes</button></form>
<ul><li>Mug <button class="add" onclick="document.title += ' mug'">Add</button></li><li>Spoon <button class="add" onclick="document.title += ' spoon'">Add</button></li></ul>
<iframe name="help" srcdoc="<h2>Help</h2><button id='ask' onclick='parent.document.title += &amp;quot; asked&amp;quot;'>Ask a question</button>"></iframe>`
	slowPart = `<script>setTimeout(() => document.body.append(Object.assign(document.createElement("button"), {id: "late", textContent: "Late", onclick: () => document.title += " late"})), 700)</script>`
)

// newShop returns what the old page became: its ids are other ones.
func newShop() string {
	return strings.NewReplacer(`id="city"`, `id="town"`, `id="save"`, `id="store"`, `id='ask'`, `id='question'`).Replace(oldShop)
}

// findBrowser returns the browser's program, or skips a test. One whose subtests do what the
// rest of it looks at asks before them.
func findBrowser(tb testing.TB) string {
	tb.Helper()
	if testing.Short() && !browsertest.Needed() {
		tb.Skip("short tests have no browser")
	}
	program, err := browsertest.Chromium()
	if err != nil {
		browsertest.Missing(tb, err)
	}
	return program
}

// launch starts playwright-go's driver with the test program in the place of node, and
// returns a browser behind the proxy.
func launch(tb testing.TB) playwright.Browser {
	tb.Helper()
	program := findBrowser(tb)
	node, _ := driverCommand(tb)
	own, err := os.Executable()
	must(tb, err)
	tb.Setenv("PLAYWRIGHT_NODEJS_PATH", own)
	tb.Setenv(realNode, node)
	pw, err := playwright.Run(&playwright.RunOptions{SkipInstallBrowsers: true})
	must(tb, err)
	tb.Cleanup(func() { must(tb, pw.Stop()) })
	b, err := pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{ExecutablePath: &program, Args: browsertest.Arguments})
	must(tb, err)
	return b
}

// openShop serves the old page of the shop, or what html holds then, and has calls heal
// and write into folder.
func openShop(t *testing.T) (folder string, html *atomic.Value, site *httptest.Server) {
	t.Helper()
	folder, html = t.TempDir(), &atomic.Value{}
	t.Setenv("BREADCRUMB_DB", folder+"/crumbs.db")
	t.Setenv("BREADCRUMB_EVENTS", folder+"/heals.ndjson")
	t.Setenv("BREADCRUMB_HEAL", "live")
	html.Store(oldShop)
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(html.Load().(string))) }))
	t.Cleanup(site.Close)
	return folder, html, site
}

// A suite of playwright-go that knows nothing of the proxy. Its locators are learned on
// the old page and healed on the new one.
func TestAnUnchangedGoSuiteHeals(t *testing.T) {
	findBrowser(t)
	folder, html, site := openShop(t)
	// visit does what a test does. Timeout 0 is none.
	visit := func(t *testing.T, b playwright.Browser, timeout float64) {
		t.Helper()
		page, err := b.NewPage()
		must(t, err)
		_, err = page.Goto(site.URL)
		must(t, err)
		must(t, page.Locator("#save").Click(playwright.LocatorClickOptions{Timeout: &timeout}))
		must(t, page.Click("#save", playwright.PageClickOptions{Timeout: &timeout})) //nolint:staticcheck // existing suites call it
		must(t, page.GetByRole("listitem").Filter(playwright.LocatorFilterOptions{HasText: "Spoon"}).Locator(".add").Click())
		must(t, page.Locator(".add").Nth(0).Click())
		must(t, page.FrameLocator("iframe[name=help]").Locator("#ask").Click(playwright.LocatorClickOptions{Timeout: &timeout}))
		if seen, err := page.Locator("#save").IsVisible(); err != nil || seen != (html.Load() == oldShop) {
			t.Errorf("visible %v, %v", seen, err)
		}
		const want = "Shop saved saved spoon mug asked"
		if title, err := page.Title(); err != nil || title != want {
			t.Errorf("the page says %q, %v, want %q", title, err, want)
		}
		must(t, page.Close())
	}
	t.Run("learned", func(t *testing.T) { visit(t, launch(t), 30_000) })
	html.Store(newShop())
	t.Run("healed", func(t *testing.T) { // at once, for each call waits until its time has run out
		for name, timeout := range map[string]float64{"with a timeout": 4000, "without one": 0} {
			b := launch(t)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				visit(t, b, timeout)
			})
		}
	})
	healed := 0
	for _, e := range readEvents(t, folder+"/heals.ndjson") {
		if e.Site != nil {
			t.Errorf("a site that the binding does not know: %+v", e.Site)
		}
		if e.Outcome == "healed" {
			healed++
		}
	}
	if healed < 4 {
		t.Errorf("%d healed", healed)
	}
}

// An element that comes late is no loss, and one that is gone stays lost.
func TestWhatIsSlowOrGoneIsNotHealed(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("BREADCRUMB_DB", folder+"/crumbs.db")
	t.Setenv("BREADCRUMB_EVENTS", folder+"/heals.ndjson")
	page, err := launch(t).NewPage()
	must(t, err)
	must(t, page.SetContent(oldShop+slowPart))
	none := 0.0
	must(t, page.Locator("#late").Click(playwright.LocatorClickOptions{Timeout: &none}))
	if title, err := page.Title(); err != nil || title != "Shop late" {
		t.Errorf("the page says %q, %v", title, err)
	}
	must(t, page.Locator("#save").Click())
	_, err = page.Evaluate(`() => document.querySelector("#save").remove()`)
	must(t, err)
	short := 2000.0
	if err := page.Locator("#save").Click(playwright.LocatorClickOptions{Timeout: &short}); err == nil {
		t.Error("a button that is gone was clicked")
	}
	for _, e := range readEvents(t, folder+"/heals.ndjson") {
		if e.Outcome == "healed" {
			t.Errorf("healed: %+v", e)
		}
	}
}

// BenchmarkAction compares a click through the proxy with the same click without it, in
// turns, at the median. Each click through the proxy learns its locator.
func BenchmarkAction(b *testing.B) {
	b.Setenv("BREADCRUMB_DB", b.TempDir()+"/crumbs.db")
	plain, err := browsertest.Browser(b).NewPage()
	must(b, err)
	relayed, err := launch(b).NewPage()
	must(b, err)
	const items = 100
	html := strings.Repeat(`<div class="row"><h2>Article</h2><button type="button">Order</button></div>`, items)
	times := map[playwright.Page][]time.Duration{}
	pages := []playwright.Page{plain, relayed}
	for _, p := range pages {
		must(b, p.SetContent(html))
	}
	for i := 0; b.Loop(); i++ {
		for _, p := range pages {
			start := time.Now()
			must(b, p.Locator(".row button").Nth(i%items).Click())
			times[p] = append(times[p], time.Since(start))
		}
	}
	for _, list := range times {
		slices.Sort(list)
	}
	median := func(p playwright.Page) float64 { return float64(times[p][len(times[p])/2].Microseconds()) / 1000 }
	b.ReportMetric(median(plain), "ms-plain")
	b.ReportMetric(median(relayed), "ms-relayed")
}
