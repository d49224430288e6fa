package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// listedForm is a list of selectors that a page hands to a function of its base class: the
// parameter that takes it, what the function does with it, and how it is handed.
type listedForm struct{ name, parameter, body, call string }

// listedSuite is a page and its tests in one language, with the base class in a file of its
// own.
type listedSuite struct {
	base, page, test string // the texts, with {parameter}, {body}, {call} and {other} in them
	files            [3]string
	edited, refused  []listedForm
}

var listedSuites = map[string]listedSuite{
	"Java": {
		files: [3]string{"src/test/java/shop/BasePage.java", "src/test/java/shop/CartPage.java", "src/test/java/shop/CartTest.java"},
		base: `package shop;
public class BasePage {
  protected Page page;
  protected void ready({parameter}) {
    {body}
  }
  private boolean isRoot(String selector) { return selector.trim().toLowerCase().startsWith("#app"); }
  private boolean isKnown(String selector) { return known.contains(selector); }
  private void await(String selector) { page.locator(selector).waitFor(); }
}
`,
		page: `package shop;
public class CartPage extends BasePage {
  private static final List<String> ANCHORS = List.of("#cart", "#kept");
  private static final String SAVE = "#const";
  void open() {
    {call};
  }
  void look() {
    {other}
  }
}
`,
		test: "package shop;\nclass CartTest {\n  @Test\n  void saves() { new CartPage().open(); }\n  @Test\n  void looks() { new CartPage().look(); }\n}\n",
		edited: []listedForm{
			{"a loop", "List<String> anchors", "for (String a : anchors) page.locator(a).waitFor();", `ready(List.of("#cart", "#save"))`},
			{"a loop that tells of it", "List<String> anchors, long wait", `for (String a : anchors) { log.info("waits for " + a); page.locator(a).first().waitFor(); }`, `ready(List.of("#cart", "#save"), 5)`},
			{"asked whether there are any", "List<String> anchors", "if (anchors == null || anchors.isEmpty()) return; for (String a : anchors) page.locator(a).click();", `ready(Arrays.asList("#save", "#cart"))`},
			{"asked by a function", "List<String> anchors", "for (String a : anchors) page.locator(a).waitFor(isRoot(a) ? ATTACHED : VISIBLE);", `ready(List.of("#cart", "#save"))`},
			{"a function of each", "List<String> anchors", "anchors.forEach(a -> page.locator(a).waitFor());", `ready(List.of("#save"))`},
			{"a stream", "Collection<String> anchors", "return anchors.stream().anyMatch((String a) -> page.isVisible(a));", `ready(Set.of("#save", "#cart"))`},
			{"counted", "List<String> anchors", "for (int i = 0; i < anchors.size(); i++) { String a = anchors.get(i); page.locator(a).waitFor(); }", `ready(List.of("#cart", "#save"))`},
			{"an array", "String[] anchors", "for (int i = 0; i < anchors.length; i++) page.locator(anchors[i]).waitFor();", `ready(new String[] {"#cart", "#save"})`},
			{"all arguments", "String... anchors", "for (var a : anchors) page.locator(a).waitFor();", `ready("#cart", "#save")`},
			{"handed on", "List<String> anchors", "ready(anchors, 5); } void ready(List<String> all, long wait) { for (String a : all) await(a);", `this.ready(List.of("#cart", "#save"))`},
			{"a constant among them", "List<String> anchors", "for (String a : anchors) page.locator(a).waitFor();", `ready(List.of(SAVE, "#save"))`},
		},
		refused: []listedForm{
			{"typed", "List<String> anchors", `for (String a : anchors) page.locator("#field").fill(a);`, `ready(List.of("#cart", "#save"))`},
			{"compared in the project's way", "List<String> anchors", "for (String a : anchors) if (isKnown(a)) page.locator(a).click();", `ready(List.of("#cart", "#save"))`},
			{"asked to another answer", "List<String> anchors", `for (String a : anchors) if (a.startsWith("#s") && a.endsWith("e") && !a.equals("#save")) page.locator(a).click();`, `ready(List.of("#cart", "#save"))`},
			{"given back", "List<String> anchors", "for (String a : anchors) { if (page.locator(a).isVisible()) return a; }", `ready(List.of("#cart", "#save"))`},
			{"sorted", "List<String> anchors", "Collections.sort(anchors); for (String a : anchors) page.locator(a).click();", `ready(List.of("#cart", "#save"))`},
			{"filtered to texts", "List<String> anchors", "return anchors.stream().filter(a -> page.isVisible(a)).findFirst();", `ready(List.of("#cart", "#save"))`},
			{"joined", "List<String> anchors", `page.locator(String.join(", ", anchors)).click();`, `ready(List.of("#cart", "#save"))`},
			{"kept and more", "List<String> anchors", "last = anchors; for (String a : anchors) page.locator(a).click();", `ready(List.of("#cart", "#save"))`},
			{"changed", "List<String> anchors", "for (String a : anchors) { a = a.trim(); page.locator(a).click(); }", `ready(List.of("#cart", "#save"))`},
			{"a map", "Map<String, String> anchors", "for (String a : anchors) page.locator(a).click();", `ready(Map.of("#cart", "#save"))`},
			{"twice in the list", "List<String> anchors", "for (String a : anchors) page.locator(a).click();", `ready(List.of("#save", "#save"))`},
			{"two lists", "List<String> anchors", "for (String a : anchors) page.locator(a).click();", `ready(List.of("#save")); ready(List.of("#cart", "#save"))`},
			{"not used", "List<String> anchors", "page.locator(first).click();", `ready(List.of("#cart", "#save"))`},
		},
	},
	"C#": {
		files: [3]string{"Pages/BasePage.cs", "Pages/CartPage.cs", "CartTests.cs"},
		base: `namespace Shop;
public class BasePage
{
    protected async Task Ready({parameter})
    {
        {body}
    }
    private bool IsRoot(string selector) => selector == null || selector.ToLowerInvariant().Contains("#app");
}
`,
		page: `namespace Shop;
public class CartPage : BasePage
{
    public async Task Open()
    {
        {call};
    }
    public async Task Look()
    {
        {other}
    }
}
`,
		test: "namespace Shop;\npublic class CartTests : PageTest\n{\n    [Test]\n    public async Task Saves() => await new CartPage().Open();\n    [Test]\n    public async Task Looks() => await new CartPage().Look();\n}\n",
		edited: []listedForm{
			{"an array", "string[] anchors", "foreach (var a in anchors) await Page.Locator(a).WaitForAsync();", `await Ready(new[] { "#cart", "#save" })`},
			{"a list", "IEnumerable<string> anchors", "foreach (string a in anchors) { await Page.ClickAsync(a); }", `await Ready(new List<string> { "#cart", "#save" })`},
			{"a collection", "List<string> anchors", "anchors.ForEach(a => Page.Locator(a).ClickAsync());", `await Ready(["#cart", "#save"])`},
			{"all arguments", "params string[] anchors", "if (anchors.Length == 0) return; foreach (var a in anchors) await Page.Locator(a).ClickAsync();", `await Ready("#cart", "#save")`},
			{"LINQ", "IReadOnlyList<string> anchors", "await Task.WhenAll(anchors.Select(async a => await Page.Locator(a).WaitForAsync()));", `await Ready(new string[] { "#save" })`},
			{"asked by a function", "string[] anchors", "foreach (var a in anchors) await Page.Locator(a).WaitForAsync(IsRoot(a) ? attached : visible);", `await Ready(new[] { "#cart", "#save" })`},
			{"by name", "bool all = true, string[] anchors = null", "foreach (var a in anchors) await Page.Locator(a).WaitForAsync();", `await Ready(anchors: new[] { "#cart", "#save" })`},
		},
		refused: []listedForm{
			{"typed", "string[] anchors", `foreach (var a in anchors) await Page.Locator("#field").FillAsync(a);`, `await Ready(new[] { "#cart", "#save" })`},
			{"some of them", "string[] anchors", "foreach (var a in anchors.Where(a => a != known)) await Page.Locator(a).ClickAsync();", `await Ready(new[] { "#cart", "#save" })`},
			{"the first", "string[] anchors", "await Page.Locator(anchors.First()).ClickAsync();", `await Ready(new[] { "#cart", "#save" })`},
			{"a part of a text", "string[] anchors", `foreach (var a in anchors) await Page.Locator($"{a} > li").ClickAsync();`, `await Ready(new[] { "#cart", "#save" })`},
			{"gathered", "string[] anchors", "foreach (var a in anchors) { seen.Add(a); await Page.Locator(a).ClickAsync(); }", `await Ready(new[] { "#cart", "#save" })`},
			{"of another type", "Anchor[] anchors", "foreach (var a in anchors) await Page.Locator(a.Text).ClickAsync();", `await Ready(new[] { "#cart", "#save" })`},
		},
	},
	"TypeScript": {
		files: [3]string{"pages/base.page.ts", "pages/cart.page.ts", "cart.spec.ts"},
		base: `export class BasePage {
  constructor(readonly page: Page) {}
  async ready({parameter}) {
    {body}
  }
}
`,
		page: `import { BasePage } from './base.page';
export class CartPage extends BasePage {
  async open() {
    {call};
  }
  async look() {
    {other}
  }
}
`,
		test: "import { CartPage } from './pages/cart.page';\ntest('saves', async ({ page }) => {\n  await new CartPage(page).open();\n});\ntest('looks', async ({ page }) => {\n  await new CartPage(page).look();\n});\n",
		edited: []listedForm{
			{"a loop", "anchors: string[]", "for (const a of anchors) await this.page.locator(a).waitFor();", "await this.ready(['#cart', '#save'])"},
			{"a function of each", "anchors: Array<string> = []", "await Promise.all(anchors.map(async (a) => this.page.locator(a).first().waitFor()));", "await this.ready(['#cart', '#save'])"},
			{"all arguments", "wait: number, ...anchors: string[]", "if (!anchors.length) return; for (const a of anchors) { console.log(`waits for ${a}`); await this.page.click(a); }", "await this.ready(5, '#cart', '#save')"},
			{"counted", "anchors: readonly string[]", "for (let i = 0; i < anchors.length; i++) await this.page.locator(anchors[i]).click();", "await super.ready(['#save'])"},
			{"without a type", "anchors", "anchors.forEach(a => this.page.locator(a).click());", "await this.ready(['#save', ...others])"},
		},
		refused: []listedForm{
			{"a text of each", "anchors: string[]", "return anchors.map(a => a);", "await this.ready(['#cart', '#save'])"},
			{"found", "anchors: string[]", "const a = anchors.find(a => this.page.isVisible(a)); await this.page.click(a);", "await this.ready(['#cart', '#save'])"},
			{"joined", "anchors: string[]", "await this.page.locator(anchors.join(', ')).click();", "await this.ready(['#cart', '#save'])"},
			{"spread", "anchors: string[]", "await unknown(...anchors);", "await this.ready(['#cart', '#save'])"},
			{"of rows", "anchors: string[][]", "for (const [name, a] of anchors) await this.page.locator(a).click();", "await this.ready(['#cart', '#save'])"},
			{"by a fixed number", "anchors: string[]", "await this.page.locator(anchors[0]).click();", "await this.ready(['#cart', '#save'])"},
			{"in the page", "anchors: string[]", "await this.page.evaluate(a => document.querySelector(a[0]), anchors);", "await this.ready(['#cart', '#save'])"},
		},
	},
	"Python": {
		files: [3]string{"pages/base_page.py", "pages/cart_page.py", "test_cart.py"},
		base: `class BasePage:
    def __init__(self, page):
        self.page = page

    def ready(self, {parameter}):
        {body}
`,
		page: `from pages.base_page import BasePage


class CartPage(BasePage):
    def open(self):
        {call}

    def look(self):
        {other}
`,
		test: "from pages.cart_page import CartPage\n\n\ndef test_saves(page):\n    CartPage(page).open()\n\n\ndef test_looks(page):\n    CartPage(page).look()\n",
		edited: []listedForm{
			{"a loop", "anchors", "for a in anchors:\n            self.page.locator(a).wait_for()", `self.ready(["#cart", "#save"])`},
			{"counted by enumerate", "anchors: list[str]", "for n, a in enumerate(anchors):\n            print(n, a)\n            self.page.click(a)", `self.ready(["#cart", "#save"])`},
			{"a comprehension", "anchors: List[str] = None", "if not anchors:\n            return\n        return all(self.page.locator(a).is_visible() for a in anchors)", `self.ready(anchors=("#cart", "#save"))`},
			{"all arguments", "*anchors", "return [self.page.locator(a).inner_text() for a in anchors]", `self.ready("#cart", "#save")`},
		},
		refused: []listedForm{
			{"typed", "anchors", "for a in anchors:\n            self.page.fill('#field', a)", `self.ready(["#cart", "#save"])`},
			{"given back", "anchors", "return [a for a in anchors if self.page.is_visible(a)]", `self.ready(["#cart", "#save"])`},
			{"paired", "anchors", "for a, b in zip(anchors, others):\n            self.page.click(a)", `self.ready(["#cart", "#save"])`},
			{"by names", "**anchors", "for a in anchors:\n            self.page.click(a)", `self.ready(save="#save")`},
			{"sliced", "anchors", "for a in anchors[1:]:\n            self.page.click(a)", `self.ready(["#cart", "#save"])`},
			{"joined", "anchors", "self.page.click(', '.join(anchors))", `self.ready(["#cart", "#save"])`},
		},
	},
	"Go": {
		files: [3]string{"e2e/base_test.go", "e2e/pages_test.go", "e2e/cart_test.go"},
		base: `package e2e

func ready({parameter}) {
	{body}
}
`,
		page: `package e2e

func open(page playwright.Page) {
	{call}
}

func look(page playwright.Page) {
	{other}
}
`,
		test: "package e2e\n\nfunc TestSaves(t *testing.T) {\n\topen(page)\n}\n\nfunc TestLooks(t *testing.T) {\n\tlook(page)\n}\n",
		edited: []listedForm{
			{"a slice", "page playwright.Page, anchors []string", "for _, a := range anchors {\n\t\tpage.Locator(a).Click()\n\t}", `ready(page, []string{"#cart", "#save"})`},
			{"all arguments", "page playwright.Page, anchors ...string", "for _, a := range anchors {\n\t\tlog.Println(a)\n\t\tpage.Locator(a).Click()\n\t}", `ready(page, "#cart", "#save")`},
			{"counted", "page playwright.Page, anchors []string", "for i := range anchors {\n\t\tpage.Locator(anchors[i]).Click()\n\t}", `ready(page, []string{"#cart", "#save"})`},
		},
		refused: []listedForm{
			{"typed", "page playwright.Page, anchors []string", "for _, a := range anchors {\n\t\tpage.Locator(field).Fill(a)\n\t}", `ready(page, []string{"#cart", "#save"})`},
			{"handed on by dots", "page playwright.Page, anchors ...string", "unknown(page, anchors...)", `ready(page, "#cart", "#save")`},
			{"sorted", "page playwright.Page, anchors []string", "slices.Sort(anchors)\n\tfor _, a := range anchors {\n\t\tpage.Locator(a).Click()\n\t}", `ready(page, []string{"#cart", "#save"})`},
			{"keys", "page playwright.Page, anchors map[string]string", "for _, a := range anchors {\n\t\tpage.Locator(a).Click()\n\t}", `ready(page, map[string]string{"#cart": "#save"})`},
		},
	},
}

