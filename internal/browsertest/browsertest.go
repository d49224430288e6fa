// Package browsertest gives tests the browser that `make browser` made ready.
package browsertest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// Arguments are those that Debian's Chromium needs in a container, and those
// that keep it from calling home.
var Arguments = []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
	"--disable-background-networking", "--disable-component-update", "--disable-sync"}

// atEnd holds what ends what the tests of this process started.
var atEnd struct {
	sync.Mutex
	calls []func()
}

// theOne is the one browser of this process.
var theOne = sync.OnceValues(func() (playwright.Browser, error) {
	if testing.Short() && !Needed() {
		return nil, errors.New("short tests have none")
	}
	return launch()
})

// Browser returns the one browser of this process. Without one, tests fail in
// CI and where BREADCRUMB_BROWSER is set, and are skipped elsewhere.
func Browser(tb testing.TB) playwright.Browser {
	tb.Helper()
	b, err := theOne()
	if err != nil {
		Missing(tb, err)
	}
	return b
}

// Launched returns the one browser of this process, where there is no test to
// end without it.
func Launched() (playwright.Browser, error) { return theOne() }

// AtEnd has Run call end after the tests, for a browser that all of them share.
func AtEnd(end func()) {
	atEnd.Lock()
	defer atEnd.Unlock()
	atEnd.calls = append(atEnd.calls, end)
}

// Run runs the tests of a package and then ends the browsers they started, if
// any, which would outlive them. It returns the exit code.
func Run(m *testing.M) int {
	code := m.Run()
	atEnd.Lock()
	defer atEnd.Unlock()
	for _, end := range atEnd.calls {
		end()
	}
	return code
}

// Needed reports whether a browser has to be there: in CI and where
// BREADCRUMB_BROWSER is set.
func Needed() bool { return os.Getenv("CI") != "" || os.Getenv("BREADCRUMB_BROWSER") != "" }

// Missing ends a test that lacks what `make browser` installs: a failure where
// it is needed, else a skip that says what to do.
func Missing(tb testing.TB, err error) {
	tb.Helper()
	const hint = "no browser: %v; `make browser` installs Chromium and Playwright's driver"
	if Needed() {
		tb.Fatalf(hint, err)
	}
	tb.Skipf(hint, err)
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

// Chromium returns the path of the browser that .ci/browser finds. The headless
// shell comes first: it is what Playwright itself takes for a browser without a
// window, and costs a third of the CPU time.
func Chromium() (program string, err error) {
	names := []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}
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

// Env is the environment of the tests with CHROMIUM set to their browser.
func Env(name string) string {
	if program, err := Chromium(); name == "CHROMIUM" && err == nil {
		return program
	}
	return os.Getenv(name)
}

func launch() (playwright.Browser, error) {
	program, err := Chromium()
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
	b, err := pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{ExecutablePath: &program, Args: Arguments})
	if err != nil {
		return nil, err
	}
	AtEnd(func() { _ = b.Close(); _ = pw.Stop() })
	return b, nil
}
