package trial

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch"
	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/internal/cmdtest"
	"github.com/breadcrumb/action/proxy/attach"
)

// A test that goes over three pages loses a locator on each. What it loses on the second is
// known only with the first edit made, the third only with the second.
func TestATrialFindsWhatATestLosesBehindItsEdits(t *testing.T) {
	needSuites(t)
	folder := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(folder, "tests"), 0o755))
	must(t, os.Mkdir(filepath.Join(folder, ".git"), 0o755))
	must(t, os.WriteFile(filepath.Join(folder, "playwright.config.ts"), []byte(configFile), 0o600))
	must(t, os.WriteFile(filepath.Join(folder, "tests", "hook.spec.ts"), []byte(header+`test('creates', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('link', { name: /create webhook/i }).click();
  await page.getByRole('link', { name: 'Details' }).click();
  await page.locator('#target').fill('x');
  await page.locator('#other').fill('y');
  await expect(page.locator('output')).toHaveText('x and y');
});
`), 0o600))
	must(t, os.Symlink(browsertest.NodeModules(t), filepath.Join(folder, "node_modules")))
	serve := func(words ...string) string {
		change := strings.NewReplacer(words...)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			page := map[string]string{
				"/":  `<h1>Webhooks</h1><a href="/2">Create webhook</a> <a href="/x">Help</a>`,
				"/2": `<h1>New webhook</h1><p>It is called for each change.</p><a href="/3">Details</a> <a href="/">Back</a>`,
				"/3": `<h1>Details of the webhook</h1><label>Target <input id="target"></label><label>Other <input id="other"></label><output></output>
<script>addEventListener('input', () => { const [a, b] = document.querySelectorAll('input'); document.querySelector('output').textContent = a.value + ' and ' + b.value; });</script>`,
			}[r.URL.Path]
			_, _ = fmt.Fprint(w, "<!doctype html><title>Shop</title>", change.Replace(page))
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	if out := led(t, folder, serve(), patient); !strings.Contains(out, "1 passed") {
		t.Fatalf("before the change:\n%s", out)
	}
	before := digest(t, folder)
	address := serve(">Create webhook<", ">Add hook<", ">Details<", ">More options<", `id="target"`, `id="address"`)
	led(t, folder, address, brisk)
	file, err := os.Open(filepath.Join(folder, "heals", "run.ndjson"))
	must(t, err)
	defer file.Close()
	lost, _ := engine.ReadHeals("run.ndjson", file)
	propose := func(found []engine.HealEvent) (all []patch.Proposal, err error) {
		for _, e := range slices.Concat(lost, found) {
			all = append(all, patch.New(os.DirFS(folder)).Propose(e, nil))
		}
		return patch.Resolve(all), nil
	}
	proposals, _ := propose(nil)
	o := Options{
		Command: playwright, Root: folder, Folder: folder, Environ: environ(address, brisk), Proposals: proposals, DB: filepath.Join(folder, ".breadcrumb.db"),
		Executable: cmdtest.Program(t), Time: 5 * time.Minute, Now: time.Now, Log: slog.New(slog.DiscardHandler), Propose: propose,
	}
	s, err := takeApart(o.Command, nil)
	must(t, err)
	copied, err := copyCheckout(context.Background(), folder)
	must(t, err)
	t.Cleanup(func() { must(t, copied.remove()) })
	x := newTrying(o, s, copied)
	for _, e := range lost {
		x.tests[e.TestID] = wanted{id: e.TestID, path: filepath.Join(copied.root, "tests", "hook.spec.ts"), line: 2, project: "chromium"}
	}
	found, err := x.findNext(context.Background())
	must(t, err)
	told := map[string]string{}
	for _, e := range found {
		told[e.Locator] = fmt.Sprintf("%s:%d", e.Site.File, e.Site.Line)
	}
	if diff := cmp.Diff(map[string]string{`internal:role=link[name="Details"i]`: "tests/hook.spec.ts:5", "#target": "tests/hook.spec.ts:6"}, told); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	edited, err := os.ReadFile(filepath.Join(copied.root, "tests", "hook.spec.ts"))
	must(t, err)
	for _, want := range []string{"/add hook/i", "'More options'", "'#address'"} {
		if !strings.Contains(string(edited), want) {
			t.Errorf("%s is not in the copy:\n%s", want, edited)
		}
	}
	if diff := cmp.Diff(before, digest(t, folder)); diff != "" {
		t.Errorf("the checkout is touched:\n%s", diff)
	}
}

