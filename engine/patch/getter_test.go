package patch

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// signIn proposes an edit of the locator in a test's call, which was healed by an
// attribute, in a checkout with another file.
func signIn(call, healed, file, text string, matches ...engine.Match) Proposal {
	src := fstest.MapFS{"a.spec.ts": {Data: []byte("test('signs in', async ({ page }) => {\n  await " + call + ".click();\n});\n")}}
	if file != "" {
		src[file] = &fstest.MapFile{Data: []byte(text)}
	}
	return New(src).Propose(engine.HealEvent{TestID: "a.spec.ts › signs in", Locator: "#go", Outcome: engine.OutcomeHealed, Confidence: 1,
		HealedLocator: healed, Matches: matches}, nil)
}

func TestALocatorOfATestIDBecomesItsGetter(t *testing.T) {
	const config = "playwright.config.ts"
	counted := engine.Match{Locator: `internal:testid=[data-qa="in"s]`, Count: 1}
	for _, c := range []struct {
		name, call, healed, file, text string
		matches                        []engine.Match
		want                           string
	}{
		{"the usual attribute", `page.locator('#go')`, `[data-testid="in"]`, "", "", nil, `page.getByTestId('in')`},
		{"in the author's quotes", "page.locator(`#go`)", `[data-testid="in"]`, "", "", nil, "page.getByTestId(`in`)"},
		{"a quote in it", `page.locator("#go")`, `[data-testid='a"b']`, "", "", nil, `page.getByTestId("a\"b")`},
		{"spaces", `page.locator( '#go' )`, `[data-testid="in"]`, "", "", nil, `page.getByTestId('in')`},
		{"another attribute in the settings", `page.locator('#go')`, `[data-testid="in"]`, config, "export default { use: { testIdAttribute: 'data-qa' } };", nil, `page.locator('[data-testid="in"]')`},
		{"an attribute in the settings, of this project or another", `page.locator('#go')`, `[data-qa="in"]`, config, "export default { use: { testIdAttribute: 'data-qa' } };", nil, `page.locator('[data-qa="in"]')`},
		{"set by a call", `page.locator('#go')`, `[data-testid="in"]`, "conftest.py", "playwright.selectors.set_test_id_attribute(name)", nil, `page.locator('[data-testid="in"]')`},
		{"the attribute that the healer read", `page.locator('#go')`, `[data-qa="in"]`, "", "", []engine.Match{counted, {Locator: `[data-qa="in"]`, Count: 1}}, `page.getByTestId('in')`},
		{"an id", `page.locator('#go')`, `#in`, "", "", nil, `page.locator('#in')`},
		{"more than the attribute", `page.locator('#go')`, `button[data-testid="in"]`, "", "", nil, `page.locator('button[data-testid="in"]')`},
		{"options", `page.locator('#go', { hasText: 'x' })`, `[data-testid="in"]`, "", "", nil, `page.locator('[data-testid="in"]', { hasText: 'x' })`},
		{"an action by selector", `page.click('#go'); await page`, `[data-testid="in"]`, "", "", nil, `page.getByTestId('in').click(); await page`},
		{"over lines", "page.locator(\n    '#go')", `[data-testid="in"]`, "", "", nil, `    '[data-testid="in"]')`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := signIn(c.call, c.healed, c.file, c.text, c.matches...)
			if got.Edit == nil {
				t.Fatalf("no edit: %s", got.Reason)
			}
			if after := strings.TrimSuffix(strings.TrimPrefix(got.Edit.After, "  await "), ".click();"); after != c.want {
				t.Errorf("%s, want %s", after, c.want)
			}
			if getter := strings.Contains(got.Edit.After, "getByTestId"); getter != strings.Contains(got.Code, "getByTestId") || getter && got.Modern != "" {
				t.Errorf("the edit is %s, and said is %s, or %s", got.Edit.After, got.Code, got.Modern)
			}
		})
	}
}

