package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// multiline are tests whose locator ~ stands in a literal of several lines.
var multiline = []struct{ name, file, literal string }{
	{"script template", "a.spec.ts", "`\n    ~\n  `"},
	{"script template that begins at once", "a.spec.ts", "`~\n  `"},
	{"python triple quotes", "test_a.py", "\"\"\"\n        ~\n    \"\"\""},
	{"python raw triple quotes", "test_a.py", "r'''\n  ~'''"},
	{"java text block", "ATest.java", "\"\"\"\n        ~\n        \"\"\""},
	{"java text block that ends at once", "ATest.java", "\"\"\"\n        ~\"\"\""},
	{"c# verbatim", "ATests.cs", "@\"\n    ~\n    \""},
	{"c# raw", "ATests.cs", "\"\"\"\n        ~\n        \"\"\""},
	{"go raw", "a_test.go", "`\n\t\t~\n\t`"},
}

// inTest returns a test of the file's language that looks for a locator.
func inTest(file, literal string) (id, text string) {
	switch file[strings.LastIndexByte(file, '.'):] {
	case ".ts":
		return file + " › a", "test('a', async ({ page }) => {\n  await page.locator(" + literal + ").click();\n});\n"
	case ".py":
		return file + "::test_a", "def test_a(page):\n    page.locator(" + literal + ").click()\n"
	case ".java":
		return file + "::ATest::a", "class ATest {\n  @Test void a() {\n    page.locator(" + literal + ").click();\n  }\n}\n"
	case ".cs":
		return file + "::ATests::A", "class ATests {\n  [Test] public async Task A() {\n    await Page.Locator(" + literal + ").ClickAsync();\n  }\n}\n"
	}
	return file + " › TestA", "package e2e\n\nfunc TestA(t *testing.T) {\n\tpage.Locator(" + literal + ").Click()\n}\n"
}

func TestProposeEditsTheOneLineOfALiteralThatSpansSome(t *testing.T) {
	for _, c := range multiline {
		for _, lineEnd := range []string{"\n", "\r\n"} {
			id, text := inTest(c.file, c.literal)
			text = strings.ReplaceAll(text, "\n", lineEnd)
			before := strings.Replace(text, "~", "#pay > b", 1)
			got := Propose(engine.HealEvent{TestID: engine.TestID(id), Locator: "#pay > b", HealedLocator: "#buy", Confidence: 1}, nil,
				fstest.MapFS{c.file: {Data: []byte(before)}})
			if got.Edit == nil {
				t.Errorf("%s, %q: %s", c.name, lineEnd, got.Reason)
				continue
			}
			after, err := Apply([]byte(before), []Edit{*got.Edit})
			if want := strings.Replace(text, "~", "#buy", 1); err != nil || string(after) != want {
				t.Errorf("%s, %q: %v\n%s\nwant\n%s", c.name, lineEnd, err, after, want)
			}
			again, err := VerifyEdit(c.file, []byte(before), got.Edit.Start, got.Edit.Old, got.Edit.New)
			if err != nil || again != *got.Edit {
				t.Errorf("%s, %q: verified as %+v, %v; proposed as %+v", c.name, lineEnd, again, err, *got.Edit)
			}
		}
	}
}

func TestProposeKeepsALiteralOfSeveralLinesThatItCannotVerify(t *testing.T) {
	for _, c := range []struct{ name, file, literal, old, new string }{
		{"two lines of text", "a.spec.ts", "`\n    #a,\n    #b\n  `", "#a,\n    #b", "#c"},
		{"two lines of text in a text block", "ATest.java", "\"\"\"\n  #a,\n  #b\n  \"\"\"", "#a,\n#b", "#c"},
		{"an escape", "a.spec.ts", "`\n    #a\\`\n  `", "#a`", "#c"},
		{"an escaped line end", "test_a.py", "'''\\\n  #a'''", "#a", "#c"},
		{"a field", "a.spec.ts", "`\n    #a${1}\n  `", "#a1", "#c"},
		{"a quote that ends it", "test_a.py", "r'''\n  #a\n'''", "#a", "[x=\"'''y\"]"},
		{"a back quote", "a_test.go", "`\n\t#a\n`", "#a", "[x=\"`\"]"},
		{"braces in a raw string", "ATests.cs", "\"\"\"\n  #a\n  \"\"\"", "#a", "[x=\"{y}\"]"},
		{"a backslash", "a.spec.ts", "`\n  #a\n`", "#a", "#a\\:b"},
		{"white space that is part of a test id", "a.spec.ts", "`\n    a\n  `).getByTestId(`\n  b\n`", "locator('a').getByTestId('b')", "locator('a').getByTestId('c')"},
	} {
		id, text := inTest(c.file, c.literal)
		got := Propose(engine.HealEvent{TestID: engine.TestID(id), Locator: c.old, HealedLocator: c.new, Confidence: 1}, nil,
			fstest.MapFS{c.file: {Data: []byte(text)}})
		if got.Edit != nil || got.Reason == "" {
			t.Errorf("%s: edit %+v, reason %q", c.name, got.Edit, got.Reason)
		}
	}
}

func TestVerifyEditRefusesAPieceOfALiteral(t *testing.T) {
	text := "test('a', async ({ page }) => {\n  await page.locator(`\n    #a b\n  `).click();\n  await page.locator('#c d').click();\n});\n"
	for _, old := range []string{"#a", "b", "    #a b", "#c", "#c d"} {
		if e, err := VerifyEdit("a.spec.ts", []byte(text), strings.Index(text, old), old, "#x"); err == nil {
			t.Errorf("%q: %+v", old, e)
		}
	}
	start := strings.Index(text, "#a b")
	for _, with := range []string{"${x}", "`+x+`", "\\", "a\nb", ""} {
		if e, err := VerifyEdit("a.spec.ts", []byte(text), start, "#a b", with); err == nil {
			t.Errorf("by %q: %+v", with, e)
		}
	}
}
