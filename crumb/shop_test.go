package crumb_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/internal/cmdtest"
)

// The suite of examples/shop/crumb was written for the shop before its redesign.
// After it, it passes by heals alone where the element is still there and fails
// where it is gone, and the action proposes the edits.
func TestTheShopsSuiteSurvivesItsRedesign(t *testing.T) {
	browsertest.Browser(t)
	t.Parallel()
	folder := t.TempDir()
	suite := shopSuite{folder, filepath.Join(folder, "suite.test")}
	// Like the rest of what `make test` compiles, but with the suite's own files under
	// their whole names, as in a user's build: events name them.
	command(t, "..", "go", "test", "-c", "-trimpath", "-gcflags=github.com/breadcrumb/action/examples/shop/crumb=-trimpath=", "-ldflags=-s -w",
		"-o", suite.program, "./examples/shop/crumb")

	for name, outcome := range suite.run(t, "before", learningTime) {
		if outcome != "pass" {
			t.Fatalf("%s on the shop before: %s", name, outcome)
		}
	}
	if len(events(t, suite.file("heals.ndjson"))) > 0 {
		t.Fatal("there are heals on the shop before")
	}

	want := map[string]string{"TestSignIn": "pass", "TestCart": "pass", "TestProfile": "pass", "TestSearch": "pass", "TestOrder": "pass", "TestWishList": "pass",
		"TestShareWishList":   "fail", // the button is gone
		"TestShippingIsAdded": "fail"} // the redesign broke the total
	patiently(t, func(p patience) string {
		must(t, os.RemoveAll(suite.file("heals.ndjson")))
		return cmp.Diff(want, suite.run(t, "after", p.timeout())) + suite.checkHeals(t)
	})
	suite.checkComment(t)
}

// checkHeals wants each lost locator healed to the element that took its place,
// and returns what is different.
func (s shopSuite) checkHeals(t *testing.T) string {
	t.Helper()
	got := map[string]string{}
	for _, e := range events(t, s.file("heals.ndjson")) {
		if e.Outcome == engine.OutcomeRefused {
			got[e.Locator] = "refused"
			continue
		}
		id, _ := e.Healed.Attributes.Get("data-testid")
		got[e.Locator] = id
	}
	want := map[string]string{"#username": "username", "#qty-towel": "quantity-towel", "#checkout-link": "checkout",
		"#display-name": "display-name", "#save-profile": "save", "#search-box": "search-input", `internal:testid=[data-testid="search-go"s]`: "search-submit",
		"#place-order": "place-order", "#ship-express": "ship-express", "#move-red-mug": "move-red-mug", "#share-list": "refused"}
	return cmp.Diff(want, got)
}

// checkComment runs the action on what the suite left and wants the edits of
// every heal, at the line that is to change.
func (s shopSuite) checkComment(t *testing.T) {
	t.Helper()
	ci := exec.Command(cmdtest.Program(t), "ci", "--repo", "..", "--junit", s.file("after.json"), "--heal-events", s.file("heals.ndjson"),
		"--db", s.file("history.db"), "--format", "markdown", "--dry-run")
	var stderr bytes.Buffer
	ci.Stderr = &stderr
	comment, err := ci.Output()
	if ci.ProcessState.ExitCode() != 1 {
		t.Fatalf("the action: %v, want exit 1\n%s%s", err, comment, stderr.Bytes())
	}
	source, err := os.ReadFile("../examples/shop/crumb/shop_test.go")
	must(t, err)
	for _, edit := range [][2]string{{"#username", `[data-testid="username"]`}, {"#save-profile", `[data-testid="save"]`},
		{"#move-red-mug", `[data-testid="move-red-mug"]`}, {"search-go", "search-submit"}} {
		old := strings.TrimSpace(lineWith(t, string(source), edit[0]))
		for sign, line := range map[string]string{"-": old, "+": strings.Replace(old, edit[0], edit[1], 1)} {
			if !hasDiffLine(string(comment), sign, line) {
				t.Errorf("the comment has no line %s %s", sign, line)
			}
		}
	}
	for _, want := range []string{"TestShareWishList", "TestShippingIsAdded"} {
		if !strings.Contains(string(comment), want) {
			t.Errorf("the comment does not say %q", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", comment)
	}
}

// hasDiffLine reports whether a comment shows a line with a sign before it, in
// whichever way it spells quotes.
func hasDiffLine(comment, sign, line string) bool {
	plain := strings.NewReplacer(`\"`, `"`, "`", `"`, "'", `"`)
	for shown := range strings.Lines(plain.Replace(comment)) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(shown), sign)
		if ok && strings.TrimSpace(rest) == plain.Replace(line) {
			return true
		}
	}
	return false
}

func lineWith(t *testing.T, source, text string) string {
	t.Helper()
	for line := range strings.Lines(source) {
		if strings.Contains(line, text) {
			return strings.TrimRight(line, "\n")
		}
	}
	t.Fatalf("no line with %q", text)
	return ""
}

// shopSuite is the compiled suite and the folder of what it leaves.
type shopSuite struct{ folder, program string }

func (s shopSuite) file(name string) string { return filepath.Join(s.folder, name) }

// run runs the suite on one release and returns the outcome by test. The report
// is kept as go test -json writes it.
func (s shopSuite) run(t *testing.T, release string, timeout float64) map[string]string {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join("../examples/shop/app", release))))
	defer server.Close()
	program, err := browsertest.Chromium()
	must(t, err)
	run := exec.Command("go", "tool", "test2json", "-t", "-p", "github.com/breadcrumb/action/examples/shop/crumb", s.program, "-test.v=test2json", "-test.parallel=4")
	run.Dir = "../examples/shop/crumb"
	run.Env = append(os.Environ(), "SHOP_URL="+server.URL, fmt.Sprintf("SHOP_TIMEOUT=%g", timeout), "CHROMIUM="+program,
		"BREADCRUMB_DB="+s.file("crumbs.db"), "BREADCRUMB_EVENTS="+s.file("heals.ndjson"))
	report, err := run.Output()
	if err != nil && release == "before" {
		t.Fatalf("%v\n%s", err, report)
	}
	must(t, os.WriteFile(s.file(release+".json"), report, 0o600))
	outcomes := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(report)); decoder.More(); {
		var line struct{ Action, Test string }
		must(t, decoder.Decode(&line))
		if line.Test != "" && slices.Contains([]string{"pass", "fail", "skip"}, line.Action) {
			outcomes[line.Test] = line.Action
		}
	}
	return outcomes
}

func command(t *testing.T, folder, name string, arguments ...string) {
	t.Helper()
	c := exec.Command(name, arguments...)
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, arguments, err, out)
	}
}
