package patch

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// button is a helper of each language that composes a locator of its parameter name.
var button = map[string]string{
	"ts":   "§button(name: string) { return this.page.locator(`button:has-text(\"${name}\")`); }",
	"py":   "def button(self, name):\n        §return self.page.locator(f'button:has-text(\"{name}\")')",
	"java": "Locator button(String name) {\n    §return page.locator(\"button:has-text(\\\"\" + name + \"\\\")\");\n  }",
	"cs":   "§public ILocator Button(string name) => _page.Locator($\"button:has-text(\\\"{name}\\\")\");",
	"go":   "func (p *AlertsPage) Button(name string) playwright.Locator {\n\t§return p.page.Locator(fmt.Sprintf(`button:has-text(\"%s\")`, name))\n}",
}

func TestATextThatMayBeAnythingElseIsNotEdited(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]filledCase{
		"the helper asserts it":         {"ts", "§async press(name: string) { await this.page.locator(`button:has-text(\"${name}\")`).click(); await expect(this.title).toHaveText(name); }", "await alerts.press('Save');", textWas, textIs, ""},
		"the helper asserts more of it": {"ts", "§async press(name: string) { await this.page.locator(`button:has-text(\"${name}\")`).click(); await expect(this.page.locator(`.${name}`)).toBeVisible(); }", "await alerts.press('Save');", textWas, textIs, ""},
		"the helper types it":           {"ts", "§async press(name: string) { await this.page.locator(`button:has-text(\"${name}\")`).fill(name); }", "await alerts.press('Save');", textWas, textIs, ""},
		"the helper opens it":           {"ts", "§async press(name: string) { await this.page.goto(`/${name}`); await this.page.locator(`button:has-text(\"${name}\")`).click(); }", "await alerts.press('Save');", textWas, textIs, ""},
		"the helper gives it back":      {"ts", "§press(name: string) { this.page.locator(`button:has-text(\"${name}\")`); return name; }", "await alerts.press('Save');", textWas, textIs, ""},
		"the helper keeps it":           {"ts", "§press(name: string) { this.last = name; return this.page.locator(`button:has-text(\"${name}\")`); }", "await alerts.press('Save');", textWas, textIs, ""},
		"the helper changes it":         {"ts", "§press(name: string) { return this.page.locator(`button:has-text(\"${name.trim()}\")`); }", "await alerts.press('Save');", textWas, textIs, ""},
		"the helper sets it":            {"ts", "§press(name: string) { name = name.trim(); return this.page.locator(`button:has-text(\"${name}\")`); }", "await alerts.press('Save');", textWas, textIs, ""},
		"the helper compares it":        {"ts", "§press(name: string) { if (name === 'x') return; return this.page.locator(`button:has-text(\"${name}\")`); }", "await alerts.press('Save');", textWas, textIs, ""},
		"the local is changed":          {"ts", "§press(name: string) { let found = `button:has-text(\"${name}\")`; found += ':visible'; return this.page.locator(found); }", "await alerts.press('Save');", textWas, textIs, ""},
		"the local is asserted":         {"ts", "§press(name: string) { const found = `button:has-text(\"${name}\")`; expect(found).toBe('x'); return this.page.locator(found); }", "await alerts.press('Save');", textWas, textIs, ""},
		"a condition chooses":           {"ts", "§press(name: string) { return this.page.locator(this.old ? `button:has-text(\"${name}\")` : `a:has-text(\"${name}\")`); }", "await alerts.press('Save');", textWas, textIs, ""},
		"another text changed as well":  {"ts", button["ts"], "await alerts.button('Save').click();", textWas, `a:has-text("Store")`, ""},
		"the text is within another":    {"ts", button["ts"], "await alerts.button('Sav').click();", textWas, textIs, ""},
		"the new one has other quotes":  {"ts", button["ts"], "await alerts.button('Save').click();", textWas, `button:has-text('Store')`, ""},
		"another role":                  {"ts", "§button(name: string) { return this.page.getByRole('button', { name: `Delete ${name}` }); }", "await alerts.button('Save').click();", dropWas, `internal:role=link[name="Delete Store"i]`, ""},
		"the argument is a variable":    {"ts", button["ts"], "const name = label();\n  await alerts.button(name).click();", textWas, textIs, ""},
		"the argument is composed":      {"ts", button["ts"], "await alerts.button('Sa' + 've').click();", textWas, textIs, ""},
		"the argument is conditional":   {"ts", button["ts"], "await alerts.button(old ? 'Save' : 'Keep').click();", textWas, textIs, ""},
		"a loop hands rows":             {"ts", button["ts"], "for (const name of ['Save', 'Keep']) {\n    await alerts.button(name).click();\n  }", textWas, textIs, ""},
		"a loop hands rows of a table":  {"ts", button["ts"], "const rows = ['Save', 'Keep'];\n  for (const name of rows) await alerts.button(name).click();\n  await alerts.button('Save').click();", textWas, textIs, ""},
		"two calls hand it":             {"ts", button["ts"], "await alerts.button('Save').click();\n  await alerts.button('Save').click();", textWas, textIs, ""},
		"two calls on the line hand it": {"ts", strings.Replace(button["ts"], "§", "", 1), "§await alerts.button('Save').or(alerts.button('Save')).click();", textWas, textIs, ""},
		"another call may hand it":      {"ts", button["ts"], "await alerts.button(data.name).click();\n  await alerts.button('Save').click();", textWas, textIs, ""},
		"what runs before hands it":     {"ts", button["ts"], "await alerts.button('Save').click();\n});\ntest.beforeEach(async ({ page }) => {\n  await new AlertsPage(page).button('Save').click();", textWas, textIs, ""},
		"it is data, on its own line":   {"ts", strings.Replace(button["ts"], "§", "", 1), "await page.locator('#title').fill('Save');\n  §await alerts.button('Save').click();", textWas, textIs, ""},
		"two helpers, and no line":      {"ts", strings.Replace(button["ts"], "§", "", 1) + "\n  saved(name: string) { return this.page.locator(`button:has-text(\"${name}\")`).first(); }", "await alerts.button('Save').click();\n  await alerts.saved(data.name).click();", textWas, textIs, ""},
		"the line hands a variable":     {"ts", strings.Replace(button["ts"], "§", "", 1), "§await alerts.button(name).or(alerts.button('Save')).click();", textWas, textIs, ""},
		"the test types it, too":        {"ts", button["ts"], "await page.locator('#title').fill('Save');\n  await alerts.button('Save').click();", textWas, textIs, ""},
		"a constant that is typed, too": {"ts", button["ts"], "const SAVE = 'Save';\n  await page.locator('#title').fill(SAVE);\n  await alerts.button(SAVE).click();", textWas, textIs, ""},
		"another parameter is other":    {"ts", "§row(table: string, name: string) { return this.page.locator(`#${table} tr:has-text(\"${name}\")`); }", "await alerts.row('orders', 'Save').click();", cellWas, cellIs, ""},
		"another page object's method":  {"ts", button["ts"], "const other = new OtherPage(page);\n  await other.button('Save').click();", textWas, textIs, ""},
		"it is another helper's line":   {"ts", strings.Replace(button["ts"], "§", "", 1) + "\n  §get first() { return this.page.locator('button').first(); }", "await alerts.button('Save').click();", textWas, textIs, ""},
		"it is looked for elsewhere":    {"ts", "§button(name: string) { return this.page.locator('#list').locator(`button:has-text(\"${name}\")`); }", "await alerts.button('Save').click();", `#other >> ` + textWas, `#other >> ` + textIs, ""},
		"arguments are spread":          {"ts", button["ts"], "await alerts.button(...names, 'Save').click();", textWas, textIs, ""},
		"Python: a format of its own":   {"py", "def button(self, name):\n        §return self.page.locator(f'button:has-text(\"{name!r:>4}\")')", `alerts.button("Save").click()`, textWas, textIs, ""},
		"Python: as a keyword of more":  {"py", "def button(self, name):\n        §return self.page.locator(f'button:has-text(\"{name}\")').filter(has_text=name.title())", `alerts.button(name="Save").click()`, textWas, textIs, ""},
		"Python: unpacked":              {"py", button["py"], `alerts.button(*names, "Save").click()`, textWas, textIs, ""},
		"Python: a parameter of a test": {"py", button["py"], "for name in [\"Save\", \"Keep\"]:\n        alerts.button(name).click()", textWas, textIs, ""},
		"Java: an overload of as many":  {"java", "void press(String name) {\n    §page.locator(\"button:has-text(\\\"\" + name + \"\\\")\").click();\n  }\n  void press(CharSequence url) {\n    page.navigate(url);\n  }", `alerts.press("Save");`, textWas, textIs, ""},
		"Java: a method changes it":     {"java", "void press(String name) {\n    §page.locator((\"button:has-text(\\\"\" + name + \"\\\")\").toLowerCase()).click();\n  }", `alerts.press("save");`, `button:has-text("save")`, textIs, ""},
		"Java: a width":                 {"java", "void press(String name) {\n    §page.locator(String.format(\"button:has-text(\\\"%4s\\\")\", name)).click();\n  }", `alerts.press("Save");`, textWas, textIs, ""},
		"Java: the other argument":      {"java", "void press(String kind, String name) {\n    §page.locator(kind + \":has-text(\\\"\" + name + \"\\\")\").click();\n  }", `alerts.press(kind, "button");`, textWas, textIs, ""},
		"C#: a static call's page":      {"cs", "public string Title;\n}\npublic static class PageExtensions\n{\n    §public static Task Press(this IPage page, string id, string text) => page.Locator($\"#{id}-{text}\").ClickAsync();", `await PageExtensions.Press(Page, "save", "btn");`, saveWas, saveIs, ""},
		"C#: named the other way":       {"cs", "§public Task Press(string kind, string id) => _page.Locator($\"#{kind}-{id}\").ClickAsync();", `await alerts.Press(id: "btn", kind: "save");`, saveWas, saveIs, ""},
		"C#: with a format":             {"cs", "§public Task Press(string id) => _page.Locator($\"#btn-{id,4}\").ClickAsync();", `await alerts.Press("save");`, saveWas, saveIs, ""},
		"C#: between #if and #endif":    {"cs", button["cs"], "\n#if DEBUG\n        await alerts.Button(\"Save\").ClickAsync();\n#endif", textWas, textIs, ""},
		"C#: data of the test":          {"cs", button["cs"], "var row = new Row { Name = \"Save\" };\n        await form.Fill(row);\n        await alerts.Button(\"Save\").ClickAsync();", textWas, textIs, ""},
		"Go: another receiver":          {"go", button["go"], `other.Button("Save").Click()`, textWas, textIs, ""},
		"Go: rows of a table test":      {"go", button["go"], "for _, name := range []string{\"Save\", \"Keep\"} {\n\t\talerts.Button(name).Click()\n\t}", textWas, textIs, ""},
	} {
		if got := c.propose(); got.Edit != nil {
			t.Errorf("%s: edited %s", name, strings.TrimSpace(got.Edit.After))
		} else if got.Reason == "" {
			t.Errorf("%s: no reason", name)
		}
	}
}

