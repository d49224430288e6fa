package patch

import (
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// Another test passed beside the lost one. It stops the edit where it calls the code of the
// literal, and not where it calls something of the same name, or only makes the page object.
func TestWhatAPassedTestCallsIsToldFromWhatReadsLikeIt(t *testing.T) {
	t.Parallel()
	const lost, is = `internal:role=button[name="Search"i]`, `internal:role=button[name="Find"i]`
	const options = `page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Search"))`
	for name, c := range map[string]struct {
		lang, page, a, b string
		edits            bool
	}{
		"a lambda calls another page object":          {"java", "void go() { " + options + ".click(); }", "step(\"x\", () -> home.go());", "step(\"x\", () -> other.go());", true},
		"a lambda calls it":                           {"java", "void go() { " + options + ".click(); }", "step(\"x\", () -> home.go());", "step(\"x\", () -> home.go());", false},
		"another one that a method gives":             {"java", "void go() { " + options + ".click(); }", "home.go();", "other.open().go();", true},
		"a comparison before the name":                {"java", "int go() { " + options + ".click(); return 1; }", "home.go();", "if (2 > home.go()) stop();", false},
		"a field with options":                        {"java", "final Locator search = getPage()." + options[5:] + ";\n  Locator go() { return search; }", "home.go().click();", "new HomePage(page).stop();", true},
		"a field with options, used":                  {"java", "final Locator search = getPage()." + options[5:] + ";\n  Locator go() { return search; }", "home.go().click();", "new HomePage(page).go();", false},
		"a field with two options":                    {"java", "final Locator search = page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setExact(false).setName(\"Search\"));\n  Locator go() { return search; }", "home.go().click();", "new HomePage(page).stop();", true},
		"a field in the constructor":                  {"java", "final Locator search;\n  HomePage(Page page) { search = " + options + "; }\n  Locator go() { return search; }", "home.go().click();", "new HomePage(page).stop();", true},
		"a field that acts when it is made":           {"java", "final String search = " + options + ".innerText();\n  String go() { return search; }", "home.go();", "new HomePage(page).stop();", false},
		"the constructor acts":                        {"java", "HomePage(Page page) { " + options + ".click(); }\n  void go() { }", "new HomePage(page).go();", "new HomePage(page).stop();", false},
		"an action of a locator of its name":          {"cs", "ILocator Radios => page.Locator(\"#r\");\n    public Task CheckAsync() => page.GetByRole(AriaRole.Button, new() { Name = \"Search\" }).CheckAsync();\n    public Task Pick() => Radios.Nth(1).CheckAsync();", "await home.CheckAsync();", "await home.Pick();", true},
		"a method of its name on its own Nth":         {"cs", "HomePage Nth(int i) => this;\n    HomePage Radios => this;\n    public Task CheckAsync() => page.GetByRole(AriaRole.Button, new() { Name = \"Search\" }).CheckAsync();\n    public Task Pick() => Radios.Nth(1).CheckAsync();", "await home.CheckAsync();", "await home.Pick();", false},
		"an action of a locator, and it itself":       {"cs", "ILocator Radios => page.Locator(\"#r\");\n    public Task CheckAsync() => page.GetByRole(AriaRole.Button, new() { Name = \"Search\" }).CheckAsync();\n    public async Task Pick() { await Radios.Nth(1).CheckAsync(); await CheckAsync(); }", "await home.CheckAsync();", "await home.Pick();", false},
		"a variable that gets what a lambda makes":    {"java", "void go() { Page newPage = page.waitForPopup(() -> { " + options + ".click(); }); }", "home.go();", "context.newPage();", true},
		"a variable that holds the lambda":            {"java", "void go() { Runnable run = () -> { " + options + ".click(); }; later(run); }", "home.go();", "home.go();", false},
		"a method that the runner tells of":           {"java", "void go() { " + options + ".click(); }", "home.go();", "log(result.getMethod().getMethodName());", true},
		"a method by its name":                        {"java", "void go() { " + options + ".click(); }", "home.go();", "result.getMethod(name).invoke(home);", false},
		"a setting of its name":                       {"java", "void go() { " + options + ".click(); }", "home.go();", "if (Boolean.parseBoolean(System.getProperty(\"go\"))) stop();", true},
		"a property of its name":                      {"java", "void go() { " + options + ".click(); }", "home.go();", "bean.getProperty(\"go\");", false},
		"an action of the page of its name":           {"java", "void fill() { " + options + ".click(); }\n  void pick() { page.fill(\"#a\", \"x\"); }", "home.fill();", "home.pick();", true},
		"an action of a locator in a variable":        {"java", "void fill() { " + options + ".click(); }\n  void pick() { var box = page.locator(\"#a\").first(); box.fill(\"x\"); }", "home.fill();", "home.pick();", true},
		"an action of what a method gives":            {"java", "void fill() { " + options + ".click(); }\n  void pick() { var box = unknown(); box.fill(); }", "home.fill();", "home.pick();", false},
		"an action of a parameter":                    {"java", "void fill() { " + options + ".click(); }\n  void pick(Locator box) { box.fill(\"x\"); }", "home.fill();", "home.pick(box);", true},
		"an action of an object of any class":         {"java", "void fill() { " + options + ".click(); }\n  void pick(Object box) { box.fill(\"x\"); }", "home.fill();", "home.pick(box);", false},
		"an action of the page, and a class of it":    {"cs", "public Task FillAsync() => page.GetByRole(AriaRole.Button, new() { Name = \"Search\" }).ClickAsync();\n    public Task Pick() => page.FillAsync(\"#a\", \"x\"); \n}\npublic class OwnPage : HomePage, IPage\n{\n", "await home.FillAsync();", "await home.Pick();", false},
		"an action of C#'s page of its name":          {"cs", "public Task FillAsync() => page.GetByRole(AriaRole.Button, new() { Name = \"Search\" }).ClickAsync();\n    public Task Pick() => page.FillAsync(\"#a\", \"x\");", "await home.FillAsync();", "await home.Pick();", true},
		"what an exception says":                      {"java", "String getMessage() { return " + options + ".innerText(); }", "home.getMessage();", "try { other.go(); } catch (RuntimeException e) { log.info(e.getMessage()); }", true},
		"what an object of any class says":            {"java", "String getMessage() { return " + options + ".innerText(); }", "home.getMessage();", "Object e = unknown(); log.info(((Message) e).getMessage());", false},
		"what a library's object says that it may be": {"java", "void close() { " + options + ".click(); }\n}\nclass SubPage extends HomePage implements Closing {", "home.close();", "for (AutoCloseable e : all) e.close();", false},
		"what a library's object says":                {"java", "void close() { " + options + ".click(); }", "home.close();", "for (AutoCloseable e : all) e.close();", true},
		"a field of a name that others use":           {"java", "final Locator other = page.locator(\"#other\");\n  void go() { " + options + ".click(); }", "home.go();", "other.go();", true},
		"a lambda's parameter of a field's name":      {"java", "final Locator other = page.locator(\"#other\");\n  void go() { " + options + ".click(); }", "home.go();", "all().forEach(other -> other.go());", false},
		"a loop's variable of a field's name":         {"java", "void go() { " + options + ".click(); }", "home.go();", "for (HomePage other : all()) other.go();", false},
		"an option of its name":                       {"cs", "public ILocator State => page.GetByRole(AriaRole.Button, new() { Name = \"Search\" });", "await home.State.ClickAsync();", "await Page.Locator(\"#a\").WaitForAsync(new() { State = WaitForSelectorState.Hidden });", true},
		"a setter of its name":                        {"cs", "public string State { set { page.GetByRole(AriaRole.Button, new() { Name = \"Search\" }).ClickAsync(); } }", "home.State = \"x\";", "var page = new HomePage() { State = \"y\" };", false},
		"a variable that gets what calls give":        {"java", "OtherPage shop() { return null; }\n  void go() { " + options + ".click(); }", "home.go();", "OtherPage shop = new OtherPage(page); shop = home.shop(); shop.go();", true},
		"a variable of the page object's class":       {"java", "OtherPage shop() { return null; }\n  void go() { " + options + ".click(); }", "home.go();", "HomePage shop = new HomePage(page); shop.go();", false},
		"a variable that gets a locator later":        {"java", "void go() { Locator item; item = " + options + "; item.click(); }", "home.go();", "for (Locator item : all()) item.click();", true},
		"a field that gets a locator later":           {"java", "Locator item;\n  void go() { item = " + options + "; item.click(); }", "home.go();", "home.item.click();", false},
	} {
		disk := fstest.MapFS{
			"HomePage.java":  {Data: []byte("class HomePage {\n  Page page;\n  " + c.page + "\n  void stop() { page.locator(\"#stop\").click(); }\n}\n")},
			"OtherPage.java": {Data: []byte("class OtherPage {\n  Page page;\n  HomePage home() { return new HomePage(page); }\n  List<Map<String, Object>> rows() { return home().go(); }\n  OtherPage open() { return this; }\n  void go() { page.locator(\"#go\").click(); }\n}\n")},
			"ATest.java":     {Data: []byte("class ATest {\n  HomePage home = new HomePage(page);\n  OtherPage other = new OtherPage(page);\n  @Test\n  void a() { " + c.a + " }\n  @Test\n  void b() { " + c.b + " }\n}\n")},
		}
		file := "ATest.java"
		if c.lang == "cs" {
			file = "ATest.cs"
			disk = fstest.MapFS{
				"HomePage.cs": {Data: []byte("public class HomePage\n{\n    IPage page;\n    " + c.page + "\n}\n")},
				"ATest.cs":    {Data: []byte("public class ATest : PageTest\n{\n    HomePage home;\n    [Test]\n    public async Task a() { " + c.a + " }\n    [Test]\n    public async Task b() { " + c.b + " }\n}\n")},
			}
		}
		p := New(disk)
		of := func(name string) engine.TestResult {
			return engine.TestResult{ID: engine.TestID("ATest › " + name), Class: "ATest", File: file, Name: name}
		}
		p.SetPassed([]PassedTest{{Test: of("b")}})
		healed := of("a")
		got := p.Propose(engine.HealEvent{TestID: healed.ID, Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: lost, HealedLocator: is,
			Matches: []engine.Match{{Locator: is, Count: 1}}}, &healed)
		if edits := got.Edit != nil; edits != c.edits {
			t.Errorf("%s: %v, %s", name, got.Edit, got.Reason)
		}
	}
}
