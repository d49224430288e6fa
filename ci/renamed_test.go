package ci_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

// What a name became for one button says nothing of another one that a healer looked for and
// did not find: its text may be another one, or it may be gone.
func TestANameIsNotSuggestedForAnElementThatWasLookedFor(t *testing.T) {
	t.Parallel()
	const suite = `import { test } from '@playwright/test';
test('saves', async ({ page }) => {
  await page.locator('.bar .button').filter({ hasText: 'Save' }).click();
});
test('sets', async ({ page }) => {
  await page.locator('.bar .button')%s.click();
});
`
	const withText = ".filter({ hasText: 'Set' })"
	for name, c := range map[string]struct {
		reason, rest string
		want         int // edits
	}{
		"gone":                     {engine.ReasonNoCandidates, withText, 1},
		"not sure enough":          {engine.ReasonBelowThreshold, withText, 1},
		"nothing learned":          {engine.ReasonNoFingerprint, withText, 1},
		"nothing learned, no text": {engine.ReasonNoFingerprint, "", 2},
		"nobody looked":            {"", withText, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "repo", "bar.spec.ts"), fmt.Sprintf(suite, c.rest))
			chain := func(bar, text string) string { return bar + ` .button >> internal:has-text="` + text + `"i` }
			lost := chain(".bar", "Set")
			if c.rest == "" {
				lost = ".bar .button"
			}
			events := []engine.HealEvent{{TestID: "bar.spec.ts › saves", Locator: chain(".bar", "Save"), HealedLocator: chain(".tools", "Save"), Action: "click", Confidence: 0.95, Outcome: engine.OutcomeHealed,
				Healed: engine.Fingerprint{Tag: "button", Name: "Save"}, PageURL: "/", Site: &engine.Site{File: "bar.spec.ts", Line: 3}, Matches: []engine.Match{{Locator: chain(".tools", "Save"), Count: 1}}, Timestamp: 1772359200}}
			if c.reason != "" {
				events = append(events, engine.HealEvent{TestID: "bar.spec.ts › sets", Locator: lost, Action: "click", Outcome: engine.OutcomeRefused, Reason: c.reason,
					PageURL: "/", Site: &engine.Site{File: "bar.spec.ts", Line: 6}, Timestamp: 1772359201})
			}
			lines := ""
			for _, e := range events {
				text, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				lines += string(text) + "\n"
			}
			writeFile(t, filepath.Join(dir, "heals.ndjson"), lines)
			writeFile(t, filepath.Join(dir, "junit.xml"), `<testsuite name="all" timestamp="2026-03-01T10:00:00Z"><testcase name="saves" classname="bar.spec.ts" file="bar.spec.ts" time="1"/>
<testcase name="sets" classname="bar.spec.ts" file="bar.spec.ts" time="1"><failure message="locator.click: Timeout 5000ms exceeded.">Call log:
  - waiting for locator('.bar .button')`+c.rest+`
    at bar.spec.ts:6:50</failure></testcase></testsuite>`)
			result, err := ci.Run(t.Context(), ci.Config{JUnit: []string{filepath.Join(dir, "junit.xml")}, HealEvents: []string{filepath.Join(dir, "heals.ndjson")},
				DB: filepath.Join(dir, ".breadcrumb.db"), Repo: filepath.Join(dir, "repo"), Policy: flaky.PolicySeed, Missing: ci.MissingAuto, CommentKey: "default"}, deps())
			if err != nil {
				t.Fatal(err)
			}
			if got := len(result.Outcome.Edits); got != c.want {
				t.Errorf("%d edits, want %d: %+v", got, c.want, result.Outcome.Edits)
			}
		})
	}
}
