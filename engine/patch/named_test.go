package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// Two members of a page object have one locator: the line that lost it says which.
func TestTheMemberThatTheLineNamesIsEdited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, page, members, test, text, want string }{
		{"parameters of TypeScript's constructor", "list.ts",
			"export class List {\n  constructor(\n    page: Page,\n    readonly rows = page.getByTestId('row'),\n    readonly items = page.getByTestId('row'),\n  ) {}\n}\n",
			"a.spec.ts", "import { List } from './list';\ntest('a', async ({ page }) => {\n  const list = new List(page);\n  await list.items.first().click();\n});\n", "readonly items = page.getByTestId('line'),"},
		{"fields that TypeScript's constructor sets", "list.ts",
			"export class List {\n  constructor(page: Page) {\n    this.rows = page.getByTestId('row');\n    this.items = page.getByTestId('row');\n  }\n}\n",
			"a.spec.ts", "import { List } from './list';\ntest('a', async ({ page }) => {\n  const list = new List(page);\n  await list.items.first().click();\n});\n", "this.items = page.getByTestId('line');"},
		{"getters of TypeScript", "list.ts",
			"export class List {\n  get rows(): Locator {\n    return this.page.getByTestId('row');\n  }\n  get items(): Locator {\n    return this.page.getByTestId('row');\n  }\n}\n",
			"a.spec.ts", "import { List } from './list';\ntest('a', async ({ page }) => {\n  const list = new List(page);\n  await list.items.first().click();\n});\n", "return this.page.getByTestId('line');"},
		{"functions in fields of TypeScript", "list.ts",
			"export class List {\n  rows = () => this.page.getByTestId('row');\n  items = () => this.page.getByTestId('row');\n}\n",
			"a.spec.ts", "import { List } from './list';\ntest('a', async ({ page }) => {\n  const list = new List(page);\n  await list.items().first().click();\n});\n", "items = () => this.page.getByTestId('line');"},
		{"fields of Python", "pages.py",
			"class List:\n    def __init__(self, page):\n        self.rows = page.get_by_test_id(\"row\")\n        self.items = page.get_by_test_id(\"row\")\n",
			"test_a.py", "from pages import List\n\ndef test_a(page):\n    list = List(page)\n    list.items.first.click()\n", `self.items = page.get_by_test_id("line")`},
		{"properties of Python", "pages.py",
			"class List:\n    @property\n    def rows(self):\n        return self.page.get_by_test_id(\"row\")\n\n    @property\n    def items(self):\n        return self.page.get_by_test_id(\"row\")\n",
			"test_a.py", "from pages import List\n\ndef test_a(page):\n    list = List(page)\n    list.items.first.click()\n", `return self.page.get_by_test_id("line")`},
		{"methods of Java", "src/test/java/shop/ListPage.java",
			"package shop;\npublic class ListPage {\n  Locator rows() {\n    return page.getByTestId(\"row\");\n  }\n  Locator items() {\n    return page.getByTestId(\"row\");\n  }\n}\n",
			"src/test/java/shop/ATest.java", "package shop;\nclass ATest {\n  @Test\n  void a() {\n    ListPage list = new ListPage(page);\n    list.items().first().click();\n  }\n}\n", `return page.getByTestId("line");`},
		{"properties of C#", "ListPage.cs",
			"namespace Shop;\npublic class ListPage {\n  public ILocator Rows => _page.GetByTestId(\"row\");\n  public ILocator Items => _page.GetByTestId(\"row\");\n}\n",
			"ATest.cs", "namespace Shop;\nclass ATest : PageTest {\n  [Test]\n  public async Task A() {\n    var list = new ListPage(Page);\n    await list.Items.First.ClickAsync();\n  }\n}\n", `public ILocator Items => _page.GetByTestId("line");`},
	} {
		line := 1 + strings.Count(c.text[:strings.Index(strings.ToLower(c.text), "list.items")], "\n")
		const was, is = `internal:testid=[data-testid="row"s]`, `internal:testid=[data-testid="line"s]`
		propose := func(text string) Proposal {
			return New(fstest.MapFS{c.page: {Data: []byte(c.members)}, c.test: {Data: []byte(text)}}).Propose(engine.HealEvent{
				TestID: engine.TestID(c.test + " › a"), Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: was, HealedLocator: is,
				Matches: []engine.Match{{Locator: is, Count: 1}}, Site: &engine.Site{File: c.test, Line: line},
			}, nil)
		}
		got := propose(c.text)
		second := strings.LastIndex(c.members, "row")
		if got.Edit == nil || strings.TrimSpace(got.Edit.After) != c.want || got.Edit.End <= second || got.Edit.Start > second || !got.Sure() {
			t.Errorf("%s: %+v, %s", c.name, got.Edit, got.Reason)
		}
		if both := propose(strings.NewReplacer("list.items", "list.others", "list.Items", "list.Others").Replace(c.text)); both.Edit != nil {
			t.Errorf("%s: nobody says which, and %s is edited", c.name, both.Edit.After)
		}
	}
}

