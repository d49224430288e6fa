package patch

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// suiteTests are the healed tests of testdata/suite, one for each language.
var suiteTests = map[string]engine.TestResult{
	"ts":   {File: "checkout.spec.ts", Name: "checkout › pays by card"},
	"py":   {File: "tests/admin/test_admin.py", Class: "tests.admin.test_admin.TestAdmin", Name: "test_signs_in[chromium-admin]"},
	"java": {File: "src/test/java/shop/SearchTest.java", Class: "shop.SearchTest", Name: "findsShoes()"},
	"cs":   {File: "Tests/OrdersTests.cs", Class: "Shop.Tests.OrdersTests", Name: "ShowsOrders"},
	"go":   {File: "e2e/profile_test.go", Class: "example.com/shop/e2e", Name: "TestRenames"},
}

// proposeIn heals old to next in a language's suite.
func proposeIn(lang, old, next string, site *engine.Site) Proposal {
	test := suiteTests[lang]
	h := engine.HealEvent{
		TestID: engine.TestID(test.Name), Locator: old, HealedLocator: next, Confidence: 1, Outcome: engine.OutcomeHealed, Site: site,
	}
	return Propose(h, &test, os.DirFS("testdata/suite/"+lang))
}

func TestProposeFindsTheLiteralInWhatTheTestImports(t *testing.T) {
	cases := []struct {
		lang, old, next string
		file            string
		line            int
		after           string
		placement       float64
	}{
		{"ts", ".toast-message", "#next", "pages/base.page.ts", 7, "this.toast = page.locator('#next');", placementShared},
		{"ts", "#promo-code", "#next", "pages/checkout.page.ts", 7, "private readonly promo = '#next';", placementShared},
		{"ts", `[data-test="banner"]`, "#next", "pages/checkout.page.ts", 8, "static readonly BANNER: string = '#next';", placementShared},
		{"ts", `internal:role=button[name="Not now"i]`, `internal:role=button[name="Later"i]`, "helpers/cookies.ts", 8, "export const dismiss = async (page: Page, label = 'Later') => {", placementShared},
		{"ts", ".first-text", "#next", "pages/checkout.selectors.ts", 18, "export const texts = ['#next', '.second-text'];", placementShared},
		{"ts", "button.apply-promo", "#next", "pages/checkout.selectors.ts", 4, "apply = '#next',", placementShared},
		{"ts", `input[value="express"]`, "#next", "pages/checkout.selectors.ts", 10, "express: '#next',", placementShared},
		{"ts", `input[value="standard"]`, "#next", "pages/checkout.selectors.ts", 11, "'standard-rate': '#next',", placementShared},
		{"ts", "#card-number", "#next", "pages/checkout.selectors.ts", 14, "card: '#next',", placementShared},
		{"ts", "li.cart-item", "#next", "pages/cart.page.ts", 7, "readonly items = () => this.page.locator('#next');", placementShared},
		{"ts", "#cookie-accept", "#next", "helpers/cookies.ts", 5, "await page.click('#next');", placementShared},
		{"ts", "#country", "#next", "checkout.spec.ts", 14, "const country = '#next';", placementTest},
		{"ts", "#newsletter", "#next", "checkout.spec.ts", 6, "const newsletter = '#next';", placementShared},
		{"ts", `internal:role=button[name="Account menu"i]`, `internal:role=button[name="Ann's menu"i]`, "pages/base.page.ts", 11, `await this.page.getByRole('button', { name: 'Ann\'s menu' }).click();`, placementShared},
		{"ts", `internal:role=menuitem[name="Sign out"i]`, `internal:role=menuitem[name="Log \"out\""i]`, "pages/base.page.ts", 12, `await this.page.getByRole('menuitem', { name: "Log \"out\"" }).click();`, placementShared},
		{"ts", `internal:label="E-mail address"s`, `internal:label="Email"s`, "pages/checkout.page.ts", 15, "this.email = page.getByLabel('Email', { exact: true });", placementShared},
		{"ts", `internal:testid=[data-testid="summary"s]`, "test-id=overview", "pages/checkout.page.ts", 16, "this.summary = new SummaryCard(page.getByTestId('overview'));", placementShared},
		{"ts", `internal:testid=[data-testid="summary"s] >> internal:text="Order total"i`, `internal:testid=[data-testid="summary"s] >> internal:text="Total"i`, "components/summary-card.tsx", 7, "return this.root.getByText('Total');", placementShared},
		{"ts", `form#checkout >> internal:role=button[name="Pay now"i]`, `form#checkout >> internal:role=button[name="Buy now"i]`, "pages/checkout.page.ts", 21, "name: 'Buy now',", placementShared},
		{"ts", `form#checkout >> internal:role=button[name="Pay now"i]`, `form#pay >> internal:role=button[name="Pay now"i]`, "pages/checkout.selectors.ts", 1, "export const CHECKOUT_ROOT = 'form#pay';", placementShared},
		{"ts", `li.cart-item >> internal:has-text="Mug"i >> input.qty`, `li.cart-item >> internal:has-text="Mug"i >> input.amount`, "pages/cart.page.ts", 8, "quantity = (name: string) => this.items().filter({ hasText: name }).locator('input.amount');", placementShared},
		{"ts", `internal:role=link[name="Basket"i]`, `internal:role=link[name="Cart"i]`, "pages/cart.page.ts", 11, "await this.page.getByRole('link', { name: 'Cart' }).click();", placementShared},
		{"ts", `internal:attr=[title="Clear basket"i]`, `internal:attr=[title="Empty basket"i]`, "fixtures.ts", 14, "await page.getByTitle('Empty basket').click();", placementShared},
		{"ts", `internal:attr=[placeholder="Your name"i]`, `internal:attr=[placeholder="Name"i]`, "checkout.spec.ts", 10, "await page.getByPlaceholder('Name').fill('Ann');", placementShared},
		{"ts", `internal:text="Thank you"i`, `internal:text="Thanks"i`, "checkout.spec.ts", 20, "await expect(page.getByText('Thanks')).toBeVisible();", placementTest},
		{"ts", `internal:role=row[name="Mug"i] >> internal:testid=[data-testid="row-total"s]`, `internal:role=row[name="Mug"i] >> internal:testid=[data-testid="row-sum"s]`, "pages/checkout.page.ts", 44, "return this.page.getByRole('row', { name }).getByTestId('row-sum');", placementShared},
		{"py", `internal:role=button[name="Accept all"i]`, `internal:role=button[name="Allow all"i]`, "conftest.py", 10, `page.get_by_role("button", name="Allow all").click()`, placementShared},
		{"py", `internal:role=status[name="Saved"i]`, `internal:role=status[name="Stored"i]`, "pages/base_page.py", 15, `expect(self.page.get_by_role("status", name="Stored")).to_have_text(text)`, placementShared},
		{"py", `internal:label="User name"i`, `internal:label="Login"i`, "pages/login_page.py", 18, `self.user = page.get_by_label("Login")`, placementShared},
		{"py", `internal:role=button[name="Sign in"i]`, `internal:role=button[name="Log in"i]`, "pages/login_page.py", 21, "name='Log in',", placementShared},
		{"py", `iframe.captcha >> internal:control=enter-frame >> internal:role=checkbox[name="I'm not a robot"i]`, `iframe.captcha >> internal:control=enter-frame >> internal:role=checkbox[name="I am human"i]`, "pages/login_page.py", 27, `return self.page.frame_locator("iframe.captcha").get_by_role("checkbox", name="I am human")`, placementShared},
		{"py", `iframe.captcha >> internal:control=enter-frame >> internal:role=checkbox[name="I'm not a robot"i]`, `iframe.human >> internal:control=enter-frame >> internal:role=checkbox[name="I'm not a robot"i]`, "pages/login_page.py", 27, `return self.page.frame_locator("iframe.human").get_by_role("checkbox", name="I'm not a robot")`, placementShared},
		{"py", `internal:testid=[data-testid="open-settings"s]`, `internal:testid=[data-testid="settings"s]`, "tests/conftest.py", 6, `page.get_by_test_id("settings").click()`, placementShared},
		{"py", `internal:text="Welcome back"i`, `internal:text="Hello"i`, "tests/admin/test_admin.py", 14, `page.get_by_text("Hello").wait_for()`, placementTest},
		{"py", "tr.user-row >> nth=0", "tr.member >> nth=0", "tests/admin/test_admin.py", 7, `ROW = "tr.member"`, placementShared},
		{"py", "header.site", "#next", "pages/base_page.py", 5, `HEADER = "#next"`, placementShared},
		{"py", ".banner", "#next", "pages/base_page.py", 9, `self.banner = page.locator("#next")`, placementShared},
		{"py", "input[type='password']", "#next", "pages/locators.py", 1, `PASSWORD = r"#next"`, placementShared},
		{"py", "a.forgot", "#next", "pages/locators.py", 2, `FORGOT_LINK = "#next"`, placementShared},
		{"py", "#menu-profile", "#next", "pages/locators.py", 6, `"profile": "#next",`, placementShared},
		{"py", ".login-error", "#next", "pages/locators.py", 12, "ERROR = '''#next'''", placementShared},
		{"py", ".field-hint", "#next", "pages/login_page.py", 13, "_hint: str = '#next'", placementShared},
		{"py", "#remember-me", "#next", "pages/login_page.py", 23, `self.remember = "#next"`, placementShared},
		{"py", "#survey-close", "#next", "support/plugins.py", 6, `page.locator("#next").click()`, placementShared},
		{"py", "#save", "#next", "tests/admin/test_admin.py", 10, `button = "#next"`, placementTest},
		{"py", "#inner-f", "#next", "pages/login_page.py", 43, `self.page.locator(f'{self.page.locator("#next")}').click()`, placementShared},
		{"java", `internal:role=button[name="Accept all"i]`, `internal:role=button[name="Allow all"i]`, "src/main/java/shop/pages/BasePage.java", 11, `page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Allow all")).click();`, placementShared},
		{"java", `aside.filters >> internal:label="Price range"s`, `aside.filters >> internal:label="Price"s`, "src/main/java/shop/pages/SearchPage.java", 31, `return filters.getByLabel("Price", new Locator.GetByLabelOptions().setExact(true));`, placementShared},
		{"java", `aside.filters >> internal:label="Price range"s`, `aside.facets >> internal:label="Price range"s`, "src/main/java/shop/pages/SearchPage.java", 16, `filters = page.locator("aside.facets");`, placementShared},
		{"java", `.hit >> internal:has-text="In stock"i >> nth=2`, `.hit >> internal:has-text="Available"i >> nth=2`, "src/main/java/shop/pages/SearchPage.java", 37, `.filter(new Locator.FilterOptions().setHasText("Available"))`, placementShared},
		{"java", `.hit >> internal:has-text="In stock"i >> nth=2`, `.result >> internal:has-text="In stock"i >> nth=2`, "src/main/java/shop/pages/SearchPage.java", 36, `.locator(".result")`, placementShared},
		{"java", `internal:testid=[data-testid="splash-close"s]`, `internal:testid=[data-testid="intro-close"s]`, "src/test/java/shop/Fixtures.java", 10, `page.getByTestId("intro-close").click();`, placementShared},
		{"java", `internal:text="Blue shoe"i`, `internal:text="Red shoe"i`, "src/test/java/shop/SearchTest.java", 18, `page.getByText("Red shoe").click();`, placementTest},
		{"java", "input[name='q']", "#next", "src/main/java/shop/support/Selectors.java", 4, `public static final String SEARCH = "#next";`, placementShared},
		{"java", "#results", "#next", "src/main/java/shop/support/Selectors.java", 5, `public static final String RESULTS = "#next";`, placementShared},
		{"java", "button.clear", "#next", "src/main/java/shop/pages/SearchPage.java", 9, `private final String clear = "#next";`, placementShared},
		{"java", ".chip", "#next", "src/test/java/shop/SearchTest.java", 8, `private static final String CHIP = "#next";`, placementShared},
		{"java", "#sort", "#next", "src/test/java/shop/SearchTest.java", 16, `String sort = "#next";`, placementTest},
		{"java", "aside.filters", "#next", "src/main/java/shop/pages/SearchPage.java", 16, `filters = page.locator("#next");`, placementShared},
		{"java", "#help", "#next", "src/main/java/shop/pages/SearchPage.java", 11, `#next""";`, placementShared},
		{"java", "#text-block", "#next", "src/main/java/shop/pages/SearchPage.java", 43, `#next""").click();`, placementShared},
		{"cs", `internal:role=button[name="Accept all"i]`, `internal:role=button[name="Allow all"i]`, "Support/PageExtensions.cs", 7, `await page.GetByRole(AriaRole.Button, new() { Name = "Allow all" }).ClickAsync();`, placementShared},
		{"cs", `internal:attr=[placeholder="Search orders"i]`, `internal:attr=[placeholder="Find orders"i]`, "Pages/OrdersPage.cs", 10, `public ILocator Search => _page.GetByPlaceholder("Find orders");`, placementShared},
		{"cs", `internal:role=dialog >> internal:role=heading[name="Order details"s]`, `internal:role=dialog >> internal:role=heading[name="Details"s]`, "Pages/OrdersPage.Details.cs", 6, `.GetByRole(AriaRole.Heading, new() { Name = "Details", Exact = true });`, placementShared},
		{"cs", `tr >> internal:has-text="Order"i >> #7`, `tr >> internal:has-text="Purchase"i >> #7`, "Pages/OrdersPage.cs", 11, `private ILocator Row(string id) => _page.Locator("tr").Filter(new() { HasText = "Purchase" }).Locator($"#{id}");`, placementShared},
		{"cs", `tr >> internal:has-text="Order"i >> #7`, `.row >> internal:has-text="Order"i >> #7`, "Pages/OrdersPage.cs", 11, `private ILocator Row(string id) => _page.Locator(".row").Filter(new() { HasText = "Order" }).Locator($"#{id}");`, placementShared},
		{"cs", `internal:attr=[title="Start tour"i]`, `internal:attr=[title="Tour"i]`, "Tests/OrdersTests.cs", 12, `public async Task SetUp() => await Page.GetByTitle("Tour").ClickAsync();`, placementShared},
		{"cs", `internal:text="42 orders"i`, `internal:text="42 purchases"i`, "Tests/OrdersTests.cs", 23, `await Expect(Page.GetByText("42 purchases")).ToBeVisibleAsync();`, placementTest},
		{"cs", `nav[aria-label="Pages"]`, "#next", "Support/PageExtensions.cs", 14, `internal const string Pager = @"#next";`, placementShared},
		{"cs", "#refresh", "#next", "Pages/OrdersPage.cs", 8, `private readonly string _refresh = "#next";`, placementShared},
		{"cs", "#export", "#next", "Pages/OrdersPage.cs", 9, `private string Export => "#next";`, placementShared},
		{"cs", ".badge", "#next", "Tests/OrdersTests.cs", 9, `private const string Badge = "#next";`, placementShared},
		{"cs", "#legend", "#next", "Tests/OrdersTests.cs", 20, `const string legend = "#next";`, placementTest},
		{"go", `internal:testid=[data-testid="save-profile"s]`, `internal:testid=[data-testid="store-profile"s]`, "pages/profile.go", 22, `return &Profile{page: page, save: page.GetByTestId("store-profile")}`, placementShared},
		{"go", `internal:role=dialog >> internal:role=button[name="Delete account"s]`, `internal:role=dialog >> internal:role=button[name="Remove account"s]`, "pages/profile.go", 39, `Name:  "Remove account",`, placementShared},
		{"go", `internal:text="Skip tour"i`, `internal:text="Not now"i`, "e2e/helpers_test.go", 4, `page.GetByText("Not now").Click()`, placementShared},
		{"go", `internal:label="Bio"i`, `internal:label="About"i`, "e2e/profile_test.go", 18, `page.GetByLabel("About").Fill("x")`, placementTest},
		{"go", "img.avatar", "#next", "pages/profile.go", 7, `avatar          = "#next"`, placementShared},
		{"go", `input[name="nick"]`, "#next", "pages/profile.go", 8, "Nickname        = `#next`", placementShared},
		{"go", ".toast", "#next", "e2e/profile_test.go", 9, `const toast = "#next"`, placementShared},
		{"go", "#title", "#next", "e2e/profile_test.go", 15, `title := "#next"`, placementTest},
		{"go", "#menu-home", "#next", "pages/profile.go", 13, `"home": "#next",`, placementShared},
	}
	for _, c := range cases {
		t.Run(c.lang+" "+c.old, func(t *testing.T) {
			got := proposeIn(c.lang, c.old, c.next, nil)
			if got.Edit == nil {
				t.Fatalf("no edit: %s (locator %s)", got.Reason, got.Locator)
			}
			if after := strings.TrimSpace(got.Edit.After); got.Edit.File != c.file || got.Edit.Line != c.line || after != c.after {
				t.Errorf("%s:%d %s\nwant %s:%d %s", got.Edit.File, got.Edit.Line, after, c.file, c.line, c.after)
			}
			if got.Confidence != c.placement {
				t.Errorf("confidence %v, want %v", got.Confidence, c.placement)
			}
		})
	}
}

