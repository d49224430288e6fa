package run

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/internal/cmdtest"
)

const (
	oldPython = `<!doctype html><title>Shop</title><h1>Shop</h1><p role="status"></p><header><button id="sign-in" onclick="say('signed in')">Sign in</button></header>
<ul><li>A mug of clay <button id="add-mug" onclick="say('mug')">Add the mug</button></li><li>A spoon of wood <button id="add-spoon" onclick="say('spoon')">Add the spoon</button></li></ul>
<button id="pay" onclick="say('paid')">Pay</button> <button id="cancel" onclick="say('cancelled')">Cancel</button>
<script>function say(text) { document.querySelector("[role=status]").textContent = text }</script>`
	withoutCancel = `<button id="cancel" onclick="say('cancelled')">Cancel</button>`
)

// newPython returns what the page became: its buttons have other ids, and one is gone.
func newPython() string {
	return strings.NewReplacer(`id="sign-in"`, `data-testid="login"`, `id="add-`, `data-testid="put-`, `id="pay"`, `class="button" data-testid="payment"`, withoutCancel, "").Replace(oldPython)
}

// What becomes of the tests, and of the locators that each lost.
var wantPython = map[string]string{
	"admin/test_admin.py::test_signs_in":                              "true healed #sign-in test_admin.py:2",
	"test_shop.py::test_signs_in":                                     "true healed #sign-in test_shop.py:6",
	"test_shop.py::test_adds[mug]":                                    "true healed #add-mug shop_page.py:6",
	"test_shop.py::test_adds[spoon]":                                  "true healed #add-spoon shop_page.py:6",
	"test_shop.py::TestCheckout::TestPayment::test_pays[card::debit]": "true healed #pay test_shop.py:21",
	`test_shop.py::TestCheckout::TestPayment::test_pays[\xe9[1]]`:     "true healed #pay test_shop.py:21",
	"test_shop.py::TestCheckout::test_cancels":                        "false refused #cancel test_shop.py:25",
}

// pytest and its workers are real, what they speak to the driver with is a small client of
// our own.
func TestPytestIsLed(t *testing.T) {
	t.Parallel()
	python := findPython(t)
	for _, workers := range []string{"0", "2"} {
		t.Run(workers+" workers", func(t *testing.T) {
			s := newPytestSuite(t)
			if code, passed, out := s.runPytest(t, python, oldPython, workers); code != 0 || len(passed) != len(wantPython) {
				t.Fatalf("on the old page: exit code %d, %v\n%s", code, passed, out)
			}
			if events := s.events(t); len(events) > 0 {
				t.Errorf("on the old page something was lost: %+v", events)
			}
			code, passed, out := s.runPytest(t, python, newPython(), workers)
			if code != 1 {
				t.Errorf("on the new page: exit code %d\n%s", code, out)
			}
			got := map[string]string{}
			for id, pass := range passed {
				got[id] = fmt.Sprint(pass)
			}
			for _, e := range s.lostEvents(t) {
				if e.Site == nil {
					t.Errorf("no site: %+v", e)
					continue
				}
				got[string(e.TestID)] += fmt.Sprintf(" %s %s %s:%d", e.Outcome, e.Locator, filepath.Base(e.Site.File), e.Site.Line)
			}
			if diff := cmp.Diff(wantPython, got); diff != "" {
				t.Errorf("on the new page (-want +got):\n%s\n%s", diff, out)
			}
		})
	}
}

// A trial runs pytest again in the copy, by the node ids of the tests that lost a locator.
func TestEditsOfPytestAreTried(t *testing.T) {
	t.Parallel()
	python := findPython(t)
	s := newPytestSuite(t)
	if code, _, out := s.runPytest(t, python, oldPython, "0"); code != 0 {
		t.Fatalf("on the old page: exit code %d\n%s", code, out)
	}
	_, _, out := s.runPytest(t, python, newPython(), "2", "--trial")
	got := map[string]string{}
	for _, e := range s.lostEvents(t) {
		if e.Trial != nil {
			got[e.Locator] = fmt.Sprintf("%d of %d green, %d red in every control%s", e.Trial.Green, e.Trial.Tests, e.Trial.Red, e.Trial.Reason)
		}
	}
	if diff := cmp.Diff(map[string]string{"#sign-in": "1 of 1 green, 1 red in every control", "#pay": "2 of 2 green, 2 red in every control"}, got); diff != "" {
		t.Errorf("tried (-want +got):\n%s\n%s", diff, out)
	}
}

// newPytestSuite returns a checkout of the tests in testdata/pytest.
func newPytestSuite(t *testing.T) suite {
	t.Helper()
	s := suite{t.TempDir()}
	if err := errors.Join(os.CopyFS(s.folder, os.DirFS("testdata/pytest")), os.Mkdir(filepath.Join(s.folder, ".git"), 0o755)); err != nil {
		t.Fatal(err)
	}
	return s
}

// findPython returns a Python that has pytest and its workers.
func findPython(t *testing.T) string {
	t.Helper()
	if os.Getenv("SUITES") == "" {
		t.Skip("SUITES is not set; `make suites` sets it")
	}
	if name := browsertest.Python(); name != "" {
		return name
	}
	const missing = "there is no python3 with pytest and pytest-xdist (Debian: python3-pytest-xdist)"
	if browsertest.Needed() {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

func (s suite) runPytest(t *testing.T, python, html, workers string, flags ...string) (code int, passed map[string]bool, output string) {
	t.Helper()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, html) }))
	defer shop.Close()
	driver, err := browsertest.Folder()
	if err != nil {
		t.Fatal(err)
	}
	ran := s.start(t, []string{"SHOP_URL=" + shop.URL, "PLAYWRIGHT_CLI=" + filepath.Join(driver, "package", "cli.js")},
		slices.Concat([]string{cmdtest.Program(t), "run", "--heal", "live"}, flags, []string{"--", python, "-m", "pytest", "-q", "-n", workers, "--junitxml", filepath.Join("results", "playwright.xml")}))
	if strings.Contains(ran.output, "breadcrumb_run") || strings.Contains(ran.output, "breadcrumb-run") {
		t.Errorf("the plugin shows:\n%s", ran.output)
	}
	return ran.code, maps.Clone(ran.passed), ran.output
}
