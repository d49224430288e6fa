package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// A constant is looked for by the first test, and put into another selector where MORE stands,
// which the second test may run.
var keptWithin = map[string]struct{ page, test, name, file string }{
	"java": {"class FormPage {\n  static final String LIST = \"#list\";\n  void open() { page.locator(LIST).click(); }\n  void more() { MORE }\n}\n",
		"class ATest {\n  @Test\n  void a() { new FormPage().open(); }\n  @Test\n  void b() { OTHER }\n}\n", "FormPage.java", "ATest.java"},
	"cs": {"public class FormPage\n{\n    private const string List = \"#list\";\n    public Task Open() => _page.Locator(List).ClickAsync();\n    public Task More() => MORE\n}\n",
		"public class ATest : PageTest\n{\n    [Test]\n    public async Task a() { await new FormPage().Open(); }\n    [Test]\n    public async Task b() { OTHER }\n}\n", "FormPage.cs", "ATest.cs"},
	"ts": {"const LIST = '#list';\nexport class FormPage {\n  open() { return this.page.locator(LIST).click(); }\n  more() { MORE }\n}\n",
		"import { FormPage } from './form';\ntest('a', async ({ page }) => { await new FormPage(page).open(); });\ntest('b', async ({ page }) => { OTHER });\n", "form.ts", "a.spec.ts"},
}

func TestAConstantThatIsAlsoPutIntoAnotherSelectorIsEdited(t *testing.T) {
	t.Parallel()
	const is = "#rows"
	for _, c := range []struct {
		lang, more, other, next string
		edits                   bool
	}{
		{"java", `page.locator(LIST + " option").click();`, "", is, true},
		{"java", `page.locator(LIST + ":checked").click();`, "", is, true},
		{"java", `page.locator("form " + LIST + ".active").click();`, "", is, true},
		{"java", `page.locator(String.format("form > %s option", LIST)).click();`, "", is, true},
		{"java", `page.locator(LIST + " option").click();`, "new FormPage().more();", is, false}, // b passed with it
		{"java", `page.locator(LIST + "-item").click();`, "", is, false},                         // the beginning of an id
		{"java", `page.locator("div" + LIST).click();`, "", is, false},
		{"java", `page.locator(kind + LIST).click();`, "", is, false},
		{"java", `page.locator("text=" + LIST).click();`, "", is, false},
		{"java", `page.getByText(LIST + " option").click();`, "", is, false},
		{"java", `check(LIST + " option");`, "", is, false},
		{"java", `page.locator(LIST.trim() + " option").click();`, "", is, false},
		{"java", `page.locator(LIST + " option").click();`, "", "#rows, .rows", false}, // would be read as two
		{"cs", "_page.Locator($\"{List} option\").ClickAsync();", "", is, true},
		{"cs", "_page.Locator($\"{List} ~ .error, {List} + .error\").ClickAsync();", "", is, true},
		{"cs", "_page.Locator($\"{List} option\").ClickAsync();", "await new FormPage().More();", is, false},
		{"cs", "_page.Locator($\"{List}-item\").ClickAsync();", "", is, false},
		{"cs", "_page.Locator($\"{List} {List}-item\").ClickAsync();", "", is, false},
		{"cs", "Check($\"{List} option\");", "", is, false},
		{"ts", "return this.page.locator(`${LIST} option`);", "", is, true},
		{"ts", "return this.page.locator(`${LIST} option`);", "await new FormPage(page).more();", is, false},
		{"ts", "return this.page.locator(`${LIST}${kind}`);", "", is, false},
	} {
		in := keptWithin[c.lang]
		p := New(fstest.MapFS{
			in.name: {Data: []byte(strings.Replace(in.page, "MORE", c.more, 1))},
			in.file: {Data: []byte(strings.Replace(in.test, "OTHER", c.other, 1))},
		})
		of := func(name string) engine.TestResult {
			return engine.TestResult{ID: engine.TestID(in.file + " › " + name), File: in.file, Name: name}
		}
		p.SetPassed([]PassedTest{{Test: of("b")}})
		healed := of("a")
		got := p.Propose(engine.HealEvent{TestID: healed.ID, Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: "#list", HealedLocator: c.next,
			Matches: []engine.Match{{Locator: c.next, Count: 1}}}, &healed)
		if edits := got.Edit != nil; edits != c.edits {
			t.Errorf("%s: %v, %s", c.more, got.Edit, got.Reason)
		}
	}
}