// selfmend counts no calls: its target is all that is known of the element.
func TestALocatorOfAnotherKindBecomesTheGetterOfItsTestID(t *testing.T) {
	for _, c := range []struct{ name, locator, call, healed, settings, want string }{
		{"a role", `page.getByRole("button", { name: "Pay" })`, `page.getByRole('button', { name: 'Pay' })`, `[data-testid="pay"]`, "", `page.getByTestId('pay')`},
		{"a label", `page.getByLabel("Card")`, `page.getByLabel('Card')`, `[data-testid="card"]`, "", `page.getByTestId('card')`},
		{"a regular expression", `page.getByRole("button", { name: /pay/ })`, `page.getByRole('button', { name: /pay/ })`, `[data-testid="pay"]`, "", `page.getByTestId('pay')`},
		{"a generated id", `page.getByLabel("Card")`, `page.getByLabel('Card')`, `[data-testid="input-4f9c2e7ab1"]`, "", ""},
		{"another attribute", `page.getByLabel("Card")`, `page.getByLabel('Card')`, `[data-qa="card"]`, "", ""},
		{"another attribute in the settings", `page.getByLabel("Card")`, `page.getByLabel('Card')`, `[data-testid="card"]`, "export default { use: { testIdAttribute: 'data-qa' } };", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := fstest.MapFS{"a.spec.ts": {Data: []byte("test('pays', async ({ page }) => {\n  await " + c.call + ".click();\n});\n")},
				"playwright.config.ts": {Data: []byte(c.settings)}}
			got := New(src).Propose(engine.HealEvent{TestID: "a.spec.ts › pays", Locator: c.locator, Outcome: engine.OutcomeHealed, Confidence: 1, HealedLocator: c.healed}, nil)
			after := ""
			if got.Edit != nil {
				after = strings.TrimSuffix(strings.TrimPrefix(got.Edit.After, "  await "), ".click();")
			}
			if after != c.want {
				t.Errorf("%q, want %q (%s)", after, c.want, got.Reason)
			}
		})
	}
}

// callFiles are the files of TestACallIsWrittenAsItsFileWritesCalls: CALL stands for the
// locator call and what it is made on.
var callFiles = map[string]string{
	"a.spec.ts":           "import { test } from '@playwright/test';\n\ntest('buys', async ({ page }) => {\n  await CALL.click();\n});\n",
	"a.spec.js":           "test('buys', async ({ page }) => {\n  await CALL.click();\n});\n",
	"test_a.py":           "def test_buys(page):\n    CALL.click()\n",
	"A.java":              "import com.microsoft.playwright.*;\nimport com.microsoft.playwright.options.AriaRole;\n\nclass A {\n  @Test\n  void buys(Page page) {\n    CALL.click();\n  }\n}\n",
	"NoRole.java":         "import com.microsoft.playwright.Page;\n\nclass NoRole {\n  @Test\n  void buys(Page page) {\n    CALL.click();\n  }\n}\n",
	"Unknown.java":        "import com.microsoft.playwright.*;\nimport com.microsoft.playwright.options.*;\n\nclass Unknown extends Base {\n  @Test\n  void buys() {\n    CALL.click();\n  }\n}\n",
	"A.cs":                "using Microsoft.Playwright;\nusing NUnit.Framework;\n\nclass A : PageTest {\n  [Test]\n  public async Task buys() {\n    await CALL.ClickAsync();\n  }\n}\n",
	"Old.cs":              "using Microsoft.Playwright;\n\nclass Old {\n  IPage page;\n  [Test]\n  public async Task buys() {\n    await page.GetByText(\"a\", new PageGetByTextOptions { Exact = true }).ClickAsync();\n    await CALL.ClickAsync();\n  }\n}\n",
	"Bare.cs":             "using NUnit.Framework;\n\nclass Bare : PageTest {\n  [Test]\n  public async Task buys() {\n    await CALL.ClickAsync();\n  }\n}\n",
	"a_test.go":           "package a\n\nimport (\n\t\"testing\"\n\n\tpw \"github.com/mxschmitt/playwright-go\"\n)\n\nfunc TestBuys(t *testing.T) {\n\tvar page pw.Page = open(t)\n\tCALL.Click()\n}\n",
	"plain_test.go":       "package a\n\nimport \"github.com/playwright-community/playwright-go\"\n\nfunc TestBuys(t *testing.T) {\n\tpage, err := context.NewPage()\n\tCALL.Click()\n}\n",
	"unknown_test.go":     "package a\n\nimport \"github.com/playwright-community/playwright-go\"\n\nfunc TestBuys(t *testing.T) {\n\tpage := open(t)\n\tCALL.Click()\n}\n",
	"other_test.go":       "package a\n\nimport \"github.com/playwright-community/playwright-go\"\n\nfunc TestBuys(t *testing.T) {\n\tpage, err := context.NewPage()\n\tCALL.Click()\n}\n\nvar page = frame()\n",
	"local_test.go":       "package a\n\nimport \"github.com/playwright-community/playwright-go\"\n\nfunc TestBuys(t *testing.T) {\n\tpage, err := context.NewPage()\n\tCALL.Click()\n}\n\nfunc open() {\n\tpage := frame()\n}\n",
	"without_test.go":     "package a\n\nfunc TestBuys(t *testing.T) {\n\tpage, err := context.NewPage()\n\tCALL.Click()\n}\n",
	"conditional/Some.cs": "using Microsoft.Playwright;\n\nclass Some : PageTest {\n  [Test]\n  public async Task buys() {\n#if DEBUG\n    await CALL.ClickAsync();\n#endif\n  }\n}\n",
}

