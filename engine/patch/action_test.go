package patch

import (
	"strings"
	"testing"
)

// actionFiles are the files of TestAnActionIsWrittenOnTheCallOfItsElement beside those of
// callFiles: CALL stands for the statement.
var actionFiles = map[string]string{
	"a.spec.ts":    "import { test } from '@playwright/test';\n\ntest('buys', async ({ page, context }) => {\n  await CALL;\n});\n",
	"other.ts":     "import { Page } from './app';\n\nexport async function buys(page: Page) {\n  await CALL;\n}\n",
	"typed.ts":     "import { type Page } from '@playwright/test';\n\nexport class Cart {\n  constructor(readonly page: Page, private readonly tab: Page) {}\n  async buys() {\n    await CALL;\n  }\n}\n",
	"object.ts":    "import { LoginPage } from './login';\n\nexport async function buys(loginPage, browser) {\n  const page = new LoginPage(await browser.newPage());\n  await CALL;\n}\n",
	"imported.ts":  "import page from './app';\n\nexport async function buys() {\n  await CALL;\n}\n",
	"test_a.py":    "from playwright.sync_api import Page\n\ndef test_buys(page: Page):\n    CALL\n",
	"test_own.py":  "from app import Page\n\ndef test_buys(page: Page):\n    CALL\n",
	"test_made.py": "from app import LoginPage\n\ndef test_buys(browser):\n    page = LoginPage(browser.new_page())\n    CALL\n",
	"A.java":       "import com.microsoft.playwright.*;\nimport com.microsoft.playwright.options.AriaRole;\n\nclass A {\n  @Test\n  void buys(Page page) {\n    CALL;\n  }\n}\n",
	"Own.java":     "import shop.pages.Page;\n\nclass Own {\n  @Test\n  void buys(Page page) {\n    CALL;\n  }\n}\n",
	"Login.java":   "import com.microsoft.playwright.options.AriaRole;\nimport shop.pages.LoginPage;\n\nclass Login {\n  LoginPage page;\n  @Test\n  void buys() {\n    CALL;\n  }\n}\n",
	"A.cs":         "using Microsoft.Playwright;\nusing NUnit.Framework;\n\nclass A : PageTest {\n  [Test]\n  public async Task buys() {\n    await CALL;\n  }\n}\n",
	"Field.cs":     "using Microsoft.Playwright;\n\nclass Field {\n  private readonly IPage _page;\n  public async Task buys() {\n    await CALL;\n  }\n}\n",
	"Login.cs":     "using Microsoft.Playwright;\n\nclass Login {\n  private readonly LoginPage _page;\n  public async Task buys() {\n    await CALL;\n  }\n}\n",
	"a_test.go":    "package a\n\nimport \"github.com/playwright-community/playwright-go\"\n\nfunc TestBuys(t *testing.T) {\n\tpage, err := context.NewPage()\n\tCALL\n}\n",
	"own_test.go":  "package a\n\nimport \"github.com/playwright-community/playwright-go\"\n\nfunc buys(page *LoginPage) {\n\tCALL\n}\n",
}

// proposeAction heals #go in a statement of one of actionFiles.
func proposeAction(file, statement, old, healed string) (text string, got Proposal) {
	return proposeCall(actionFiles[file], file, statement, old, healed)
}

