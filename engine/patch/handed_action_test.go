package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// drivers are suites whose page object hands its selector to a function of the project that
// is called like an action of Playwright's: HELPERS are in the class Web, the line of § lost it.
var drivers = map[string]struct {
	files map[string]string
	test  engine.TestID
}{
	"java": {map[string]string{
		"shop/Web.java":      "package shop;\npublic class Web {\n  static Page page;\n  HELPERS\n}\n",
		"shop/EditPage.java": "package shop;\npublic class EditPage {\n  private static final String SAVE = \"#save\";\n  void save() { Web.click(SAVE); }\n}\n",
		"shop/ATest.java":    "package shop;\nclass ATest {\n  @Test\n  void a() {\n    new EditPage().save();\n  }\n}\n",
	}, "shop/ATest.java › a"},
	"cs": {map[string]string{
		"IWeb.cs":     "namespace Shop;\npublic interface IWeb\n{\n    Task ClickAsync(string selector);\n}\n",
		"Web.cs":      "namespace Shop;\npublic class Web : IWeb\n{\n    private readonly IPage _page;\n    HELPERS\n}\n",
		"EditPage.cs": "namespace Shop;\npublic class EditPage\n{\n    private readonly IWeb _driver;\n    public EditPage(IWeb driver) { _driver = driver; }\n    public Task Save() => _driver.ClickAsync(\"#save\");\n}\n",
		"ATests.cs":   "namespace Shop;\npublic class ATests : PageTest\n{\n    [Test]\n    public async Task a()\n    {\n        await new EditPage(new Web(Page)).Save();\n    }\n}\n",
	}, "ATests.cs › a"},
}

func TestASelectorIsHandedToAFunctionThatIsCalledLikeAnAction(t *testing.T) {
	t.Parallel()
	const java, cs = "§static void click(String selector) { page.locator(selector).click(); }", "§public Task ClickAsync(string selector) => _page.Locator(selector).ClickAsync();"
	for name, c := range map[string]struct {
		lang, helpers string
		edits         bool
	}{
		"a static method":                         {"java", java, true},
		"it writes to a log":                      {"java", "§static void click(String selector) { page.locator(selector).click(); LogUtils.info(\"Click \" + selector); ExtentTestManager.logMessage(Status.INFO, \"Click \" + selector); }", true},
		"an overload with more parameters":        {"java", java + "\n  static void click(String url, int times) { page.navigate(url); }", true},
		"an overload with as many":                {"java", java + "\n  static void click(CharSequence url) { page.navigate(url); }", false},
		"an overload with any number":             {"java", java + "\n  static void click(String url, int... times) { page.navigate(url); }", false},
		"it asserts what it is given":             {"java", "§static void click(String selector) { page.locator(selector).click(); check(selector); }", false},
		"a method of a dialog is no log":          {"java", "§static void click(String selector) { page.locator(selector).click(); dialog.info(selector); }", false},
		"a login is no log":                       {"java", "§static void click(String selector) { page.locator(selector).click(); user.login(selector); }", false},
		"it throws what it is given":              {"cs", "§public Task ClickAsync(string selector) { try { return _page.ClickAsync(selector); } catch { throw new MissingElementException($\"No {selector}\"); } }", true},
		"it makes a rule of it, not an error":     {"cs", "§public Task ClickAsync(string selector) { MissingElementRule($\"No {selector}\"); return _page.ClickAsync(selector); }", false},
		"what an interface declares":              {"cs", cs, true},
		"with an overload that has a default":     {"cs", cs + "\n    public Task ClickAsync(string url, int times = 1) => _page.GotoAsync(url);", false},
		"with an overload that needs more":        {"cs", cs + "\n    public Task ClickAsync(string url, int times) => _page.GotoAsync(url);", true},
		"another class does something else":       {"cs", cs + "\n}\npublic class Spy : IWeb\n{\n    public Task ClickAsync(string selector) => Record(selector);", false},
		"another class looks for the same":        {"cs", cs + "\n}\npublic class Slow : IWeb\n{\n    private IPage _page;\n    public Task ClickAsync(string selector) => _page.ClickAsync(selector);", true},
		"a class that has nothing to do with it":  {"cs", cs + "\n}\npublic class Api\n{\n    public Task ClickAsync(string selector) => Record(selector);", true},
		"another line of the driver's lost it":    {"cs", strings.Replace(cs, "§", "", 1) + "\n    §public Task HoverAsync(string selector) => _page.Locator(selector).HoverAsync();", false},
		"another line of the static class has it": {"java", strings.Replace(java, "§", "", 1) + "\n  §static void hover(String selector) { page.locator(selector).hover(); }", false},
	} {
		in := drivers[c.lang]
		disk := fstest.MapFS{}
		var site *engine.Site
		for file, text := range in.files {
			text = strings.Replace(text, "HELPERS", c.helpers, 1)
			if before, _, ok := strings.Cut(text, "§"); ok {
				site = &engine.Site{File: file, Line: strings.Count(before, "\n") + 1}
			}
			disk[file] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "§", ""))}
		}
		got := New(disk).Propose(engine.HealEvent{TestID: in.test, Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: "#save", HealedLocator: "#store",
			Matches: []engine.Match{{Locator: "#store", Count: 1}}, Site: site}, nil)
		if edits := got.Edit != nil && strings.Contains(got.Edit.After, `"#store"`) && strings.Contains(got.Edit.File, "EditPage"); edits != c.edits {
			t.Errorf("%s: %v, %s", name, got.Edit, got.Reason)
		}
	}
}

// Where a function of the project is called like an action, and does more with a selector than
// look for it, no other use of the constant makes it Playwright's.
func TestAFunctionThatIsCalledLikeAnActionIsNotTakenForIt(t *testing.T) {
	t.Parallel()
	for body, edits := range map[string]bool{
		"page.locator(selector).click();":                  true,
		"page.locator(selector).click(); check(selector);": false,
		"page.locator(known.get(selector)).click();":       false,
	} {
		disk := fstest.MapFS{
			"shop/Web.java":      {Data: []byte("package shop;\npublic class Web {\n  static Page page;\n  static void click(String selector) { " + body + " }\n}\n")},
			"shop/EditPage.java": {Data: []byte("package shop;\npublic class EditPage {\n  private static final String SAVE = \"#save\";\n  void save() { page.locator(SAVE).hover(); Web.click(SAVE); }\n}\n")},
			"shop/ATest.java":    {Data: []byte("package shop;\nclass ATest {\n  @Test\n  void a() {\n    new EditPage().save();\n  }\n}\n")},
		}
		got := New(disk).Propose(engine.HealEvent{TestID: "shop/ATest.java › a", Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: "#save", HealedLocator: "#store",
			Matches: []engine.Match{{Locator: "#store", Count: 1}}}, nil)
		if (got.Edit != nil) != edits {
			t.Errorf("%s: %+v, %s", body, got.Edit, got.Reason)
		}
	}
}
