package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// shop is a suite in each language: a page object, a helper, a hook, a
// constant, and two tests of which the first uses all of them.
var shop = map[string]string{
	"e2e/pages/cart.page.ts": `import type { Page, Locator } from '@playwright/test';
import { selectors } from '../selectors';
export class CartPage {
  readonly pay: Locator;
  constructor(readonly page: Page) {
    this.pay = page.getByTestId('pay');
  }
  get total() { return this.page.locator('#total'); }
  async empty() {
    await this.confirm('yes');
  }
  private async confirm(answer: string) {
    await this.page.locator('#confirm').click();
  }
  readonly hint = () => this.page.locator(selectors.hint);
}
`,
	"e2e/selectors.ts": `export const selectors = {
  hint: '.hint',
};
`,
	"e2e/fixtures.ts": `import { test as base } from '@playwright/test';
import { CartPage } from '@pages/cart.page';
export const test = base.extend<{ cart: CartPage }>({
  cart: async ({ page }, use) => {
    await page.locator('#consent').click();
    await use(new CartPage(page));
  },
});
`,
	"tsconfig.json": `{
  // where page objects live
  "compilerOptions": { "baseUrl": ".", "paths": { "@pages/*": ["e2e/pages/*"], }, },
}`,
	"e2e/cart.spec.ts": `import { test } from './fixtures';
test.beforeEach(async ({ page }) => { await page.locator('#banner').click(); });
test('pays', async ({ cart, page }) => {
  await cart.pay.click();
  await cart.empty();
  await cart.total.click();
  await cart.hint().click();
});
test('looks', async ({ page }) => {
  await page.locator('#other').click();
});
test('totals', async ({ cart }) => {
  await cart.total.hover();
});
test('empties', async ({ cart }) => {
  await cart.empty();
});
test('hints', async ({ cart }) => {
  await cart.hint().hover();
});
test.describe('sizes', () => {
  for (const size of ['s', 'm']) {
    test(` + "`size ${size}`" + `, async ({ page }) => {
      await page.locator('#size').click();
    });
  }
});
`,
	"py/pages/cart.py": `class CartPage:
    PAY = "#pay"

    def __init__(self, page):
        self.page = page
        self.total = page.locator("#total")

    def pay(self):
        self.page.locator(self.PAY).click()

    def empty(self):
        self._confirm()

    def _confirm(self):
        self.page.locator("#confirm").click()
`,
	"py/conftest.py": `import pytest
from pages.cart import CartPage


@pytest.fixture(autouse=True)
def consent(page):
    page.locator("#consent").click()


@pytest.fixture
def cart(page):
    page.locator("#open-cart").click()
    return CartPage(page)
`,
	"py/test_cart.py": `def test_pays(cart, page):
    cart.pay()
    cart.empty()
    cart.total.click()


def test_looks(page):
    page.locator("#other").click()


def test_empties(cart):
    cart.empty()
`,
	"src/test/java/shop/CartPage.java": `package shop;
public class CartPage {
  private static final String PAY = "#pay";
  private final Page page;
  private final Locator total;
  CartPage(Page page) { this.page = page; this.total = page.locator("#total"); }
  public void pay() { page.locator(PAY).click(); }
  public void empty() { page.locator("#confirm").click(); }
  public Locator total() { return total; }
}
`,
	"src/test/java/shop/CartTest.java": `package shop;
class CartTest extends BaseTest {
  @Test
  void pays() { CartPage cart = new CartPage(page); cart.pay(); cart.empty(); cart.total().click(); }
  @Test
  void looks() { page.locator("#other").click(); }
  @Test
  void empties() { new CartPage(page).empty(); }
}
`,
	"src/test/java/shop/BaseTest.java": `package shop;
abstract class BaseTest {
  Page page;
  @BeforeEach
  void open() { page.locator("#consent").click(); }
}
`,
	"cs/CartPage.cs": `namespace Shop.Pages;
public class CartPage(IPage page)
{
    private const string PaySelector = "#pay";
    private ILocator Total => page.Locator("#total");
    public async Task PayAsync() => await page.Locator(PaySelector).ClickAsync();
    public async Task EmptyAsync()
    {
        await page.Locator("#confirm").ClickAsync();
    }
    public Task HoverTotalAsync() => Total.HoverAsync();
}
`,
	"cs/CartTests.cs": `using Shop.Pages;
namespace Shop.Tests;
public class CartTests : PageTest
{
    [SetUp]
    public async Task Open() { await Page.Locator("#consent").ClickAsync(); }
    [Test]
    public async Task Pays()
    {
        var cart = new CartPage(Page);
        await cart.PayAsync(); await cart.EmptyAsync(); await cart.HoverTotalAsync();
    }
    [Test]
    public async Task Looks() { await Page.Locator("#other").ClickAsync(); }
    [Test]
    public async Task Empties() { await new CartPage(Page).EmptyAsync(); }
}
`,
	"go.mod": "module example.com/shop\n",
	"go/pages/cart.go": `package pages

const paySelector = "#pay"

type Cart struct {
	page  playwright.Page
	total playwright.Locator
}

func NewCart(page playwright.Page) *Cart {
	return &Cart{page: page, total: page.Locator("#total")}
}

func (c *Cart) Pay() error { return c.page.Locator(paySelector).Click() }

func (c *Cart) Empty() error {
	return c.page.Locator("#confirm").Click()
}
`,
	"go/cart_test.go": `package e2e

import (
	"testing"

	"example.com/shop/go/pages"
)

func TestPays(t *testing.T) {
	cart := pages.NewCart(page)
	cart.Pay()
	cart.Empty()
}

func TestLooks(t *testing.T) {
	page.Locator("#other").Click()
}

func TestEmpties(t *testing.T) {
	pages.NewCart(page).Empty()
}
`,
}

