package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// keptInVariables are tests that keep a locator in a variable and look for the same one
// elsewhere, too: USE stands on the line that lost it.
var keptInVariables = map[string]string{
	"a.spec.ts": `test('signs in', async ({ page }) => {
  const email = page.locator('#email'); // meant
  await page.locator('#email').click();
  await test.step('fills in', async () => {
    await email.fill('a@b.c'); // lost
  });
});
test('signs up', async ({ page }) => {
  const email = page.locator('#email');
  await email.fill('a@b.c');
});
`,
	"test_a.py": `def test_signs_in(page):
    email = page.locator("#email")  # meant
    page.locator("#email").click()
    with step("fills in"):
        email.fill("a@b.c")  # lost


def test_signs_up(page):
    email = page.locator("#email")
    email.fill("a@b.c")
`,
	"A.java": `class A {
  @Test
  void signsIn() {
    Locator email = page.locator("#email"); // meant
    page.locator("#email").click();
    step("fills in", () -> {
      email.fill("a@b.c"); // lost
    });
  }
  @Test
  void signsUp() {
    Locator email = page.locator("#email");
    email.fill("a@b.c");
  }
}
`,
	"A.cs": `class A : PageTest {
  [Test]
  public async Task SignsIn() {
    var email = Page.Locator("#email"); // meant
    await Page.Locator("#email").ClickAsync();
    await Step("fills in", async () => {
      await email.FillAsync("a@b.c"); // lost
    });
  }
  [Test]
  public async Task SignsUp() {
    var email = Page.Locator("#email");
    await email.FillAsync("a@b.c");
  }
}
`,
	"a_test.go": `package a

func TestSignsIn(t *testing.T) {
	email := page.Locator("#email") // meant
	page.Locator("#email").Click()
	t.Run("fills in", func(t *testing.T) {
		email.Fill("a@b.c") // lost
	})
}

func TestSignsUp(t *testing.T) {
	email := page.Locator("#email")
	email.Fill("a@b.c")
}
`,
}

var titlesOfVariables = map[string]string{"a.spec.ts": "signs in", "test_a.py": "test_signs_in", "A.java": "signsIn", "A.cs": "SignsIn", "a_test.go": "TestSignsIn"}

func lineWith(text, mark string) int {
	return 1 + strings.Count(text[:strings.Index(text, mark)], "\n")
}

func TestTheVariableOfALocatorIsFoundByTheLineThatUsesIt(t *testing.T) {
	for file, text := range keptInVariables {
		t.Run(file, func(t *testing.T) {
			if got := lostInVariable(file, text); got.Edit == nil || got.Edit.Line != lineWith(text, "meant") || got.Place != placementSite {
				t.Errorf("%+v, place %v (%s)", got.Edit, got.Place, got.Reason)
			}
		})
	}
}

func TestAVariableThatMayBeAnotherIsNotFoundByItsLine(t *testing.T) {
	for _, c := range []struct{ file, old, with string }{
		{"a.spec.ts", "async () => {\n    await", "async (email) => {\n    await"},
		{"a.spec.ts", "async () => {\n    await", "async ({ email }) => {\n    await"},
		{"a.spec.ts", "async () => {\n    await", "async () => {\n    const { email } = form;\n    await"},
		{"a.spec.ts", "async () => {\n    await", "async () => {\n    for (const email of all)\n    await"},
		{"a.spec.ts", "async () => {\n    await", "async () => {\n    all.map(email => email);\n    await"},
		{"a.spec.ts", "const email = page.locator('#email'); // meant", "let email = page.locator('#email'); email = other;"},
		{"a.spec.ts", "const email = page.locator('#email'); // meant", "const email = await page.locator('#email').all();"},
		{"a.spec.ts", "const email = page.locator('#email'); // meant", "const email = page.locator('#email') || other;"},
		{"a.spec.ts", "email.fill('a@b.c'); // lost", "form.email.fill('a@b.c'); // lost"},
		{"test_a.py", "    with step(\"fills in\"):\n", "    for email in emails:\n"},
		{"test_a.py", "    with step(\"fills in\"):\n", "    with step(\"fills in\") as email:\n"},
		{"A.java", "() -> {", "email -> {"},
		{"A.cs", "async () => {", "async email => {"},
		{"A.cs", "async () => {", "async (ILocator email) => {"},
		{"a_test.go", "func(t *testing.T) {\n\t\temail", "func(email playwright.Locator) {\n\t\temail"},
		{"a_test.go", "func(t *testing.T) {\n\t\temail", "func(t *testing.T) {\n\t\temail, err := other()\n\t\temail"},
	} {
		t.Run(c.file+" "+c.with, func(t *testing.T) {
			text := strings.Replace(keptInVariables[c.file], c.old, c.with, 1)
			if text == keptInVariables[c.file] {
				t.Fatal("nothing is replaced")
			}
			if got := lostInVariable(c.file, text); got.Edit != nil {
				t.Errorf("edited: %+v", got.Edit)
			}
		})
	}
}

// lostInVariable heals the locator that was lost at its mark in one of keptInVariables.
func lostInVariable(file, text string) Proposal {
	h := engine.HealEvent{TestID: engine.TestID(file + " › " + titlesOfVariables[file]), Locator: "#email", HealedLocator: "#mail", Outcome: engine.OutcomeHealed, Confidence: 1}
	h.Site = &engine.Site{File: file, Line: lineWith(text, "lost")}
	return New(fstest.MapFS{file: {Data: []byte(text)}}).Propose(h, nil)
}
