package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// composedIn are tests whose statement on the line of LOST is filled in.
var composedIn = map[string]struct{ file, text string }{
	"ts":   {"a.spec.ts", "test('a', async ({ page }) => {\n  LOST\n});\n"},
	"py":   {"test_a.py", "def test_a(page):\n    LOST\n"},
	"java": {"ATest.java", "class ATest {\n  @Test\n  void a() {\n    LOST\n  }\n}\n"},
	"cs":   {"ATest.cs", "class ATest : PageTest {\n  [Test]\n  public async Task A() {\n    LOST\n  }\n}\n"},
	"go":   {"a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tLOST\n}\n"},
}

// proposeComposed proposes an edit of the statement, which lost old; new found it alone.
func proposeComposed(lang, statement, old, next string, passed ...PassedTest) Proposal {
	in := composedIn[lang]
	text := strings.Replace(in.text, "LOST", statement, 1)
	line := strings.Count(in.text[:strings.Index(in.text, "LOST")], "\n") + 1
	p := New(fstest.MapFS{in.file: {Data: []byte(text)}})
	p.SetPassed(passed)
	return p.Propose(engine.HealEvent{
		TestID: engine.TestID(in.file + " › a"), Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: old, HealedLocator: next,
		Matches: []engine.Match{{Locator: next, Count: 1}}, Site: &engine.Site{File: in.file, Line: line},
	}, nil)
}

const (
	rowWas, rowIs     = `#row-42`, `#line-42`
	deleteWas         = `internal:role=button[name="Delete Ada"i]`
	removeIs          = `internal:role=button[name="Remove Ada"i]`
	channelWas        = `[data-test-id="Channel-USD"]`
	salesIs           = `[data-test-id="Sales-USD"]`
	testIDWas         = `internal:testid=[data-testid="row-7"s]`
	testIDIs          = `internal:testid=[data-testid="line-7"s]`
	menuWas, menuIs   = `tr[data-id="7"] .menu`, `tr[data-id="7"] .actions`
	labelWas, labelIs = `label:has-text("Red")`, `label.choice:has-text("Red")`
)

