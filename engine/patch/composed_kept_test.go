package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// A composition is edited where a private field, a property or a function has it, of which
// nothing is done but look for it.
func TestACompositionThatHasANameIsEditedThere(t *testing.T) {
	t.Parallel()
	const java = "class ATest {\n  private static final String ROOT = \"#app \";\n  MEMBER\n  void tap(String selector) { page.locator(selector).click(); }\n  @Test\n  void a() { LOOKS }\n}\n"
	const csharp = "public class ATests : PageTest\n{\n    private string _id;\n    MEMBER\n    [Test]\n    public async Task a() { LOOKS }\n}\n"
	const script = "MEMBER\ntest('a', async ({ page }) => {\n  LOOKS\n});\n"
	const python = "MEMBER\n\n\ndef test_a(page):\n    LOOKS\n"
	for _, c := range []struct{ name, file, text, member, looks, was, is, want string }{
		{"a field", "ATest.java", java, `private static final String SAVE = ROOT + ".save";`, "page.locator(SAVE).click();", "#app .save", "#app .store", `private static final String SAVE = ROOT + ".store";`},
		{"a field of any class", "ATest.java", java, `public static final String SAVE = ROOT + ".save";`, "page.locator(SAVE).click();", "#app .save", "#app .store", ""},
		{"a field that is typed", "ATest.java", java, `private static final String SAVE = ROOT + ".save";`, "page.locator(SAVE).click(); page.locator(field).fill(SAVE);", "#app .save", "#app .store", ""},
		{"a method", "ATest.java", java, `private String row(String id) { return "#row-" + id; }`, "page.locator(row(id)).click();", "#row-42", "#line-42", `private String row(String id) { return "#line-" + id; }`},
		{"a method whose value is handed on", "ATest.java", java, `private String row(String id) { return String.format("#row-%s", id); }`, "tap(row(\"42\"));", "#row-42", "#line-42", `private String row(String id) { return String.format("#line-%s", id); }`},
		{"a method whose value is asserted", "ATest.java", java, `private String row(String id) { return "#row-" + id; }`, "page.locator(row(id)).click(); assertEquals(row(id), page.url());", "#row-42", "#line-42", ""},
		{"a method that does more", "ATest.java", java, `private String row(String id) { seen.add(id); return "#row-" + id; }`, "page.locator(row(id)).click();", "#row-42", "#line-42", ""},
		{"a method of one of two", "ATest.java", java, `private String row(String id) { return "#row-" + id; } private String item(String id) { return "#row-" + id; }`, "page.locator(row(id)).click(); page.locator(item(id)).click();", "#row-42", "#line-42", ""},
		{"a property", "ATests.cs", csharp, `private string Row => $"#row-{_id}";`, "await Page.Locator(Row).ClickAsync();", "#row-42", "#line-42", `private string Row => $"#line-{_id}";`},
		{"a method of an expression", "ATests.cs", csharp, `private static string Row(string id) => $"#row-{id}";`, "await Page.Locator(Row(\"42\")).ClickAsync();", "#row-42", "#line-42", `private static string Row(string id) => $"#line-{id}";`},
		{"an arrow", "a.spec.ts", script, "const row = (id: string) => `#row-${id}`;", "await page.locator(row('42')).click();", "#row-42", "#line-42", "const row = (id: string) => `#line-${id}`;"},
		{"a function", "test_a.py", python, "def row(id):\n    return f\"#row-{id}\"", "page.locator(row(42)).click()", "#row-42", "#line-42", `return f"#line-{id}"`},
		{"a variable", "a.spec.ts", script, "const id = newID()", "const row = '#row-' + id\n  await page.locator(row).click()", "#row-42", "#line-42", "const row = '#line-' + id"},
		{"a variable that is typed", "a.spec.ts", script, "const id = newID()", "const row = '#row-' + id\n  await page.locator(row).fill(row)", "#row-42", "#line-42", ""},
		{"a variable", "test_a.py", python, "id = new_id()", "row = \"#row-\" + id\n    page.locator(row).click()", "#row-42", "#line-42", `row = "#line-" + id`},
		{"a variable that a condition chooses", "test_a.py", python, "id = new_id()", "row = \"#row-\" + id if id else \"#row-0\"\n    page.locator(row).click()", "#row-42", "#line-42", ""},
	} {
		text := strings.NewReplacer("MEMBER", c.member, "LOOKS", c.looks).Replace(c.text)
		got := New(fstest.MapFS{c.file: {Data: []byte(text)}}).Propose(engine.HealEvent{TestID: testIn(c.file), Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: c.was, HealedLocator: c.is,
			Matches: []engine.Match{{Locator: c.is, Count: 1}}}, nil)
		edited := ""
		if got.Edit != nil && got.Sure() {
			edited = strings.TrimSpace(got.Edit.After)
		}
		if edited != c.want {
			t.Errorf("%s, %s: edited %q, want %q: %s", c.file, c.name, edited, c.want, got.Reason)
		}
	}
}