func shopFS() fstest.MapFS {
	src := fstest.MapFS{}
	for name, text := range shop {
		src[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return src
}

const (
	shopTS   = "e2e/cart.spec.ts"
	shopPy   = "py/test_cart.py"
	shopJava = "src/test/java/shop/CartTest.java"
	shopCS   = "cs/CartTests.cs"
	shopGo   = "go/cart_test.go"
)

func TestAnotherTestThatPassedKeepsASharedLiteral(t *testing.T) {
	cases := []struct {
		file, healed, locator, passed string
		keeps                         bool
	}{
		{shopTS, "pays", `internal:testid=[data-testid="pay"s]`, "looks", false},
		{shopTS, "pays", `internal:testid=[data-testid="pay"s]`, "totals", false},
		{shopTS, "pays", "#total", "totals", true},
		{shopTS, "pays", "#total", "empties", false},
		{shopTS, "pays", "#confirm", "empties", true},
		{shopTS, "pays", "#confirm", "totals", false},
		{shopTS, "pays", ".hint", "hints", true},
		{shopTS, "pays", ".hint", "totals", false},
		{shopTS, "pays", "#banner", "looks", true},
		{shopTS, "pays", "#consent", "totals", true},
		{shopTS, "pays", "#consent", "looks", false},
		{shopTS, "size s", "#size", "size m", true},
		{shopTS, "size s", "#size", "looks", false},
		{shopPy, "test_pays", "#pay", "test_empties", false},
		{shopPy, "test_pays", "#total", "test_empties", false},
		{shopPy, "test_pays", "#confirm", "test_empties", true},
		{shopPy, "test_pays", "#confirm", "test_looks", false},
		{shopPy, "test_pays", "#consent", "test_looks", true},
		{shopPy, "test_pays", "#open-cart", "test_empties", true},
		{shopPy, "test_pays", "#open-cart", "test_looks", false},
		{shopJava, "pays", "#pay", "empties", false},
		{shopJava, "pays", "#total", "empties", false},
		{shopJava, "pays", "#confirm", "empties", true},
		{shopJava, "pays", "#confirm", "looks", false},
		{shopJava, "pays", "#consent", "looks", true},
		{shopCS, "Pays", "#pay", "Empties", false},
		{shopCS, "Pays", "#total", "Empties", false},
		{shopCS, "Pays", "#confirm", "Empties", true},
		{shopCS, "Pays", "#confirm", "Looks", false},
		{shopCS, "Pays", "#consent", "Looks", true},
		{shopGo, "TestPays", "#pay", "TestEmpties", false},
		{shopGo, "TestPays", "#confirm", "TestEmpties", true},
		{shopGo, "TestPays", "#confirm", "TestLooks", false},
	}
	for _, c := range cases {
		t.Run(c.file+" "+c.healed+" "+c.locator+" "+c.passed, func(t *testing.T) {
			next := "#next"
			if strings.HasPrefix(c.locator, "internal:testid") {
				next = `internal:testid=[data-testid="next"s]`
			}
			h := engine.HealEvent{TestID: engine.TestID(c.healed), Locator: c.locator, HealedLocator: next, Confidence: 1, Outcome: engine.OutcomeHealed}
			own := engine.TestResult{File: c.file, Name: c.healed}
			other := engine.TestResult{File: c.file, Name: c.passed}
			p := New(shopFS())
			if got := p.Propose(h, &own); got.Edit == nil {
				t.Fatalf("no edit even when nothing else ran: %s", got.Reason)
			}
			p.SetPassed([]PassedTest{{Test: own}, {Test: other}})
			got := p.Propose(h, &own)
			if c.keeps != (got.Edit == nil) {
				t.Errorf("edit %v, reason %q, want it kept: %v", got.Edit, got.Reason, c.keeps)
			}
			if c.keeps && !strings.Contains(got.Reason, c.passed+" passed with the old locator") {
				t.Errorf("reason %q", got.Reason)
			}
			p.SetPassed([]PassedTest{{Test: own}, {Test: other, Heals: []engine.HealEvent{{Locator: c.locator}}}})
			if got := p.Propose(h, &own); got.Edit == nil {
				t.Errorf("kept for a test that had to be healed as well: %s", got.Reason)
			}
		})
	}
}

// Tests that share a literal seldom lose it in the same chain: one takes the first of several
// alike, another one the second.
func TestATestThatWasHealedWithTheSamePartOfAnotherChain(t *testing.T) {
	source := fstest.MapFS{
		"src/test/java/shop/ListPage.java": {Data: []byte(`package shop;
class ListPage {
  private final Page page;
  ListPage(Page page) { this.page = page; }
  Locator row(int i) { return page.locator(".row").nth(i); }
}
`)},
		"src/test/java/shop/ListTest.java": {Data: []byte(`package shop;
class ListTest {
  @Test void first() { new ListPage(page).row(0).click(); }
  @Test void second() { new ListPage(page).row(1).click(); }
}
`)},
	}
	healed := func(test, old, next string) engine.HealEvent {
		return engine.HealEvent{TestID: engine.TestID("shop.ListTest › " + test), Locator: old, HealedLocator: next, Confidence: 0.95,
			Outcome: engine.OutcomeHealed, Matches: []engine.Match{{Locator: next, Count: 1}}}
	}
	refused := healed("second", ".row >> nth=1", ".line >> nth=1")
	refused.Outcome = engine.OutcomeRefused
	for _, test := range []struct {
		name  string
		other engine.HealEvent
		edits bool
	}{
		{"the same part became the same", healed("second", ".row >> nth=1", ".line >> nth=1"), true},
		{"the same part, with a chain behind it", healed("second", ".row >> nth=1 >> .name", ".line >> nth=1 >> .name"), true},
		{"it became something else", healed("second", ".row >> nth=1", ".item >> nth=1"), false},
		{"the part behind it was renamed", healed("second", ".row >> nth=1 >> .name", ".row >> nth=1 >> .title"), false},
		{"it was lost in another place of the page", healed("second", "#aside >> .row >> nth=1", "#aside >> .line >> nth=1"), false},
		{"it was not found again", refused, false},
	} {
		result := engine.TestResult{ID: test.other.TestID, Class: "shop.ListTest", Name: "second"}
		p := New(source)
		p.SetPassed([]PassedTest{{Test: result, Heals: []engine.HealEvent{test.other}}})
		got := p.Propose(healed("first", ".row >> nth=0", ".line >> nth=0"), &engine.TestResult{Class: "shop.ListTest", Name: "first"})
		if (got.Edit != nil) != test.edits {
			t.Errorf("%s: edit %v, reason %q", test.name, got.Edit, got.Reason)
		}
	}
}