func TestTextsAroundTheTestsOwnDataAreEdited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, statement, old, next, want string }{
		{"ts", "await page.locator(`#row-${row.id}`).click();", rowWas, rowIs, "await page.locator(`#line-${row.id}`).click();"},
		{"ts", "await page.locator('#row-' + row.id).click();", rowWas, rowIs, "await page.locator('#line-' + row.id).click();"},
		{"ts", "await page.locator('#row-' + String(row.id)).click();", rowWas, rowIs, "await page.locator('#line-' + String(row.id)).click();"},
		{"ts", "await page.locator(`#row-${await newID()}`).click();", rowWas, rowIs, "await page.locator(`#line-${await newID()}`).click();"},
		{"ts", "await page.locator(`#row-${rows.filter((r) => r.ok)[0].id}`).click();", rowWas, rowIs, "await page.locator(`#line-${rows.filter((r) => r.ok)[0].id}`).click();"},
		{"ts", "await page.locator(`[data-test-id=\"Channel-${name}\"]`).click();", channelWas, salesIs, "await page.locator(`[data-test-id=\"Sales-${name}\"]`).click();"},
		{"ts", "await page.getByTestId(`row-${id}`).click();", testIDWas, testIDIs, "await page.getByTestId(`line-${id}`).click();"},
		{"ts", "await page.getByRole('button', { name: `Delete ${user.name}` }).click();", deleteWas, removeIs, "await page.getByRole('button', { name: `Remove ${user.name}` }).click();"},
		{"ts", "await page.locator(`label:has-text(\"${text}\")`).check();", labelWas, labelIs, "await page.locator(`label.choice:has-text(\"${text}\")`).check();"},
		{"ts", "await page.locator(`tr[data-id=\"${id}\"] .menu`).click();", menuWas, menuIs, "await page.locator(`tr[data-id=\"${id}\"] .actions`).click();"},
		{"ts", "await page.locator(`${ROOT} .save`).click();", "#app .save", "#app .store", "await page.locator(`${ROOT} .store`).click();"},
		{"ts", "await page.click(`#row-${id}`);", rowWas, rowIs, "await page.click(`#line-${id}`);"},
		{"ts", "await page.locator(`#row-${a}-${b}`).click();", "#row-42-x", "#line-42-x", "await page.locator(`#line-${a}-${b}`).click();"},
		{"ts", "await page.locator(`#qty-${sku}`).fill('2');", "#qty-mug", `[data-testid="quantity-mug"]`, "await page.getByTestId(`quantity-${sku}`).fill('2');"},
		{"ts", "await page.locator(`#qty-${sku}`).fill('2');", "#qty-mug", `internal:testid=[data-testid="quantity-mug"s]`, "await page.getByTestId(`quantity-${sku}`).fill('2');"},
		{"ts", "await page.locator(`[data-testid=\"qty-${sku}\"]`).fill('2');", `[data-testid="qty-mug"]`, `[data-testid="quantity-mug"]`, "await page.getByTestId(`quantity-${sku}`).fill('2');"},
		{"ts", "await page.click(`#qty-${sku}`);", "#qty-mug", `[data-testid="quantity-mug"]`, "await page.click(`[data-testid=\"quantity-${sku}\"]`);"},
		{"py", `page.locator(f"#qty-{sku}").fill("2")`, "#qty-mug", `[data-testid="quantity-mug"]`, `page.get_by_test_id(f"quantity-{sku}").fill("2")`},
		{"java", `page.locator("#qty-" + sku).fill("2");`, "#qty-mug", `[data-testid="quantity-mug"]`, `page.getByTestId("quantity-" + sku).fill("2");`},
		{"cs", `await Page.Locator($"#qty-{sku}").FillAsync("2");`, "#qty-mug", `[data-testid="quantity-mug"]`, `await Page.GetByTestId($"quantity-{sku}").FillAsync("2");`},
		{"go", `page.Locator(fmt.Sprintf("#qty-%s", sku)).Fill("2")`, "#qty-mug", `[data-testid="quantity-mug"]`, `page.GetByTestId(fmt.Sprintf("quantity-%s", sku)).Fill("2")`},
		{"py", `page.locator(f"#row-{row.id}").click()`, rowWas, rowIs, `page.locator(f"#line-{row.id}").click()`},
		{"py", `page.locator("#row-" + row_id).click()`, rowWas, rowIs, `page.locator("#line-" + row_id).click()`},
		{"py", `page.locator("#row-{}".format(row_id)).click()`, rowWas, rowIs, `page.locator("#line-{}".format(row_id)).click()`},
		{"py", `page.locator("#row-%s" % row_id).click()`, rowWas, rowIs, `page.locator("#line-%s" % row_id).click()`},
		{"py", `page.get_by_role("button", name=f"Delete {user}").click()`, deleteWas, removeIs, `page.get_by_role("button", name=f"Remove {user}").click()`},
		{"py", `page.locator(f'[data-test-id="Channel-{name}"]').click()`, channelWas, salesIs, `page.locator(f'[data-test-id="Sales-{name}"]').click()`},
		{"java", `page.locator("#row-" + row.id()).click();`, rowWas, rowIs, `page.locator("#line-" + row.id()).click();`},
		{"java", `page.locator(String.format("#row-%s", id)).click();`, rowWas, rowIs, `page.locator(String.format("#line-%s", id)).click();`},
		{"java", `page.locator("#row-%d".formatted(id)).click();`, rowWas, rowIs, `page.locator("#line-%d".formatted(id)).click();`},
		{"java", `page.locator("[data-test-id=\"Channel-" + name + "\"]").click();`, channelWas, salesIs, `page.locator("[data-test-id=\"Sales-" + name + "\"]").click();`},
		{"java", `page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Delete " + user)).click();`, deleteWas, removeIs, `page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Remove " + user)).click();`},
		{"cs", `await Page.Locator($"#row-{row.Id}").ClickAsync();`, rowWas, rowIs, `await Page.Locator($"#line-{row.Id}").ClickAsync();`},
		{"cs", `await Page.Locator($".row[title=\"{name}\"]").ClickAsync();`, `.row[title="Ann"]`, `.line[title="Ann"]`, `await Page.Locator($".line[title=\"{name}\"]").ClickAsync();`},
		{"cs", `await Page.Locator($"[title=\"{name}\"] .row").ClickAsync();`, `[title="Ann"] .row`, `[alt="Ann"] .line`, `await Page.Locator($"[alt=\"{name}\"] .line").ClickAsync();`},
		{"java", "String row = \"#row-\" + id;\n    page.locator(row).click();", rowWas, rowIs, `String row = "#line-" + id;`},
		{"java", "String row = String.format(\"#row-%s\", id);\n    page.locator(row).click();\n    page.locator(row).hover();", rowWas, rowIs, `String row = String.format("#line-%s", id);`},
		{"cs", "var row = $\"#row-{id}\"; await Page.Locator(row).ClickAsync();", rowWas, rowIs, `var row = $"#line-{id}"; await Page.Locator(row).ClickAsync();`},
		{"cs", `await Page.Locator("#row-" + row.Id).ClickAsync();`, rowWas, rowIs, `await Page.Locator("#line-" + row.Id).ClickAsync();`},
		{"cs", `await Page.Locator(string.Format("#row-{0}", id)).ClickAsync();`, rowWas, rowIs, `await Page.Locator(string.Format("#line-{0}", id)).ClickAsync();`},
		{"cs", `await Page.GetByRole(AriaRole.Button, new() { Name = $"Delete {user}" }).ClickAsync();`, deleteWas, removeIs, `await Page.GetByRole(AriaRole.Button, new() { Name = $"Remove {user}" }).ClickAsync();`},
		{"go", `page.Locator(fmt.Sprintf("#row-%d", row.ID)).Click()`, rowWas, rowIs, `page.Locator(fmt.Sprintf("#line-%d", row.ID)).Click()`},
		{"go", `page.Locator("#row-" + id).Click()`, rowWas, rowIs, `page.Locator("#line-" + id).Click()`},
		{"go", "page.Locator(fmt.Sprintf(`[data-test-id=\"Channel-%s\"]`, name)).Click()", channelWas, salesIs, "page.Locator(fmt.Sprintf(`[data-test-id=\"Sales-%s\"]`, name)).Click()"},
	} {
		got := proposeComposed(c.lang, c.statement, c.old, c.next)
		if got.Edit == nil || strings.TrimSpace(got.Edit.After) != c.want || !got.Sure() {
			after := ""
			if got.Edit != nil {
				after = got.Edit.After
			}
			t.Errorf("%s\n  edited %s (%.2f), want %s: %s", c.statement, strings.TrimSpace(after), got.Confidence, c.want, got.Reason)
			continue
		}
		in := composedIn[c.lang]
		text := []byte(strings.Replace(in.text, "LOST", c.statement, 1))
		again, err := VerifyEdit(in.file, text, got.Edit.Start, got.Edit.Old, got.Edit.New)
		if err != nil || again != *got.Edit {
			t.Errorf("%s: the same edit, stored and made later: %+v, %v", c.statement, again, err)
		}
	}
}

