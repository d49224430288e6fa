// Package browsertest starts the browser that `make browser` installs, for tests.
package browsertest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/mxschmitt/playwright-go"
)

// Arguments are the arguments that Debian's Chromium needs in a container, and those
// that stop its own requests to the network.
var Arguments = []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
	"--disable-background-networking", "--disable-component-update", "--disable-sync"}

// atEnd holds the functions to call after the tests.
var atEnd struct {
	sync.Mutex
	calls []func()
}

// Launched returns the one browser of this process, or an error for callers that
// can do without it. [Browser] ends the test instead.
var Launched = sync.OnceValues(func() (playwright.Browser, error) {
	if testing.Short() && !Needed() {
		return nil, errors.New("short tests have none")
	}
	return launchChromium()
})

// Browser returns the one browser of this process. Without one, tests fail in
// CI and where BREADCRUMB_BROWSER is set, and are skipped elsewhere.
func Browser(tb testing.TB) playwright.Browser {
	tb.Helper()
	b, err := Launched()
	if err != nil {
		Missing(tb, err)
	}
	return b
}

// AtEnd makes Run call end after the tests: it closes a browser that they share.
func AtEnd(end func()) {
	atEnd.Lock()
	defer atEnd.Unlock()
	atEnd.calls = append(atEnd.calls, end)
}

// Run runs the tests of a package, then closes the browsers they started, which
// would otherwise keep running. It returns the exit code.
func Run(m *testing.M) int {
	code := m.Run()
	atEnd.Lock()
	defer atEnd.Unlock()
	for _, end := range atEnd.calls {
		end()
	}
	return code
}

// Needed reports whether tests must have a browser: in CI and where
// BREADCRUMB_BROWSER is set.
func Needed() bool { return os.Getenv("CI") != "" || os.Getenv("BREADCRUMB_BROWSER") != "" }

// Missing ends a test that lacks what `make browser` installs: it fails where the
// browser is needed, and is skipped with advice elsewhere.
func Missing(tb testing.TB, err error) {
	tb.Helper()
	const hint = "no browser: %v; `make browser` installs Chromium and Playwright's driver"
	if Needed() {
		tb.Fatalf(hint, err)
	}
	tb.Skipf(hint, err)
}

// Folder returns the folder where `make browser` installs the driver.
func Folder() (string, error) {
	if folder := os.Getenv("PLAYWRIGHT_DRIVER_PATH"); folder != "" {
		return folder, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	driver, err := playwright.NewDriver(&playwright.RunOptions{SkipInstallBrowsers: true})
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "ms-playwright-go", driver.Version), nil
}

// Chromium returns the path of the browser that .ci/browser finds. The headless
// shell comes first: Playwright itself uses it where no window is needed, and it
// takes a third of the CPU time.
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

func launchChromium() (playwright.Browser, error) {
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
