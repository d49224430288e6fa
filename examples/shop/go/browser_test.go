// Package shop tests the shop in a browser.
package shop

import (
	"os"
	"testing"

	"github.com/mxschmitt/playwright-go"
)

// open returns a new page of the shop at path.
func open(t *testing.T, path string) playwright.Page {
	t.Helper()
	pw, err := playwright.Run()
	must(t, err)
	t.Cleanup(func() { must(t, pw.Stop()) })
	browser, err := pw.Chromium.Launch()
	must(t, err)
	page, err := browser.NewPage()
	must(t, err)
	_, err = page.Goto(os.Getenv("SHOP_URL") + path)
	must(t, err)
	return page
}

func wantText(t *testing.T, page playwright.Page, selector, want string) {
	t.Helper()
	got, err := page.Locator(selector).InnerText()
	must(t, err)
	if got != want {
		t.Errorf("%s shows %q, want %q", selector, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