func TestWhatIsComposedInAnotherWayIsNotEdited(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lang, statement, old, next string }{
		"the new locator has other data":                 {"ts", "await page.locator(`#row-${id}`).click();", rowWas, "#line-77"},
		"the data is in the new locator twice":           {"ts", "await page.locator(`#row-${id}`).click();", "#row-1", "#line-1-1"},
		"the data is within a word of the new one":       {"ts", "await page.locator(`#row-${id}`).click();", rowWas, "#line42a"},
		"the data was in quotes":                         {"ts", "await page.locator(`[data-row=\"${id}\"]`).click();", `[data-row="42"]`, `[data-line=42]`},
		"the data is all that is written":                {"ts", "await page.getByTestId(`${id}`).click();", testIDWas, testIDIs},
		"the value of what is filled in changed":         {"ts", "await page.locator(`${ROOT} .save`).click();", "#app .save", "#main .save"},
		"two texts could each be the data":               {"ts", "await page.locator(`#row-${a}-${b}`).click();", "#row-4-2-1", "#line-4-2-1"},
		"a condition chooses between two":                {"ts", "await page.locator(old ? `#row-${id}` : `#col-${id}`).click();", rowWas, rowIs},
		"a condition of Python":                          {"py", `page.locator("#row-" + a if x else "#col-" + a).click()`, rowWas, rowIs},
		"a method changes it":                            {"ts", "await page.locator(`#row-${id}`.toLowerCase()).click();", rowWas, rowIs},
		"a method changes what is joined":                {"ts", "await page.locator(('#Row-' + id).toLowerCase()).click();", rowWas, rowIs},
		"escapes stand in it":                            {"ts", "await page.locator(`#row\\\\:${id}`).click();", `#row\:42`, `#line-42`},
		"the field has a format":                         {"py", `page.locator(f"#row-{id:>3}x").click()`, "#row- 42x", "#line- 42x"},
		"the format has a percent sign":                  {"go", `page.Locator(fmt.Sprintf("#row-%d %%", id)).Click()`, "#row-42 %", "#line-42 %"},
		"the new text would be a field":                  {"py", `page.get_by_text(f"Row {id}").click()`, `internal:text="Row 42"i`, `internal:text="{Row} 42"i`},
		"another escape beside the quotes":               {"cs", `await Page.Locator($".row[title=\"{name}\"] \\32 x").ClickAsync();`, `.row[title="Ann"] \32 x`, `.line[title="Ann"] \32 x`},
		"what a variable holds is also asserted":         {"java", "String row = \"#row-\" + id;\n    page.locator(row).click();\n    check(row);", rowWas, rowIs},
		"a variable gets another value":                  {"java", "String row = \"#row-\" + id;\n    row = other();\n    page.locator(row).click();", rowWas, rowIs},
		"a variable is looked for as a text":             {"java", "String row = \"#row-\" + id;\n    page.getByText(row).click();", rowWas, rowIs},
		"a variable is not looked for":                   {"java", "String row = \"#row-\" + id;\n    stop();", rowWas, rowIs},
		"a variable is put within another text":          {"java", "String row = \"#row-\" + id;\n    page.locator(row).click();\n    page.locator(row + \"-x\").click();", rowWas, rowIs},
		"the new text would end the string":              {"cs", `await Page.Locator($"#row-{id}").ClickAsync();`, rowWas, `[data-line="42"]`},
		"the new one has another role":                   {"ts", "await page.getByRole('button', { name: `Delete ${user.name}` }).click();", deleteWas, `internal:role=link[name="Remove Ada"i]`},
		"it is no locator":                               {"ts", "console.log(`#row-${id}`); await row.click();", rowWas, rowIs},
		"two such calls are on the line":                 {"ts", "await page.locator(`#row-${a}`).or(page.locator(`#row-${b}`)).click();", rowWas, rowIs},
		"it hangs on another locator than what was lost": {"ts", "await page.locator('#list').locator(`#row-${id}`).click();", "#other >> #row-42", "#other >> #line-42"},
	} {
		if got := proposeComposed(c.lang, c.statement, c.old, c.next); got.Edit != nil {
			t.Errorf("%s: edited %s", name, got.Edit.After)
		} else if got.Reason == "" {
			t.Errorf("%s: no reason", name)
		}
	}
}

