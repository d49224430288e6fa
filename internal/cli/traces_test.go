package cli_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/breadcrumb/action/internal/browsertest"
)

// suiteDir holds the pages and the recorded traces of trace's tests.
var suiteDir, _ = filepath.Abs(filepath.Join("..", "..", "trace", "testdata"))

// cmdTraces copies the recorded traces of releases, or those with screenshots: traces
// RELEASE|pictures…
func cmdTraces(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "traces RELEASE|pictures…")
	for _, name := range args {
		from := filepath.Join("traces", "1.65.1", name)
		if name == "pictures" {
			from = name
		}
		ts.Check(os.CopyFS(ts.MkAbs(name), os.DirFS(filepath.Join(suiteDir, from))))
	}
}

// TestTheStoryInABrowser runs the scripts that need npm and Chromium. Without,
// they fail in CI and where BREADCRUMB_BROWSER is set, and are skipped elsewhere.
func TestTheStoryInABrowser(t *testing.T) {
	all := commands()
	all["playwright"], all["serve"] = playwrightIn(browsertest.NodeModules(t)), cmdServe
	testscript.Run(t, testscript.Params{Dir: "testdata/browser", Setup: setUpBrowser, Cmds: all})
}

// setUpBrowser names the browser to the suite.
func setUpBrowser(env *testscript.Env) error {
	program, err := browsertest.Chromium()
	if err != nil {
		return err
	}
	driver, err := browsertest.Folder()
	if err != nil {
		return err
	}
	env.Setenv("CHROMIUM", program)
	env.Setenv("PLAYWRIGHT_DRIVER_PATH", driver)
	env.Setenv("CHROMIUM_ARGS", strings.Join(browsertest.Arguments, " "))
	env.Setenv("ACTION_TIMEOUT", "10000")
	return setUpActions(env)
}

// playwrightIn returns the command that gives a script Playwright Test, with the
// suite's settings: playwright
func playwrightIn(modules string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		need(ts, neg, args, 0, "playwright")
		settings, err := os.ReadFile(filepath.Join(suiteDir, "suite", "playwright.config.ts"))
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs("playwright.config.ts"), settings, 0o666))
		ts.Check(os.Symlink(modules, ts.MkAbs("node_modules")))
	}
}

// cmdServe serves a release of the suite's pages: serve RELEASE
func cmdServe(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "serve RELEASE")
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(suiteDir, "suite", "app", args[0]))))
	ts.Defer(server.Close)
	ts.Setenv("SUITE_URL", server.URL)
}
