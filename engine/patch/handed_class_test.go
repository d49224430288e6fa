package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// inherited are suites whose helper is a method of a base class, and another class has one of
// its name: of the helper NAME is what it looks for, of the test SETUP and CALL are to be
// filled in.
var inherited = map[string]struct {
	files map[string]string
	names [2]string // the name itself, and composed of it
	test  engine.TestID
}{
	"cs": {map[string]string{
		"BasePage.cs":   "namespace Shop;\npublic class BasePage\n{\n    protected IPage _page;\n    §public Task Click(string name) => _page.GetByRole(AriaRole.Button, new() { Name = NAME }).ClickAsync();\n}\n",
		"LoginPage.cs":  "namespace Shop;\npublic class LoginPage : BasePage\n{\n}\n",
		"OrdersPage.cs": "namespace Shop;\npublic class OrdersPage\n{\n    private IPage _page;\n    public Task Click(string name) => _page.GetByText(name).ClickAsync();\n}\n",
		"ATests.cs":     "namespace Shop;\npublic class ATests : PageTest\n{\n    SETUP\n    [Test]\n    public async Task a()\n    {\n        CALL\n    }\n}\n",
	}, [2]string{"name", `$"Delete {name}"`}, "ATests.cs › a"},
	"java": {map[string]string{
		"shop/BasePage.java":   "package shop;\npublic class BasePage {\n  protected Page page;\n  public void click(String name) {\n    §page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(NAME)).click();\n  }\n}\n",
		"shop/LoginPage.java":  "package shop;\npublic class LoginPage extends BasePage {\n}\n",
		"shop/OrdersPage.java": "package shop;\npublic class OrdersPage {\n  private Page page;\n  public void click(String name) { page.getByText(name).click(); }\n}\n",
		"shop/ATest.java":      "package shop;\nclass ATest {\n  SETUP\n  @Test\n  void a() {\n    CALL\n  }\n}\n",
	}, [2]string{"name", `"Delete " + name`}, "shop/ATest.java › a"},
	"ts": {map[string]string{
		"base.ts":   "export class BasePage {\n  constructor(protected page: Page) {}\n  §async click(name: string) { await this.page.getByRole('button', { name: NAME }).click(); }\n}\n",
		"login.ts":  "import { BasePage } from './base';\nexport class LoginPage extends BasePage {\n}\n",
		"orders.ts": "export class OrdersPage {\n  constructor(private page: Page) {}\n  async click(name: string) { await this.page.getByText(name).click(); }\n}\n",
		"a.spec.ts": "import { LoginPage } from './login';\nimport { OrdersPage } from './orders';\nSETUP\ntest('a', async ({ page }) => {\n  CALL\n});\n",
	}, [2]string{"name", "`Delete ${name}`"}, "a.spec.ts › a"},
	"py": {map[string]string{
		"base.py":   "class BasePage:\n    def __init__(self, page):\n        self.page = page\n\n    def click(self, name):\n        §self.page.get_by_role(\"button\", name=NAME).click()\n",
		"login.py":  "from base import BasePage\n\n\nclass LoginPage(BasePage):\n    pass\n",
		"orders.py": "class OrdersPage:\n    def click(self, name):\n        self.page.get_by_text(name).click()\n",
		"test_a.py": "from login import LoginPage\nfrom orders import OrdersPage\n\nSETUP\n\ndef test_a(page):\n    CALL\n",
	}, [2]string{"name", `f"Delete {name}"`}, "test_a.py › test_a"},
}

func TestAHelperOfABaseClassIsKnownByTheClassOfWhatItIsCalledOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang, setup, call string
		edits             bool
	}{
		{"cs", "", `var sut = new LoginPage(Page); await sut.Click("Save");`, true},
		{"cs", "private LoginPage _sut;", `await _sut.Click("Save");`, true},
		{"cs", "", `var login = new OrdersPage(Page); await login.Click("Save");`, false},
		{"cs", "", `var login = Make(); await login.Open().Click("Save");`, false},
		{"cs", "", `await Page.ClickAsync("Save");`, false},
		{"java", "", `LoginPage sut = new LoginPage(page); sut.click("Save");`, true},
		{"java", "private LoginPage sut;", `sut.click("Save");`, true},
		{"java", "", `new LoginPage(page).click("Save");`, true},
		{"java", "", `OrdersPage login = new OrdersPage(page); login.click("Save");`, false},
		{"java", "", `page.click("Save");`, false},
		{"ts", "", "const sut = new LoginPage(page); await sut.click('Save');", true},
		{"ts", "", "const login = new OrdersPage(page); await login.click('Save');", false},
		{"ts", "", "const sut = new LoginPage(page); await sut.page.click('Save');", false},
		{"ts", "", "await page.click('Save');", false},
		{"py", "", `LoginPage(page).click("Save")`, true},
		{"py", "", "sut = LoginPage(page)\n    sut.click(\"Save\")", true},
		{"py", "", "login = OrdersPage(page)\n    login.click(\"Save\")", false},
		{"py", "", `page.click("Save")`, false},
	} {
		for i, locators := range [][2]string{{roleWas, roleIs}, {dropWas, dropIs}} {
			in := inherited[c.lang]
			disk := fstest.MapFS{}
			var site *engine.Site
			for file, text := range in.files {
				text = strings.NewReplacer("NAME", in.names[i], "SETUP", c.setup, "CALL", c.call).Replace(text)
				if before, _, ok := strings.Cut(text, "§"); ok {
					site = &engine.Site{File: file, Line: strings.Count(before, "\n") + 1}
				}
				disk[file] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "§", ""))}
			}
			got := New(disk).Propose(engine.HealEvent{TestID: in.test, Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: locators[0], HealedLocator: locators[1],
				Matches: []engine.Match{{Locator: locators[1], Count: 1}}, Site: site}, nil)
			edits := got.Edit != nil && strings.Contains(got.Edit.After, "Store")
			if edits != c.edits {
				t.Errorf("%s, %s, %s: %v, %s", c.lang, in.names[i], c.call, got.Edit, got.Reason)
			}
		}
	}
}
