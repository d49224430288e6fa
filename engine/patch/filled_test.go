package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// filledIn are a page object and a test in each language, with HELPERS in the one and CALLS in
// the other.
var filledIn = map[string]struct{ page, helpers, test, calls string }{
	"ts": {"alerts.ts", "export class AlertsPage {\n  constructor(private page: Page) {}\n  HELPERS\n}\n",
		"a.spec.ts", "import { AlertsPage } from './alerts';\ntest('a', async ({ page }) => {\n  const alerts = new AlertsPage(page);\n  CALLS\n});\n"},
	"py": {"alerts.py", "class AlertsPage:\n    def __init__(self, page):\n        self.page = page\n\n    HELPERS\n",
		"test_a.py", "from alerts import AlertsPage\n\n\ndef test_a(page):\n    alerts = AlertsPage(page)\n    CALLS\n"},
	"java": {"src/test/java/shop/AlertsPage.java", "package shop;\nclass AlertsPage {\n  private final Page page;\n  HELPERS\n}\n",
		"src/test/java/shop/ATest.java", "package shop;\nclass ATest {\n  @Test\n  void a() {\n    AlertsPage alerts = new AlertsPage(page);\n    CALLS\n  }\n}\n"},
	"cs": {"AlertsPage.cs", "namespace Shop;\npublic class AlertsPage\n{\n    private readonly IPage _page;\n    HELPERS\n}\n",
		"ATests.cs", "namespace Shop;\npublic class ATests : PageTest\n{\n    [Test]\n    public async Task a()\n    {\n        var alerts = new AlertsPage(Page);\n        CALLS\n    }\n}\n"},
	"go": {"alerts.go", "package shop\n\ntype AlertsPage struct{ page playwright.Page }\n\nHELPERS\n",
		"a_test.go", "package shop\n\nfunc TestA(t *testing.T) {\n\talerts := &AlertsPage{page: open(t)}\n\tCALLS\n}\n"},
}

// filledCase is what is lost by a helper, on the line of § in it or in the calls.
type filledCase struct{ lang, helpers, calls, old, next, want string }

// files returns the sources of a case, and the line that lost its locator.
func (c filledCase) files() (fstest.MapFS, *engine.Site) {
	in := filledIn[c.lang]
	disk := fstest.MapFS{}
	var site *engine.Site
	for file, text := range map[string]string{in.page: strings.Replace(in.helpers, "HELPERS", c.helpers, 1), in.test: strings.Replace(in.test+"\x00"+in.calls, in.test+"\x00", "", 1)} {
		text = strings.Replace(text, "CALLS", c.calls, 1)
		if before, _, ok := strings.Cut(text, "§"); ok {
			site = &engine.Site{File: file, Line: strings.Count(before, "\n") + 1}
		}
		disk[file] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "§", ""))}
	}
	return disk, site
}

// propose proposes an edit of the case's lost locator, which next found alone.
func (c filledCase) propose(passed ...PassedTest) Proposal {
	disk, site := c.files()
	name := map[string]string{"py": "test_a", "go": "TestA"}[c.lang]
	if name == "" {
		name = "a"
	}
	p := New(disk)
	p.SetPassed(passed)
	return p.Propose(engine.HealEvent{
		TestID: engine.TestID(filledIn[c.lang].test + " › " + name), Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: c.old, HealedLocator: c.next,
		Matches: []engine.Match{{Locator: c.next, Count: 1}}, Site: site,
	}, nil)
}

const (
	xpathWas, xpathIs = `//button[text()='Save']`, `//button[text()='Store']`
	textWas, textIs   = `button:has-text("Save")`, `button:has-text("Store")`
	saveWas, saveIs   = `#btn-save`, `#btn-store`
	dropWas, dropIs   = `internal:role=button[name="Delete Save"i]`, `internal:role=button[name="Delete Store"i]`
	roleWas, roleIs   = `internal:role=button[name="Save"i]`, `internal:role=button[name="Store"i]`
	cellWas, cellIs   = `#users tr:has-text("Save")`, `#users tr:has-text("Store")`
)