func TestWhatALoopComposesIsForAPersonToDecide(t *testing.T) {
	t.Parallel()
	for lang, statement := range map[string]string{
		"ts":   "for (const id of ids) { await page.locator(`#row-${id}`).click(); }",
		"java": `for (String id : ids) { page.locator("#row-" + id).click(); }`,
		"cs":   `foreach (var id in ids) { await Page.Locator($"#row-{id}").ClickAsync(); }`,
		"go":   `for _, id := range ids { page.Locator("#row-" + id).Click() }`,
	} {
		got := proposeComposed(lang, statement, rowWas, rowIs)
		if got.Edit == nil || got.Sure() || got.Note == "" {
			t.Errorf("%s: edit %v, sure %t, note %q: %s", lang, got.Edit, got.Sure(), got.Note, got.Reason)
		}
	}
	grouped := "test.describe.parallel('rows', () => {\n  test('a', async ({ page }) => {\n    await page.locator(`#row-${id}`).click();\n  });\n});\n"
	alone := New(fstest.MapFS{"a.spec.ts": {Data: []byte(grouped)}}).Propose(engine.HealEvent{
		TestID: "a.spec.ts › rows › a", Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: rowWas, HealedLocator: rowIs, Matches: []engine.Match{{Locator: rowIs, Count: 1}},
		Site: &engine.Site{File: "a.spec.ts", Line: 3},
	}, nil)
	if alone.Edit == nil || !alone.Sure() {
		t.Errorf("a group of tests is no loop: edit %v, sure %t: %s", alone.Edit, alone.Sure(), alone.Reason)
	}
	python := "def test_a(page):\n    for row in rows:\n        page.locator(f\"#row-{row}\").click()\n"
	got := New(fstest.MapFS{"test_a.py": {Data: []byte(python)}}).Propose(engine.HealEvent{
		TestID: "test_a.py › test_a", Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: rowWas, HealedLocator: rowIs, Matches: []engine.Match{{Locator: rowIs, Count: 1}},
		Site: &engine.Site{File: "test_a.py", Line: 3},
	}, nil)
	if got.Edit == nil || got.Sure() {
		t.Errorf("Python: edit %v, sure %t: %s", got.Edit, got.Sure(), got.Reason)
	}
}

