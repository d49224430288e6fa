package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// askers are suites whose test hands a selector to a function that does ASK before it looks
// for it.
var askers = map[string]struct {
	file, test, text string
}{
	"java": {"ATest.java", "a", "class ATest {\n  void tapOn(String selector) {\n    ASK\n    page.locator(selector).click();\n  }\n  @Test\n  void a() { tapOn(\"#save\"); }\n}\n"},
	"cs":   {"ATests.cs", "a", "public class ATests : PageTest\n{\n    async Task TapOn(string selector)\n    {\n        ASK\n        await Page.Locator(selector).ClickAsync();\n    }\n    [Test]\n    public async Task a() { await TapOn(\"#save\"); }\n}\n"},
	"ts":   {"a.spec.ts", "a", "const tapOn = async (page: Page, selector: string) => {\n  ASK\n  await page.locator(selector).click();\n};\ntest('a', async ({ page }) => {\n  await tapOn(page, '#save');\n});\n"},
	"py":   {"test_a.py", "test_a", "def tap_on(page, selector):\n    ASK\n    page.locator(selector).click()\n\n\ndef test_a(page):\n    tap_on(page, \"#save\")\n"},
	"go":   {"a_test.go", "TestA", "package shop\n\nfunc tapOn(page playwright.Page, selector string) {\n\tASK\n\tpage.Locator(selector).Click()\n}\n\nfunc TestA(t *testing.T) {\n\ttapOn(page, \"#save\")\n}\n"},
}

func TestWhatAFunctionAsksOfASelectorStopsNoEditWhereTheAnswerIsTheSame(t *testing.T) {
	t.Parallel()
	const css = "#store"
	for _, c := range []struct {
		lang, ask, next string
		edits           bool
	}{
		{"java", `if (selector == null || selector.isEmpty()) throw new IllegalArgumentException("no selector");`, css, true},
		{"java", `if (selector.startsWith("//")) scroll();`, css, true},
		{"java", `if (selector.startsWith("#")) scroll();`, "[data-id=store]", false},
		{"java", `if ("body".equals(selector)) return;`, css, true},
		{"java", `if ("#store".equals(selector)) return;`, css, false},
		{"java", `if (selector.contains("sav")) scroll();`, css, false},
		{"java", `if (selector == "#menu") return;`, css, false}, // compares no texts
		{"java", `if (selector.matches("#.*")) scroll();`, css, false},
		{"java", `selector = selector.trim();`, css, false},
		{"java", `if (isHidden(selector)) return;`, css, false},
		{"cs", `if (string.IsNullOrWhiteSpace(selector)) throw new ArgumentException("no selector");`, css, true},
		{"cs", `if (selector.StartsWith("//") || selector == "body") return;`, css, true},
		{"cs", `if (selector != "#save") await Wait();`, css, false},
		{"ts", `if (!selector || selector === 'body') return;`, css, true},
		{"ts", `if (selector.includes('>>') || 'body' !== selector && selector.startsWith('text=')) await wait();`, css, true},
		{"ts", `if (selector.includes('save')) await wait();`, css, false},
		{"ts", `if (selector.length > 3) await wait();`, css, false},
		{"ts", `if (selector.startsWith(prefix)) await wait();`, css, false},
		{"py", `assert selector is not None and selector != "body"`, css, true},
		{"py", "if not selector or selector.startswith(\"//\"):\n        raise ValueError(\"no selector\")", css, true},
		{"py", "if selector.endswith(\"save\"):\n        wait()", css, false},
		{"go", `if strings.HasPrefix(selector, "//") || selector == "" { return }`, css, true},
		{"go", `if strings.HasPrefix(selector, "#") { wait() }`, "[data-id=store]", false},
		{"go", `if selector != strings.ToLower(selector) { return }`, css, false},
	} {
		in := askers[c.lang]
		p := New(fstest.MapFS{in.file: {Data: []byte(strings.Replace(in.text, "ASK", c.ask, 1))}})
		result := engine.TestResult{ID: engine.TestID(in.file + " › " + in.test), File: in.file, Name: in.test}
		got := p.Propose(engine.HealEvent{TestID: result.ID, Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: "#save", HealedLocator: c.next,
			Matches: []engine.Match{{Locator: c.next, Count: 1}}}, &result)
		if edits := got.Edit != nil; edits != c.edits {
			t.Errorf("%s: %s: %v, %s", c.lang, c.ask, got.Edit, got.Reason)
		}
	}
}