func TestATextThatAHelperComposesALocatorOfIsEdited(t *testing.T) {
	t.Parallel()
	for _, c := range []filledCase{
		// TypeScript
		{"ts", "§button(name: string) { return this.page.locator(`button:has-text(\"${name}\")`); }", "await alerts.button('Save').click();", textWas, textIs, "await alerts.button('Store').click();"},
		{"ts", "§button = (name: string) => this.page.locator(`button:has-text(\"${name}\")`);", "await alerts.button('Save').click();", textWas, textIs, "await alerts.button('Store').click();"},
		{"ts", "§async press(id: string) { await this.page.locator('#btn-' + id).click(); }", `await alerts.press("save");`, saveWas, saveIs, `await alerts.press("store");`},
		{"ts", "§async press(id: string) { await this.page.click(`#btn-${id}`); }", `await alerts.press("save");`, saveWas, saveIs, `await alerts.press("store");`},
		{"ts", "§button(name: string) { return this.page.getByRole('button', { name: `Delete ${name}` }); }", "await alerts.button('Save').click();", dropWas, dropIs, "await alerts.button('Store').click();"},
		{"ts", "§button(name: string) { console.log(`button ${name}`); const found = `button:has-text(\"${name}\")`; return this.page.locator(found); }", "await alerts.button('Save').click();", textWas, textIs, "await alerts.button('Store').click();"},
		{"ts", "button(name: string) {\n    const found = `button:has-text(\"${name}\")`;\n    §return this.page.locator(found);\n  }", "await alerts.button('Save').click();", textWas, textIs, "await alerts.button('Store').click();"},
		{"ts", "§private at(id: string) { return this.page.locator(`#btn-${id}`); }\n  async press(what: string) { await this.at(what).click(); }", "await alerts.press('save');", saveWas, saveIs, "await alerts.press('store');"},
		{"ts", "private at(css: string) { return this.page.locator(css); }\n  §async press(what: string) { await this.at(`#btn-${what}`).click(); }", "await alerts.press('save');", saveWas, saveIs, "await alerts.press('store');"},
		{"ts", "§row(table: string, name: string) { return this.page.locator(`#${table} tr:has-text(\"${name}\")`); }", "await alerts.row('users', 'Save').click();", cellWas, cellIs, "await alerts.row('users', 'Store').click();"},
		{"ts", "§row(name: string) { return this.page.locator(`#${this.table} tr:has-text(\"${name}\")`); }", "await alerts.row('Save').click();", cellWas, cellIs, "await alerts.row('Store').click();"},
		{"ts", "§row({ name }: { name: string }) { return this.page.locator(`button:has-text(\"${name}\")`); }", "await alerts.row({ name: 'Save' }).click();", textWas, textIs, "await alerts.row({ name: 'Store' }).click();"},
		{"ts", "button(name: string) { return this.page.locator(`button:has-text(\"${name}\")`); }", "§await alerts.button('Save').click();\n  await alerts.button('Save').click();", textWas, textIs, "await alerts.button('Store').click();"},
		{"ts", "button(name: string) { return this.page.locator(`button:has-text(\"${name}\")`); }", "await alerts.button('Save').click();", textWas, textIs, "await alerts.button('Store').click();"},
		{"ts", "§button(name: string) { return this.page.locator(`button:has-text(\"${name}\")`); }", "await alerts.button('Save').click();", textWas, `button:has-text("Bob's")`, `await alerts.button('Bob\'s').click();`},
		{"ts", "§button(name: string) { return this.page.locator(`button:has-text(\"${name}\")`); }\n  async save() { await this.button('Save').click(); }", "await alerts.save();", textWas, textIs, "async save() { await this.button('Store').click(); }"},
		{"ts", "§button(name: string) { return this.page.locator(`button:has-text(\"${name}\")`); }", "const SAVE = 'Save';\n  await alerts.button(SAVE).click();", textWas, textIs, "const SAVE = 'Store';"},
		{"ts", button["ts"] + "\n}\nexport interface Alerts {\n  button(name: string): Locator;", "await alerts.button('Save').click();", textWas, textIs, "await alerts.button('Store').click();"},
		{"ts", button["ts"], "await alerts.button('Keep').click();\n  await alerts.button('Save').click({ force: true });\n  await expect(alerts.button('Done')).toHaveText('Save');", textWas, textIs, "await alerts.button('Store').click({ force: true });"},
		// Python
		{"py", "def button(self, name):\n        §return self.page.locator(f'button:has-text(\"{name}\")')", `alerts.button("Save").click()`, textWas, textIs, `alerts.button("Store").click()`},
		{"py", "def button(self, name: str) -> Locator:\n        §return self.page.locator(f\"button:has-text(\\\"{name}\\\")\")", `alerts.button("Save").click()`, textWas, textIs, `alerts.button("Store").click()`},
		{"py", "def press(self, id_):\n        §self.page.locator(\"#btn-\" + id_).click()", `alerts.press(id_="save")`, saveWas, saveIs, `alerts.press(id_="store")`},
		{"py", "def press(self, id_):\n        logger.info(\"press %s\" % id_)\n        §self.page.locator(\"#btn-%s\" % id_).click()", `alerts.press('save')`, saveWas, saveIs, `alerts.press('store')`},
		{"py", "def press(self, kind, id_):\n        §self.page.locator(\"#{}-{}\".format(kind, id_)).click()", `alerts.press("btn", "save")`, saveWas, saveIs, `alerts.press("btn", "store")`},
		{"py", "BUTTON = \"#btn-{}\"\n\n    def press(self, id_):\n        §self.page.locator(self.BUTTON.format(id_)).click()", `alerts.press("save")`, saveWas, saveIs, `alerts.press("store")`},
		{"py", "def button(self, name):\n        §return self.page.get_by_role(\"button\", name=f\"Delete {name}\")", `alerts.button("Save").click()`, dropWas, dropIs, `alerts.button("Store").click()`},
		{"py", "def press(self, id_):\n        selector = f\"#btn-{id_}\"\n        §self.page.locator(selector).click()", `alerts.press("save")`, saveWas, saveIs, `alerts.press("store")`},
		// Java
		{"java", "void press(String name) {\n    §page.locator(\"button:has-text(\\\"\" + name + \"\\\")\").click();\n  }\n  void press(String url, boolean x) {\n    page.navigate(url);\n  }", `alerts.press("Save");`, textWas, textIs, `alerts.press("Store");`},
		{"java", "Locator button(String name) {\n    §return page.locator(\"//button[text()='\" + name + \"']\");\n  }", `alerts.button("Save").click();`, xpathWas, xpathIs, `alerts.button("Store").click();`},
		{"java", "void press(String name) {\n    §page.locator(String.format(\"//button[text()='%s']\", name)).click();\n  }", `alerts.press("Save");`, xpathWas, xpathIs, `alerts.press("Store");`},
		{"java", "private static final String BUTTON = \"//button[text()='%s']\";\n  void press(String name) {\n    §page.locator(String.format(BUTTON, name)).click();\n  }", `alerts.press("Save");`, xpathWas, xpathIs, `alerts.press("Store");`},
		{"java", "void press(String name) {\n    log.info(String.format(\"press %s\", name));\n    String xpath = \"//button[text()='\" + name + \"']\";\n    §page.locator(xpath).click();\n  }", `alerts.press("Save");`, xpathWas, xpathIs, `alerts.press("Store");`},
		{"java", "void press(String name) {\n    §page.locator(\"button:has-text(\\\"\" + name + \"\\\")\").click();\n  }", `alerts.press("Save");`, textWas, textIs, `alerts.press("Store");`},
		{"java", "void press(String id) {\n    §page.locator(\"#btn-%s\".formatted(id)).click();\n  }", `alerts.press("save");`, saveWas, saveIs, `alerts.press("store");`},
		{"java", "Locator button(String name) {\n    §return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(\"Delete \" + name));\n  }", `alerts.button("Save").click();`, dropWas, dropIs, `alerts.button("Store").click();`},
		// C#
		{"cs", "§private ILocator Button(string name) => _page.Locator($\"//button[text()='{name}']\");\n    public Task Press(string n) => Button(n).ClickAsync();", `await alerts.Press("Save");`, xpathWas, xpathIs, `await alerts.Press("Store");`},
		{"cs", "§public async Task ClickButtonAsync(string name) => await _page.Locator($\"//button[text()='{name}']\").ClickAsync();", `await alerts.ClickButtonAsync(name: "Save");`, xpathWas, xpathIs, `await alerts.ClickButtonAsync(name: "Store");`},
		{"cs", "public async Task ClickButtonAsync(string name)\n    {\n        Console.WriteLine($\"click {name}\");\n        §await _page.Locator($\"button:has-text(\\\"{name}\\\")\").ClickAsync();\n    }", `await alerts.ClickButtonAsync("Save");`, textWas, textIs, `await alerts.ClickButtonAsync("Store");`},
		{"cs", "§public Task Click(string name) => _page.ClickAsync($@\"button:has-text(\"\"{name}\"\")\");", `await alerts.Click("Save");`, textWas, textIs, `await alerts.Click("Store");`},
		{"cs", "§public Task Press(string id) => _page.Locator(\"#btn-\" + id).ClickAsync();", `await alerts.Press(@"save");`, saveWas, saveIs, `await alerts.Press(@"store");`},
		{"cs", "§public Task Press(string id) => _page.Locator(string.Format(\"#btn-{0}\", id)).ClickAsync();", `await alerts.Press("save");`, saveWas, saveIs, `await alerts.Press("store");`},
		{"cs", "§public ILocator Button(string name) => _page.GetByRole(AriaRole.Button, new() { Name = $\"Delete {name}\" });", `await alerts.Button("Save").ClickAsync();`, dropWas, dropIs, `await alerts.Button("Store").ClickAsync();`},
		{"cs", "public string Title;\n}\npublic static class PageExtensions\n{\n    §public static Task Press(this IPage page, string id) => page.Locator($\"#btn-{id}\").ClickAsync();", `await Page.Press("save");`, saveWas, saveIs, `await Page.Press("store");`},
		{"cs", "public string Title;\n}\npublic static class PageExtensions\n{\n    §public static Task Press(this IPage page, string id) => page.Locator($\"#btn-{id}\").ClickAsync();", `await PageExtensions.Press(Page, "save");`, saveWas, saveIs, `await PageExtensions.Press(Page, "store");`},
		{"cs", button["cs"] + "\n}\npublic interface IAlerts\n{\n    ILocator Button(string name);", `await alerts.Button("Save").ClickAsync();`, textWas, textIs, `await alerts.Button("Store").ClickAsync();`},
		// Go
		{"go", "func (p *AlertsPage) Button(name string) playwright.Locator {\n\t§return p.page.Locator(fmt.Sprintf(`button:has-text(\"%s\")`, name))\n}", `alerts.Button("Save").Click()`, textWas, textIs, `alerts.Button("Store").Click()`},
		{"go", "func (p *AlertsPage) Press(id string) error {\n\tselector := \"#btn-\" + id\n\t§return p.page.Locator(selector).Click()\n}", `alerts.Press("save")`, saveWas, saveIs, `alerts.Press("store")`},
		{"go", "func Press(page playwright.Page, id string) error {\n\t§return page.Locator(\"#btn-\" + id).Click()\n}", `Press(alerts.page, "save")`, saveWas, saveIs, `Press(alerts.page, "store")`},
		{"go", "func (p *AlertsPage) Button(name string) playwright.Locator {\n\t§return p.page.GetByRole(\"button\", playwright.PageGetByRoleOptions{Name: \"Delete \" + name})\n}", `alerts.Button("Save").Click()`, dropWas, dropIs, `alerts.Button("Store").Click()`},
	} {
		got := c.propose()
		if got.Edit == nil || strings.TrimSpace(got.Edit.After) != c.want || !got.Sure() {
			after := ""
			if got.Edit != nil {
				after = strings.TrimSpace(got.Edit.After)
			}
			t.Errorf("%s: %s\n  %s\n  edited %q (%.2f): %s", c.lang, c.helpers, c.calls, after, got.Confidence, got.Reason)
		}
	}
}