func TestAnActionIsWrittenOnTheCallOfItsElement(t *testing.T) {
	const role, label, exact = `internal:role=button[name="Press"i]`, `internal:label="Mail"i`, `internal:role=button[name="Press"s]`
	for _, c := range []struct{ file, call, healed, want string }{
		{"a.spec.ts", `page.click('#go')`, role, `page.getByRole('button', { name: 'Press' }).click()`},
		{"a.spec.ts", `page.click("#go")`, exact, `page.getByRole("button", { name: "Press", exact: true }).click()`},
		{"a.spec.ts", `page.click( '#go' )`, role, `page.getByRole('button', { name: 'Press' }).click()`},
		{"a.spec.ts", `page.click('#go',)`, role, `page.getByRole('button', { name: 'Press' }).click()`},
		{"a.spec.ts", `page.click('#go', { force: true, timeout: 1_000 })`, role, `page.getByRole('button', { name: 'Press' }).click({ force: true, timeout: 1_000 })`},
		{"a.spec.ts", `page.click('#go', { strict: true })`, role, ""},
		{"a.spec.ts", `page.click('#go', { ...quick })`, role, ""},
		{"a.spec.ts", `page.click('#go', quick)`, role, ""},
		{"a.spec.ts", `page.click('#go' /* buys */)`, role, ""},
		{"a.spec.ts", "page.click(\n    '#go')", role, ""},
		{"a.spec.ts", `page.fill('#go', 'a@b.c')`, label, `page.getByLabel('Mail').fill('a@b.c')`},
		{"a.spec.ts", `page.fill('#go', user.mail, { force: true })`, label, `page.getByLabel('Mail').fill(user.mail, { force: true })`},
		{"a.spec.ts", "page.fill('#go',\n    user.mail)", label, "page.getByLabel('Mail').fill(\n    user.mail)"},
		{"a.spec.ts", `page.selectOption('#go', { label: 'A' })`, label, `page.getByLabel('Mail').selectOption({ label: 'A' })`},
		{"a.spec.ts", `page.selectOption('#go', ...values)`, label, ""},
		{"a.spec.ts", `page.dispatchEvent('#go', 'click', { detail: 1 })`, role, `page.getByRole('button', { name: 'Press' }).dispatchEvent('click', { detail: 1 })`},
		{"a.spec.ts", `page.waitForSelector('#go')`, role, ""},
		{"a.spec.ts", `page.$('#go')`, role, ""},
		{"a.spec.ts", `page.dragAndDrop('#go', '#to')`, role, ""},
		{"a.spec.ts", `expect(await page.textContent('#go')).toBe('a')`, role, `expect(await page.getByRole('button', { name: 'Press' }).textContent()).toBe('a')`},
		{"a.spec.ts", `Promise.all([page.waitForURL('/a'), page.click('#go')])`, role, `Promise.all([page.waitForURL('/a'), page.getByRole('button', { name: 'Press' }).click()])`},
		{"a.spec.ts", `loginPage.click('#go')`, role, ""},
		{"a.spec.ts", `cart.page.click('#go')`, role, ""},
		{"a.spec.ts", `page?.click('#go')`, role, ""},
		{"a.spec.ts", `this.click('#go')`, role, ""},
		{"other.ts", `page.click('#go')`, role, ""},
		{"object.ts", `page.click('#go')`, role, ""},
		{"object.ts", `loginPage.click('#go')`, role, ""},
		{"imported.ts", `page.click('#go')`, role, ""},
		{"typed.ts", `this.page.press('#go', 'Enter')`, label, `this.page.getByLabel('Mail').press('Enter')`},
		{"typed.ts", `this.tab.click('#go')`, role, `this.tab.getByRole('button', { name: 'Press' }).click()`},
		{"test_a.py", `page.click("#go")`, exact, `page.get_by_role("button", name="Press", exact=True).click()`},
		{"test_a.py", `page.fill("#go", "a", timeout=10)`, label, `page.get_by_label("Mail").fill("a", timeout=10)`},
		{"test_a.py", `page.fill("#go", value="a")`, label, `page.get_by_label("Mail").fill(value="a")`},
		{"test_a.py", `page.fill("#go", "a", strict=True)`, label, ""},
		{"test_a.py", `page.click("#go", **quick)`, role, ""},
		{"test_a.py", `page.click(selector="#go")`, role, ""},
		{"test_a.py", `page.fill(value="a", selector="#go")`, label, ""},
		{"test_own.py", `page.click("#go")`, role, ""},
		{"test_made.py", `page.click("#go")`, role, ""},
		{"A.java", `page.click("#go")`, role, `page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Press")).click()`},
		{"A.java", `page.fill("#go", "a")`, label, `page.getByLabel("Mail").fill("a")`},
		{"A.java", `page.click("#go", new Page.ClickOptions().setForce(true))`, role, ""},
		{"A.java", `page.fill("#go", "a", options)`, label, ""},
		{"Own.java", `page.fill("#go", "a")`, label, ""},
		{"Login.java", `page.fill("#go", "a")`, label, ""},
		{"A.cs", `Page.ClickAsync("#go")`, role, `Page.GetByRole(AriaRole.Button, new() { Name = "Press" }).ClickAsync()`},
		{"A.cs", `Page.FillAsync("#go", "a", new() { Force = true })`, label, `Page.GetByLabel("Mail").FillAsync("a", new() { Force = true })`},
		{"A.cs", `Page.ClickAsync("#go", new() { Strict = true })`, role, ""},
		{"A.cs", `Page.ClickAsync("#go", new PageClickOptions { Force = true })`, role, ""},
		{"A.cs", `Page.ClickAsync("#go", options)`, role, ""},
		{"Field.cs", `_page.FillAsync("#go", "a")`, label, `_page.GetByLabel("Mail").FillAsync("a")`},
		{"Login.cs", `_page.FillAsync("#go", "a")`, label, ""},
		{"a_test.go", `page.Click("#go")`, role, `page.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Press"}).Click()`},
		{"a_test.go", `page.Fill("#go", "a")`, label, `page.GetByLabel("Mail").Fill("a")`},
		{"a_test.go", `page.Click("#go", playwright.PageClickOptions{Force: playwright.Bool(true)})`, role, ""},
		{"a_test.go", `page.SelectOption("#go", values...)`, label, ""},
		{"own_test.go", `page.Fill("#go", "a")`, label, ""},
	} {
		t.Run(c.file+" "+c.call, func(t *testing.T) {
			testCall(t, actionFiles[c.file], c.file, c.call, "#go", c.healed, c.want)
		})
	}
}

