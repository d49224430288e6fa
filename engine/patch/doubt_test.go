package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/breadcrumb/action/engine"
)

// doubt is a checkout in which one literal says the old locator and an edit of
// it could still be the wrong one, or could not.
type doubt struct {
	name    string
	test    string // id of the healed test, "" when the event names none
	old     string // "" for #a
	site    int    // line in the first file, 0 for none
	passed  string // test of the first file that passed, "" for none
	because string // of the refusal; "" when the edit is right
	files   string // txtar
}

var doubts = []doubt{
	{"constant in the shadow of another", "a.spec.ts › y", "", 0, "", "also used outside locator calls", `
-- a.spec.ts --
const SEL = '#a';
test('x', async ({ page }) => { const SEL = '#b'; await page.locator(SEL).click(); });
test('y', async ({ page }) => { await page.locator(SEL).click(); });
`},
	{"constant in the shadow of a parameter", "a.spec.ts › y", "", 0, "", "also used outside locator calls", `
-- a.spec.ts --
const SEL = '#a';
const f = (page, SEL) => page.locator(SEL);
test('y', async ({ page }) => { await page.locator(SEL).click(); });
`},
	{"variable that changes", "a.spec.ts › y", "", 0, "", "also used outside locator calls", `
-- a.spec.ts --
let sel = '#a';
test('y', async ({ page }) => { await page.locator(sel).click(); sel = '#b'; });
`},
	{"constant imported under another name", "a.spec.ts › y", "", 0, "", "also used outside locator calls", `
-- a.spec.ts --
import { SEL } from './s';
test('y', async ({ page }) => { await page.locator(SEL).click(); });
-- b.spec.ts --
import { SEL as S } from './s';
test('q', async ({ page }) => { await page.evaluate(s => s, S); });
-- s.ts --
export const SEL = '#a';
`},
	{"constant exported under another name", "a.spec.ts › y", "", 0, "", "also used outside locator calls", `
-- a.spec.ts --
import { SEL } from './s';
test('y', async ({ page }) => { await page.locator(SEL).click(); });
-- i.ts --
export { SEL as LOGIN } from './s';
-- s.ts --
export const SEL = '#a';
`},
	{"python constant imported under another name", "test_a.py::test_y", "", 0, "", "also used outside locator calls", `
-- test_a.py --
from s import SEL
def test_y(page):
    page.locator(SEL).click()
-- test_b.py --
from s import SEL as S
def test_q(page):
    page.evaluate("x", S)
-- s.py --
SEL = "#a"
`},
	{"entry taken by a computed name", "a.spec.ts › y", "", 0, "", "also used outside locator calls", `
-- a.spec.ts --
const SEL = { save: '#a', load: '#b' };
test('y', async ({ page }) => { await page.locator(SEL.save).click(); for (const k of keys) await press(page, SEL[k]); });
`},
	{"helper imported under another name", "a.spec.ts › y", "", 0, "z", "z passed with the old locator", `
-- a.spec.ts --
import { login as doLogin } from './h';
test('y', async ({ page }) => { await doLogin(page); });
test('z', async ({ page }) => { await doLogin(page); });
-- h.ts --
export async function login(page) { await page.locator('#a').click(); }
`},
	{"helper imported under another name, not used by the other", "a.spec.ts › y", "", 0, "z", "", `
-- a.spec.ts --
import { login as doLogin } from './h';
test('y', async ({ page }) => { await doLogin(page); });
test('z', async ({ page }) => { await page.goto('/'); });
-- h.ts --
export async function login(page) { await page.locator('#a').click(); }
`},
	{"python helper imported under another name", "test_a.py::test_y", "", 0, "test_z", "test_z passed with the old locator", `
-- test_a.py --
from h import login as do
def test_y(page):
    do(page)
def test_z(page):
    do(page)
-- h.py --
def login(page):
    page.locator("#a").click()
`},
	{"default export", "a.spec.ts › y", "", 0, "z", "z passed with the old locator", `
-- a.spec.ts --
import signIn from './h';
test('y', async ({ page }) => { await signIn(page); });
test('z', async ({ page }) => { await signIn(page); });
-- h.ts --
export default async function login(page) { await page.locator('#a').click(); }
`},
	{"default export, imported by its keyword", "a.spec.ts › y", "", 0, "z", "z passed with the old locator", `
-- a.spec.ts --
import { default as go } from './h';
test('y', async ({ page }) => { await go(page); });
test('z', async ({ page }) => { await go(page); });
-- h.ts --
async function login(page) { await page.locator('#a').click(); }
export default login;
`},
	{"required function", "a.spec.js › y", "", 0, "z", "z passed with the old locator", `
-- a.spec.js --
const go = require('./h');
test('y', async ({ page }) => { await go(page); });
test('z', async ({ page }) => { await go(page); });
-- h.js --
async function login(page) { await page.locator('#a').click(); }
module.exports = login;
`},
	{"function taken out of an object", "a.spec.ts › y", "", 0, "z", "z passed with the old locator", `
-- a.spec.ts --
import { helpers } from './h';
const { login: go } = helpers;
test('y', async ({ page }) => { await go(page); });
test('z', async ({ page }) => { await go(page); });
-- h.ts --
export const helpers = { login: async (page) => { await page.locator('#a').click(); } };
`},
	{"constructor", "a.spec.ts › y", "", 0, "z", "z passed with the old locator", `
-- a.spec.ts --
import LP from './h';
test('y', async ({ page }) => { new LP(page); });
test('z', async ({ page }) => { new LP(page); });
-- h.ts --
export default class LoginPage { constructor(page: Page) { page.locator('#a').click(); } }
`},
	{"constructor of a base class", "a.spec.ts › y", "", 0, "z", "z passed with the old locator", `
-- a.spec.ts --
import { LoginPage } from './h';
test('y', async ({ page }) => { new LoginPage(page); });
test('z', async ({ page }) => { new LoginPage(page); });
-- h.ts --
class Base { constructor(page: Page) { page.locator('#a').click(); } }
export class LoginPage extends Base {}
`},
	{"constructor of another class", "a.spec.ts › y", "", 0, "z", "", `
-- a.spec.ts --
import { LoginPage, Other } from './h';
test('y', async ({ page }) => { new LoginPage(page); });
test('z', async ({ page }) => { new Other(page); });
-- h.ts --
export class LoginPage { constructor(page: Page) { page.locator('#a').click(); } }
export class Other { constructor(page: Page) { page.locator('#b').click(); } }
`},
	{"go test of which only the package is known", "e2e/a_test.go › TestY", "", 0, "example.com/shop/e2e TestZ", "TestZ passed with the old locator", `
-- e2e/a_test.go --
package e2e
func TestY(t *testing.T) { login(page) }
func TestZ(t *testing.T) { login(page) }
-- e2e/h.go --
package e2e
func login(page playwright.Page) { page.Locator("#a").Click() }
-- go.mod --
module example.com/shop
`},
	{"the site hands it to a function of the project", "a.spec.ts › y", "", 2, "", "outside a locator call", `
-- a.spec.ts --
test('y', async ({ page }) => {
  await clickOn('#a');
  await page.locator('#a').isVisible();
});
`},
	{"it is also handed to a function of the project", "a.spec.ts › y", "", 0, "", "and at line 2", `
-- a.spec.ts --
test('y', async ({ page }) => {
  await clickOn('#a');
  await page.locator('#a').isVisible();
});
`},
	{"it is also typed and compared", "a.spec.ts › y", "", 0, "", "", `
-- a.spec.ts --
test('y', async ({ page }) => {
  await page.locator('#a').fill('#a');
  await expect(value).toBe('#a');
});
`},
	{"a page object hands it on, another one looks for it", "a.spec.ts › y", "", 0, "", "and at line 2 of login.ts", `
-- a.spec.ts --
import { Login } from './login';
import { Other } from './other';
test('y', async ({ page }) => { await new Login(page).go(); });
-- login.ts --
export class Login { constructor(page: Page) {}
  async go() { await this.actions.tapOn('#a'); } }
-- other.ts --
export class Other { constructor(page: Page) {}
  async go() { await this.page.locator('#a').hover(); } }
`},
	{"the site computes it", "a.spec.ts › y", "#row-1", 2, "", "is computed at line 2", `
-- a.spec.ts --
test('y', async ({ page }) => {
  for (const i of [1, 2]) await page.locator(` + "`#row-${i}`" + `).click();
  await page.locator('#row-1').isVisible();
});
`},
	{"another line may compute it", "a.spec.ts › y", "#row-1", 0, "", "what is computed at line 2", `
-- a.spec.ts --
test('y', async ({ page }) => {
  for (const i of [1, 2]) await page.locator(` + "`#row-${i}`" + `).click();
  await page.locator('#row-1').isVisible();
});
`},
	{"another line may join it", "test_a.py::test_y", "#row-one", 0, "", "what is computed at line 3", `
-- test_a.py --
def test_y(page):
    for name in ("one", "two"):
        page.locator("#row-" + name).click()
    page.locator("#row-one").is_visible()
`},
	{"another line may format it", "a_test.go › TestY", "#row-1", 0, "", "what is computed at line 3", `
-- a_test.go --
package e2e
func TestY(t *testing.T) {
	page.Locator(fmt.Sprintf("#row-%d", n)).Click()
	page.Locator("#row-1").IsVisible()
}
`},
	{"another line computes something else", "a.spec.ts › y", "#row-picker", 0, "", "", `
-- a.spec.ts --
test('y', async ({ page }) => {
  for (const i of [1, 2]) await page.locator(` + "`#row-${i}`" + `).click();
  await page.locator('#row-picker').isVisible();
});
`},
	{"one branch of a condition beside it", "a.spec.ts › y", "", 0, "", "as one branch of a condition", `
-- a.spec.ts --
test('y', async ({ page }) => {
  await page.locator(mobile ? '#a' : '#b').click();
  await page.locator('#a').isVisible();
});
`},
	{"no test is named, the site is in another one", "", "", 2, "", "only inside other tests", `
-- a.spec.ts --
test('y', async ({ page }) => {
  await open();
});
test('z', async ({ page }) => {
  await page.locator('#a').click();
});
`},
	{"no test is named, the site is in the same one", "", "", 5, "", "", `
-- a.spec.ts --
test('y', async ({ page }) => {
  await open();
});
test('z', async ({ page }) => {
  await open();
  await page.locator('#a').click();
});
`},
	{"the site is in another test than the one named", "a.spec.ts › y", "", 5, "", "is in another test", `
-- a.spec.ts --
test('y', async ({ page }) => {
  await open();
});
test('z', async ({ page }) => {
  await page.locator('#a').click();
});
`},
	{"java class of another module", "a/src/test/java/shop/LoginTest.java::LoginTest::y", "", 0, "", "does not stand in", `
-- a/src/test/java/shop/LoginTest.java --
package shop;
import shop.pages.LoginPage;
class LoginTest { @Test void y() { new LoginPage(page).go(); } }
-- a/src/main/java/shop/pages/LoginPage.java --
package shop.pages;
public class LoginPage { public void go() { page.locator("#b").click(); } }
-- b/src/main/java/shop/pages/LoginPage.java --
package shop.pages;
public class LoginPage { public void go() { page.locator("#a").click(); } }
`},
	{"java class of two other modules", "t/src/test/java/shop/LoginTest.java::LoginTest::y", "", 0, "", "does not stand in", `
-- t/src/test/java/shop/LoginTest.java --
package shop;
import shop.pages.LoginPage;
class LoginTest { @Test void y() { new LoginPage(page).go(); } }
-- a/src/main/java/shop/pages/LoginPage.java --
package shop.pages;
public class LoginPage { public void go() { page.locator("#b").click(); } }
-- b/src/main/java/shop/pages/LoginPage.java --
package shop.pages;
public class LoginPage { public void go() { page.locator("#a").click(); } }
`},
	{"java class of the own module", "a/src/test/java/shop/LoginTest.java::LoginTest::y", "", 0, "", "", `
-- a/src/test/java/shop/LoginTest.java --
package shop;
import shop.pages.LoginPage;
class LoginTest { @Test void y() { new LoginPage(page).go(); } }
-- a/src/main/java/shop/pages/LoginPage.java --
package shop.pages;
public class LoginPage { public void go() { page.locator("#a").click(); } }
-- b/src/main/java/shop/pages/LoginPage.java --
package shop.pages;
public class LoginPage { public void go() { page.locator("#a").click(); } }
`},
	{"c# class of another project", "A/LoginTests.cs::LoginTests::Y", "", 0, "", "does not stand in", `
-- A/LoginTests.cs --
namespace Shop;
public class LoginTests { [Test] public async Task Y() { await new LoginPage(Page).Go(); } }
-- A/A.csproj --
<Project/>
-- A/LoginPage.cs --
namespace Shop;
public class LoginPage { public Task Go() => page.Locator("#b").ClickAsync(); }
-- B/B.csproj --
<Project/>
-- B/LoginPage.cs --
namespace Shop;
public class LoginPage { public Task Go() => page.Locator("#a").ClickAsync(); }
`},
	{"c# class of a project that is referred to", "A/LoginTests.cs::LoginTests::Y", "", 0, "", "", `
-- A/LoginTests.cs --
namespace Shop;
public class LoginTests { [Test] public async Task Y() { await new LoginPage(Page).Go(); } }
-- A/A.csproj --
<Project><ItemGroup><ProjectReference Include="..\B\B.csproj" /></ItemGroup></Project>
-- B/B.csproj --
<Project/>
-- B/LoginPage.cs --
namespace Shop;
public class LoginPage { public Task Go() => page.Locator("#a").ClickAsync(); }
-- C/C.csproj --
<Project/>
-- C/LoginPage.cs --
namespace Shop;
public class LoginPage { public Task Go() => page.Locator("#a").ClickAsync(); }
`},
	{"the same test in two projects", "tests/a.spec.ts › y", "", 0, "", "could be tests/a.spec.ts or packages/p/tests/a.spec.ts", `
-- tests/a.spec.ts --
test('y', async ({ page }) => { await page.locator('#a').click(); });
-- packages/p/tests/a.spec.ts --
test('y', async ({ page }) => { await page.locator('#a').click(); });
`},
	{"the same test in two projects, one without the locator", "tests/a.spec.ts › y", "", 0, "", "", `
-- tests/a.spec.ts --
test('y', async ({ page }) => { await page.locator('#a').click(); });
-- packages/p/tests/a.spec.ts --
test('y', async ({ page }) => { await page.locator('#b').click(); });
`},
	{"a hook of another suite", "a.spec.ts › A › y", "", 0, "", "only inside other tests", `
-- a.spec.ts --
test.describe('A', () => {
  test('y', async ({ page }) => { await open(page); });
});
test.describe('B', () => {
  test.beforeEach(async ({ page }) => { await page.locator('#a').click(); });
  test('z', async ({ page }) => { await open(page); });
});
`},
	{"a hook of the suite around", "a.spec.ts › A › B › y", "", 0, "", "", `
-- a.spec.ts --
test.describe('A', () => {
  test.beforeEach(async ({ page }) => { await page.locator('#a').click(); });
  test.describe('B', () => {
    test('y', async ({ page }) => { await open(page); });
  });
});
`},
	{"a hook of another python class", "test_a.py::TestA::test_y", "", 0, "", "only inside other tests", `
-- test_a.py --
class TestA:
    def test_y(self, page):
        pass

class TestB:
    def setup_method(self):
        self.page.locator("#a").click()
    def test_z(self, page):
        pass
`},
	{"a hook of the python class that it inherits from", "test_a.py::TestA::test_y", "", 0, "", "", `
-- test_a.py --
class TestB:
    def setup_method(self):
        self.page.locator("#a").click()

class TestA(TestB):
    def test_y(self, page):
        pass
`},
	{"what another locator is filtered by", "a.spec.ts › y", "", 0, "", "hangs on another locator", `
-- a.spec.ts --
test('y', async ({ page }) => { await page.locator('li').filter({ has: page.locator('#a') }).click(); });
`},
	{"what another locator is filtered by, and one by itself", "a.spec.ts › y", "", 0, "", "2 places", `
-- a.spec.ts --
test('y', async ({ page }) => {
  await page.locator('li').filter({ has: page.locator('#a') }).click();
  await page.locator('#a').click();
});
`},
	{"the site hangs on another locator", "a.spec.ts › y", "", 2, "", "hangs on another locator", `
-- a.spec.ts --
test('y', async ({ page }) => {
  await page.locator('li').locator('#a').click();
  await page.locator('#a').click();
});
`},
	{"what is expected of a locator in go", "a_test.go › TestY", "", 0, "", "", `
-- a_test.go --
package e2e
func TestY(t *testing.T) {
	require.NoError(t, expect.Locator(page.Locator("#a")).ToBeVisible())
}
`},
	{"the other one of two locators", "a.spec.ts › y", "", 0, "", "hangs on another locator", `
-- a.spec.ts --
test('y', async ({ page }) => { await page.locator('#b').or(page.locator('#a')).click(); });
`},
	{"a python option", "test_a.py::test_y", "", 0, "", "hangs on another locator", `
-- test_a.py --
def test_y(page):
    page.locator("li", has=page.locator("#a")).click()
`},
	{"a java option", "ATest.java::ATest::y", "", 0, "", "hangs on another locator", `
-- ATest.java --
class ATest {
  @Test void y() { page.locator("li").filter(new Locator.FilterOptions().setHas(page.locator("#a"))).click(); }
}
`},
	{"a c# option", "ATests.cs::ATests::Y", "", 0, "", "hangs on another locator", `
-- ATests.cs --
class ATests {
  [Test] public async Task Y() { await Page.Locator("li").Filter(new() { Has = Page.Locator("#a") }).ClickAsync(); }
}
`},
	{"a go option", "a_test.go › TestY", "", 0, "", "hangs on another locator", `
-- a_test.go --
package e2e
func TestY(t *testing.T) {
	page.Locator("li").Filter(playwright.LocatorFilterOptions{Has: page.Locator("#a")}).Click()
}
`},
	{"what is expected of a locator", "a.spec.ts › y", "", 0, "", "", `
-- a.spec.ts --
test('y', async ({ page }) => { await expect(page.locator('#a')).toBeVisible(); });
`},
	{"a locator in a branch of the preprocessor", "ATests.cs::ATests::Y", "", 0, "", "between #if and #endif", `
-- ATests.cs --
public class ATests {
  [Test] public async Task Y() {
#if MOBILE
    await Page.Locator("#a").ClickAsync();
#endif
  }
}
`},
	{"a compiled test", "dist/a.spec.js › y", "", 0, "", "compiled from another file", `
-- dist/a.spec.js --
test('y', async ({ page }) => { await page.locator('#a').click(); });
//# sourceMappingURL=a.spec.js.map
`},
	{"an installed package", "node_modules/x/a.spec.js › y", "", 0, "", "not in the checkout", `
-- node_modules/x/a.spec.js --
test('y', async ({ page }) => { await page.locator('#a').click(); });
`},
	{"a declaration", "a.spec.ts › y", "", 0, "", "does not stand in", `
-- a.spec.ts --
import { SEL } from './s';
test('y', async ({ page }) => { await page.locator(SEL).click(); });
-- s.d.ts --
export declare const SEL = '#a';
`},
	{"an attribute of markup", "a.spec.tsx › y", "", 0, "", "", `
-- a.spec.tsx --
test('y', async ({ mount, page }) => { await mount(<Card id="#a" at={page.locator('#a')}>#a</Card>); });
`},
	{"a byte order mark and carriage returns", "test_a.py::test_y", "", 0, "", "only inside other tests", "\n-- test_a.py --\n\ufeffdef test_z(page):\r\n\tpage.locator('#a').click()\r\n\r\n\r\ndef test_y(page):\r\n\tpass\r\n"},
	{"a byte order mark and tabs", "test_a.py::test_y", "", 0, "", "", "\n-- test_a.py --\n\ufeffdef test_y(page):\r\n\tpage.locator('#a').click()\r\n"},
}

