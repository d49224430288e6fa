package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/breadcrumb/action/engine"
)

// Each case is the files of a page whose list holds #save, beside those of its suite, and the
// line after the edit, "" for none.
var keptLists = map[string]struct {
	suite map[string]string
	cases []struct{ name, page, want string }
}{
	"CartTest.java": {map[string]string{
		"CartTest.java": "package shop;\nclass CartTest {\n  @Test\n  void saves() { new CartPage().open(); }\n  @Test\n  void looks() { new CartPage().look(); }\n}\n",
		"BasePage.java": `package shop;
abstract class BasePage {
  private List<String> kept;
  BasePage() { }
  BasePage(List<String> kept) { this.kept = kept; }
  void ready(List<String> anchors) { for (String a : anchors) page.locator(a).waitFor(); }
  void readyOnes() { kept.forEach(a -> page.locator(a).waitFor()); }
}
`,
	}, []struct{ name, page, want string }{
		{"a constant", `-- CartPage.java --
package shop;
class CartPage extends BasePage {
  private static final List<String> ANCHORS = List.of("#cart", "#save");
  void open() { ready(ANCHORS); }
  void look() { }
}
`, `private static final List<String> ANCHORS = List.of("#cart", "#store");`},
		{"a constant that another test uses", `-- CartPage.java --
package shop;
class CartPage extends BasePage {
  private static final List<String> ANCHORS = List.of("#cart", "#save");
  void open() { ready(ANCHORS); }
  void look() { ready(ANCHORS); }
}
`, ""},
		{"a constant that is also sent", `-- CartPage.java --
package shop;
class CartPage extends BasePage {
  private static final List<String> ANCHORS = List.of("#cart", "#save");
  void open() { ready(ANCHORS); api.post(ANCHORS); }
  void look() { }
}
`, ""},
		{"a constant that a stream takes", `-- CartPage.java --
package shop;
class CartPage {
  private static final List<String> ANCHORS = Arrays.asList("#cart", "#save");
  boolean open() { return ANCHORS.stream().allMatch(a -> page.isVisible(a)); }
  void look() { }
}
`, `private static final List<String> ANCHORS = Arrays.asList("#cart", "#store");`},
		{"a constant of which one value is computed", `-- CartPage.java --
package shop;
class CartPage extends BasePage {
  private static final List<String> ANCHORS = List.of("#save", id("save"));
  void open() { ready(ANCHORS); }
  void look() { }
}
`, ""},
		{"what a method returns", `-- CartPage.java --
package shop;
class CartPage extends BasePage {
  private List<String> anchors() { return List.of("#cart", "#save"); }
  void open() { ready(anchors()); }
  void look() { }
}
`, `private List<String> anchors() { return List.of("#cart", "#store"); }`},
		{"what a method returns to another test, too", `-- CartPage.java --
package shop;
class CartPage extends BasePage {
  private List<String> anchors() { return List.of("#cart", "#save"); }
  void open() { ready(anchors()); }
  void look() { ready(anchors()); }
}
`, ""},
		{"what a method may return", `-- CartPage.java --
package shop;
class CartPage extends BasePage {
  private List<String> anchors() { if (old) return List.of("#old"); return List.of("#cart", "#save"); }
  void open() { ready(anchors()); }
  void look() { }
}
`, ""},
		{"what the class above keeps", `-- CartPage.java --
package shop;
class CartPage {
  void open() { new Anchors().readyOnes(); }
  void look() { }
}
-- Anchors.java --
package shop;
class Anchors extends BasePage {
  Anchors() { super(List.of("#cart", "#save")); }
}
`, `Anchors() { super(List.of("#cart", "#store")); }`},
		{"what the class above keeps for another test, too", `-- CartPage.java --
package shop;
class CartPage extends BasePage {
  CartPage() { super(List.of("#cart", "#save")); }
  void open() { readyOnes(); }
  void look() { readyOnes(); }
}
`, ""},
	}},
	"CartTests.cs": {map[string]string{
		"CartTests.cs": "namespace Shop;\nclass CartTests : PageTest {\n  [Test]\n  public async Task Saves() => await new CartPage().Open();\n  [Test]\n  public async Task Looks() => await new CartPage().Look();\n}\n",
	}, []struct{ name, page, want string }{
		{"a field", `-- CartPage.cs --
namespace Shop;
class CartPage {
  private static readonly string[] Anchors = { "#cart", "#save" };
  public async Task Open() => await Ready(Anchors);
  public async Task Look() { }
  private async Task Ready(string[] all) { foreach (var a in all) await Page.Locator(a).WaitForAsync(); }
}
`, `private static readonly string[] Anchors = { "#cart", "#store" };`},
		{"a property", `-- CartPage.cs --
namespace Shop;
class CartPage {
  private string[] Anchors => new[] { "#cart", "#save" };
  public async Task Open() => await Ready(Anchors);
  public async Task Look() { }
  private async Task Ready(string[] all) { foreach (var a in all) await Page.Locator(a).WaitForAsync(); }
}
`, `private string[] Anchors => new[] { "#cart", "#store" };`},
	}},
	"cart.spec.ts": {map[string]string{
		"cart.spec.ts": "import { CartPage } from './cart.page';\ntest('saves', async ({ page }) => {\n  await new CartPage(page).open();\n});\ntest('looks', async ({ page }) => {\n  await new CartPage(page).look();\n});\n",
		"base.ts":      "export async function ready(page: Page, all: readonly string[]) {\n  for (const a of all) await page.locator(a).waitFor();\n}\n",
	}, []struct{ name, page, want string }{
		{"a constant", `-- cart.page.ts --
import { ready } from './base';
const anchors = ['#cart', '#save'] as const;
export class CartPage {
  async open() { await ready(this.page, anchors); }
  async look() { }
}
`, `const anchors = ['#cart', '#store'] as const;`},
		{"a constant that is spread", `-- cart.page.ts --
import { ready } from './base';
const anchors = ['#cart', '#save'];
export class CartPage {
  async open() { await ready(this.page, [...anchors]); }
  async look() { }
}
`, ""},
	}},
	"test_cart.py": {map[string]string{
		"test_cart.py": "from cart import CartPage\n\n\ndef test_saves(page):\n    CartPage(page).open()\n\n\ndef test_looks(page):\n    CartPage(page).look()\n",
	}, []struct{ name, page, want string }{
		{"a constant", `-- cart.py --
ANCHORS = ["#cart", "#save"]


class CartPage:
    def open(self):
        self.ready(ANCHORS)

    def look(self):
        pass

    def ready(self, anchors):
        for a in anchors:
            self.page.locator(a).wait_for()
`, `ANCHORS = ["#cart", "#store"]`},
		{"a constant that a comprehension takes", `-- cart.py --
class CartPage:
    ANCHORS = ("#cart", "#save")

    def open(self):
        return [self.page.locator(a).inner_text() for a in self.ANCHORS]

    def look(self):
        pass
`, `ANCHORS = ("#cart", "#store")`},
	}},
	"cart_test.go": {map[string]string{
		"cart_test.go": "package e2e\n\nfunc TestSaves(t *testing.T) {\n\topen(page)\n}\n\nfunc TestLooks(t *testing.T) {\n\tlook(page)\n}\n",
		"base_test.go": "package e2e\n\nfunc ready(page playwright.Page, all []string) {\n\tfor _, a := range all {\n\t\tpage.Locator(a).Click()\n\t}\n}\n",
	}, []struct{ name, page, want string }{
		{"a variable of the package", `-- pages_test.go --
package e2e

var anchors = []string{"#cart", "#save"}

func open(page playwright.Page) {
	ready(page, anchors)
}

func look(page playwright.Page) {
}
`, `var anchors = []string{"#cart", "#store"}`},
	}},
}

