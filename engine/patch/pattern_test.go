package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/locator"
)

// patternHeal is the event of a locator that matched by a regular expression and whose
// element has another name or text now; each of the counted locators finds it alone.
func patternHeal(old, healed string, e engine.Fingerprint, counted ...string) engine.HealEvent {
	h := engine.HealEvent{TestID: "a.spec.ts › t", Locator: old, Outcome: engine.OutcomeHealed, Confidence: 1, HealedLocator: healed, Healed: e}
	for _, text := range counted {
		h.Matches = append(h.Matches, engine.Match{Locator: text, Count: 1})
	}
	return h
}

// A regular expression that looks for one text looks for the new one, in the author's form;
// any other becomes a call of plain text. What nothing proves stays.
func TestARegularExpressionLooksForTheNewText(t *testing.T) {
	button := engine.Fingerprint{Tag: "button", Role: "button", Name: "Add Hook", Text: "add hook"}
	const loose, exact = `internal:role=button[name="Add Hook"i]`, `internal:role=button[name="Add Hook"s]`
	dot := engine.Fingerprint{Tag: "button", Role: "button", Name: "Go / stop (all)"}
	for _, c := range []struct {
		name, file, line, old string
		heal                  engine.HealEvent
		want                  string
	}{
		{"small letters", "a.spec.ts", `await page.getByRole('button', { name: /create webhook/i }).click();`, `internal:role=button[name=/create webhook/i]`,
			patternHeal("", loose, button), `await page.getByRole('button', { name: /add hook/i }).click();`},
		{"capitals", "a.spec.ts", `await page.getByRole('button', { name: /Create webhook/i }).click();`, `internal:role=button[name=/Create webhook/i]`,
			patternHeal("", loose, button), `await page.getByRole('button', { name: /Add Hook/i }).click();`},
		{"the whole name", "a.spec.ts", `await page.getByRole('button', { name: /^Create$/ }).click();`, `internal:role=button[name=/^Create$/]`,
			patternHeal("", exact, button), `await page.getByRole('button', { name: /^Add Hook$/ }).click();`},
		{"the whole name in any letters, as counted", "a.spec.ts", `await page.getByRole('button', { name: /^create$/i }).click();`, `internal:role=button[name=/^create$/i]`,
			patternHeal("", `internal:role=button[name=/^add hook$/i]`, button), `await page.getByRole('button', { name: /^add hook$/i }).click();`},
		{"the whole name in any letters, not counted", "a.spec.ts", `await page.getByRole('button', { name: /^create$/i }).click();`, `internal:role=button[name=/^create$/i]`,
			patternHeal("", loose, button), `await page.getByRole('button', { name: 'Add Hook' }).click();`},
		{"signs", "a.spec.ts", `await page.getByRole('button', { name: /go on/i, }).click();`, `internal:role=button[name=/go on/i]`,
			patternHeal("", `internal:role=button[name="Go / stop (all)"i]`, dot), `await page.getByRole('button', { name: /go \/ stop \(all\)/i, }).click();`},
		{"several texts", "a.spec.ts", `await page.getByRole('button', { name: /create|new/i }).click();`, `internal:role=button[name=/create|new/i]`,
			patternHeal("", loose, button), `await page.getByRole('button', { name: 'Add Hook' }).click();`},
		{"in a chain", "a.spec.ts", `await page.getByRole('dialog').getByText(/create/i).click();`, `internal:role=dialog >> internal:text=/create/i`,
			patternHeal("", `internal:role=dialog >> internal:text=/add hook/i`, button), `await page.getByRole('dialog').getByText(/add hook/i).click();`},
		{"not counted as a text", "a.spec.ts", `await page.getByText(/create/i).click();`, `internal:text=/create/i`,
			patternHeal("", `internal:text="add hook"i`, button), `await page.getByText('add hook').click();`},
		{"as a selector", "a.spec.ts", `await page.locator('text=/create/i').click();`, `text=/create/i`,
			patternHeal("", `text=/add hook/i`, button), `await page.locator('text=/add hook/i').click();`},
		{"Python", "test_a.py", `page.get_by_role("button", name=re.compile("create webhook", re.IGNORECASE)).click()`, `internal:role=button[name=/create webhook/i]`,
			patternHeal("", loose, button), `page.get_by_role("button", name=re.compile("add hook", re.IGNORECASE)).click()`},
		{"Python's raw string", "test_a.py", `page.get_by_role("button", name=re.compile(r"create\.", re.I)).click()`, `internal:role=button[name=/create\./i]`,
			patternHeal("", `internal:role=button[name="Go / stop (all)"i]`, dot), `page.get_by_role("button", name=re.compile(r"go / stop \(all\)", re.I)).click()`},
		{"Java", "ATest.java", `page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(Pattern.compile("create webhook", Pattern.CASE_INSENSITIVE))).click();`,
			`internal:role=button[name=/create webhook/i]`, patternHeal("", loose, button),
			`page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(Pattern.compile("add hook", Pattern.CASE_INSENSITIVE))).click();`},
		{"Java's escapes", "ATest.java", `page.getByText(Pattern.compile("create\\.")).click();`, `internal:text=/create\./`,
			patternHeal("", `internal:text=/Go \/ stop \(all\)/`, dot), `page.getByText(Pattern.compile("Go / stop \\(all\\)")).click();`},
		{"C#", "ATest.cs", `await Page.GetByRole(AriaRole.Button, new() { NameRegex = new Regex("create webhook", RegexOptions.IgnoreCase) }).ClickAsync();`,
			`internal:role=button[name=/create webhook/i]`, patternHeal("", loose, button),
			`await Page.GetByRole(AriaRole.Button, new() { NameRegex = new Regex("add hook", RegexOptions.IgnoreCase) }).ClickAsync();`},
		{"Go", "a_test.go", `page.GetByRole("button", playwright.PageGetByRoleOptions{Name: regexp.MustCompile("(?i)create webhook")}).Click()`,
			`internal:role=button[name=/create webhook/i]`, patternHeal("", loose, button),
			`page.GetByRole("button", playwright.PageGetByRoleOptions{Name: regexp.MustCompile("(?i)add hook")}).Click()`},
		{"another regular expression", "a.spec.ts", `await page.getByRole('button', { name: /create hook/i }).click();`, `internal:role=button[name=/create webhook/i]`,
			patternHeal("", loose, button), ""},
		{"a string that reads as one", "a.spec.ts", `await page.getByRole('button', { name: '/create webhook/i' }).click();`, `internal:role=button[name=/create webhook/i]`,
			patternHeal("", loose, button), ""},
		{"of no locator", "a.spec.ts", `expect(await page.title()).toMatch(/create webhook/i);`, `internal:role=button[name=/create webhook/i]`,
			patternHeal("", loose, button), ""},
		{"changed by a method", "a.spec.ts", `await page.getByRole('button', { name: /create webhook/i.source }).click();`, `internal:role=button[name=/create webhook/i]`,
			patternHeal("", loose, button), ""},
		{"another role", "a.spec.ts", `await page.getByRole('link', { name: /create webhook/i }).click();`, `internal:role=button[name=/create webhook/i]`,
			patternHeal("", loose, button), ""},
		{"nothing proven", "a.spec.ts", `await page.getByText(/create/i).click();`, `internal:text=/create/i`,
			patternHeal("", ``, button), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := map[string]string{
				"a.spec.ts": "test('t', async ({ page }) => {\n", "test_a.py": "import re\n\ndef test_t(page):\n",
				"ATest.java": "class ATest {\n  @Test void t() {\n", "ATest.cs": "class ATest {\n  [Test] public async Task t() {\n", "a_test.go": "package a\n\nfunc TestT(t *testing.T) {\n",
			}[c.file] + "    " + c.line + "\n" + map[string]string{"a.spec.ts": "});\n", "test_a.py": "", "ATest.java": "  }\n}\n", "ATest.cs": "  }\n}\n", "a_test.go": "}\n"}[c.file]
			h := c.heal
			h.Locator, h.Site = c.old, &engine.Site{File: c.file, Line: strings.Count(text[:strings.Index(text, c.line)], "\n") + 1}
			h.TestID = engine.TestID(c.file + " › t")
			got := New(fstest.MapFS{c.file: {Data: []byte(text)}}).Propose(h, nil)
			switch {
			case got.Edit == nil && c.want == "":
				return
			case got.Edit == nil:
				t.Fatalf("no edit: %s", got.Reason)
			case c.want == "" && got.Sure():
				t.Fatalf("edited: %s", got.Edit.After)
			case c.want == "":
				return
			}
			if after := strings.TrimSpace(got.Edit.After); after != c.want || !got.Sure() {
				t.Errorf("%s, want %s (sure: %v, %s)", after, c.want, got.Sure(), got.Note)
			}
			if again, err := VerifyEdit(c.file, []byte(text), got.Edit.Start, got.Edit.Old, got.Edit.New); err != nil || again != *got.Edit {
				t.Errorf("verified as %+v, %v", again, err)
			}
		})
	}
}

