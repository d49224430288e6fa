// Package shop tests the shop in a browser with pages that heal. The suite is
// written for app/before; package crumb's tests run it on both releases. To run
// it by hand, `make browser`, serve a release and name it in SHOP_URL.
package shop

import (
	"os"
	"strconv"
	"testing"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb"
)

var browser playwright.Browser

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv("SHOP_URL") == "" {
		return m.Run() // every test is skipped
	}
	pw, err := playwright.Run(&playwright.RunOptions{SkipInstallBrowsers: true})
	if err != nil {
		panic(err)
	}
	program := os.Getenv("CHROMIUM")
	browser, err = pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{ExecutablePath: &program, Args: []string{"--headless", "--no-sandbox", "--disable-gpu",
		"--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"}})
	if err != nil {
		panic(err)
	}
	defer pw.Stop()
	defer crumb.Summary(os.Stdout)
	return m.Run()
}

// open returns a page of the shop that heals. The test goes on beside others.
func open(t *testing.T, path string) playwright.Page {
	t.Helper()
	t.Parallel()
	if browser == nil {
		t.Skip("SHOP_URL names no shop")
	}
	raw, err := browser.NewPage()
	must(t, err)
	page, err := crumb.Wrap(raw, crumb.Options{TestID: t.Name()})
	must(t, err)
	t.Cleanup(func() { must(t, page.Close()) })
	page.SetDefaultTimeout(timeout(30_000))
	_, err = page.Goto(os.Getenv("SHOP_URL") + path)
	must(t, err)
	return page
}

// timeout returns what SHOP_TIMEOUT says in ms, or else the default.
func timeout(otherwise float64) float64 {
	if ms, err := strconv.ParseFloat(os.Getenv("SHOP_TIMEOUT"), 64); err == nil {
		return ms
	}
	return otherwise
}

func wantText(t *testing.T, page playwright.Page, selector, want string) {
	t.Helper()
	must(t, crumb.Expect(timeout(5000)).Locator(page.Locator(selector)).ToHaveText(want))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
