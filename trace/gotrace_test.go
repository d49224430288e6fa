package trace

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/internal/browsertest"
)

// -record keeps the traces that playwright-go makes, in testdata:
//
//	BREADCRUMB_BROWSER=1 go test -trimpath ./trace -run PlaywrightGo -record
var record = flag.Bool("record", false, "keep the traces of this run in testdata")

// use what a Go test of the suite's pages would.
func buyInGo(page playwright.Page, timeout float64) error {
	if err := page.Locator("#add-mug").Click(playwright.LocatorClickOptions{Timeout: &timeout}); err != nil {
		return err
	}
	return page.GetByLabel("Search").Fill("teapot")
}

func TestTracesOfPlaywrightGo(t *testing.T) {
	dir := filepath.Join("testdata", "traces", "go")
	if browsertest.Needed() {
		fresh := t.TempDir()
		for _, release := range []string{"v1", "v2"} {
			traceInGo(t, release, filepath.Join(fresh, release+".zip"))
		}
		if *record {
			keepTraces(t, fresh, dir)
		}
		dir = fresh
	}
	passed, failed := readFile(t, filepath.Join(dir, "v1.zip")), readFile(t, filepath.Join(dir, "v2.zip"))
	if passed.Failed || !failed.Failed || passed.TestID() != "TestBuy" {
		t.Fatalf("failed %v and %v, test %q", passed.Failed, failed.Failed, passed.TestID())
	}
	for _, c := range passed.Calls {
		checkGoTarget(t, c)
	}
	lost := failed.Calls[len(failed.Calls)-1]
	known, _ := passed.Calls[0].Target()
	e := lost.Heal(&known, heal.Options{}).Event
	next, why := locator.Replacement(e)
	if !lost.Lost() || next.String() != `[data-testid="add-mug"]` || why != "" {
		t.Errorf("lost %v, %s %s becomes %s (%s)", lost.Lost(), e.Locator, e.Outcome, next, why)
	}
}

func checkGoTarget(t *testing.T, c *Call) {
	t.Helper()
	if _, ok := c.Target(); !ok {
		t.Errorf("no element of %s", c.Selector)
	}
	if c.Site == nil || !strings.HasSuffix(c.Site.File, "trace/gotrace_test.go") || c.Site.Line < 20 || c.Site.Column != 0 {
		t.Errorf("%s is called at %+v", c.Selector, c.Site)
	}
}

func readFile(t *testing.T, name string) *Trace {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestMain(m *testing.M) { os.Exit(browsertest.Run(m)) }

// traceInGo uses a release of the suite's pages and keeps the trace of it.
func traceInGo(t *testing.T, release, to string) {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join("testdata", "suite", "app", release))))
	defer server.Close()
	browser := browsertest.Browser(t)
	context, err := browser.NewContext()
	must(t, err)
	must(t, context.Tracing().Start(playwright.TracingStartOptions{Snapshots: playwright.Bool(true), Title: playwright.String("TestBuy")}))
	page, err := context.NewPage()
	must(t, err)
	_, err = page.Goto(server.URL + "/catalog.html")
	must(t, err)
	if err := buyInGo(page, map[string]float64{"v1": 60_000, "v2": 1_000}[release]); (err != nil) != (release == "v2") {
		t.Fatalf("%s: %v", release, err)
	}
	must(t, context.Tracing().Stop(to))
}

func keepTraces(t *testing.T, from, to string) {
	t.Helper()
	must(t, os.MkdirAll(to, 0o755))
	for _, name := range []string{"v1.zip", "v2.zip"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(to, name), data, 0o644))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
