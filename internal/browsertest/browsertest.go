// Package browsertest gives tests the browser that `make browser` made ready.
package browsertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// Arguments are those that Debian's chromium needs in a container, and those
// that keep it from calling home.
var Arguments = []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
	"--disable-background-networking", "--disable-component-update", "--disable-sync"}

// launched is started once and ends with the process of the test.
var launched = sync.OnceValues(launch)

// Browser returns the one browser of this process. Without one, tests fail in
// CI and where BREADCRUMB_BROWSER is set, and are skipped elsewhere.
func Browser(tb testing.TB) playwright.Browser {
	tb.Helper()
	b, err := launched()
	if err != nil {
		Missing(tb, err.Error())
	}
	return b
}

// Missing ends a test that lacks what `make browser` installs: a failure in CI
// and where BREADCRUMB_BROWSER is set, else a skip that says what to do.
func Missing(tb testing.TB, what string) {
	tb.Helper()
	if os.Getenv("CI") != "" || os.Getenv("BREADCRUMB_BROWSER") != "" {
		tb.Fatalf("no browser: %s; run `make browser`", what)
	}
	tb.Skipf("no browser: %s; run `make browser` to have these tests", what)
}

// Folder returns where `make browser` puts the driver and what else it gets.
func Folder() (string, error) {
	if folder := os.Getenv("PLAYWRIGHT_DRIVER_PATH"); folder != "" {
		return folder, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "ms-playwright-go", "1.60.0"), nil
}

func launch() (playwright.Browser, error) {
	program, err := chromium()
	if err != nil {
		return nil, err
	}
	folder, err := Folder()
	if err != nil {
		return nil, err
	}
	// Looked for here, because playwright.Run makes the folder.
	if _, err := os.Stat(filepath.Join(folder, "package", "cli.js")); err != nil {
		return nil, err
	}
	pw, err := playwright.Run(&playwright.RunOptions{SkipInstallBrowsers: true})
	if err != nil {
		return nil, err
	}
	return pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{ExecutablePath: &program, Args: Arguments})
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