func TestACallIsWrittenAsItsFileWritesCalls(t *testing.T) {
	const chain, role = ".form > button.go", `internal:role=button[name="Buy"i]`
	const exact = `internal:role=button[name="Buy"s]`
	for _, c := range []struct{ file, call, old, healed, want string }{
		{"a.spec.ts", `page.locator('.form > button.go')`, chain, role, `page.getByRole('button', { name: 'Buy' })`},
		{"a.spec.ts", `page.locator(".form > button.go")`, chain, exact, `page.getByRole("button", { name: "Buy", exact: true })`},
		{"a.spec.ts", "page.locator(`.form > button.go`)", chain, `internal:label="It's $x"i`, `page.getByLabel('It\'s $x')`},
		{"a.spec.ts", `page.locator('.form > button.go')`, chain, `internal:attr=[placeholder="Mail"s]`, `page.getByPlaceholder('Mail', { exact: true })`},
		{"a.spec.ts", `page.locator('.form > button.go')`, chain, `internal:attr=[alt="Logo"i]`, `page.getByAltText('Logo')`},
		{"a.spec.ts", `page.locator('.form > button.go')`, chain, `internal:attr=[title="Go"i]`, `page.getByTitle('Go')`},
		{"a.spec.ts", `page.locator('.form > button.go')`, chain, `internal:text="Buy"i`, `page.getByText('Buy')`},
		{"a.spec.ts", `page.locator('.form > button.go')`, chain, `internal:text=/buy/i`, ""},
		{"a.spec.ts", `page.locator('.form > button.go')`, chain, `text="Buy"`, ""},
		{"a.spec.ts", `page.locator('.form > button.go').getByText('x')`, chain + ` >> internal:text="x"i`, role + ` >> internal:text="x"i`, `page.getByRole('button', { name: 'Buy' }).getByText('x')`},
		{"a.spec.ts", `page.locator('.form > button.go').filter({ hasText: 'x' }).locator('i')`, chain + ` >> internal:has-text="x"i >> i`, role + ` >> internal:has-text="x"i >> i`, `page.getByRole('button', { name: 'Buy' }).filter({ hasText: 'x' }).locator('i')`},
		{"a.spec.ts", `page.locator('#cart').locator('.form > button.go')`, "#cart >> " + chain, "#cart >> " + role, `page.locator('#cart').getByRole('button', { name: 'Buy' })`},
		{"a.spec.ts", `page.frameLocator('#f').locator('.form > button.go')`, "#f >> internal:control=enter-frame >> " + chain, "#f >> internal:control=enter-frame >> " + role, `page.frameLocator('#f').getByRole('button', { name: 'Buy' })`},
		{"a.spec.ts", `page.getByRole('button', { name: 'Add' })`, `internal:role=button[name="Add"i]`, exact, `page.getByRole('button', { name: 'Buy', exact: true })`},
		{"a.spec.ts", `page.getByText('Add')`, `internal:text="Add"i`, `internal:text="Buy"s`, `page.getByText('Buy', { exact: true })`},
		{"a.spec.ts", `page.getByRole('button', { name: 'Add', disabled: false })`, `internal:role=button[name="Add"i][disabled=false]`, `internal:role=button[name="Buy"s][disabled=false]`, `page.getByRole('button', { name: 'Buy', exact: true, disabled: false })`},
		{"a.spec.ts", `page.getByLabel('Add')`, `internal:label="Add"i`, role, `page.getByRole('button', { name: 'Buy' })`},
		{"a.spec.ts", `page.locator('.form > button.go', { hasText: 'x' })`, chain + ` >> internal:has-text="x"i`, role + ` >> internal:has-text="x"i`, ""},
		{"a.spec.ts", `page.locator('.form > button.go' /* the form */)`, chain, role, ""},
		{"a.spec.js", `page.locator('.form > button.go')`, chain, role, `page.getByRole('button', { name: 'Buy' })`},
		{"test_a.py", `page.locator(".form > button.go")`, chain, exact, `page.get_by_role("button", name="Buy", exact=True)`},
		{"test_a.py", `page.locator('.form > button.go')`, chain, `internal:label="It's"i`, `page.get_by_label('It\'s')`},
		{"test_a.py", `page.get_by_role("button", name="Add")`, `internal:role=button[name="Add"i]`, exact, `page.get_by_role("button", name="Buy", exact=True)`},
		{"A.java", `page.locator(".form > button.go")`, chain, exact, `page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Buy").setExact(true))`},
		{"A.java", `page.locator("#cart").locator(".form > button.go")`, "#cart >> " + chain, "#cart >> " + role, `page.locator("#cart").getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Buy"))`},
		{"A.java", `page.frameLocator("#f").locator(".form > button.go")`, "#f >> internal:control=enter-frame >> " + chain, "#f >> internal:control=enter-frame >> " + role, `page.frameLocator("#f").getByRole(AriaRole.BUTTON, new FrameLocator.GetByRoleOptions().setName("Buy"))`},
		{"A.java", `page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Add"))`, `internal:role=button[name="Add"i]`, exact, `page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Buy").setExact(true))`},
		{"NoRole.java", `page.locator(".form > button.go")`, chain, role, ""},
		{"NoRole.java", `page.locator(".form > button.go")`, chain, `internal:label="Buy"s`, `page.getByLabel("Buy", new Page.GetByLabelOptions().setExact(true))`},
		{"NoRole.java", `page.locator("#a").locator(".form > button.go")`, "#a >> " + chain, `#a >> internal:label="Buy"s`, ""},
		{"Unknown.java", `page.locator(".form > button.go")`, chain, role, ""},
		{"Unknown.java", `page.locator(".form > button.go")`, chain, `internal:label="Buy"i`, `page.getByLabel("Buy")`},
		{"A.cs", `Page.Locator(".form > button.go")`, chain, exact, `Page.GetByRole(AriaRole.Button, new() { Name = "Buy", Exact = true })`},
		{"A.cs", `Page.Locator(@".form > button.go")`, chain, role, `Page.GetByRole(AriaRole.Button, new() { Name = "Buy" })`},
		{"A.cs", `Page.GetByRole(AriaRole.Button, new() { Name = "Add" })`, `internal:role=button[name="Add"i]`, exact, `Page.GetByRole(AriaRole.Button, new() { Name = "Buy", Exact = true })`},
		{"Old.cs", `page.Locator(".form > button.go")`, chain, role, `page.GetByRole(AriaRole.Button, new PageGetByRoleOptions { Name = "Buy" })`},
		{"Bare.cs", `Page.Locator(".form > button.go")`, chain, role, ""},
		{"local_test.go", `page.Locator(".form > button.go")`, chain, role, `page.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Buy"})`},
		{"conditional/Some.cs", `Page.Locator(".form > button.go")`, chain, role, ""},
		{"a_test.go", `page.Locator(".form > button.go")`, chain, exact, `page.GetByRole("button", pw.PageGetByRoleOptions{Name: "Buy", Exact: pw.Bool(true)})`},
		{"a_test.go", `page.Locator("#a").Locator(".form > button.go")`, "#a >> " + chain, "#a >> " + role, `page.Locator("#a").GetByRole("button", pw.LocatorGetByRoleOptions{Name: "Buy"})`},
		{"a_test.go", `page.GetByRole("button", pw.PageGetByRoleOptions{Name: "Add"})`, `internal:role=button[name="Add"i]`, exact, `page.GetByRole("button", pw.PageGetByRoleOptions{Name: "Buy", Exact: pw.Bool(true)})`},
		{"plain_test.go", "page.Locator(`.form > button.go`)", chain, role, `page.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Buy"})`},
		{"unknown_test.go", `page.Locator(".form > button.go")`, chain, role, ""},
		{"unknown_test.go", `page.Locator(".form > button.go")`, chain, `internal:label="Buy"i`, `page.GetByLabel("Buy")`},
		{"other_test.go", `page.Locator(".form > button.go")`, chain, role, ""},
		{"without_test.go", `page.Locator(".form > button.go")`, chain, role, ""},
	} {
		t.Run(c.file+" "+c.call, func(t *testing.T) {
			testCall(t, callFiles[c.file], c.file, c.call, c.old, c.healed, c.want)
		})
	}
}