// What is stored may be changed by others: a regular expression keeps its form.
func TestAStoredEditOfARegularExpressionKeepsItsForm(t *testing.T) {
	const script, python = "page.getByText(/create/i).click();\n", "import re\npage.get_by_text(re.compile(\"create\", re.I)).click()\n"
	for _, c := range []struct {
		file, text, old, with string
		ok                    bool
	}{
		{"a.spec.ts", script, "/create/i", "/add/i", true},
		{"a.spec.ts", script, "/create/i", "/add/", false},
		{"a.spec.ts", script, "/create/i", "/.*/i", false},
		{"a.spec.ts", script, "/create/i", "/^add/i", false},
		{"a.spec.ts", script, "/create/i", "'add'", false},
		{"a.spec.ts", script, "/create/i", "/add/i, /x/i", false},
		{"a.spec.ts", script, "/create/i", "/a/b/i", false},
		{"a.spec.ts", script, "/create/i", "/a\u200bb/i", false},
		{"test_a.py", python, `"create"`, `"add"`, true},
		{"test_a.py", python, `"create"`, `".*"`, false},
		{"test_a.py", python, `"create"`, `"^add"`, false},
		{"test_a.py", python, `"create"`, `"(?i)add"`, false},
		{"test_a.py", python, `re.I`, `re.M`, false},
	} {
		start := strings.Index(c.text, c.old)
		if e, err := VerifyEdit(c.file, []byte(c.text), start, c.old, c.with); (err == nil) != c.ok {
			t.Errorf("%s to %s: %+v, %v", c.old, c.with, e, err)
		}
	}
}

func TestARegularExpressionIsComparedWithTheTextThatItLooksFor(t *testing.T) {
	for _, c := range []struct {
		regexp, plain string
		same          bool
	}{
		{`/save/i`, `"Save"i`, true}, {`/^Save$/`, `"Save"s`, true}, {`/save/`, `"save"i`, false}, {`/^save$/i`, `"save"i`, false},
		{`/^Save$/`, `"save"s`, false}, {`/save  all/i`, `"save  all"i`, false}, {`/sa.e/i`, `"sa.e"i`, false}, {`/sa\.e/i`, `"sa.e"i`, true},
		{`/save/m`, `"save"i`, false}, {`/straße/i`, `"STRASSE"i`, false}, {`/^Save/`, `"Save"s`, false}, {`/Save\$/i`, `"Save$"i`, true},
	} {
		s, err := locator.Parse(`internal:role=button[name=` + c.regexp + `]`)
		if err != nil {
			t.Fatal(err)
		}
		if proof := locator.ProofOf(engine.HealEvent{HealedLocator: `internal:role=button[name=` + c.plain + `]`}, s); (proof == locator.Unique) != c.same {
			t.Errorf("%s and %s: %v", c.regexp, c.plain, proof)
		}
	}
}
