package ci

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// The name of the test's project is part of its identity and not of its title, which is
// known of its attempts. The locator stands before the line of its call.
func TestATrialIsProposedTheEditsOfTestsThatFailed(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "tests"), 0o755); err != nil {
		t.Fatal(err)
	}
	const source = "import { test } from '@playwright/test';\n\ntest('finds a mug', async ({ page }) => {\n  const box = page.locator('#search');\n  await box.fill('mug');\n});\n"
	if err := os.WriteFile(filepath.Join(folder, "tests", "search.spec.ts"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	heals := []engine.HealEvent{{
		TestID: "search.spec.ts › finds a mug [chromium]", Locator: "#search", API: "locator", Outcome: engine.OutcomeHealed, Confidence: 1, HealedLocator: "#find",
		Matches: []engine.Match{{Locator: "#find", Count: 1}}, Healed: engine.Fingerprint{Tag: "input"}, Site: &engine.Site{File: "tests/search.spec.ts", Line: 5},
	}}
	attempt := func(s engine.Status) engine.TestResult {
		return engine.TestResult{ID: heals[0].TestID, Suite: "search.spec.ts", Class: "search.spec.ts", Name: "finds a mug", File: "search.spec.ts", Environment: "chromium", Attempts: []engine.Attempt{{Status: s}}}
	}
	for name, attempts := range map[string][]engine.TestResult{
		"passed":         {attempt(engine.StatusPassed)},
		"failed":         {attempt(engine.StatusFailed)},
		"failed twice":   {attempt(engine.StatusFailed), attempt(engine.StatusFailed)},
		"passed at last": {attempt(engine.StatusFailed), attempt(engine.StatusPassed)},
	} {
		proposals, err := ProposeFor(t.Context(), folder, filepath.Join(folder, "absent.db"), heals, attempts)
		if err != nil || len(proposals) != 1 || proposals[0].Edit == nil || proposals[0].Edit.Line != 4 {
			t.Errorf("%s: %+v, %v", name, proposals, err)
		}
	}
}