// checkout returns the files of a form.
func (l listedSuite) checkout(f listedForm, other string) fstest.MapFS {
	fill := strings.NewReplacer("{parameter}", f.parameter, "{body}", f.body, "{call}", f.call, "{other}", other)
	files := fstest.MapFS{}
	for i, text := range []string{l.base, l.page, l.test} {
		files[l.files[i]] = &fstest.MapFile{Data: []byte(fill.Replace(text))}
	}
	return files
}

// propose heals #save in the first test of a form, while the second passed.
func (l listedSuite) propose(f listedForm, other string) Proposal {
	tests := [2]engine.TestResult{}
	for i, name := range [2]string{"saves", "looks"} {
		for _, written := range []string{"test_" + name, "Test" + strings.ToUpper(name[:1]) + name[1:], strings.ToUpper(name[:1]) + name[1:], name} {
			if strings.Contains(l.test, written) {
				tests[i] = engine.TestResult{File: l.files[2], Name: written, ID: engine.TestID(l.files[2] + " › " + written)}
				break
			}
		}
	}
	p := New(l.checkout(f, other))
	p.SetPassed([]PassedTest{{Test: tests[1]}})
	tail := ""
	if strings.Contains(f.body, ".first()") {
		tail = " >> nth=0"
	}
	return p.Propose(engine.HealEvent{TestID: tests[0].ID, Locator: "#save" + tail, HealedLocator: "#store" + tail, Confidence: 1, Outcome: engine.OutcomeHealed}, &tests[0])
}