func TestWhatAnotherTestPassedWithIsNotEdited(t *testing.T) {
	t.Parallel()
	source := fstest.MapFS{
		"rows.ts":   {Data: []byte("export class Rows {\n  constructor(private page: Page) {}\n  async open(id: string) {\n    await this.page.locator(`#row-${id}`).click();\n  }\n}\n")},
		"a.spec.ts": {Data: []byte("import { Rows } from './rows';\ntest('a', async ({ page }) => {\n  await new Rows(page).open('42');\n});\ntest('b', async ({ page }) => {\n  await new Rows(page).open('43');\n});\n")},
	}
	lost := engine.HealEvent{TestID: "a.spec.ts › a", Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: rowWas, HealedLocator: rowIs,
		Matches: []engine.Match{{Locator: rowIs, Count: 1}}, Site: &engine.Site{File: "rows.ts", Line: 4}}
	p := New(source)
	if got := p.Propose(lost, nil); got.Edit == nil || !got.Sure() {
		t.Errorf("alone: %v, %s", got.Edit, got.Reason)
	}
	p.SetPassed([]PassedTest{{Test: engine.TestResult{File: "a.spec.ts", Name: "b", ID: "a.spec.ts › b"}}})
	if got := p.Propose(lost, nil); got.Edit != nil || !strings.Contains(got.Reason, "passed with the old locator") {
		t.Errorf("another test passed: %v, %s", got.Edit, got.Reason)
	}
}

// Whether another test passed matters only where there is an edit for it to stop.
func TestWhatIsFilledInChangedWhateverPassed(t *testing.T) {
	t.Parallel()
	p := New(fstest.MapFS{
		"Pages.cs": {Data: []byte("static class Pages {\n  public static Task Click(this IPage page, string text) =>\n    page.ClickAsync($\"button:text-is('{text}')\");\n}\n")},
		"ATest.cs": {Data: []byte("class ATest : PageTest {\n  static readonly string[] Titles = { \"Save\" };\n  [Test] public async Task A() { await Page.Click(Titles[0]); }\n  [Test] public async Task B() { await Page.Click(\"Cancel\"); }\n}\n")},
	})
	p.SetPassed([]PassedTest{{Test: engine.TestResult{File: "ATest.cs", Name: "B", ID: "ATest.cs › B"}}})
	for next, reason := range map[string]string{
		"button:text-is('Store')": "is composed at line 3 of Pages.cs, and the new locator does not have the same filled in",
		"a:text-is('Save')":       "B passed with the old locator",
	} {
		got := p.Propose(engine.HealEvent{TestID: "ATest.cs › A", Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: "button:text-is('Save')", HealedLocator: next,
			Matches: []engine.Match{{Locator: next, Count: 1}}, Site: &engine.Site{File: "Pages.cs", Line: 3}}, nil)
		if got.Edit != nil || !strings.Contains(got.Reason, reason) {
			t.Errorf("%s: edit %v, reason %q", next, got.Edit, got.Reason)
		}
	}
}

