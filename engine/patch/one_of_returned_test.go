package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// A function returns one of several selectors, of which #save is one, and what it returns is
// looked for.
func TestOneOfTheSelectorsThatAFunctionReturnsIsEdited(t *testing.T) {
	t.Parallel()
	const java = "class ATest {\n  FUNCTION\n  @Test\n  void a() { String kind = \"x\"; LOOKS }\n  @Test\n  void b() { }\n}\n"
	const csharp = "public class ATests : PageTest\n{\n    FUNCTION\n    [Test]\n    public async Task a() { LOOKS }\n}\n"
	const script = "FUNCTION\ntest('a', async ({ page }) => {\n  LOOKS\n});\n"
	const python = "FUNCTION\n\n\ndef test_a(page):\n    LOOKS\n"
	const golang = "package shop\n\nFUNCTION\n\nfunc TestA(t *testing.T) {\n\tLOOKS\n}\n"
	const javaSwitch = "private String of(String kind) { switch (kind) { case \"a\": return \"#cart\"; case \"b\": return \"#save\"; default: throw new IllegalArgumentException(kind); } }"
	for _, c := range []struct {
		name, file, text, function, looks string
		edits                             bool
	}{
		{"a switch", "ATest.java", java, javaSwitch, "page.locator(of(kind)).click();", true},
		{"a switch with arrows", "ATest.java", java, `String of(String kind) { if (kind == null) return null; return switch (kind) { case "a" -> "#cart"; case "b" -> "#save"; default -> null; }; }`, "String css = of(kind); if (css != null) page.locator(css).click();", true},
		{"conditions", "ATest.java", java, `String of(int n) { if (n > 1) { return "#cart"; } return "#save"; }`, "page.locator(of(1)).click();", true},
		{"the value is typed", "ATest.java", java, javaSwitch, "page.locator(field).fill(of(kind));", false},
		{"the value is asserted, too", "ATest.java", java, javaSwitch, "page.locator(of(kind)).click(); assertEquals(\"#save\", of(kind));", false},
		{"a lambda returns it", "ATest.java", java, `String of(String kind) { return all.map(x -> "#save"); }`, "page.locator(of(kind)).click();", false},
		{"a switch that sets a variable", "ATest.java", java, `String of(String kind) { String css = switch (kind) { case "b" -> "#save"; default -> ""; }; return css + " a"; }`, "page.locator(of(kind)).click();", false},
		{"twice", "ATest.java", java, `String of(int n) { if (n > 1) return "#save"; return "#save"; }`, "page.locator(of(1)).click();", false},
		{"a switch expression", "ATests.cs", csharp, `private static string Of(string kind) => kind switch { "a" => "#cart", "b" => "#save", _ => null };`, "await Page.Locator(Of(\"b\")).ClickAsync();", true},
		{"a switch", "a.spec.ts", script, "function of(kind: string) { switch (kind) { case 'a': return '#cart'; default: return '#save'; } }", "await page.locator(of('b')).click();", true},
		{"a callback returns it", "a.spec.ts", script, "function of(kind: string) { return all.find(() => { return '#save'; }); }", "await page.locator(of('b')).click();", false},
		{"conditions", "test_a.py", python, "def of(kind):\n    if kind == \"a\":\n        return \"#cart\"\n    return \"#save\"", "page.locator(of(\"b\")).click()", true},
		{"a switch", "a_test.go", golang, "func of(kind string) string {\n\tswitch kind {\n\tcase \"a\":\n\t\treturn \"#cart\"\n\t}\n\treturn \"#save\"\n}", "page.Locator(of(\"b\")).Click()", true},
	} {
		text := strings.NewReplacer("FUNCTION", c.function, "LOOKS", c.looks).Replace(c.text)
		heal := engine.HealEvent{TestID: testIn(c.file), Outcome: engine.OutcomeHealed, Confidence: 0.95, Locator: "#save", HealedLocator: "#store"}
		got := New(fstest.MapFS{c.file: {Data: []byte(text)}}).Propose(heal, nil)
		if edits := got.Edit != nil && strings.Contains(got.Edit.After, "#store"); edits != c.edits {
			t.Errorf("%s, %s: %+v, %s", c.file, c.name, got.Edit, got.Reason)
		}
		if c.file != "ATest.java" || !c.edits {
			continue
		}
		p := New(fstest.MapFS{c.file: {Data: []byte(strings.Replace(text, "void b() { }", "void b() { String kind = \"y\"; "+c.looks+" }", 1))}})
		p.SetPassed([]PassedTest{{Test: engine.TestResult{ID: "ATest.java › b", File: c.file, Name: "b"}}})
		if got := p.Propose(heal, nil); got.Edit != nil {
			t.Errorf("%s: edited although another test passed with the function", c.name)
		}
	}
}
