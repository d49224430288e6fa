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

func TestTheVariableIsFoundByWhateverIsDoneWithALocator(t *testing.T) {
	for _, c := range []struct {
		file, old, with string
		edits           bool
	}{
		{"a.spec.ts", "email.fill('a@b.c'); // lost", "email.pressSequentially('a'); // lost", true},
		{"a.spec.ts", "email.fill('a@b.c'); // lost", "email.evaluate(e => e.blur()); // lost", true},
		{"a.spec.ts", "email.fill('a@b.c'); // lost", "email.normalize(); // lost", false},
		{"test_a.py", `email.fill("a@b.c")  # lost`, `email.scroll_into_view_if_needed()  # lost`, true},
		{"test_a.py", `email.fill("a@b.c")  # lost`, `n = email.count()  # lost`, true},
		{"test_a.py", `email.fill("a@b.c")  # lost`, `email.strip()  # lost`, false},
		{"A.java", `email.fill("a@b.c"); // lost`, `email.scrollIntoViewIfNeeded(); // lost`, true},
		{"A.java", `email.fill("a@b.c"); // lost`, `if (email.count() > 0) stop(); // lost`, true},
		{"A.java", `email.fill("a@b.c"); // lost`, `email.trim(); // lost`, false},
		{"A.cs", `email.FillAsync("a@b.c"); // lost`, `email.EvaluateAsync<bool>("e => e.validity.valid"); // lost`, true},
		{"A.cs", `email.FillAsync("a@b.c"); // lost`, `email.Trim(); // lost`, false},
		{"a_test.go", `email.Fill("a@b.c") // lost`, `email.BoundingBox() // lost`, true},
	} {
		text := strings.Replace(keptInVariables[c.file], c.old, c.with, 1)
		if text == keptInVariables[c.file] {
			t.Fatal("nothing is replaced")
		}
		got := lostInVariable(c.file, text)
		if edits := got.Edit != nil && got.Edit.Line == lineWith(text, "meant"); edits != c.edits || !edits && got.Edit != nil {
			t.Errorf("%s: %+v (%s)", c.with, got.Edit, got.Reason)
		}
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

// The lost locator is kept in a variable of a variable, which its line does not tell. Of the
// places with the same value one has its position.
func TestThePositionInAListTellsTwoPlacesApart(t *testing.T) {
	for file, text := range map[string]string{
		"a.spec.ts": `test('a', async ({ page }) => {
  const first = page.getByTestId('todo').nth(0); // meant
  const second = page.getByTestId('todo').nth(1);
  const box = first.getByRole('checkbox');
  await box.check(); // lost
});
`,
		"test_a.py": `def test_a(page):
    first = page.get_by_test_id("todo").first  # meant
    second = page.get_by_test_id("todo").nth(1)
    box = first.get_by_role("checkbox")
    box.check()  # lost
`,
		"A.cs": `class A : PageTest {
  [Test]
  public async Task A() {
    var first = Page.GetByTestId("todo").First; // meant
    var second = Page.GetByTestId("todo").Nth(1);
    var box = first.GetByRole(AriaRole.Checkbox);
    await box.CheckAsync(); // lost
  }
}
`,
	} {
		title := map[string]string{"a.spec.ts": "a", "test_a.py": "test_a", "A.cs": "A"}[file]
		lines := strings.Split(text, "\n")
		lineOf := func(mark string) int {
			for i, line := range lines {
				if strings.HasSuffix(line, mark) {
					return i + 1
				}
			}
			return 0
		}
		for position, want := range map[string]int{"0": lineOf("meant"), "1": lineOf("meant") + 1, "2": 0} {
			chain := func(name string) string {
				return `internal:testid=[data-testid="` + name + `"s] >> nth=` + position + ` >> internal:role=checkbox`
			}
			h := engine.HealEvent{TestID: engine.TestID(title), Locator: chain("todo"), HealedLocator: chain("task"), Outcome: engine.OutcomeHealed, Confidence: 0.97,
				Site: &engine.Site{File: file, Line: lineOf("lost")}, Healed: engine.Fingerprint{Tag: "input"}}
			p := New(fstest.MapFS{file: &fstest.MapFile{Data: []byte(text)}})
			got := 0
			q := p.Propose(h, &engine.TestResult{ID: h.TestID, File: file, Name: title})
			if q.Edit != nil {
				got = q.Edit.Line
			}
			if got != want {
				t.Errorf("%s, position %s: edited line %d, want %d: %s", file, position, got, want, q.Reason)
			}
		}
	}
}