// A field holds the locator that another one must have inside.
func TestALocatorInAFieldStandsInsideOfAnother(t *testing.T) {
	t.Parallel()
	const was, is = `internal:testid=[data-testid="card"s] >> internal:has="internal:testid=[data-testid=\"new\"s]"`, `internal:testid=[data-testid="card"s] >> internal:has="internal:testid=[data-testid=\"fresh\"s]"`
	page := "export class List {\n  constructor(\n    page: Page,\n    readonly card = page.getByTestId('card'),\n    readonly badge = page.getByTestId('new'),\n  ) {}\n" +
		"  async open() {\n    await this.card.filter({ has: this.badge }).click();\n  }\n}\n"
	test := "import { List } from './list';\ntest('a', async ({ page }) => {\n  await new List(page).open();\n});\n"
	propose := func(page string) Proposal {
		return New(fstest.MapFS{"list.ts": {Data: []byte(page)}, "a.spec.ts": {Data: []byte(test)}}).Propose(engine.HealEvent{
			TestID: "a.spec.ts › a", Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: was, HealedLocator: is, Matches: []engine.Match{{Locator: is, Count: 1}},
			Site: &engine.Site{File: "list.ts", Line: 8},
		}, nil)
	}
	if got := propose(page); got.Edit == nil || got.Edit.Line != 5 || strings.TrimSpace(got.Edit.After) != "readonly badge = page.getByTestId('fresh')," {
		t.Errorf("%+v, %s", got.Edit, got.Reason)
	}
	if got := propose(strings.Replace(page, "this.card.filter({ has: this.badge })", "this.badge.first()", 1)); got.Edit != nil {
		t.Errorf("not inside of another one, and edited: %s", got.Edit.After)
	}
}

// In Java and C# the class around a line has a member by its name alone.
func TestAMemberWithoutThis(t *testing.T) {
	for _, test := range []struct{ name, method, edit string }{
		{"a field", `void leave() { cancel.click(); }`, `STEP_ONE = "#quit"`},
		{"a parameter of the name", `void leave(Locator cancel) { cancel.click(); }`, ""},
		{"a local variable of the name", `void leave() { Locator cancel = other(); cancel.click(); }`, ""},
	} {
		page := func(class, constant, method string) *fstest.MapFile {
			return &fstest.MapFile{Data: []byte(`package shop;
class ` + class + ` {
  private static final String ` + constant + ` = "#cancel";
  private final Locator cancel;
  private final Locator back;
  ` + class + `(Page page) { cancel = page.locator(` + constant + `); back = page.locator("#back"); }
  ` + method + `
}
`)}
		}
		source := fstest.MapFS{
			"src/test/java/shop/StepOne.java": page("StepOne", "STEP_ONE", test.method),
			"src/test/java/shop/StepTwo.java": page("StepTwo", "STEP_TWO", `void leave() { cancel.click(); }`),
			"src/test/java/shop/StepTest.java": {Data: []byte(`package shop;
class StepTest {
  @Test void leaves() { new StepOne(page).leave(); new StepTwo(page).leave(); }
}
`)},
		}
		h := engine.HealEvent{TestID: "shop.StepTest › leaves", Locator: "#cancel", HealedLocator: "#quit", Confidence: 0.95, Outcome: engine.OutcomeHealed,
			Matches: []engine.Match{{Locator: "#quit", Count: 1}}, Site: &engine.Site{File: "src/test/java/shop/StepOne.java", Line: 7}}
		got := New(source).Propose(h, &engine.TestResult{Class: "shop.StepTest", Name: "leaves"})
		if edited := got.Edit != nil; edited != (test.edit != "") || edited && !strings.Contains(got.Edit.After, test.edit) {
			t.Errorf("%s: %+v, reason %q", test.name, got.Edit, got.Reason)
		}
	}
}

// Another member of the page object has the locator in a list, which cannot be edited: it may
// have raised the heal only where the line that lost it may run it.
func TestAListInAnotherMemberIsNoRivalOfTheOneThatTheLineNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line  string
		edits bool
	}{
		"it names the member":                  {"save().click();", true},
		"on this":                              {"this.save().click();", true},
		"it names both":                        {"ready(); save().click();", false},
		"it names the other":                   {"ready();", false},
		"it has the list":                      {"save().click(); awaitAll(List.of(\"#save\"));", false},
		"it names another member":              {"other().click();", false},
		"a helper that takes locators":         {"press(locator);", false},
		"a variable that is called the same":   {"Locator save = other(); save.click();", false},
		"what the member gives is handed over": {"press(save());", true},
	} {
		page := "package shop;\nclass EditPage {\n  Locator save() { return page.locator(\"#save\"); }\n  Locator other() { return page.locator(\"#other\"); }\n" +
			"  void ready() { awaitAll(List.of(\"body\", \"#save\")); }\n  void go(Locator locator) {\n    " + c.line + "\n  }\n}\n"
		test := "package shop;\nclass ATest {\n  @Test\n  void a() {\n    EditPage edit = new EditPage(page);\n    edit.ready();\n    edit.go(null);\n  }\n}\n"
		got := New(fstest.MapFS{"EditPage.java": {Data: []byte(page)}, "ATest.java": {Data: []byte(test)}}).Propose(engine.HealEvent{
			TestID: "ATest.java › a", Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: "#save", HealedLocator: "#store",
			Matches: []engine.Match{{Locator: "#store", Count: 1}}, Site: &engine.Site{File: "EditPage.java", Line: 7},
		}, nil)
		if edits := got.Edit != nil && got.Edit.Line == 3; edits != c.edits {
			t.Errorf("%s: %+v, %s", name, got.Edit, got.Reason)
		}
	}
}