// A list of selectors is handed to a function that does nothing with each but look for it.
func TestOneSelectorOfAListIsEditedWhereItIsHanded(t *testing.T) {
	t.Parallel()
	for language, l := range listedSuites {
		for _, f := range l.edited {
			want := strings.TrimSpace(strings.Replace(f.call, "#save", "#store", 1))
			another := strings.Replace(f.call, "#save", "#other", 1)
			if got := l.propose(f, another); got.Edit == nil || !strings.HasPrefix(strings.TrimSpace(got.Edit.After), want) {
				t.Errorf("%s, %s: %+v, %s", language, f.name, got.Edit, got.Reason)
			}
			if got := l.propose(f, strings.TrimSpace(callsOpen[language])); got.Edit != nil || !strings.Contains(got.Reason, "passed with the old locator") {
				t.Errorf("%s, %s: edited although another test passed with it: %+v, %s", language, f.name, got.Edit, got.Reason)
			}
		}
		for _, f := range l.refused {
			if got := l.propose(f, ""); got.Edit != nil {
				t.Errorf("%s, %s: edited %s", language, f.name, got.Edit.After)
			}
		}
	}
}

// callsOpen is how a second member of the page runs the first.
var callsOpen = map[string]string{"Java": "open();", "C#": "await Open();", "TypeScript": "await this.open();", "Python": "self.open()", "Go": "open(page)"}
