package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// A variable and a field of one name need not be the same page: where one of them is a frame,
// the other one's locators are edited all the same.
func TestAPageIsToldFromAFieldOrAnotherVariableOfItsName(t *testing.T) {
	t.Parallel()
	const python = `class Shop:
    def __init__(self, page):
        self.FIELD

    def turn(self):
        OTHER

    def buy(self, page):
        CALL


def test_a(page):
    Shop(page).buy(page)
`
	const script = `import { test } from '@playwright/test';
class Shop {
  constructor(page) {
    this.FIELD;
  }
  turn() {
    OTHER
  }
  async buy(page) {
    CALL
  }
}
test('test_a', async ({ page }) => {
  await new Shop(page).buy(page);
});
`
	for _, c := range []struct {
		name, file, field, other, call string
		edits                          bool
	}{
		{"a parameter beside a field", "test_a.py", `page = page.frame_locator("#f")`, `pass`, `page.locator("#old").click()`, true},
		{"a field beside a variable", "test_a.py", `page = page`, `page = self.page.frame_locator("#f")`, `self.page.locator("#old").click()`, true},
		{"a variable beside another function's", "test_a.py", `page = page`, `page = self.page.frame_locator("#f")`, `page.locator("#old").click()`, true},
		{"a variable that is the field", "test_a.py", `page = page`, `pass`, `page = self.page; page.locator("#old").click()`, true},
		{"the field itself", "test_a.py", `page = page.frame_locator("#f")`, `pass`, `self.page.locator("#old").click()`, false},
		{"a variable that is a field of a frame", "test_a.py", `page = page.frame_locator("#f")`, `pass`, `page = self.page; page.locator("#old").click()`, false},
		{"a variable of its own", "test_a.py", `page = page`, `pass`, `page = self.page.frame_locator("#f"); page.locator("#old").click()`, false},
		{"a global variable", "test_a.py", `page = page`, `global page; page = self.page.frame_locator("#f")`, `page.locator("#old").click()`, false},
		{"another object's field", "test_a.py", `main = page`, `page = self.main.frame_locator("#f"); self.other = Other(page)`, `self.other.page.locator("#old").click()`, false},
		{"a parameter beside a field of a script", "a.spec.js", `page = page.frameLocator('#f')`, ``, `await page.locator('#old').click();`, true},
		{"a field beside a variable of a script", "a.spec.js", `page = page`, `const page = this.page.frameLocator('#f');`, `await this.page.locator('#old').click();`, true},
		{"the field itself of a script", "a.spec.js", `page = page.frameLocator('#f')`, ``, `await this.page.locator('#old').click();`, false},
		{"a variable taken out of an object", "a.spec.js", `page = page.frameLocator('#f')`, ``, `{ const { page } = this; await page.locator('#old').click(); }`, false},
		{"a field of an object made of a variable", "a.spec.js", `main = page`, `const page = this.main.frameLocator('#f'); this.in = { page };`, `await this.in.page.locator('#old').click();`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := python
			if c.file == "a.spec.js" {
				text = script
			}
			text = strings.NewReplacer("FIELD", c.field, "OTHER", c.other, "CALL", c.call).Replace(text)
			got := New(fstest.MapFS{c.file: {Data: []byte(text)}}).Propose(engine.HealEvent{TestID: engine.TestID(c.file + " › test_a"), Locator: "#old", HealedLocator: "#new", Confidence: 0.95,
				Outcome: engine.OutcomeHealed, Matches: []engine.Match{{Locator: "#new", Count: 1}}, Site: &engine.Site{File: c.file, Line: 1 + strings.Count(text[:strings.Index(text, "#old")], "\n")}}, nil)
			if (got.Edit != nil) != c.edits {
				t.Errorf("edit %v, reason %q", got.Edit, got.Reason)
			}
		})
	}
}
