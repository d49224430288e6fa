package patch

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// heal is one healed locator of a test; the test id names the file.
type heal struct {
	test, old, new string
	line           int // of the site, 0 for none
	api            string
}

func (h heal) event() engine.HealEvent {
	e := engine.HealEvent{
		TestID: engine.TestID(h.test), Locator: h.old, HealedLocator: h.new, API: h.api,
		Confidence: 1, Outcome: engine.OutcomeHealed,
	}
	if h.line > 0 {
		file, _, _ := strings.Cut(strings.ReplaceAll(h.test, "::", " › "), " › ")
		e.Site = &engine.Site{File: file, Line: h.line}
	}
	return e
}

const (
	spec   = "ts/login.spec.ts › "
	pom    = "ts/login.page.ts › "
	pytest = "py/test_login.py::"
	junit  = "java/LoginTest.java::"
	nunit  = "cs/LoginTests.cs::"
	gotest = "go/login_test.go::"
)

func TestProposeEditsExactlyThisLine(t *testing.T) {
	cases := []struct {
		name string
		heal
		wantLine  int
		wantAfter string
		placement float64
	}{
		{"css to test id", heal{test: spec + "signs in", old: "#login-btn", new: `[data-testid="login"]`}, 20,
			`await page.getByTestId('login').click();`, placementTest},
		{"css to test id engine", heal{test: spec + "signs in", old: "#login-btn", new: `internal:testid=[data-testid="login"s]`}, 20,
			`await page.getByTestId('login').click();`, placementTest},
		{"css to id", heal{test: spec + "signs in", old: "#login-btn", new: `#sign-in`}, 20,
			`await page.locator('#sign-in').click();`, placementTest},
		{"css with an apostrophe", heal{test: spec + "signs in", old: "#login-btn", new: `[title="Ann's"]`}, 20,
			`await page.locator('[title="Ann\'s"]').click();`, placementTest},
		{"css with a backslash", heal{test: spec + "signs in", old: "#login-btn", new: `#a\:b`}, 20,
			`await page.locator('#a\\:b').click();`, placementTest},
		{"site confirms", heal{test: spec + "signs in", old: "#login-btn", new: `#sign-in`, line: 20}, 20,
			`await page.locator('#sign-in').click();`, placementSite},
		{"site elsewhere falls back", heal{test: spec + "signs in", old: "#login-btn", new: `#sign-in`, line: 3}, 20,
			`await page.locator('#sign-in').click();`, placementTest},
		{"role name loose", heal{test: spec + "signs in", old: `internal:role=textbox[name="E-mail"i]`, new: `internal:role=textbox[name="Email"i]`}, 21,
			`await page.getByRole('textbox', { name: 'Email' }).fill('ann@shop.example');`, placementTest},
		{"role name by the seed's form", heal{test: spec + "signs in", old: `role=textbox[name="E-mail"]`, new: `role=textbox[name="Email"]`}, 21,
			`await page.getByRole('textbox', { name: 'Email', exact: true }).fill('ann@shop.example');`, placementTest}, // role= is exact, the call was not
		{"role changed", heal{test: spec + "signs in", old: `internal:role=textbox[name="E-mail"i]`, new: `internal:role=combobox[name="E-mail"i]`}, 21,
			`await page.getByRole('combobox', { name: 'E-mail' }).fill('ann@shop.example');`, placementTest},
		{"loose name healed exactly", heal{test: spec + "signs in", old: `internal:role=textbox[name="E-mail"i]`, new: `internal:role=textbox[name="Email"s]`}, 21,
			`await page.getByRole('textbox', { name: 'Email', exact: true }).fill('ann@shop.example');`, placementTest},
		{"role for css", heal{test: spec + "signs in", old: "#login-btn", new: `internal:role=button[name="Save"i]`}, 20,
			`await page.getByRole('button', { name: 'Save' }).click();`, placementTest},
		{"role name exact", heal{test: spec + "signs in", old: `internal:role=button[name="Sign in"s]`, new: `internal:role=button[name="Log \"in\""s]`}, 22,
			`await page.getByRole("button", { name: "Log \"in\"", exact: true }).click();`, placementTest},
		{"role as a printed call", heal{test: spec + "signs in", old: `getByRole('button', { name: 'Sign in', exact: true })`, new: `getByRole('button', { name: 'Log in', exact: true })`}, 22,
			`await page.getByRole("button", { name: "Log in", exact: true }).click();`, placementTest},
		{"test id in backticks", heal{test: spec + "signs in", old: `internal:testid=[data-testid="welcome"s]`, new: "[data-testid=\"hi`${x}\"]"}, 23,
			"await page.getByTestId(`hi\\`\\${x}`).waitFor();", placementTest},
		{"test id by the seed's form", heal{test: spec + "signs in", old: `test-id=welcome`, new: `test-id=hello`}, 23,
			"await page.getByTestId(`hello`).waitFor();", placementTest},
		{"test id bare with its api", heal{test: spec + "signs in", old: `welcome`, new: `internal:testid=[data-testid="hello"s]`, api: "getByTestId"}, 23,
			"await page.getByTestId(`hello`).waitFor();", placementTest},
		{"test id as a printed call", heal{test: spec + "signs in", old: `getByTestId("welcome")`, new: `getByTestId("hello")`}, 23,
			"await page.getByTestId(`hello`).waitFor();", placementTest},
		{"placeholder", heal{test: spec + "signs in", old: `internal:attr=[placeholder="Search…"i]`, new: `internal:attr=[placeholder="Find…"i]`}, 24,
			`await page.getByPlaceholder('Find…').fill('shoes');`, placementTest},
		{"label beside an equal value", heal{test: spec + "signs in", old: `internal:label="Password"i`, new: `internal:label="Passphrase"i`}, 25,
			`await page.getByLabel('Passphrase').fill('#login-btn');`, placementTest},
		{"css prefix is kept", heal{test: spec + "signs in", old: `css=.price-tag`, new: `css=.amount`}, 26,
			`await page.locator("css=.amount").first().hover();`, placementTest},
		{"css prefix with nth", heal{test: spec + "signs in", old: `css=.price-tag >> nth=0`, new: `css=.amount >> nth=0`}, 26,
			`await page.locator("css=.amount").first().hover();`, placementTest},
		{"xpath stays xpath", heal{test: spec + "signs in", old: `xpath=//button[@id="buy"]`, new: `#purchase`}, 27,
			`await page.locator('xpath=//*[@id="purchase"]').click();`, placementTest},
		{"text engine", heal{test: spec + "signs in", old: `text=Continue shopping`, new: `text=Keep shopping`}, 28,
			`await page.locator('text=Keep shopping').click();`, placementTest},
		{"before each is the test's file", heal{test: spec + "signs in", old: `internal:text="Accept cookies"i`, new: `internal:text="Allow cookies"i`}, 16,
			`await page.getByText('Allow cookies').click();`, placementShared},
		{"helper in the same file", heal{test: spec + "buys a pair", old: `#menu-toggle`, new: `#menu`}, 7,
			`await page.locator('#menu').click();`, placementShared},
		{"chained call over lines", heal{test: spec + "buys a pair", old: `#cart >> internal:role=button[name="Check out"i]`, new: `#cart >> internal:role=button[name="Pay"i]`}, 34,
			`.getByRole('button', { name: 'Pay' })`, placementTest},
		{"first of a chain", heal{test: spec + "buys a pair", old: `#cart >> internal:role=button[name="Check out"i]`, new: `#basket >> internal:role=button[name="Check out"i]`}, 33,
			`.locator('#basket')`, placementTest},
		{"chained call by its action's line", heal{test: spec + "buys a pair", old: `#cart >> internal:role=button[name="Check out"i]`, new: `#cart >> internal:role=button[name="Pay"i]`, line: 35}, 34,
			`.getByRole('button', { name: 'Pay' })`, placementSite},
		{"site picks one of two", heal{test: spec + "buys a pair", old: `#twice`, new: `#once`, line: 37}, 37,
			`await expect(page.locator('#once')).toBeHidden();`, placementSite},
		{"page method", heal{test: spec + "buys a pair", old: `#pay-now`, new: `#pay`}, 38,
			`await page.click('#pay');`, placementTest},
		{"page method with a value", heal{test: spec + "buys a pair", old: `input[name="card"]`, new: `input[name="pan"]`}, 39,
			`await page.fill('input[name="pan"]', '4111');`, placementTest},
		{"alt text", heal{test: spec + "buys a pair", old: `internal:attr=[alt="Visa logo"i]`, new: `internal:attr=[alt="Visa"i]`}, 40,
			`await page.getByAltText('Visa').click();`, placementTest},
		{"title", heal{test: spec + "buys a pair", old: `internal:attr=[title="Close dialog"i]`, new: `internal:attr=[title="Close"i]`}, 41,
			`await page.getByTitle('Close').click();`, placementTest},
		{"through a variable", heal{test: spec + "buys a pair", old: `li >> internal:has-text="Blue shoe"i >> internal:role=button[name="Remove"i]`, new: `li >> internal:has-text="Blue shoe"i >> internal:role=button[name="Delete"i]`}, 43,
			`await row.getByRole('button', { name: 'Delete' }).click();`, placementTest},
		{"text of a filter option", heal{test: spec + "buys a pair", old: `li >> internal:has-text="Blue shoe"i >> internal:role=button[name="Remove"i]`, new: `li >> internal:has-text="Red shoe"i >> internal:role=button[name="Remove"i]`}, 42,
			`const row = page.locator('li', { hasText: 'Red shoe' });`, placementTest},
		{"inside a frame", heal{test: spec + "buys a pair", old: `#pay-frame >> internal:control=enter-frame >> #cvc`, new: `#pay-frame >> internal:control=enter-frame >> #cvv`}, 44,
			`await page.frameLocator('#pay-frame').locator('#cvv').fill('123');`, placementTest},
		{"the frame itself", heal{test: spec + "buys a pair", old: `#pay-frame >> internal:control=enter-frame >> #cvc`, new: `#payment >> internal:control=enter-frame >> #cvc`}, 44,
			`await page.frameLocator('#payment').locator('#cvc').fill('123');`, placementTest},
		{"a whole chain in one literal", heal{test: spec + "buys a pair", old: `#list >> .item`, new: `#list >> .entry`}, 45,
			`await page.locator('#list >> .entry').click();`, placementTest},
		{"before a filter call", heal{test: spec + "buys a pair", old: `.grid >> internal:has-text="Total"i`, new: `.table >> internal:has-text="Total"i`}, 46,
			`await page.locator('.table').filter({ hasText: 'Total' }).click();`, placementTest},
		{"filter call", heal{test: spec + "buys a pair", old: `.grid >> internal:has-text="Total"i`, new: `.grid >> internal:has-text="Sum"i`}, 46,
			`await page.locator('.grid').filter({ hasText: 'Sum' }).click();`, placementTest},
		{"suites tell equal titles apart", heal{test: spec + "account › profile › saves", old: `internal:testid=[data-testid="save-profile"s]`, new: `internal:testid=[data-testid="keep-profile"s]`}, 52,
			`await page.getByTestId('keep-profile').click();`, placementTest},
		{"suites tell equal titles apart again", heal{test: spec + "account › address › saves", old: `internal:testid=[data-testid="save-profile"s]`, new: `internal:testid=[data-testid="keep-profile"s]`}, 60,
			`await page.getByTestId('keep-profile').isVisible();`, placementTest},
		{"test attribute css", heal{test: spec + "account › profile › saves", old: `[data-test="avatar"]`, new: `[data-test="photo"]`}, 53,
			`await page.locator('[data-test="photo"]').click();`, placementTest},
		{"title from a template", heal{test: spec + "picks size m", old: `#size-picker`, new: `#sizes`}, 67,
			`await page.locator('#sizes').selectOption(size);`, placementTest},
		{"exact tells two apart", heal{test: spec + "computed", old: `internal:text="Both"s`, new: `internal:text="Two"s`}, 84,
			`await page.getByText('Two', { exact: true }).click();`, placementTest},
		{"loose tells two apart", heal{test: spec + "computed", old: `internal:text="Both"i`, new: `internal:text="Two"i`}, 85,
			`await page.getByText('Two').click();`, placementTest},
		{"role with a condition", heal{test: spec + "computed", old: `internal:role=button[name="Bold"i][pressed=true]`, new: `internal:role=button[name="Fat"i][pressed=true]`}, 86,
			`await page.getByRole('button', { name: 'Fat', pressed: true }).click();`, placementTest},
		{"page object by its site", heal{test: pom, old: `internal:testid=[data-testid="submit"s]`, new: `internal:testid=[data-testid="send"s]`, line: 8}, 8,
			`this.submit = page.getByTestId('send');`, placementSite},
		{"page object by the action's line", heal{test: pom, old: `internal:testid=[data-testid="submit"s]`, new: `internal:testid=[data-testid="send"s]`, line: 20}, 8,
			`this.submit = page.getByTestId('send');`, placementShared},
		{"this.page", heal{test: pom, old: `#open-form`, new: `#form`, line: 14}, 14,
			`await this.page.locator('#form').click();`, placementSite},
		{"two calls on one line", heal{test: pom, old: `#terms`, new: `#agb`, line: 19}, 19,
			`await this.page.locator('#remember').check(); await this.page.locator('#agb').check();`, placementSite},
		{"carriage returns stay", heal{test: "ts/crlf.spec.ts › crlf", old: `#crlf`, new: `#lf`}, 4,
			`await page.locator('#lf').click();`, placementTest},
		{"beside markup", heal{test: `ts/card.spec.tsx › renders <Card title="#card-title">`, old: `#card-title`, new: `#title`}, 5,
			`await page.locator('#title').click();`, placementTest},
		{"each", heal{test: "ts/each.test.js › opens b", old: `#each-open`, new: `#open`}, 4,
			`await page.locator('#open').click();`, placementTest},
		{"after a division", heal{test: "ts/each.test.js › half a/b", old: `#after-division`, new: `#after`}, 9,
			`await page.locator('#after').click();`, placementTest},

		{"python css", heal{test: pytest + "test_sign_in[chromium]", old: "#login-btn", new: `[data-testid="login"]`}, 15,
			`page.get_by_test_id("login").click()`, placementTest},
		{"python role", heal{test: pytest + "test_sign_in", old: `internal:role=textbox[name="E-mail"i]`, new: `internal:role=textbox[name="Email"i]`}, 16,
			`page.get_by_role("textbox", name="Email").fill("ann@shop.example")`, placementTest},
		{"python role over lines", heal{test: pytest + "test_sign_in", old: `internal:role=button[name="Sign in"s]`, new: `internal:role=button[name="Ann's"s]`}, 19,
			`name='Ann\'s',`, placementTest},
		{"python test id", heal{test: pytest + "test_sign_in", old: `get_by_test_id("welcome")`, new: `get_by_test_id("hello")`}, 22,
			`page.get_by_test_id("hello").wait_for()`, placementTest},
		{"python keyword argument", heal{test: pytest + "test_sign_in", old: `internal:attr=[placeholder="Search"i]`, new: `internal:attr=[placeholder="Find"i]`}, 23,
			`page.get_by_placeholder(text="Find").fill("shoes")`, placementTest},
		{"python triple quotes", heal{test: pytest + "test_sign_in", old: `#triple`, new: `#it's`}, 25,
			`page.locator('''#it\'s''').click()`, placementTest},
		{"python f-string without a field", heal{test: pytest + "test_sign_in", old: `.plain-f`, new: `[data-x="{y}"]`}, 26,
			`page.locator(f"[data-x='{{y}}']").click()`, placementTest},
		{"python parametrised", heal{test: pytest + "test_size[m]", old: `#size-picker`, new: `#sizes`}, 31,
			`page.locator("#sizes").click()`, placementTest},
		{"python class", heal{test: pytest + "TestAccount::test_saves", old: `internal:text="Save profile"i`, new: `internal:text="Keep profile"i`}, 42,
			`page.get_by_text("Keep profile").click()`, placementTest},
		{"python other class, same name", heal{test: pytest + "TestOther::test_saves", old: `internal:label="Nick name"i`, new: `internal:label="Handle"i`}, 56,
			`page.get_by_label("Handle").fill("bob")`, placementTest},
		{"python page method beside an equal value", heal{test: pytest + "TestOther::test_saves", old: `#city`, new: `#town`}, 57,
			`page.fill("#town", "Rome")`, placementTest},
		{"python page method with an attribute", heal{test: pytest + "TestOther::test_saves", old: `#city`, new: `[data-testid="town"]`}, 57,
			`page.get_by_test_id("town").fill("Rome")`, placementTest},
		{"python page method with another attribute", heal{test: pytest + "TestOther::test_saves", old: `#city`, new: `[name="town"]`}, 57,
			`page.fill("[name='town']", "Rome")`, placementTest},
		{"python page method with a quoted attribute", heal{test: pytest + "TestOther::test_saves", old: `#city`, new: `[title="Ann's"]`}, 57,
			`page.fill("[title=\"Ann's\"]", "Rome")`, placementTest},
		{"python filter", heal{test: pytest + "TestAccount::test_saves", old: `.row >> internal:has-text="Ann"i`, new: `.row >> internal:has-text="Bob"i`}, 43,
			`page.locator(".row").filter(has_text="Bob").click()`, placementTest},
		{"python fixture", heal{test: pytest + "test_sign_in", old: `#open-cart`, new: `#cart`}, 10,
			`page.locator("#cart").click()`, placementShared},
		{"python constant", heal{test: pytest + "test_size[m]", old: "#login-constant", new: "#b"}, 5,
			`LOGIN = "#b"`, placementShared},
		{"python async", heal{test: pytest + "test_async", old: `#async-btn`, new: `#go`}, 62,
			`await page.locator("#go").click()`, placementTest},
		{"python nested in an f-string", heal{test: pytest + "test_async", old: `#nested`, new: `#inner`}, 63,
			`assert f"{page.locator("#inner").count()}" == "1"`, placementTest},

		{"java text block", heal{test: junit + "signsIn", old: "#text-block", new: "#b"}, 27,
			`#b""").click();`, placementTest},
		{"java css", heal{test: junit + "signsIn", old: "#login-btn", new: `[data-testid="login"]`}, 18,
			`page.getByTestId("login").click();`, placementTest},
		{"java role", heal{test: junit + "signsIn", old: `internal:role=button[name="Sign in"i]`, new: `internal:role=button[name="Log in"i]`}, 19,
			`page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Log in")).click();`, placementTest},
		{"java role with more options", heal{test: junit + "signsIn()", old: `internal:role=textbox[name="E-mail"s]`, new: `internal:role=textbox[name="\\u0022"s]`}, 23,
			`.setName("\\u0022"))`, placementTest},
		{"java test id", heal{test: junit + "signsIn", old: `test-id=welcome`, new: `test-id=hello`}, 25,
			`page.getByTestId("hello").waitFor();`, placementTest},
		{"java keeps css quotes", heal{test: junit + "signsIn", old: `[data-test='tab']`, new: `internal:testid=[data-test="panel"s]`}, 29,
			`page.locator("[data-test='panel']").click();`, placementTest},
		{"java set up", heal{test: junit + "signsIn", old: `internal:text="Accept cookies"i`, new: `internal:text="Allow"i`}, 13,
			`page.getByText("Allow").click();`, placementShared},
		{"java has text", heal{test: junit + "buys", old: `.row >> internal:has-text="Blue"i`, new: `.row >> internal:has-text="Red"i`}, 38,
			`page.locator(".row").filter(new Locator.FilterOptions().setHasText("Red")).click();`, placementTest},
		{"java parametrised", heal{test: junit + "sizes(String)[1]", old: `#login-btn`, new: `#in`}, 49,
			`page.locator("#in").hover();`, placementTest},

		{"c# css", heal{test: nunit + "SignsIn", old: "#login-btn", new: `[data-testid="login"]`}, 16,
			`await Page.GetByTestId("login").ClickAsync();`, placementTest},
		{"c# role", heal{test: nunit + "SignsIn", old: `internal:role=button[name="Sign in"i]`, new: `internal:role=button[name="Log in"i]`}, 17,
			`await Page.GetByRole(AriaRole.Button, new() { Name = "Log in" }).ClickAsync();`, placementTest},
		{"c# role with more options", heal{test: nunit + "Shop.Tests.LoginTests.SignsIn", old: `internal:role=textbox[name="E-mail"s]`, new: `internal:role=textbox[name="Email"s]`}, 18,
			`await Page.GetByRole(AriaRole.Textbox, new PageGetByRoleOptions { Exact = true, Name = "Email" }).FillAsync("x");`, placementTest},
		{"c# verbatim", heal{test: nunit + "SignsIn", old: `input[name="q"]`, new: `input[name="query"]`}, 20,
			`await Page.Locator(@"input[name=""query""]").ClickAsync();`, placementTest},
		{"c# raw", heal{test: nunit + "SignsIn", old: `[data-x="raw"] b`, new: `[data-y="raw"] b`, line: 21}, 21,
			`await Page.Locator("""[data-y="raw"] b""").ClickAsync();`, placementSite},
		{"c# interpolated without a field", heal{test: nunit + "SignsIn", old: `#plain-interpolated`, new: `#plain`}, 22,
			`await Page.Locator($"#plain").ClickAsync();`, placementTest},
		{"c# page method", heal{test: nunit + "SignsIn", old: `#legacy`, new: `#modern`}, 25,
			`await Page.ClickAsync("#modern");`, placementTest},
		{"c# named argument", heal{test: nunit + "SignsIn", old: `#named`, new: `#renamed`}, 26,
			`await Page.Locator(selector: "#renamed").ClickAsync();`, placementTest},
		{"c# expression body", heal{test: nunit + "SignsIn", old: `internal:text="Accept cookies"i`, new: `internal:text="Allow"i`}, 11,
			`public async Task Open() => await Page.GetByText("Allow").ClickAsync();`, placementShared},
		{"c# test case", heal{test: nunit + `Sizes("s")`, old: `#size-picker`, new: `#sizes`}, 32,
			`await Page.Locator("#sizes").SelectOptionAsync(size);`, placementTest},
		{"c# has text", heal{test: nunit + "Sizes", old: `.row >> internal:has-text="Blue"i`, new: `.row >> internal:has-text="Red"i`}, 37,
			`await Page.Locator(".row").Filter(new() { HasText = "Red" }).ClickAsync();`, placementTest},

		{"go css", heal{test: gotest + "TestSignsIn", old: "#login-btn", new: `[data-testid="login"]`}, 18,
			`page.GetByTestId("login").Click()`, placementTest},
		{"go role", heal{test: gotest + "TestSignsIn", old: `internal:role=button[name="Sign in"i]`, new: `internal:role=button[name="Log in"i]`}, 19,
			`page.GetByRole(*playwright.AriaRoleButton, playwright.PageGetByRoleOptions{Name: "Log in"}).Click()`, placementTest},
		{"go role over lines", heal{test: gotest + "shop.TestSignsIn", old: `internal:role=textbox[name="E-mail"s]`, new: `internal:role=textbox[name="Email"s]`}, 22,
			`Name:  "Email",`, placementTest},
		{"go raw test id", heal{test: gotest + "TestSignsIn", old: `test-id=welcome`, new: `test-id=hello`}, 24,
			"page.GetByTestId(`hello`).WaitFor()", placementTest},
		{"go raw css", heal{test: gotest + "TestSignsIn", old: `[name="q"]`, new: `[name="query"]`}, 29,
			"page.Locator(`[name=\"query\"]`).Click()", placementTest},
		{"go helper", heal{test: gotest + "TestBuys", old: `#menu-toggle`, new: `#menu`}, 13,
			`return page.Locator("#menu").Click()`, placementShared},
		{"go subtest", heal{test: gotest + "TestBuys/two_pairs", old: `#shared-sub`, new: `#sub`}, 40,
			`page.Locator("#sub").Click()`, placementTest},
		{"go has text", heal{test: gotest + "TestBuys", old: `.row >> internal:has-text="Blue"i`, new: `.row >> internal:has-text="Red"i`}, 45,
			`page.Locator(".row").Filter(playwright.LocatorFilterOptions{HasText: "Red"}).Click()`, placementTest},
	}
	p := New(os.DirFS("testdata"))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := p.Propose(c.event(), nil)
			if got.Edit == nil {
				t.Fatalf("no edit: %s (locator %s)", got.Reason, got.Locator)
			}
			if after := strings.TrimSpace(got.Edit.After); after != c.wantAfter || got.Edit.Line != c.wantLine {
				t.Errorf("line %d: %s\nwant %d: %s", got.Edit.Line, after, c.wantLine, c.wantAfter)
			}
			if math.Abs(got.Confidence-c.placement) > 1e-9 {
				t.Errorf("confidence %v, want %v", got.Confidence, c.placement)
			}
		})
	}
	t.Logf("%d cases", len(cases))
}