// Where the page allows CSS that is as good, the action and its form stay.
func TestAnActionKeepsItsSelectorWhereThatIsAsGood(t *testing.T) {
	for _, c := range []struct{ call, healed, want string }{
		{`page.click('#go')`, "#buy", `page.click('#buy')`},
		{`page.click('#go', quick)`, `[data-testid="buy"]`, `page.click('[data-testid="buy"]', quick)`},
		{`loginPage.click('#go')`, `[data-testid="buy"]`, `loginPage.click('[data-testid="buy"]')`},
	} {
		if _, got := proposeAction("a.spec.ts", c.call, "#go", c.healed); got.Edit == nil || strings.TrimSpace(got.Edit.After) != "await "+c.want+";" {
			t.Errorf("%s: %+v (%s), want %s", c.call, got.Edit, got.Reason, c.want)
		}
	}
}

func TestAStoredEditOfAnActionIsCheckedAgain(t *testing.T) {
	text, got := proposeAction("a.spec.ts", `page.fill('#go', 'a')`, "#go", `internal:label="Mail"i`)
	if got.Edit == nil || got.Edit.Old != `fill('#go', ` || got.Edit.New != `getByLabel('Mail').fill(` {
		t.Fatalf("%+v (%s)", got.Edit, got.Reason)
	}
	e := *got.Edit
	for _, with := range []string{
		`getByLabel('Mail').click(`, `getByLabel('Mail').fill('b', `, `getByLabel('Mail').first().fill(`, `getByLabel(x).fill(`, `locator('#in').fill(`, `getByLabel('Mail').fill`,
		`getByLabel("Mail").fill(`, `getByLabel('Mail' ).fill(`, `getByLabel(/mail/).fill(`, `getByLabel('Mail').fill(evil(), `, `evil('Mail').fill(`, `fill(`, ``, `getByLabel('Mail'); evil(`,
	} {
		if e, err := VerifyEdit(e.File, []byte(text), e.Start, e.Old, with); err == nil {
			t.Errorf("made: %+v", e)
		}
	}
	for _, old := range []string{`fill('#go',`, `fill('#go'`, `fill('#go', 'a')`, `page.fill('#go', `} {
		if e, err := VerifyEdit(e.File, []byte(text), strings.Index(text, old), old, e.New); err == nil {
			t.Errorf("%s made: %+v", old, e)
		}
	}
}

// The forms of a shared locator that click it are tried as an action by selector, too.
func TestNoFormHidesThatAnotherTestPassedWithAnActionsSelector(t *testing.T) {
	clicks := strings.NewReplacer(`.locator('#go').click()`, `.click('#go')`, `.locator("#go").click()`, `.click("#go")`,
		`.Locator("#go").ClickAsync()`, `.ClickAsync("#go")`, `.Locator("#go").Click()`, `.Click("#go")`,
		"package shop;\n", "package shop;\nimport com.microsoft.playwright.*;\n", `import "fmt"`, "import (\n\t\"fmt\"\n\n\t\"github.com/mxschmitt/playwright-go\"\n)")
	for _, c := range []struct {
		language    string
		grid        sharedGrid
		tried, made int // forms, and whole calls that are written where nothing else ran
	}{
		{"TypeScript", typescriptGrid(), 321, 314}, {"Python", pythonGrid(), 201, 201}, {"Java", javaGrid(), 219, 218}, {"C#", csharpGrid(), 208, 187}, {"Go", goGrid(), 148, 146},
	} {
		t.Run(c.language, func(t *testing.T) {
			g, tried, made := c.grid, 0, 0
			g.healed = `internal:label="Go"i`
			forms := 0
			for name, files := range g.forms() {
				page := clicks.Replace(string(files[g.pageFile].Data))
				if !strings.Contains(page, `lick("#go")`) && !strings.Contains(page, `lick('#go')`) && !strings.Contains(page, `ClickAsync("#go")`) {
					continue
				}
				if forms++; forms%3 > 0 { // the others meet the same members
					continue
				}
				tried++
				files[g.pageFile].Data = []byte(page)
				if alone := g.propose(files, -1); alone.Edit != nil && strings.Contains(strings.ToLower(strings.ReplaceAll(alone.Edit.New, "_", "")), `getbylabel(`) {
					made++
				}
				if shared := g.propose(files, 1); shared.Edit != nil {
					t.Errorf("%s: edited although %s passed with it\n%s", name, g.tests[1], page)
				}
			}
			if tried != c.tried || made != c.made {
				t.Errorf("%d forms, %d whole calls, want %d and %d", tried, made, c.tried, c.made)
			}
		})
	}
}
