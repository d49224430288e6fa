package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// A selector is written as several literals, of which one changes.
func TestOneOfTheLiteralsThatASelectorIsJoinedOfIsEdited(t *testing.T) {
	t.Parallel()
	const was = `//div[@id='form']//button`
	inPlace := map[string]string{
		"ATest.java": "class ATest {\n  KEPT\n  void tap(String selector) { page.locator(selector).click(); }\n  @Test\n  void a() { LOOKS }\n}\n",
		"ATests.cs":  "public class ATests : PageTest\n{\n    KEPT\n    [Test]\n    public async Task a() { LOOKS }\n}\n",
		"a.spec.ts":  "KEPT\ntest('a', async ({ page }) => {\n  LOOKS\n});\n",
		"test_a.py":  "KEPT\n\n\ndef test_a(page):\n    LOOKS\n",
		"a_test.go":  "package shop\n\nKEPT\n\nfunc TestA(t *testing.T) {\n\tLOOKS\n}\n",
	}
	for _, c := range []struct{ name, file, kept, looks, is, want string }{
		{"in the call", "ATest.java", "", `page.locator("//div[@id='form']" + "//button").click();`, `//div[@id='desk']//button`, `page.locator("//div[@id='desk']" + "//button").click();`},
		{"on two lines", "ATest.java", "private static final String SAVE = \"//div[@id='form']\" +\n      \"//button\";", "page.locator(SAVE).click();", `//div[@id='form']//a`, `"//a";`},
		{"handed to a function", "ATest.java", "", `tap("//div[@id='form']" + "//button");`, `//div[@id='form']//a`, `tap("//div[@id='form']" + "//a");`},
		{"in a variable", "ATest.java", "", `String save = "//div[@id='form']" + "//button"; page.locator(save).click();`, `//div[@id='form']//a`, `String save = "//div[@id='form']" + "//a"; page.locator(save).click();`},
		{"both would change", "ATest.java", "", `page.locator("//div[@id='form']" + "//button").click();`, `//div[@id='desk']//a`, ""},
		{"another form", "ATest.java", "", `page.locator("//div[@id='form']" + "//button").click();`, `#save`, ""},
		{"with something else", "ATest.java", "", `page.locator("//div[@id='form']" + "//button" + tail).click();`, `//div[@id='form']//a`, ""},
		{"changed by a method", "ATest.java", "", `page.locator("//div[@id='form']" + "//button".trim()).click();`, `//div[@id='form']//a`, ""},
		{"typed, too", "ATest.java", "", `String save = "//div[@id='form']" + "//button"; page.locator(save).fill(save);`, `//div[@id='form']//a`, ""},
		{"kept for any class", "ATests.cs", `public const string Save = "//div[@id='form']" + "//button";`, "await Page.Locator(Save).ClickAsync();", `//div[@id='form']//a`, `public const string Save = "//div[@id='form']" + "//a";`},
		{"in the call", "a.spec.ts", "", `await page.locator('//div[@id=\'form\']' + '//button').click();`, `//div[@id='form']//a`, `await page.locator('//div[@id=\'form\']' + '//a').click();`},
		{"without a sign", "test_a.py", "", `page.locator("//div[@id='form']" "//button").click()`, `//div[@id='form']//a`, `page.locator("//div[@id='form']" "//a").click()`},
		{"in parentheses", "test_a.py", "SAVE = (\"//div[@id='form']\"\n        \"//button\")", "page.locator(SAVE).click()", `//div[@id='desk']//button`, `SAVE = ("//div[@id='desk']"`},
		{"with a field", "test_a.py", "", `page.locator("//div[@id='form']" f"//{tag}").click()`, `//div[@id='desk']//button`, ""},
		{"two statements", "test_a.py", "\"//div[@id='form']\"\n\"//button\"", "page.locator(save).click()", `//div[@id='form']//a`, ""},
		{"a constant", "a_test.go", "const save = \"//div[@id='form']\" +\n\t\"//button\"", "page.Locator(save).Click()", `//div[@id='form']//a`, `"//a"`},
	} {
		text := strings.NewReplacer("KEPT", c.kept, "LOOKS", c.looks).Replace(inPlace[c.file])
		got := New(fstest.MapFS{c.file: {Data: []byte(text)}}).Propose(engine.HealEvent{TestID: testIn(c.file), Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: was, HealedLocator: c.is,
			Matches: []engine.Match{{Locator: c.is, Count: 1}}}, nil)
		edited := ""
		if got.Edit != nil && got.Sure() {
			edited = strings.TrimSpace(got.Edit.After)
		}
		if want := strings.ReplaceAll(c.want, "void a() { ", ""); !strings.HasSuffix(edited, want) && !strings.Contains(edited, want) || want == "" && edited != "" {
			t.Errorf("%s, %s: edited %q, want %q: %s", c.file, c.name, edited, want, got.Reason)
		}
	}
}
