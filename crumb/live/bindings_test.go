package live_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	older "github.com/playwright-community/playwright-go"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/crumb/community"
	"github.com/breadcrumb/action/internal/browsertest"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Run(m)) }

const (
	before = `<!doctype html><body><h1>Account</h1><form><label>City <input id="city"></label><button id="save" type="button" onclick="document.title = 'saved'">Save changes</button></form></body>`
	after  = `<!doctype html><body><h1>Account</h1><form><label>City <input id="city"></label><button id="store" type="button" onclick="document.title = 'saved'">Save changes</button></form></body>`
)

// page is what this test needs of a wrapped page of either module.
type page interface {
	Click(selector string) error
	Title() (string, error)
	Show(html string) error
	Close() error
}

// The pages of both modules heal in one program, and from what the other one learned.
func TestBothModulesHealInOneProgram(t *testing.T) {
	t.Parallel()
	options := crumb.Options{TestID: "TestSave", DB: filepath.Join(t.TempDir(), "crumbs.db"), Timeout: 30_000}
	for _, c := range []struct {
		name        string
		learn, heal func(*testing.T, crumb.Options) page
	}{
		{"learned by the maintained one", openPage, openOlderPage},
		{"learned by the older one", openOlderPage, openPage},
	} {
		t.Run(c.name, func(t *testing.T) {
			options.TestID = c.name
			options.Timeout = 30_000
			learning := c.learn(t, options)
			must(t, learning.Show(before))
			must(t, learning.Click("#save"))
			must(t, learning.Close())
			options.Timeout = 1500
			healing := c.heal(t, options)
			must(t, healing.Show(after))
			must(t, healing.Click("#save"))
			title, err := healing.Title()
			must(t, errors.Join(err, healing.Close()))
			if title != "saved" {
				t.Errorf("title %q: the lost button was not clicked", title)
			}
		})
	}
}

type maintainedPage struct{ *crumb.Page }

func (p maintainedPage) Click(selector string) error { return p.Page.Click(selector) }
func (p maintainedPage) Show(html string) error      { return p.SetContent(html) }
func (p maintainedPage) Close() error                { return p.Page.Close() }

func openPage(t *testing.T, o crumb.Options) page {
	t.Helper()
	raw, err := browsertest.Browser(t).NewPage()
	must(t, err)
	wrapped, err := crumb.Wrap(raw, o)
	must(t, err)
	return maintainedPage{wrapped}
}

type olderPage struct{ *community.Page }

func (p olderPage) Click(selector string) error { return p.Page.Click(selector) }
func (p olderPage) Show(html string) error      { return p.SetContent(html) }
func (p olderPage) Close() error                { return p.Page.Close() }

func openOlderPage(t *testing.T, o crumb.Options) page {
	t.Helper()
	program, err := browsertest.Chromium()
	if err != nil {
		browsertest.Missing(t, err)
	}
	driver, err := older.NewDriver(&older.RunOptions{SkipInstallBrowsers: true})
	must(t, err)
	folder, err := browsertest.Folder()
	must(t, err)
	folder = filepath.Join(filepath.Dir(folder), driver.Version)
	if _, err := os.Stat(filepath.Join(folder, "package", "cli.js")); err != nil {
		browsertest.Missing(t, err)
	}
	pw, err := older.Run(&older.RunOptions{DriverDirectory: folder, SkipInstallBrowsers: true})
	must(t, err)
	t.Cleanup(func() { _ = pw.Stop() })
	browser, err := pw.Chromium.Launch(older.BrowserTypeLaunchOptions{ExecutablePath: &program, Args: browsertest.Arguments})
	must(t, err)
	raw, err := browser.NewPage()
	must(t, err)
	wrapped, err := community.Wrap(raw, o)
	must(t, err)
	return olderPage{wrapped}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
