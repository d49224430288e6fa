package patch

import (
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// table is a file with a table of two rows, of which one test each looks for the selector.
type table struct {
	file, text string
	own, other string // the names of the tests of the first row and of the second
}

var tables = map[string]table{
	"a list of objects that is taken apart": {"a.spec.ts", `const cases = [
  { name: 'Save', selector: '#save' },
  { name: 'Next', selector: '#other' },
];
for (const { name, selector } of cases) {
  test(` + "`presses ${name}`" + `, async ({ page }) => {
    await page.click(selector);
  });
}
`, "presses Save", "presses Next"},
	"a list of objects in the loop": {"a.spec.ts", `for (const row of [{ name: 'Save', selector: '#save' }, { name: 'Next', selector: '#other' }] as const) {
  test(row.name, async ({ page }) => {
    await page.locator(row.selector).click();
  });
}
`, "Save", "Next"},
	"a typed list of objects": {"a.spec.ts", `const cases: { name: string; selector: string }[] = [{ name: 'Save', selector: '#save' }, { name: 'Next', selector: '#other' }];
for (const row of cases) {
  test.describe(` + "`form ${row.name}`" + `, () => {
    test('presses', async ({ page }) => { await page.locator(row.selector).click(); });
  });
}
`, "form Save › presses", "form Next › presses"},
	"a list of lists": {"a.spec.ts", `[['Save', '#save'], ['Next', '#other']].forEach(([name, selector]) => {
  test(` + "`presses ${name}`" + `, async ({ page }) => { await page.click(selector); });
});
`, "presses Save", "presses Next"},
	"titles with signs": {"a.spec.ts", `for (const { path, selector } of [{ path: '/save?a=1&b', selector: '#save' }, { path: '/next "it"', selector: '#other' }]) {
  test(` + "`opens ${path} @smoke`" + `, async ({ page }) => { await page.click(selector); });
}
`, "opens /save?a=1&b @smoke", `opens /next "it" @smoke`},
	"some rows of a list, in one statement": {"a.spec.ts", `const cases = [{ name: 'Save', selector: '#save' }, { name: 'Next', selector: '#other' }];
for (const row of cases.filter((c) => c.name))
  test(row.name, async ({ page }) => { await page.click(row.selector); });
`, "Save", "Next"},
	"entries of an object": {"a.spec.ts", `const cases = { Save: '#save', 'Next one': '#other' } as const;
for (const [name, selector] of Object.entries(cases)) {
  test(` + "`presses ${name}`" + `, async ({ page }) => { await page.click(selector); });
}
`, "presses Save", "presses Next one"},
	"entries of an object by their number": {"a.spec.ts", `Object.entries({ Save: '#save', Next: '#other' }).forEach((row) => {
  test(row[0], async ({ page }) => { await page.click(row[1]); });
});
`, "Save", "Next"},
	"lists by their number": {"a.spec.ts", `const cases = [['Save', '#save'], ['Next', '#other']];
cases.forEach((row) => {
  test(row[0], async ({ page }) => { await page.click(row[1]); });
});
`, "Save", "Next"},
	"test.each of lists": {"a.test.js", `test.each([['Save', '#save'], ['Next', '#other']])('presses %s', async (name, selector) => {
  await page.click(selector);
});
`, "presses Save", "presses Next"},
	"test.each of objects": {"a.test.js", `test.each([{ name: 'Save', selector: '#save' }, { name: 'Next', selector: '#other' }])('presses $name', async ({ selector }) => {
  await page.click(selector);
});
`, "presses Save", "presses Next"},
	"parametrize of values": {"test_a.py", `@pytest.mark.parametrize("selector", ["#save", "#other"])
def test_a(page, selector):
    page.click(selector)
`, "test_a[chromium-#save]", "test_a[chromium-#other]"},
	"parametrize of tuples": {"test_a.py", `CASES = [("Save", "#save"), ("Next", "#other")]

@pytest.mark.parametrize("name, selector", CASES)
def test_a(page, name, selector):
    page.locator(selector).click()
`, "test_a[Save-#save]", "test_a[Next-#other]"},
	"parametrize of which one is marked": {"test_a.py", `@pytest.mark.parametrize("selector", ["#save", pytest.param("#other", marks=pytest.mark.slow)])
def test_a(page, selector):
    page.click(selector)
`, "test_a[#save]", "test_a[#other]"},
	"parametrize of which one has an id": {"test_a.py", `@pytest.mark.parametrize("selector", [pytest.param("#save", id="Save"), "#other"])
def test_a(page, selector):
    page.click(selector)
`, "test_a[Save]", "test_a[#other]"},
	"parametrize with ids": {"test_a.py", `@pytest.mark.parametrize("selector", [pytest.param("#save", id="Save"), pytest.param("#other", id="Next")])
def test_a(page, selector):
    page.click(selector)
`, "test_a[Save]", "test_a[Next]"},
	"parametrize of dictionaries": {"test_a.py", `@pytest.mark.parametrize("case", [{"name": "Save", "selector": "#save"}, {"name": "Next", "selector": "#other"}])
def test_a(page, case):
    page.click(case["selector"])
`, "test_a[case0]", "test_a[case1]"},
	"ValueSource": {"ATest.java", `class ATest {
  @ParameterizedTest
  @ValueSource(strings = {"#save", "#other"})
  void presses(String selector) {
    page.locator(selector).click();
  }
}
`, "presses(String)[1]", "presses(String)[2]"},
	"MethodSource": {"ATest.java", `class ATest {
  static Stream<Arguments> cases() {
    return Stream.of(
      Arguments.of("Save", "#save"),
      arguments("Next", "#other"));
  }
  @ParameterizedTest
  @MethodSource("cases")
  void presses(String name, String selector) {
    page.locator(selector).click();
  }
}
`, "presses(String, String)[1]", "presses(String, String)[2]"},
	"TestCase": {"ATest.cs", `public class ATest : PageTest {
  [TestCase("Save", "#save")]
  [TestCase("Next", "#other")]
  public async Task Presses(string name, string selector) => await Page.Locator(selector).ClickAsync();
}
`, `Presses("Save","#save")`, `Presses("Next","#other")`},
	"InlineData": {"ATest.cs", `public class ATest {
  [Theory, InlineData("#save"), InlineData("#other")]
  public async Task Presses(string selector) { await Page.ClickAsync(selector); }
}
`, `Presses(selector: "#save")`, `Presses(selector: "#other")`},
	"DataRow": {"ATest.cs", `public class ATest {
  [TestMethod]
  [DataRow("#save")]
  [DataRow("#other")]
  public async Task Presses(string selector) { await Page.ClickAsync(selector); }
}
`, `Presses (#save)`, `Presses (#other)`},
	"a slice of structures": {"a_test.go", `package a

func TestPresses(t *testing.T) {
	tests := []struct{ name, selector string }{
		{"Save", "#save"},
		{"Next", "#other"},
	}
	for _, tt := range tests {
		tt := tt
		t.Run(tt.name, func(t *testing.T) {
			page.Locator(tt.selector).Click()
		})
	}
}
`, "TestPresses/Save", "TestPresses/Next"},
	"a slice of a named structure": {"a_test.go", `package a

type press struct {
	name     string
	selector string
}

var presses = []press{{selector: "#save", name: "Save it"}, {selector: "#other", name: "Next one"}}

func TestPresses(t *testing.T) {
	for _, tt := range presses {
		t.Run(tt.name, func(t *testing.T) { page.Locator(tt.selector).Click() })
	}
}
`, "TestPresses/Save_it", "TestPresses/Next_one"},
	"a map of structures": {"a_test.go", `package a

func TestPresses(t *testing.T) {
	for name, tt := range map[string]struct{ selector string }{
		"Save": {"#save"},
		"Next": {selector: "#other"},
	} {
		t.Run(name, func(t *testing.T) { page.Locator(tt.selector).Click() })
	}
}
`, "TestPresses/Save", "TestPresses/Next"},
}

// proposed returns the proposal for the test of a name that lost a locator, where other tests
// passed.
func (c table) proposed(old, own string, passed ...string) Proposal {
	result := func(name string) engine.TestResult {
		return engine.TestResult{ID: engine.TestID(c.file + " › " + name), File: c.file, Name: name}
	}
	p := New(fstest.MapFS{c.file: {Data: []byte(c.text)}})
	var others []PassedTest
	for _, name := range passed {
		others = append(others, PassedTest{Test: result(name)})
	}
	p.SetPassed(others)
	r := result(own)
	line := 1 + strings.Count(c.text[:strings.LastIndex(c.text, "lick")], "\n")
	h := engine.HealEvent{TestID: r.ID, Locator: old, HealedLocator: "#store", Outcome: engine.OutcomeHealed, Confidence: 1, Site: &engine.Site{File: c.file, Line: line}}
	if len(passed) > 1 {
		h.Site = nil
	}
	return p.Propose(h, &r)
}

func TestALocatorInARowOfATableHasAnEdit(t *testing.T) {
	for name, c := range tables {
		t.Run(name, func(t *testing.T) {
			for _, passed := range [][]string{nil, {c.other}, {"another", c.other}} {
				got := c.proposed("#save", c.own, passed...)
				if got.Edit == nil || got.Edit.New[1:len(got.Edit.New)-1] != "#store" || got.Edit.Start != strings.Index(c.text, "#save")-1 {
					t.Errorf("%v passed: %+v, %s", passed, got.Edit, got.Reason)
				} else if _, err := VerifyEdit(c.file, []byte(c.text), got.Edit.Start, got.Edit.Old, got.Edit.New); err != nil {
					t.Errorf("when it is made: %v", err)
				}
			}
			if got := c.proposed("#save", c.other); got.Edit != nil || !strings.Contains(got.Reason, "in rows that other tests run") {
				t.Errorf("of the row that another test runs: %+v, %s", got.Edit, got.Reason)
			}
		})
	}
}

// A value that stands in two rows is one test's where the name of the test tells the row, and
// no test's while another row's test passes with it.
func TestAnotherRowThatPassedWithTheSameValueStopsTheEdit(t *testing.T) {
	for name, c := range tables {
		own := strings.Index(c.text, "#save") - 1
		c.text = strings.ReplaceAll(c.text, "#other", "#save")
		c.own, c.other = strings.ReplaceAll(c.own, "#other", "#save"), strings.ReplaceAll(c.other, "#other", "#save")
		if got := c.proposed("#save", c.own, c.other); got.Edit != nil && c.own != c.other {
			t.Errorf("%s: edited %s", name, got.Edit.After)
		}
		if got := c.proposed("#save", c.own); got.Edit != nil && got.Edit.Start != own {
			t.Errorf("%s: edited the other row, %s", name, got.Edit.After)
		}
		if got := c.proposed("#save", "another"); got.Edit != nil {
			t.Errorf("%s: edited %s, which is one of two", name, got.Edit.After)
		}
	}
}

// A row is not followed where more is done with it, or where the table may have other values
// than are seen.
func TestARowThatIsNotUnderstoodHasNoEdit(t *testing.T) {
	row := tables["a list of objects in the loop"]
	destructured := tables["a list of objects that is taken apart"]
	entries := tables["entries of an object"]
	sourced := tables["MethodSource"]
	dictionaries := tables["parametrize of dictionaries"]
	slice := tables["a slice of structures"]
	for name, c := range map[string]struct {
		table
		old, now string
	}{
		"the row is handed on":          {row, "await page.locator", "await fill(row);\n    await page.locator"},
		"the row is written":            {row, "await page.locator", "row.selector = old;\n    await page.locator"},
		"the selector is told":          {row, "await page.locator", "seen.push(row.selector);\n    await page.locator"},
		"the row is another one within": {row, "await page.locator(row.selector).click();", "for (const row of others) await page.locator(row.selector).click();"},
		"another row is spread":         {row, "{ name: 'Next', selector: '#other' }", "...others"},
		"another row is computed":       {row, "'#other'", "`#${name}`"},
		"another row is a condition":    {row, "selector: '#other'", "'selector': old ? '#save' : '#other'"},
		"another row is written short":  {row, "selector: '#other'", "selector"},
		"another row is a getter":       {row, "selector: '#other'", "get selector() { return '#save' }"},
		"another row has a key":         {row, "selector: '#other'", "[key]: '#other'"},
		"another row is joined in Go":   {slice, `"#other"`, `"#" + other`},
		"another row is called in Go":   {slice, `"#other"`, `pick("#other")`},
		"another row is joined":         {dictionaries, `"#other"`, `"#ot" "her"`},
		"another row is a constant":     {row, "'#other'", "OTHER"},
		"another row has more":          {row, "selector: '#other'", "selector: '#other', ...more"},
		"another row is a call":         {row, "{ name: 'Next', selector: '#other' }", "next('#other')"},
		"the rest is kept":              {destructured, "{ name, selector }", "{ name, ...rest }"},
		"the table grows":               {destructured, "for (const", "cases.push({ name: 'x', selector: old });\nfor (const"},
		"the table is given away":       {destructured, "for (const", "run(cases);\nfor (const"},
		"a row is changed":              {destructured, "for (const", "cases[0].selector = old;\nfor (const"},
		"it is in the title":            {destructured, "presses ${name}", "presses ${selector}"},
		"another entry is spread":       {entries, "'Next one': '#other'", "...others"},
		"another entry is computed":     {entries, "'#other'", "other()"},
		"an entry is used by itself":    {entries, "for (", "run(cases.Save);\nfor ("},
		"an entry is written":           {entries, "for (", "cases.Save = old;\nfor ("},
		"the rows are made anew":        {destructured, "of cases", "of cases.map(old)"},
		"the rows are joined":           {destructured, "of cases", "of cases.concat(others)"},
		"a source is called":            {sourced, "void presses", "void all() { cases().forEach(this::run); }\n  void presses"},
		"a source is named twice":       {sourced, "void presses", "void all() { run(\"cases\"); }\n  void presses"},
		"a source has more":             {sourced, "arguments(\"Next\", \"#other\")", "more()"},
		"a source has a value":          {sourced, "\"#other\"", "OTHER"},
		"a field has no name":           {slice, "name, selector string", "name, selector string; *page"},
		"another name of the row":       {slice, "tt := tt", "tc := tt"},
	} {
		c.text = strings.Replace(c.text, c.old, c.now, 1)
		if got := c.proposed("#save", c.own); got.Edit != nil {
			t.Errorf("%s: edited %s", name, got.Edit.After)
		}
	}
}

// Whatever a value or the name of a row is called, another row's test that passed with the
// value stops the edit, and nothing hangs.
func TestNoNameOfARowHidesThatItsTestPassed(t *testing.T) {
	edits := 0
	for _, odd := range []string{"save it", "s", "", " ", "ünï", "#save", "a/b", "[1]", "%s", "$x", "(", "a, b", "-", "›"} {
		for name, c := range tables {
			text := strings.ReplaceAll(c.text, "#other", "#save")
			c.text = strings.NewReplacer("Save", odd, "Next", odd+odd).Replace(text)
			c.own = strings.NewReplacer("Save", odd).Replace(c.own)
			c.other = strings.NewReplacer("Next", odd+odd, "#other", "#save").Replace(c.other)
			if got := c.proposed("#save", c.own, c.other); got.Edit != nil && c.own != c.other {
				t.Errorf("%s, %q: edited %s", name, odd, got.Edit.After)
			}
			c.text = strings.Replace(tables[name].text, "#save", odd, 1)
			if got := c.proposed(odd, tables[name].own); got.Edit != nil {
				edits++
			}
		}
	}
	if edits < 50 {
		t.Errorf("%d edits of odd values, want 50 at least", edits)
	}
}

// Source text is hostile: code that breaks off, or lacks a word or a sign, is read without a
// panic, whatever stands at its end.
func TestATableInBrokenCodeIsRead(t *testing.T) {
	word := regexp.MustCompile(`\w+|[^\w\s]`)
	for _, c := range tables {
		text := c.text
		for _, at := range word.FindAllStringIndex(text, -1) {
			c.text = text[:at[0]]
			if strings.Contains(c.text, "lick") {
				c.proposed("#save", c.own, c.other)
			}
			c.text = text[:at[0]] + text[at[1]:] + "lick"
			c.proposed("#save", c.own, c.other)
			c.text = "lick" + text[:at[1]]
			c.proposed("#save", c.own, c.other)
		}
	}
}

func TestASourceThatAnotherClassNamesHasNoEdit(t *testing.T) {
	c := tables["MethodSource"]
	src := fstest.MapFS{"ATest.java": {Data: []byte(c.text)}, "BTest.java": {Data: []byte("class BTest extends ATest {\n  @ParameterizedTest\n  @MethodSource(\"ATest#cases\")\n  void runs(String name, String selector) { page.locator(selector).click(); }\n}\n")}}
	h := engine.HealEvent{TestID: engine.TestID("ATest.java › " + c.own), Locator: "#save", HealedLocator: "#store", Outcome: engine.OutcomeHealed, Confidence: 1}
	if got := New(src).Propose(h, nil); got.Edit != nil {
		t.Error(got.Edit.After)
	}
	delete(src, "BTest.java")
	if got := New(src).Propose(h, nil); got.Edit == nil {
		t.Error(got.Reason)
	}
}