// proposeCall heals a locator in a statement of a file, for which CALL stands in its text.
func proposeCall(template, file, statement, old, healed string) (text string, got Proposal) {
	text = strings.ReplaceAll(template, "CALL", statement)
	h := engine.HealEvent{TestID: engine.TestID(file + " › buys"), Locator: old, HealedLocator: healed, Outcome: engine.OutcomeHealed, Confidence: 1}
	h.Site = &engine.Site{File: file, Line: 1 + strings.Count(text[:strings.Index(text, statement)], "\n")}
	return text, New(fstest.MapFS{file: {Data: []byte(text)}}).Propose(h, nil)
}

// testCall checks that the edit of proposeCall writes want in the place of the statement, or
// that there is none where want is "".
func testCall(t *testing.T, template, file, statement, old, healed, want string) {
	t.Helper()
	text, got := proposeCall(template, file, statement, old, healed)
	if got.Edit == nil {
		if want != "" {
			t.Fatalf("no edit: %s", got.Reason)
		}
		return
	}
	after, err := Apply([]byte(text), []Edit{*got.Edit})
	if whole := strings.ReplaceAll(template, "CALL", want); err != nil || string(after) != whole {
		t.Fatalf("%s, want %s", got.Edit.After, want)
	}
	if got.Note != "" || got.Confidence != 1 {
		t.Errorf("note %q, confidence %v", got.Note, got.Confidence)
	}
	if strings.HasSuffix(file, ".go") {
		if _, err := parser.ParseFile(token.NewFileSet(), file, after, 0); err != nil {
			t.Error(err)
		}
	}
	if again, err := VerifyEdit(file, []byte(text), got.Edit.Start, got.Edit.Old, got.Edit.New); err != nil || again != *got.Edit {
		t.Errorf("made again: %+v, %v", again, err)
	}
}