func TestATextThatOtherTestsPassedWithIsNotEdited(t *testing.T) {
	t.Parallel()
	shared := button["ts"] + "\n  async save() { await this.button('Save').click(); }"
	passed := PassedTest{Test: engine.TestResult{File: "a.spec.ts", Name: "b", ID: "a.spec.ts › b"}}
	for _, c := range []struct {
		name, helpers, own, other string
		edits                     bool
	}{
		{"it shares the method that hands the text", shared, "await alerts.save();", "await alerts.save();", false},
		{"it hands the same itself", button["ts"], "await alerts.button('Save').click();", "await alerts.button('Save').click();", true},
		{"it hands another text", button["ts"], "await alerts.button('Save').click();", "await alerts.button('Keep').click();", true},
	} {
		other := "});\ntest('b', async ({ page }) => {\n  const alerts = new AlertsPage(page);\n  " + c.other
		got := filledCase{"ts", c.helpers, c.own + "\n" + other, textWas, textIs, ""}.propose(passed)
		if edits := got.Edit != nil && strings.Contains(got.Edit.After, "'Store'"); edits != c.edits {
			t.Errorf("%s: %v, %s", c.name, got.Edit, got.Reason)
		}
	}
}

// The healer finds the element by its role; that the author's form finds it alone was counted.
func TestATextNeedsTheAuthorsFormToBeCounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		matches []engine.Match
		edits   bool
	}{
		{[]engine.Match{{Locator: roleIs, Count: 1}, {Locator: textIs, Count: 1}}, true},
		{[]engine.Match{{Locator: roleIs, Count: 1}, {Locator: textIs, Count: 2}}, false},
		{[]engine.Match{{Locator: roleIs, Count: 1}}, false},
	} {
		lost := filledCase{"ts", button["ts"], "await alerts.button('Save').click();", textWas, roleIs, ""}
		disk, site := lost.files()
		got := New(disk).Propose(engine.HealEvent{TestID: "a.spec.ts › a", Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: textWas, HealedLocator: roleIs, Matches: c.matches, Site: site}, nil)
		if edits := got.Edit != nil && strings.Contains(got.Edit.After, "'Store'"); edits != c.edits || got.Edit != nil && !edits {
			t.Errorf("%v: %v, %s", c.matches, got.Edit, got.Reason)
		}
	}
}

// What a box stored is verified by its file alone, which does not say what a text is for.
func TestAStoredEditOfATextThatAHelperTakesIsNotMade(t *testing.T) {
	t.Parallel()
	c := filledCase{"ts", button["ts"], "await alerts.button('Save').click();", textWas, textIs, ""}
	got := c.propose()
	disk, _ := c.files()
	if got.Edit == nil {
		t.Fatal(got.Reason)
	}
	if e, err := VerifyEdit(got.Edit.File, disk[got.Edit.File].Data, got.Edit.Start, got.Edit.Old, got.Edit.New); err == nil {
		t.Errorf("made: %s", e.After)
	}
}
