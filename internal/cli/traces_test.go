package cli_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/breadcrumb/action/internal/browsertest"
)

// suiteDir holds the pages and the recorded traces of trace's tests.
var suiteDir, _ = filepath.Abs(filepath.Join("..", "..", "trace", "testdata"))

// cmdTraces copies the recorded traces of releases: traces RELEASE…
func cmdTraces(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "traces RELEASE…")
	for _, release := range args {
		ts.Check(os.CopyFS(ts.MkAbs(release), os.DirFS(filepath.Join(suiteDir, "traces", "1.65.1", release))))
	}
}

// TestTheStoryInABrowser runs the scripts that need npm and Chromium. Without,
// they fail in CI and where BREADCRUMB_BROWSER is set, and are skipped elsewhere.
func TestTheStoryInABrowser(t *testing.T) {
	if !browsertest.Needed() {
		t.Skip("BREADCRUMB_BROWSER is not set; with `make browser` and npm it can be")
	}
	all := commands()
	all["npm"], all["serve"] = cmdNpm, cmdServe
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

// cmdNpm installs a package and copies the suite's settings: npm PACKAGE@VERSION
func cmdNpm(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "npm PACKAGE@VERSION")
	settings, err := os.ReadFile(filepath.Join(suiteDir, "suite", "playwright.config.ts"))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("playwright.config.ts"), settings, 0o666))
	install := exec.Command("npm", "install", "--no-fund", "--no-audit", "--loglevel=error", args[0]) // with the caller's npm settings
	install.Dir = ts.MkAbs(".")
	out, err := install.CombinedOutput()
	if err != nil {
		ts.Fatalf("npm install: %v\n%s", err, out)
	}
}

// cmdServe serves a release of the suite's pages: serve RELEASE
func cmdServe(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "serve RELEASE")
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(suiteDir, "suite", "app", args[0]))))
	ts.Defer(server.Close)
	ts.Setenv("SUITE_URL", server.URL)
}