func TestAStoredEditOfAComposedTextChangesTextsAlone(t *testing.T) {
	t.Parallel()
	text := []byte("test('a', async ({ page }) => {\n  await page.locator(`#row-${id}`).click();\n  console.log(`#row-${id}`);\n});\n")
	in := strings.Index(string(text), "`#row")
	old := "`#row-${id}`"
	if _, err := VerifyEdit("a.spec.ts", text, in, old, "`#line-${id}`"); err != nil {
		t.Errorf("the edit that is offered: %v", err)
	}
	for _, with := range []string{"`#line-${other}`", "`#line-${id}${id}`", "`#line`", "'#line-' + id", "`#line-${id}` + evil()", "`#line-${id}`).click(); evil(`", "`#line-\n${id}`", "`#line-${id /* x */}`", "`#line-${ id }`", "`#line-\u202e${id}`", "getByTestId(`line-${id}`)", ""} {
		if e, err := VerifyEdit("a.spec.ts", text, in, old, with); err == nil {
			t.Errorf("%q is made: %s", with, e.After)
		}
	}
	call := strings.Index(string(text), "locator(")
	if _, err := VerifyEdit("a.spec.ts", text, call, "locator(`#row-${id}`)", "getByTestId(`line-${id}`)"); err != nil {
		t.Errorf("the call of a test id: %v", err)
	}
	for _, with := range []string{"getByTestId(`line-${other}`)", "getByText(`line-${id}`)", "locator(`#line-${id}`)", "getByTestId(`line-${id}`).first()", "getByTestId(`line`)"} {
		if e, err := VerifyEdit("a.spec.ts", text, call, "locator(`#row-${id}`)", with); err == nil {
			t.Errorf("%q is made in the place of the call: %s", with, e.After)
		}
	}
	if e, err := VerifyEdit("a.spec.ts", text, strings.LastIndex(string(text), "`#row"), old, "`#line-${id}`"); err == nil {
		t.Errorf("what is no locator is edited: %s", e.After)
	}
}

func TestWhatStandsBesideAComposedLocatorIsEditedWithIt(t *testing.T) {
	t.Parallel()
	text := "test('a', async ({ page }) => {\n  await page.locator(`#qty-${sku}`).fill('2');\n  await page.locator(`#qty-${sku}`).press('Enter');\n  await page.locator(`#qty-${other}`).press('Enter');\n});\n"
	p := New(fstest.MapFS{"a.spec.ts": {Data: []byte(text)}})
	lost := engine.HealEvent{TestID: "a.spec.ts › a", Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: "#qty-mug", HealedLocator: `[data-testid="quantity-mug"]`,
		Matches: []engine.Match{{Locator: `[data-testid="quantity-mug"]`, Count: 1}}, Site: &engine.Site{File: "a.spec.ts", Line: 2}}
	got := p.Propose(lost, nil)
	more := p.Spread([]Proposal{got}, Suite{
		Heals: []engine.HealEvent{lost}, Result: func(engine.TestID) *engine.TestResult { return nil },
		Failed: func(engine.TestID) bool { return false }, Editable: Editable, Same: func(a, b engine.Fingerprint) bool { return false },
	})
	if len(more) != 1 || more[0].Edit == nil || more[0].Edit.Line != 3 || !strings.Contains(more[0].Edit.After, "getByTestId(`quantity-${sku}`)") {
		t.Errorf("beside it: %+v", more)
	}
}