// A list that a constant, a field, a method or the class above has is edited where its literal
// stands; it is not where a test that passed runs what is done with it.
func TestAListThatIsKeptIsEditedWhereItStands(t *testing.T) {
	t.Parallel()
	names := map[string][2]string{".java": {"saves", "looks"}, ".cs": {"Saves", "Looks"}, ".ts": {"saves", "looks"}, ".py": {"test_saves", "test_looks"}, ".go": {"TestSaves", "TestLooks"}}
	for test, suite := range keptLists {
		for _, c := range suite.cases {
			files := fstest.MapFS{}
			for name, text := range suite.suite {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
			for _, f := range txtar.Parse([]byte(c.page)).Files {
				files[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			name := names[test[strings.LastIndex(test, "."):]]
			p := New(files)
			p.SetPassed([]PassedTest{{Test: engine.TestResult{File: test, Name: name[1], ID: engine.TestID(test + " › " + name[1])}}})
			got := p.Propose(engine.HealEvent{TestID: engine.TestID(test + " › " + name[0]), Locator: "#save", HealedLocator: "#store", Confidence: 1, Outcome: engine.OutcomeHealed}, nil)
			edited := ""
			if got.Edit != nil {
				edited = strings.TrimSpace(got.Edit.After)
			}
			if edited != c.want {
				t.Errorf("%s, %s: edited %q, %s", test, c.name, edited, got.Reason)
			}
		}
	}
}
