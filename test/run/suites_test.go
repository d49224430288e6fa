package run

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/internal/cmdtest"
	"github.com/breadcrumb/action/junit"
)

// versions are those of @playwright/test.
var versions = []string{"1.45.3", "1.52.0", "1.60.0", "1.65.1"}

// What becomes of the shop's tests after the redesign with healing. The button to sign in
// says something else, which a person has to judge; the total of the checkout is a fault of
// the shop.
var redesigned = map[string]bool{
	"cart.spec.ts › Cart › changes a quantity [chromium]":                     true,
	"cart.spec.ts › Cart › removes a product [chromium]":                      true,
	"cart.spec.ts › Cart › leads to the checkout [chromium]":                  true,
	"checkout.spec.ts › Checkout › adds the shipping to the total [chromium]": false,
	"checkout.spec.ts › Checkout › places the order [chromium]":               true,
	"login.spec.ts › Login › signs in [chromium]":                             false,
	"login.spec.ts › Login › rejects a wrong password [chromium]":             false,
	"profile.spec.ts › Profile › shows the orders [chromium]":                 true,
	"search.spec.ts › Search › finds a product [chromium]":                    true,
}

// Each version learns with as many workers as the version before heals with.
func TestTheShopsSuiteIsLed(t *testing.T) {
	t.Parallel()
	for i, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := newSuite(t, version, "../../examples/shop")
			workers := []int{1, 4}
			if i%2 == 1 {
				slices.Reverse(workers)
			}
			ran := s.runShop(t, "before", workers[0])
			if failed := ran.failed(); ran.code != 0 || len(failed) > 0 {
				t.Fatalf("before the redesign: exit code %d, failed %q", ran.code, failed)
			}
			if events := s.events(t); len(events) > 0 {
				t.Errorf("before the redesign something was lost: %+v", events)
			}
			ran = s.runShop(t, "after", workers[1])
			if diff := cmp.Diff(redesigned, ran.passed); ran.code != 1 || diff != "" {
				t.Errorf("after the redesign: exit code %d, passed (-want +got):\n%s", ran.code, diff)
			}
			s.checkEvents(t, ran.passed)
		})
	}
}

// suite is a copy of tests with a version of Playwright Test.
type suite struct{ folder string }

// installing is held while packages are installed, which tests share.
var installing sync.Mutex

// newSuite copies the tests and the configuration in a folder. The test is skipped where
// there are no packages.
func newSuite(tb testing.TB, version, tests string) suite {
	tb.Helper()
	packages := os.Getenv("SUITES")
	if packages == "" {
		tb.Skip("SUITES is not set; `make suites` sets it to the folder of the packages")
	}
	modules := filepath.Join(packages, version)
	installing.Lock()
	defer installing.Unlock()
	if _, err := os.Stat(filepath.Join(modules, "node_modules", "playwright-core", "cli.js")); err != nil {
		if err := os.MkdirAll(modules, 0o755); err != nil {
			tb.Fatal(err)
		}
		install := exec.Command("npm", "install", "--prefix", modules, "--no-fund", "--no-audit", "--loglevel=error", "@playwright/test@"+version)
		install.Env = append(os.Environ(), "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1")
		if out, err := install.CombinedOutput(); err != nil {
			tb.Fatalf("npm install: %v\n%s", err, out)
		}
	}
	s := suite{tb.TempDir()}
	config, err := os.ReadFile(filepath.Join(tests, "playwright.config.ts"))
	config = bytes.Replace(config, []byte("actionTimeout: 2_000"), []byte("actionTimeout: 5_000"), 1) // for a busy machine
	if err := errors.Join(err, os.WriteFile(filepath.Join(s.folder, "playwright.config.ts"), config, 0o600),
		os.CopyFS(filepath.Join(s.folder, "tests"), os.DirFS(filepath.Join(tests, "tests"))), os.Mkdir(filepath.Join(s.folder, ".git"), 0o755),
		os.Symlink(filepath.Join(modules, "node_modules"), filepath.Join(s.folder, "node_modules"))); err != nil {
		tb.Fatal(err)
	}
	return s
}

// ran is what a run of a suite came to.
type ran struct {
	code   int
	passed map[string]bool // by the identity in the report, without skipped tests
	output string
}

func (r ran) failed() (ids []string) {
	for id, pass := range r.passed {
		if !pass {
			ids = append(ids, id)
		}
	}
	return ids
}

