package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// A test looks for #save twice, once by a helper that keeps the locator in a variable: the line
// that does something with it says which of the two was lost.
func TestTheLineThatUsesAVariableOfAHelperTellsWhatWasHandedToIt(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{
		"a.spec.ts":  "const tapOn = async (page: Page, selector: string) => {\n  const found = page.locator(selector);\n  await found.click();\n};\ntest('a', async ({ page }) => {\n  await page.locator('#save').hover();\n  await tapOn(page, '#save');\n});\n",
		"test_a.py":  "def tap_on(page, selector):\n    found = page.locator(selector)\n    found.click()\n\n\ndef test_a(page):\n    page.locator(\"#save\").hover()\n    tap_on(page, \"#save\")\n",
		"ATest.java": "class ATest {\n  void tapOn(String selector) {\n    Locator found = page.locator(selector);\n    found.click();\n  }\n  @Test\n  void a() {\n    page.locator(\"#save\").hover();\n    tapOn(\"#save\");\n  }\n}\n",
		"ATests.cs":  "public class ATests : PageTest\n{\n    async Task TapOn(string selector)\n    {\n        var found = Page.Locator(selector);\n        await found.ClickAsync();\n    }\n    [Test]\n    public async Task a()\n    {\n        await Page.Locator(\"#save\").HoverAsync();\n        await TapOn(\"#save\");\n    }\n}\n",
		"a_test.go":  "package shop\n\nfunc tapOn(page playwright.Page, selector string) {\n\tfound := page.Locator(selector)\n\tfound.Click()\n}\n\nfunc TestA(t *testing.T) {\n\tpage.Locator(\"#save\").Hover()\n\ttapOn(page, \"#save\")\n}\n",
		"BTest.java": "class BTest {\n  void ready(List<String> all) {\n    for (String each : all) {\n      Locator found = page.locator(each);\n      found.click();\n    }\n  }\n  @Test\n  void a() {\n    page.locator(\"#save\").hover();\n    ready(List.of(\"#save\"));\n  }\n}\n",
	} {
		lower := strings.ToLower(text)
		h := engine.HealEvent{TestID: testIn(file), Locator: "#save", HealedLocator: "#store", Outcome: engine.OutcomeHealed, Confidence: 1,
			Site: &engine.Site{File: file, Line: 1 + strings.Count(text[:strings.Index(lower, "found.click")], "\n")}}
		got := New(fstest.MapFS{file: {Data: []byte(text)}}).Propose(h, nil)
		if want := 1 + strings.Count(text[:strings.LastIndex(text, "#save")], "\n"); got.Edit == nil || got.Edit.Line != want {
			t.Errorf("%s: %+v, %s", file, got.Edit, got.Reason)
		}
	}
}
