package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store/sqlite"
	"github.com/breadcrumb/action/trial"
)

func TestATrialTellsWhatItDidNotTry(t *testing.T) {
	const over = "breadcrumb: the trial's time of 1m0s was over before all its runs were made: raise --trial-time\n"
	for want, done := range map[string]trial.Result{
		"": {},
		over + "breadcrumb: 2 edits were not tried\n":                {Left: 2, Over: true},
		over + "breadcrumb: 1 of 3 edits proven\n":                   {Edits: 3, Proven: 1, Over: true}, // some controls did not run
		"breadcrumb: 99 of 100 edits proven, 1 edit was not tried\n": {Edits: 100, Proven: 99, Left: 1},
		"breadcrumb: 1 of 1 edit proven\n":                           {Edits: 1, Proven: 1},
	} {
		var said bytes.Buffer
		r := testRun{streams: Streams{Err: &said}, trialTime: time.Minute}
		r.tellTrials(done)
		if said.String() != want {
			t.Errorf("%+v: said %q, want %q", done, said.String(), want)
		}
	}
}

// What was found ahead is told while a test still looks for it that did not pass.
func TestWhatWasFoundAheadIsToldUntilItIsDone(t *testing.T) {
	folder := t.TempDir()
	const source = `import { test } from '@playwright/test';
test('pays', async ({ page }) => {
  await page.locator('.add').click();
});
test('saves', async ({ page }) => {
  await page.locator('#keep').click();
});
test('prints', async ({ page }) => {
  await page.locator('#print').click();
});
`
	if err := os.WriteFile(filepath.Join(folder, "shop.spec.ts"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	ahead := func(test, locator, api string, line int, attribute, was, now string) engine.HealEvent {
		f := engine.Fingerprint{Tag: "button", Attributes: engine.Attributes{{Name: attribute, Value: was}}, Page: "/", PageAddress: "/",
			TestID: engine.TestID("shop.spec.ts › " + test), Locator: locator, Site: &engine.Site{File: "shop.spec.ts", Line: line}}
		healed := engine.Fingerprint{Tag: "button", Attributes: engine.Attributes{{Name: attribute, Value: now}}}
		return engine.HealEvent{TestID: f.TestID, Locator: locator, API: api, Outcome: engine.OutcomeSuggested, Reason: engine.ReasonAhead, Ahead: true, Confidence: 0.99,
			Original: f, Healed: healed, Site: f.Site, PageURL: "/"}
	}
	attempt := func(test string, status engine.Status) engine.TestResult {
		return engine.TestResult{ID: engine.TestID("shop.spec.ts › " + test), File: "shop.spec.ts", Name: test, Attempts: []engine.Attempt{{Status: status}}}
	}
	pays := ahead("pays", ".add", "locator", 3, "class", "add", "buy")
	pays.Matches = []engine.Match{{Locator: ".buy", Count: 1}}
	saves := ahead("saves", "#save", "locator", 6, "id", "save", "keep") // edited since
	saves.Matches = []engine.Match{{Locator: "#keep", Count: 1}}
	prints := ahead("prints", "#print", "locator", 9, "id", "print", "paper")
	prints.Matches = []engine.Match{{Locator: "#paper", Count: 1}}
	lost := prints
	lost.Ahead, lost.Outcome, lost.Reason, lost.TestID = false, engine.OutcomeRefused, engine.ReasonNoCandidates, "shop.spec.ts › other"
	for name, c := range map[string]struct {
		tests []engine.TestResult
		want  []string
	}{
		"nobody tells what passed": {nil, []string{".add → .buy", "#print → #paper"}},
		"a test passed without it": {[]engine.TestResult{attempt("prints", engine.StatusPassed), attempt("pays", engine.StatusFailed)}, []string{".add → .buy"}},
	} {
		r := testRun{root: folder}
		var got []string
		for _, e := range r.withoutDone(t.Context(), []engine.HealEvent{pays, saves, prints}, c.tests) {
			got = append(got, e.Locator+" → "+e.HealedLocator)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	r := testRun{root: folder}
	if left := r.withoutDone(t.Context(), []engine.HealEvent{lost, saves}, nil); len(left) != 1 || left[0].Ahead {
		t.Errorf("a refusal is told whatever else is done: %+v", left)
	}
	if got := r.nextEdits(slices.Clone([]engine.HealEvent{lost})); got != "no test has anything to edit for them" {
		t.Errorf("nothing was found: %q", got)
	}
}

// What a run learned is told as new once; a job's log has no advice for a person.
func TestAGreenRunSaysHowMuchOfWhatItKnowsIsNew(t *testing.T) {
	t.Chdir(t.TempDir())
	db, err := sqlite.Open(t.Context(), ".breadcrumb.db", sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, locator := range []string{"#a", "#b"} {
		f := engine.Fingerprint{Tag: "button", TestID: "shop › buys", Locator: locator}
		if err := db.SaveFingerprints(t.Context(), []engine.Fingerprint{f}, nil, time.Unix(1772359200, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(db.Save(t.Context()), db.Close()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		knew     int
		ci, want string
	}{
		"the first run":  {0, "", "2 elements are known in .breadcrumb.db (2 new), used to find lost locators; 'breadcrumb ci --junit REPORT' judges this run, 'breadcrumb init' writes the workflows"},
		"a later run":    {2, "", "2 elements are known in .breadcrumb.db (0 new), used to find lost locators; 'breadcrumb ci --junit REPORT' judges this run, 'breadcrumb init' writes the workflows"},
		"some were left": {3, "true", "2 elements are known in .breadcrumb.db (0 new), used to find lost locators"},
	} {
		t.Setenv("CI", c.ci)
		t.Setenv("GITHUB_ACTIONS", "")
		r := testRun{knew: c.knew, root: ".", live: live.Options{DB: ".breadcrumb.db"}}
		if got, err := r.nextStep(t.Context()); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