func TestACallIsOnlyWrittenWhenItWasCounted(t *testing.T) {
	for _, matches := range [][]engine.Match{
		nil,
		{{Locator: `internal:role=button[name="Buy"i]`, Count: 2}},
		{{Locator: `internal:role=button[name="Buy"s]`, Count: 0}},
		{{Locator: `#other >> internal:role=button[name="Buy"i]`, Count: 1}},
	} {
		src := fstest.MapFS{"a.spec.ts": {Data: []byte(strings.ReplaceAll(callFiles["a.spec.ts"], "CALL", "page.locator('.form > button.go')"))}}
		got := New(src).Propose(engine.HealEvent{TestID: "a.spec.ts › buys", Locator: ".form > button.go", Outcome: engine.OutcomeHealed, Confidence: 1,
			Healed: engine.Fingerprint{Tag: "button", Role: "button", Name: "Buy"}, Matches: matches}, nil)
		if got.Edit != nil {
			t.Errorf("%v: %s", matches, got.Edit.After)
		}
	}
}

func TestTheAuthorsKindIsKeptWhereItIsAsGood(t *testing.T) {
	role := engine.Match{Locator: `internal:role=button[name="Buy"i]`, Count: 1}
	for _, c := range []struct{ old, css, want string }{
		{"#go", "#buy", "page.locator('#buy')"},
		{".go", "#buy", "page.locator('#buy')"},
		{".form > .go", "#buy", "page.getByRole('button', { name: 'Buy' })"},
		{"//form/button", "#buy", "page.getByRole('button', { name: 'Buy' })"},
	} {
		src := fstest.MapFS{"a.spec.ts": {Data: []byte(strings.ReplaceAll(callFiles["a.spec.ts"], "CALL", "page.locator('"+c.old+"')"))}}
		got := New(src).Propose(engine.HealEvent{TestID: "a.spec.ts › buys", Locator: c.old, Outcome: engine.OutcomeHealed, Confidence: 1,
			Healed: engine.Fingerprint{Tag: "button", Role: "button", Name: "Buy", Attributes: engine.Attributes{{Name: "id", Value: "buy"}}}, Matches: []engine.Match{role, {Locator: c.css, Count: 1}}}, nil)
		if got.Edit == nil || !strings.Contains(got.Edit.After, c.want+".click()") {
			t.Errorf("%s: %+v (%s), want %s", c.old, got.Edit, got.Reason, c.want)
		}
	}
}

func TestAStoredEditOfACallIsMadeAgain(t *testing.T) {
	edit := *signIn(`page.locator('#go')`, `[data-testid="in"]`, "", "").Edit
	text := "test('signs in', async ({ page }) => {\n  await page.locator('#go').click();\n});\n"
	if again, err := VerifyEdit(edit.File, []byte(text), edit.Start, edit.Old, edit.New); err != nil || again != edit {
		t.Errorf("%+v, %v", again, err)
	}
	for _, with := range []string{
		`locator('#x')`, `evil('in')`, `getByTestId('in').evil()`, `getByTestId('in', x)`, `getByTestId(x)`, "getByTestId(`${x}`)", `locator('#in')`, `getByText(/in/)`, `getByText("in")`, `getByText('in', { exact: false })`, `getByText('in').first()`,
		`getByTestId('in'); evil()`, `getByTestId('in' )`, `getByTestId( 'in')`, `getByTestId /**/('in')`, "getByTestId('\u202e')", `get_by_test_id('in')`, `getByTestId('')`, ``,
	} {
		if e, err := VerifyEdit(edit.File, []byte(text), edit.Start, edit.Old, with); err == nil {
			t.Errorf("made: %+v", e)
		}
	}
}