func TestProposeRefusesInWhatTheTestImports(t *testing.T) {
	cases := []struct{ lang, old, next, because string }{
		{"ts", `internal:text="Gift wrap"i`, `internal:text="Gift"i`, `"Gift wrap" stands in pages/checkout.page.ts only as one branch of a condition (line 40)`},
		{"ts", `internal:text="No wrap"i`, `internal:text="None"i`, `"No wrap" stands in pages/checkout.page.ts only as one branch of a condition (line 40)`},
		{"ts", `internal:text="Goodbye"i`, `internal:text="Bye"i`, `"Goodbye" stands in checkout.spec.ts only inside other tests (line 26)`},
		{"ts", `internal:text="Order total"i`, `internal:text="Total"i`, `what "Order total" is looked for in cannot be told at line 7 of components/summary-card.tsx`},
		{"ts", `internal:testid=[data-testid="row-total"s]`, `internal:testid=[data-testid="x"s]`, `"row-total" hangs on another locator in pages/checkout.page.ts (line 44)`},
		{"ts", `form#checkout >> internal:role=button[name="Pay now"i]`, `form#pay >> internal:role=button[name="Buy"i]`, "more than one part of the locator changed"},
		{"ts", `internal:attr=[title="Order preview"i]`, `internal:attr=[title="x"i]`, `"Order preview" does not stand in checkout.spec.ts or the 8 files that it imports`},
		{"ts", "#phone", "#next", `"#phone" stands in pages/checkout.page.ts only as a constant that is also used outside locator calls (line 11)`},
		{"ts", ".never-used", "#next", `".never-used" stands in pages/checkout.selectors.ts only as a value that no locator call in reach takes by name (line 5)`},
		{"ts", "#ship-gift", "#next", `"#ship-gift" does not stand in checkout.spec.ts or the 8 files that it imports`},
		{"ts", "#ship-", "#next", `"#ship-" stands in pages/checkout.page.ts only joined with other text (line 39)`},
		{"ts", "#legacy", "#next", `"#legacy" stands in helpers/cookies.ts only changed by a method call (line 13)`},
		{"ts", "#cookie-accept-old", "#next", `"#cookie-accept-old" does not stand in checkout.spec.ts or the 8 files that it imports`},
		{"ts", "#country-other", "#next", `"#country-other" stands in checkout.spec.ts only inside other tests (line 24)`},
		{"ts", "#only-unrelated", "#next", `"#only-unrelated" does not stand in checkout.spec.ts or the 8 files that it imports`},
		{"ts", "#legacy-x", "#next", `"#legacy-x" does not stand in checkout.spec.ts or the 8 files that it imports`},
		{"py", `internal:text="Other only"i`, `internal:text="x"i`, `"Other only" stands in tests/admin/test_admin.py only inside other tests (line 17)`},
		{"py", `internal:attr=[alt="Company logo"i]`, `internal:attr=[alt="x"i]`, `"Company logo" stands in tests/admin/test_admin.py only inside other tests (line 21)`},
		{"py", `internal:role=checkbox[name="I'm not a robot"i]`, `internal:role=checkbox[name="x"i]`, `"I'm not a robot" hangs on another locator in pages/login_page.py (line 27)`},
		{"py", "#trace", "#next", `"#trace" stands in pages/login_page.py only as a constant that is also used outside locator calls (line 14)`},
		{"py", "#row-1", "#next", `"#row-1" does not stand in tests/admin/test_admin.py or the 7 files that it imports`},
		{"py", "#row-", "#next", `"#row-" does not stand in tests/admin/test_admin.py or the 7 files that it imports`},
		{"py", "#cell-%d", "#next", `"#cell-%d" stands in pages/login_page.py only joined with other text (line 41)`},
		{"py", "#col-{}", "#next", `"#col-{}" stands in pages/login_page.py only changed by a method call (line 42)`},
		{"py", "#login-old", "#next", `"#login-old" does not stand in tests/admin/test_admin.py or the 7 files that it imports`},
		{"py", "#unused", "#next", `"#unused" stands in pages/locators.py only as a value that no locator call in reach takes by name (line 3)`},
		{"py", "#menu-logout", "#next", `"#menu-logout" stands in pages/locators.py only as a value that no locator call in reach takes by name (line 7)`},
		{"java", `internal:text="Other only"i`, `internal:text="x"i`, `"Other only" stands in src/test/java/shop/SearchTest.java only inside other tests (line 24)`},
		{"java", `internal:label="Price range"s`, `internal:label="x"s`, `"Price range" hangs on another locator in src/main/java/shop/pages/SearchPage.java (line 31)`},
		{"java", "#unused", "#next", `"#unused" stands in src/main/java/shop/support/Selectors.java only as a value that no locator call in reach takes by name (line 6)`},
		{"java", "#logged", "#next", `"#logged" stands in src/main/java/shop/support/Selectors.java only as a constant that is also used outside locator calls (line 7)`},
		{"java", "#hit-%s", "#next", `"#hit-%s" stands in src/main/java/shop/pages/SearchPage.java only outside a locator call (line 26)`},
		{"java", "#pre-", "#next", `"#pre-" stands in src/main/java/shop/pages/SearchPage.java only joined with other text (line 27)`},
		{"java", "#pre-shoes", "#next", `"#pre-shoes" does not stand in src/test/java/shop/SearchTest.java or the 4 files that it imports`},
		{"cs", `internal:text="Other only"i`, `internal:text="x"i`, `"Other only" stands in Tests/OrdersTests.cs only inside other tests (line 29)`},
		{"cs", `internal:text="Left"i`, `internal:text="x"i`, `"Left" stands in Pages/OrdersPage.cs only as one branch of a condition (line 28)`},
		{"cs", `internal:role=heading[name="Order details"s]`, `internal:role=heading[name="x"s]`, `"Order details" hangs on another locator in Pages/OrdersPage.Details.cs (line 6)`},
		{"cs", "table.grid", ".grid2", `"table.grid" stands in Support/PageExtensions.cs only as a constant that is also used outside locator calls (line 13)`},
		{"cs", "#mixed", "#next", `"#mixed" stands in Support/PageExtensions.cs only as a constant that is also used outside locator calls (line 15)`},
		{"cs", "#unused", "#next", `"#unused" stands in Support/PageExtensions.cs only as a value that no locator call in reach takes by name (line 16)`},
		{"cs", "#a-", "#next", `"#a-" stands in Pages/OrdersPage.cs only joined with other text (line 27)`},
		{"cs", "#order-", "#next", `"#order-" does not stand in Tests/OrdersTests.cs or the 3 files that it imports`},
		{"cs", "#order-1", "#next", `"#order-1" does not stand in Tests/OrdersTests.cs or the 3 files that it imports`},
		{"go", `internal:text="Other only"i`, `internal:text="x"i`, `"Other only" stands in e2e/profile_test.go only inside other tests (line 22)`},
		{"go", `internal:role=button[name="Delete account"s]`, `internal:role=button[name="x"s]`, `"Delete account" hangs on another locator in pages/profile.go (line 39)`},
		{"go", "#logged", "#next", `"#logged" stands in pages/profile.go only as a constant that is also used outside locator calls (line 9)`},
		{"go", "#nick-%s", "#next", `"#nick-%s" stands in pages/profile.go only outside a locator call (line 31)`},
		{"go", "#in-comment", "#next", `"#in-comment" does not stand in e2e/profile_test.go or the 2 files that it imports`},
		{"go", "#nick-bo", "#next", `"#nick-bo" does not stand in e2e/profile_test.go or the 2 files that it imports`},
	}
	for _, c := range cases {
		t.Run(c.lang+" "+c.old, func(t *testing.T) {
			got := proposeIn(c.lang, c.old, c.next, nil)
			if got.Edit != nil {
				t.Fatalf("edited %s:%d %s", got.Edit.File, got.Edit.Line, got.Edit.After)
			}
			if got.Reason != c.because {
				t.Errorf("reason %q\nwant   %q", got.Reason, c.because)
			}
		})
	}
}

func TestProposeGoesByTheSiteBeyondTheTest(t *testing.T) {
	site := func(file string, line int) *engine.Site { return &engine.Site{File: file, Line: line} }
	if got := proposeIn("ts", "#promo-code", "#next", site("pages/checkout.page.ts", 26)); got.Edit == nil || got.Confidence != placementSite {
		t.Errorf("constant by the site of its use: %v, %s, %v", got.Edit, got.Reason, got.Confidence)
	}
	if got := proposeIn("ts", "#only-unrelated", "#next", site("unrelated.spec.ts", 4)); got.Edit == nil || got.Confidence != placementSite {
		t.Errorf("a site outside the test's reach: %v, %s", got.Edit, got.Reason)
	}
}

// Propose is New(src).Propose(h, t), for a single heal.
func Propose(h engine.HealEvent, t *engine.TestResult, src fs.FS) Proposal {
	return New(src).Propose(h, t)
}