func TestOnlyWhatIsNewAndSuggestedIsTakenIn(t *testing.T) {
	t.Parallel()
	x := &trying{copied: &checkout{root: filepath.FromSlash("/tmp/copy/shop")}}
	x.options.Proposals = []patch.Proposal{{Heal: engine.HealEvent{TestID: "a", Locator: "#known"}}}
	lost := []engine.HealEvent{
		{TestID: "a", Locator: "#known", Outcome: engine.OutcomeSuggested},
		{TestID: "a", Locator: "#found", Outcome: engine.OutcomeSuggested},
		{TestID: "a", Locator: "#gone", Outcome: engine.OutcomeRefused},
		{TestID: "a", Locator: "#sure", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonSuggestOnly, Site: &engine.Site{File: "/tmp/copy/shop/tests/a.spec.ts", Line: 3}},
		{TestID: "a", Locator: "#sure", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonSuggestOnly},
		{TestID: "a", Locator: "#asserted", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonSuggestOnly, Action: "expect"},
		{TestID: "a", Locator: "#perhaps", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonOtherMeaning, Action: "expect"},
		{TestID: "a", Locator: "#list", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonNotToldApart, Action: "expect"},
		{TestID: "a", Locator: "#healed", Outcome: engine.OutcomeHealed, Action: "click"},
		{TestID: "a", Locator: "#likely", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonOtherMeaning, Site: &engine.Site{File: "tests/a.spec.ts", Line: 4}},
	}
	want := []engine.HealEvent{
		{TestID: "a", Locator: "#sure", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonAhead, Ahead: true, Site: &engine.Site{File: "tests/a.spec.ts", Line: 3}},
		{TestID: "a", Locator: "#asserted", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonSuggestOnly, Action: "expect", Ahead: true},
		{TestID: "a", Locator: "#list", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonNotToldApart, Action: "expect", Ahead: true},
		{TestID: "a", Locator: "#healed", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonAhead, Action: "click", Ahead: true},
		{TestID: "a", Locator: "#likely", Outcome: engine.OutcomeSuggested, Reason: engine.ReasonOtherMeaning, Ahead: true, Site: &engine.Site{File: "tests/a.spec.ts", Line: 4}},
	}
	if diff := cmp.Diff(want, x.newLosses(lost, []engine.HealEvent{{TestID: "a", Locator: "#found"}})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestOnlyTestsThatFailedAreRunForWhatTheyLose(t *testing.T) {
	t.Parallel()
	at := func(test engine.TestID, file string) patch.Proposal {
		return patch.Proposal{Heal: engine.HealEvent{TestID: test}, Locator: "#b", Edit: &patch.Edit{File: file}}
	}
	x := &trying{}
	x.options.Proposals = []patch.Proposal{at("red", "a"), at("green", "b"), at("flaky", "c"), at("untold", "d"), {Heal: engine.HealEvent{TestID: "without an edit"}}}
	x.options.Tests = []attach.Test{{ID: "red", Failed: true}, {ID: "green", Passed: true}, {ID: "flaky", Failed: true}, {ID: "flaky", Passed: true}}
	follows := func(test engine.TestID) patch.Proposal {
		p := at(test, "e")
		p.Cause = patch.Cause{Test: "green"}
		return p
	}
	x.options.Proposals = append(x.options.Proposals, follows("red by another's loss"), follows("green"), follows("not of this run"))
	x.options.Tests = append(x.options.Tests, attach.Test{ID: "red by another's loss", Failed: true})
	if diff := cmp.Diff([]engine.TestID{"red", "red by another's loss", "untold"}, x.stopped()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	x.options.Held = []attach.Test{{ID: "behind the red one"}}
	if diff := cmp.Diff([]engine.TestID{"behind the red one", "red", "red by another's loss", "untold"}, x.stopped()); diff != "" {
		t.Errorf("with tests that did not run (-want +got):\n%s", diff)
	}
	x.options.Proposals = x.options.Proposals[1:3]
	if got := x.stopped(); got != nil {
		t.Errorf("where no edit is of a test that failed it runs %q", got)
	}
}

func TestARoundHealsWhereTheRunDid(t *testing.T) {
	t.Parallel()
	for run, want := range map[engine.HealMode]engine.HealMode{engine.HealLive: engine.HealLive, engine.HealSuggest: engine.HealSuggest, engine.HealOff: engine.HealSuggest, "": engine.HealSuggest} {
		x := &trying{}
		x.options.Heal = run
		if got := x.healing(); got != want {
			t.Errorf("a run with %q: a round with %q, want %q", run, got, want)
		}
	}
}

func TestATestThatTheRunDidNotHaveIsLeftOut(t *testing.T) {
	t.Parallel()
	x := &trying{suite: suite{together: true}, tests: map[engine.TestID]wanted{"told": {}}}
	if diff := cmp.Diff([][]engine.TestID{{"told"}}, x.batches([]engine.TestID{"told", "of another file"})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := x.batches([]engine.TestID{"of another file"}); len(got) != 0 {
		t.Errorf("it runs %q", got)
	}
	x.tests = nil
	if diff := cmp.Diff([][]engine.TestID{{"any"}}, x.batches([]engine.TestID{"any"})); diff != "" {
		t.Errorf("where the runner tells of none (-want +got):\n%s", diff)
	}
}
