package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// formatsIn are a test and what it reaches, in which KEPT keeps a format and LOOKS fills it.
var formatsIn = map[string]struct {
	test  string
	id    engine.TestID
	files map[string]string
}{
	"java": {"ATest.java", "ATest.java › a", map[string]string{
		"Selectors.java": "package shop;\nclass Selectors {\n  KEPT\n}\n",
		"ATest.java":     "package shop;\nclass ATest {\n  void tap(String format, Object... all) { page.locator(String.format(format, all)).click(); }\n  @Test\n  void a() {\n    String id = id();\n    LOOKS\n  }\n  @Test\n  void b() { }\n}\n",
	}},
	"cs": {"ATests.cs", "ATests.cs › a", map[string]string{
		"Selectors.cs": "namespace Shop;\npublic static class Selectors\n{\n    KEPT\n}\n",
		"ATests.cs":    "namespace Shop;\npublic class ATests : PageTest\n{\n    [Test]\n    public async Task a()\n    {\n        var id = Id();\n        LOOKS\n    }\n}\n",
	}},
	"py": {"test_a.py", "test_a.py::test_a", map[string]string{
		"selectors.py": "KEPT\n",
		"test_a.py":    "import selectors\n\n\ndef test_a(page):\n    id = new_id()\n    LOOKS\n",
	}},
	"go": {"a_test.go", "a_test.go › TestA", map[string]string{
		"a_test.go": "package shop\n\nKEPT\n\nfunc TestA(t *testing.T) {\n\tid := newID()\n\tLOOKS\n}\n",
	}},
}

func TestTheFormatOfALocatorIsEditedWhereItIsKept(t *testing.T) {
	t.Parallel()
	const was, is = "#row-42 .save", "#line-42 .save"
	for _, c := range []struct{ name, lang, kept, looks, want string }{
		{"a constant", "java", `static final String ROW = "#row-%s .save";`, "page.locator(String.format(Selectors.ROW, id)).click();", `static final String ROW = "#line-%s .save";`},
		{"filled by its method", "java", `static final String ROW = "#row-%s .save";`, "page.locator(Selectors.ROW.formatted(id)).click();", `static final String ROW = "#line-%s .save";`},
		{"in a variable", "java", `static final String ROW = "#row-%s .save";`, "String row = String.format(Selectors.ROW, id);\n    page.locator(row).click();", `static final String ROW = "#line-%s .save";`},
		{"handed to what fills it", "java", `static final String ROW = "#row-%s .save";`, "tap(Selectors.ROW, id);", `static final String ROW = "#line-%s .save";`},
		{"told in a log, too", "java", `static final String ROW = "#row-%s .save";`, "log.info(Selectors.ROW); page.locator(String.format(Selectors.ROW, id)).click();", `static final String ROW = "#line-%s .save";`},
		{"compared", "java", `static final String ROW = "#row-%s .save";`, "if (Selectors.ROW.isEmpty()) stop(); page.locator(String.format(Selectors.ROW, id)).click();", ""},
		{"typed", "java", `static final String ROW = "#row-%s .save";`, "page.locator(field).fill(String.format(Selectors.ROW, id));", ""},
		{"typed, too", "java", `static final String ROW = "#row-%s .save";`, "String row = String.format(Selectors.ROW, id);\n    page.locator(row).fill(row);", ""},
		{"not filled", "java", `static final String ROW = "#row-%s .save";`, "page.locator(Selectors.ROW).click();", ""},
		{"filled by something else", "java", `static final String ROW = "#row-%s .save";`, "page.locator(fill(Selectors.ROW, id)).click();", ""},
		{"put beside other CSS", "java", `static final String ROW = "#row-%s";`, "page.locator(String.format(Selectors.ROW, id) + \" .save\").click();", ""},
		{"two of the same form", "java", "static final String ROW = \"#row-%s .save\";\n  static final String SAVE = \"#row-%s .save\";", "page.locator(String.format(Selectors.ROW, id)).click(); page.locator(String.format(Selectors.SAVE, id)).click();", ""},
		{"of an expression", "java", `static final String ROW = "#row-%s" + " .save";`, "page.locator(String.format(Selectors.ROW, id)).click();", ""},
		{"a constant", "cs", `public const string Row = "#row-{0} .save";`, "await Page.Locator(string.Format(Selectors.Row, id)).ClickAsync();", `public const string Row = "#line-{0} .save";`},
		{"a constant", "py", `ROW = "#row-{} .save"`, "page.locator(selectors.ROW.format(id)).click()", `ROW = "#line-{} .save"`},
		{"filled by a sign", "py", `ROW = "#row-%s .save"`, "page.locator(selectors.ROW % id).click()", `ROW = "#line-%s .save"`},
		{"a constant", "go", `const row = "#row-%s .save"`, "page.Locator(fmt.Sprintf(row, id)).Click()", `const row = "#line-%s .save"`},
		{"a constant that is printed", "go", `const row = "#row-%s .save"`, "page.Locator(fmt.Sprintf(row, id)).Fill(fmt.Sprintf(row, id))", ""},
	} {
		in := formatsIn[c.lang]
		files := fstest.MapFS{}
		for name, text := range in.files {
			files[name] = &fstest.MapFile{Data: []byte(strings.NewReplacer("KEPT", c.kept, "LOOKS", c.looks).Replace(text))}
		}
		p := New(files)
		heal := func(next string) Proposal {
			return p.Propose(engine.HealEvent{TestID: in.id, Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: was, HealedLocator: next,
				Matches: []engine.Match{{Locator: next, Count: 1}}}, nil)
		}
		got, edited := heal(is), ""
		if got.Edit != nil && got.Sure() {
			edited = strings.TrimSpace(got.Edit.After)
		}
		if edited != c.want {
			t.Errorf("%s, %s: edited %q, want %q: %s", c.lang, c.name, edited, c.want, got.Reason)
		}
		for _, next := range []string{"#line-7 .save", "#line .save", `#row-42 .sa%ve`, "#row-{42} .save"} {
			if got := heal(next); got.Edit != nil {
				t.Errorf("%s, %s: edited for %s: %s", c.lang, c.name, next, got.Edit.After)
			}
		}
	}
}

