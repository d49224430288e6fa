// Package browser shows pages of traces in a headless Chromium, by Playwright's
// driver. What it shows may be hostile: it runs nothing and loads nothing.
package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/internal/playwrightgo"
)

// ErrNone says that there is no browser, or no driver for it.
var ErrNone = errors.New("no browser")

// arguments keep Chromium from calling home, and whatever a page asks for from
// leaving: every name is unknown, and the proxy for the rest is nobody.
var arguments = []string{"--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
	"--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=http://127.0.0.1:1", "--proxy-bypass-list=<-loopback>", "--dns-prefetch-disable"}

// Browser is a running Chromium. Close ends it.
type Browser struct {
	playwright *playwright.Playwright
	chromium   playwright.Browser
	context    playwright.BrowserContext
	page       playwright.Page        // nil before the first document
	next       atomic.Pointer[string] // the document that is to be shown
}

// Open starts Chromium: the program that env names in CHROMIUM, else the
// system's, else the one that Playwright installed. The driver is where
// PLAYWRIGHT_DRIVER_PATH says, else where playwright-go puts it. Nothing is
// downloaded: the error is ErrNone with what is missing.
func Open(env func(name string) string) (*Browser, error) {
	folder, err := findDriver(env)
	if err != nil {
		return nil, err
	}
	pw, err := playwright.Run(&playwright.RunOptions{DriverDirectory: folder, SkipInstallBrowsers: true})
	if err != nil {
		return nil, fmt.Errorf("%w: start Playwright's driver in %s: %w", ErrNone, folder, err)
	}
	b := &Browser{playwright: pw}
	if err := b.launch(env); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: start Chromium: %w", ErrNone, err), b.Close())
	}
	return b, nil
}

// findDriver returns the folder of Playwright's driver.
func findDriver(env func(string) string) (string, error) {
	driver, err := playwright.NewDriver(&playwright.RunOptions{SkipInstallBrowsers: true})
	if err != nil {
		return "", fmt.Errorf("%w: look for Playwright's driver: %w", ErrNone, err)
	}
	folder := env("PLAYWRIGHT_DRIVER_PATH")
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%w: look for Playwright's driver: %w", ErrNone, err)
		}
		folder = filepath.Join(cache, "ms-playwright-go", driver.Version)
	}
	// Looked for here, because playwright.Run makes the folder.
	if _, err := os.Stat(filepath.Join(folder, "package", "cli.js")); err != nil {
		return "", fmt.Errorf("%w: Playwright's driver %s is not in %s; `%s` puts it there, or set PLAYWRIGHT_DRIVER_PATH",
			ErrNone, driver.Version, folder, playwrightgo.Install)
	}
	return folder, nil
}

func (b *Browser) launch(env func(string) string) (err error) {
	options := playwright.BrowserTypeLaunchOptions{Args: arguments, Headless: playwright.Bool(true),
		Env: map[string]string{"PATH": env("PATH"), "HOME": env("HOME")}} // no token of the job's
	if program := findChromium(env); program != "" {
		options.ExecutablePath = &program
	}
	if b.chromium, err = b.playwright.Chromium.Launch(options); err != nil {
		return err
	}
	b.context, err = b.chromium.NewContext(playwright.BrowserNewContextOptions{
		JavaScriptEnabled: playwright.Bool(false), Offline: playwright.Bool(true), AcceptDownloads: playwright.Bool(false),
		ServiceWorkers: playwright.ServiceWorkerPolicyBlock})
	return err
}

// findChromium returns the path of the system's Chromium, "" for none.
func findChromium(env func(string) string) string {
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if set := env("CHROMIUM"); set != "" {
		return set
	}
	for _, name := range names {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	return ""
}

// Close ends the browser and its driver.
func (b *Browser) Close() error {
	var closed error
	if b.chromium != nil {
		closed = b.chromium.Close()
	}
	return errors.Join(closed, b.playwright.Stop())
}