// runShop runs the suite on a release of the shop, led. more are flags of Playwright's.
func (s suite) runShop(t *testing.T, release string, workers int, more ...string) ran {
	t.Helper()
	shop := httptest.NewServer(http.FileServer(http.Dir(filepath.Join("../../examples/shop/app", release))))
	defer shop.Close()
	return s.run(t, []string{"SHOP_URL=" + shop.URL}, append([]string{"--workers", strconv.Itoa(workers), "--retries", "0", "--timeout", "60000"}, more...)...)
}

// run runs the suite led by Breadcrumb.
func (s suite) run(t *testing.T, environ []string, arguments ...string) ran {
	t.Helper()
	return s.start(t, environ, append([]string{cmdtest.Program(t), "run", "--heal", "live", "--"}, command(arguments)...))
}

// runAlone runs the suite without Breadcrumb.
func (s suite) runAlone(t *testing.T, environ []string, arguments ...string) ran {
	t.Helper()
	return s.start(t, environ, command(arguments))
}

func command(arguments []string) []string {
	return append([]string{"node", "node_modules/@playwright/test/cli.js", "test"}, arguments...)
}

func (s suite) start(t *testing.T, environ, arguments []string) ran {
	t.Helper()
	code, out := s.execute(t, environ, arguments)
	return ran{code, s.readReport(t), out}
}

// execute runs a command in the suite and returns its exit code, -1 where a signal ended it,
// and what it printed.
func (s suite) execute(tb testing.TB, environ, arguments []string) (code int, output string) {
	tb.Helper()
	cmd := exec.Command(arguments[0], arguments[1:]...)
	cmd.Dir = s.folder
	cmd.Env = append(append(os.Environ(), "CHROMIUM="+browsertest.Env("CHROMIUM"), "CHROMIUM_ARGS="+strings.Join(browsertest.Arguments, " ")), environ...)
	cmd.WaitDelay = time.Minute // for what it leaves running
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) && !errors.Is(err, exec.ErrWaitDelay) {
		tb.Fatal(err)
	}
	if testing.Verbose() {
		tb.Logf("%s", out)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// readReport returns which tests passed.
func (s suite) readReport(t *testing.T) map[string]bool {
	t.Helper()
	report, err := os.Open(filepath.Join(s.folder, "results", "playwright.xml"))
	if err != nil {
		t.Fatal(err)
	}
	defer report.Close()
	parsed, err := junit.Parse("playwright.xml", report, junit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	passed := map[string]bool{}
	for _, r := range parsed.Results() {
		if r.Final().Status != engine.StatusSkipped {
			passed[string(r.ID)] = !r.Final().Status.Failing()
		}
	}
	return passed
}

// lostEvents returns the events of what tests lost themselves.
func (s suite) lostEvents(t *testing.T) []engine.HealEvent {
	t.Helper()
	return slices.DeleteFunc(s.events(t), func(e engine.HealEvent) bool { return e.Ahead })
}

func (s suite) events(t *testing.T) []engine.HealEvent {
	t.Helper()
	f, err := os.Open(filepath.Join(s.folder, "heals", "run.ndjson"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	events, notices := engine.ReadHeals("run.ndjson", f)
	if len(notices) > 0 {
		t.Errorf("notices %+v", notices)
	}
	return events
}

// checkEvents demands that every event names a test of the report and the line that the
// lost locator stands on, and that only failed tests have what was not healed.
func (s suite) checkEvents(t *testing.T, passed map[string]bool) {
	t.Helper()
	healed := 0
	for _, e := range s.lostEvents(t) {
		pass, known := passed[string(e.TestID)]
		if !known {
			t.Errorf("event of %q, which no report names", e.TestID)
		}
		switch {
		case e.Outcome == engine.OutcomeHealed:
			healed++
		case pass:
			t.Errorf("%s passed without its %s", e.TestID, e.Locator)
		}
		if e.Site == nil {
			t.Errorf("%s in %s has no site", e.Locator, e.TestID)
			continue
		}
		word := strings.TrimLeft(e.Locator, "#.")
		if before, _, cut := strings.Cut(word, "-"); cut {
			word = before // some are put together
		}
		if line := s.line(t, e.Site); !strings.HasPrefix(e.Locator, "internal:") && !strings.Contains(line, word) {
			t.Errorf("%s is said to stand at %s:%d: %s", e.Locator, e.Site.File, e.Site.Line, line)
		}
	}
	if healed < 5 {
		t.Errorf("%d heals", healed)
	}
}
