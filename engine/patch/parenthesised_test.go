package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

func TestALiteralInParenthesesOfItsOwnIsTheArgument(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, call, want string }{
		{"ATest.java", `page.getByLabel(("Save")).fill("x");`, `page.getByLabel(("Store")).fill("x");`},
		{"ATest.java", `page.getByLabel((("Save"))).fill("x");`, `page.getByLabel((("Store"))).fill("x");`},
		{"ATest.java", `page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(("Save"))).click();`, ""}, // another kind of locator
		{"ATest.java", `page.getByLabel(("Save").trim()).fill("x");`, ""},
		{"ATest.java", `page.getByLabel(("Save" + x)).fill("x");`, ""},
		{"ATest.java", `page.getByLabel(old ? ("Save") : ("Keep")).fill("x");`, ""},
		{"ATest.java", `page.getByLabel(text("Save")).fill("x");`, ""},
		{"ATest.cs", `await Page.GetByLabel(("Save")).FillAsync("x");`, `await Page.GetByLabel(("Store")).FillAsync("x");`},
		{"a.spec.ts", `await page.getByLabel(('Save')).fill('x');`, `await page.getByLabel(('Store')).fill('x');`},
		{"test_a.py", `page.get_by_label(("Save")).fill("x")`, `page.get_by_label(("Store")).fill("x")`},
		{"test_a.py", `page.get_by_label(("Save",)).fill("x")`, ""},
	} {
		source := map[string]string{
			".java": "class ATest {\n  @Test\n  void a() {\n    CALL\n  }\n}\n", ".cs": "class ATest : PageTest {\n  [Test]\n  public async Task a() {\n    CALL\n  }\n}\n",
			".ts": "test('a', async ({ page }) => {\n  CALL\n});\n", ".py": "def test_a(page):\n    CALL\n",
		}[c.file[strings.LastIndex(c.file, "."):]]
		name := map[bool]string{true: "test_a", false: "a"}[strings.HasSuffix(c.file, ".py")]
		const is = `internal:label="Store"i`
		got := New(fstest.MapFS{c.file: {Data: []byte(strings.Replace(source, "CALL", c.call, 1))}}).Propose(engine.HealEvent{
			TestID: engine.TestID(c.file + " › " + name), Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: `internal:label="Save"i`, HealedLocator: is,
			Matches: []engine.Match{{Locator: is, Count: 1}},
		}, nil)
		after := ""
		if got.Edit != nil {
			after = strings.TrimSpace(got.Edit.After)
		}
		if after != c.want {
			t.Errorf("%s\n  %q, want %q: %s", c.call, after, c.want, got.Reason)
		}
	}
}
