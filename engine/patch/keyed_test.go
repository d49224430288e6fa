package patch

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// Whatever a key is called, another test that passed with it stops the edit, and nothing else
// does: a key that is no word is not looked for where it is used.
func TestNoKeyOfAMapHidesThatAnotherTestPassed(t *testing.T) {
	edits := 0
	for _, key := range []string{"save", "save-it", "save it", "save.it", "Save", "s", "", "ünï", "#save"} {
		for name, f := range map[string][2]string{
			"jsmap":  {"a.spec.ts", "const S = new Map([['%[1]s', '#save'], ['x', '#x']]);\ntest('t', async ({ page }) => {\n  await page.click(S.get('%[1]s'));\n});\ntest('u', async ({ page }) => {\n  await page.click(S.get('%[1]s'));\n});\n"},
			"jsobj":  {"a.spec.ts", "const S = { '%[1]s': '#save', x: '#x' };\ntest('t', async ({ page }) => {\n  await page.click(S['%[1]s']);\n});\ntest('u', async ({ page }) => {\n  await page.click(S['%[1]s']);\n});\n"},
			"pydict": {"test_a.py", "S = {'%[1]s': '#save', 'x': '#x'}\n\ndef test_t(page):\n    page.click(S['%[1]s'])\n\ndef test_u(page):\n    page.click(S['%[1]s'])\n"},
			"pyget":  {"test_a.py", "S = {'%[1]s': '#save', 'x': '#x'}\n\ndef test_t(page):\n    page.click(S.get('%[1]s'))\n\ndef test_u(page):\n    page.click(S.get('%[1]s'))\n"},
			"java":   {"ATest.java", "class ATest {\n  static final Map<String, String> S = Map.of(\"%[1]s\", \"#save\", \"x\", \"#x\");\n  @Test void t() {\n    page.click(S.get(\"%[1]s\"));\n  }\n  @Test void u() {\n    page.click(S.get(\"%[1]s\"));\n  }\n}\n"},
			"cs":     {"ATest.cs", "class ATest {\n  static readonly Dictionary<string, string> S = new() { [\"%[1]s\"] = \"#save\", [\"x\"] = \"#x\" };\n  [Test] public async Task t() {\n    await Page.ClickAsync(S[\"%[1]s\"]);\n  }\n  [Test] public async Task u() {\n    await Page.ClickAsync(S[\"%[1]s\"]);\n  }\n}\n"},
			"go":     {"a_test.go", "package a\n\nvar s = map[string]string{\"%[1]s\": \"#save\", \"x\": \"#x\"}\n\nfunc TestT(t *testing.T) {\n\tpage.Locator(s[\"%[1]s\"]).Click()\n}\n\nfunc TestU(t *testing.T) {\n\tpage.Locator(s[\"%[1]s\"]).Click()\n}\n"},
		} {
			names := [2]string{"t", "u"}
			switch name {
			case "pydict", "pyget":
				names = [2]string{"test_t", "test_u"}
			case "go":
				names = [2]string{"TestT", "TestU"}
			}
			p := New(fstest.MapFS{f[0]: {Data: []byte(fmt.Sprintf(f[1], key))}})
			h := engine.HealEvent{TestID: engine.TestID(f[0] + " › " + names[0]), Locator: "#save", HealedLocator: "#store", Outcome: engine.OutcomeHealed, Confidence: 1}
			r := &engine.TestResult{ID: h.TestID, File: f[0], Name: names[0]}
			alone := New(fstest.MapFS{f[0]: {Data: []byte(fmt.Sprintf(f[1], key))}}).Propose(h, r)
			p.SetPassed([]PassedTest{{Test: engine.TestResult{File: f[0], Name: names[1], ID: engine.TestID(f[0] + " › " + names[1])}}})
			got := p.Propose(h, r)
			if got.Edit != nil {
				t.Errorf("%q, %s: edited %s", key, name, got.Edit.After)
			}
			if alone.Edit != nil {
				edits++
			}
		}
	}
	if edits < 50 {
		t.Errorf("%d edits where no other test passed, want 50 at least", edits)
	}
}