func TestProposeRefusesInDoubt(t *testing.T) {
	for _, c := range doubts {
		t.Run(c.name, func(t *testing.T) {
			archive := txtar.Parse([]byte(c.files))
			src := fstest.MapFS{}
			for _, f := range archive.Files {
				src[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			first := archive.Files[0].Name
			h := engine.HealEvent{TestID: c.test, Locator: c.old, HealedLocator: "#next", Confidence: 1, Outcome: engine.OutcomeHealed}
			if h.Locator == "" {
				h.Locator = "#a"
			}
			if c.site > 0 {
				h.Site = &engine.Site{File: first, Line: c.site}
			}
			p := New(src)
			if pkg, name, ok := strings.Cut(c.passed, " "); ok {
				p.Saw([]Passed{{Test: engine.TestResult{Class: pkg, Name: name, ID: pkg + " › " + name}}})
			} else if c.passed != "" {
				p.Saw([]Passed{{Test: engine.TestResult{File: first, Name: c.passed, ID: first + " › " + c.passed}}})
			}
			got := p.Propose(h, nil)
			switch {
			case c.because == "" && got.Edit == nil:
				t.Errorf("refused: %s", got.Reason)
			case c.because != "" && got.Edit != nil:
				t.Errorf("edited %s:%d %s", got.Edit.File, got.Edit.Line, got.Edit.After)
			case !strings.Contains(got.Reason, c.because):
				t.Errorf("reason %q, want %q", got.Reason, c.because)
			}
		})
	}
	t.Logf("%d cases", len(doubts))
}