// A test that passed with the format stops the edit, unless it lost the same with its own data.
func TestATestThatPassedWithTheFormatStopsItsEdit(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"ATest.java": {Data: []byte("class ATest {\n  static final String ROW = \"#row-%s\";\n  void go(String id) { page.locator(String.format(ROW, id)).click(); }\n  @Test\n  void a() { go(\"42\"); }\n  @Test\n  void b() { go(\"7\"); }\n  @Test\n  void c() { }\n}\n")}}
	heal := func(id engine.TestID, was, is string) engine.HealEvent {
		return engine.HealEvent{TestID: id, Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: was, HealedLocator: is, Matches: []engine.Match{{Locator: is, Count: 1}}}
	}
	b := engine.TestResult{ID: "ATest.java › b", File: "ATest.java", Name: "b"}
	c := engine.TestResult{ID: "ATest.java › c", File: "ATest.java", Name: "c"}
	for name, x := range map[string]struct {
		passed PassedTest
		edits  bool
	}{
		"it uses the format":           {PassedTest{Test: b}, false},
		"it lost the same":             {PassedTest{Test: b, Heals: []engine.HealEvent{heal(b.ID, "#row-7", "#line-7")}}, true},
		"it lost another":              {PassedTest{Test: b, Heals: []engine.HealEvent{heal(b.ID, "#row-7", "#item-7")}}, false},
		"it has nothing to do with it": {PassedTest{Test: c}, true},
	} {
		p := New(files)
		p.SetPassed([]PassedTest{x.passed})
		if got := p.Propose(heal("ATest.java › a", "#row-42", "#line-42"), nil); (got.Edit != nil) != x.edits {
			t.Errorf("%s: %+v, %s", name, got.Edit, got.Reason)
		}
	}
}
