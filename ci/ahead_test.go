package ci_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// account is a suite whose page was redesigned.
const account = `import { test } from '@playwright/test';
test('renames', async ({ page }) => {
  await page.locator('#name').fill('Ann');
});
test('shows', async ({ page }) => {
  await page.locator('#name').click();
});
test('saves', async ({ page }) => {
  await page.locator('#save').click();
});
test('saves again', async ({ page }) => {
  await page.locator('#save').click();
});
test('closes', async ({ page }) => {
  await page.locator('#close').click();
});
test('prints', async ({ page }) => {
  await page.locator('#print').click();
});
`

// accountEvents are what the healer of a run tells that met the loss of #name, and what was
// learned before.
func accountEvents(outcome engine.HealOutcome) (events []engine.HealEvent, learned []engine.Fingerprint) {
	for i, test := range []string{"renames", "shows", "saves", "saves again", "closes", "prints"} {
		name := []string{"name", "name", "save", "save", "close", "print"}[i]
		f := engine.Fingerprint{Tag: "button", Role: "button", Name: name, Text: name, Page: "/account", PageAddress: "/account", TestID: engine.TestID("account.spec.ts › " + test),
			Locator: "#" + name, Site: &engine.Site{File: "account.spec.ts", Line: 3 + 3*i}, Attributes: engine.Attributes{{Name: "id", Value: name}}}
		learned = append(learned, f)
		if test == "shows" {
			continue // another use of what was lost is not ahead
		}
		now := f
		now.Attributes = engine.Attributes{{Name: "id", Value: "new-" + name}}
		e := engine.HealEvent{TestID: f.TestID, Locator: f.Locator, API: "locator", Confidence: 0.97, Outcome: engine.OutcomeSuggested, Reason: engine.ReasonAhead, Ahead: true,
			Original: f, Healed: now, Matches: []engine.Match{{Locator: "#new-" + name, Count: 1}}, Site: f.Site, Timestamp: 1772359200}
		if test == "renames" {
			e.Outcome, e.Reason, e.Ahead, e.Matches, e.HealedLocator, e.Action = outcome, "", false, nil, "#new-name", "fill"
			if outcome == engine.OutcomeSuggested {
				e.Reason = engine.ReasonSuggestOnly
			}
		}
		events = append(events, e)
	}
	return events, learned
}

// One test of a run meets a redesign, healed or not, and the others of its page did not come
// to run, were skipped, or failed before. Their edits are there with its own; a test that
// passed without a loss keeps its locator.
func TestOneLossOfARunEditsItsWholePage(t *testing.T) {
	const passed, failed, skipped = "", `<failure message="Timeout 5000ms exceeded">no element</failure>`, `<skipped/>`
	all := []string{"12 #save", "15 #close", "3 #name", "6 #name", "9 #save"}
	for name, c := range map[string]struct {
		outcome engine.HealOutcome
		results map[string]string
		want    []string
		reach   string
	}{
		"healed to green, and the others did not run": {engine.OutcomeHealed, map[string]string{"renames": passed, "closes": skipped, "prints": passed}, all, "3 locators, 5 tests, 1 commit"},
		"red, and the others did not run":             {engine.OutcomeSuggested, map[string]string{"renames": failed, "prints": passed}, all, "3 locators, 5 tests, 1 commit"},
		"the others failed for another reason":        {engine.OutcomeHealed, map[string]string{"renames": passed, "shows": failed, "saves": failed, "saves again": failed, "closes": failed, "prints": passed}, all, "3 locators, 5 tests, 1 commit"},
		"one of two uses passed":                      {engine.OutcomeHealed, map[string]string{"renames": passed, "saves again": passed, "prints": passed}, []string{"15 #close", "3 #name", "6 #name"}, "2 locators, 3 tests, 1 commit"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "repo", "account.spec.ts"), account)
			events, learned := accountEvents(c.outcome)
			saveElements(t, filepath.Join(dir, ".breadcrumb.db"), learned)
			var lines, xml strings.Builder
			for _, e := range events {
				line, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&lines, "%s\n", line)
			}
			for test, result := range c.results {
				fmt.Fprintf(&xml, `<testcase name="%s" classname="account.spec.ts" file="account.spec.ts" time="1">%s</testcase>`, test, result)
			}
			writeFile(t, filepath.Join(dir, "heals.ndjson"), lines.String())
			writeFile(t, filepath.Join(dir, "junit.xml"), `<testsuite name="all" timestamp="2026-03-01T10:00:00Z">`+xml.String()+`</testsuite>`)
			result, err := ci.Run(t.Context(), ci.Config{JUnit: []string{filepath.Join(dir, "junit.xml")}, HealEvents: []string{filepath.Join(dir, "heals.ndjson")},
				DB: filepath.Join(dir, ".breadcrumb.db"), Repo: filepath.Join(dir, "repo"), Policy: flaky.PolicySeed, Missing: ci.MissingAuto, CommentKey: "default"}, deps())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range result.Outcome.Edits {
				got = append(got, fmt.Sprint(e.Edit.Line, " ", e.Locator))
				if e.Changed != "" {
					t.Errorf("the edit of %s is made by its id only: %s", e.Locator, e.Changed)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("edits (-want +got):\n%s", diff)
			}
			redesigns := result.Outcome.Redesigns()
			if len(redesigns) != 1 || redesigns[0].Page != "/account" || redesigns[0].Reach() != c.reach {
				t.Errorf("redesigns %+v, want one of /account with %s", redesigns, c.reach)
			}
			state := comment.NewState(result.Outcome, nil, nil)
			if body := comment.Render(result.Outcome, comment.Options{State: &state}); !strings.Contains(body, c.reach) {
				t.Errorf("the comment does not say %q:\n%s", c.reach, body)
			}
		})
	}
}
