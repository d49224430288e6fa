package patch

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

// handedSuites are one suite in each language whose tests hand a locator to a helper. The
// element of the first and the second test is the lost one, that of the third another.
var handedSuites = map[string]struct {
	text   string
	tests  []string
	helper int // the line that looks for the locator
	edits  []string
}{
	"links.spec.ts": {`const tapOn = async (page: Page, selector: string) => {
  await page.locator(selector).click();
};
test('searches', async ({ page }) => {
  await tapOn(page, '#targetUrl');
});
test('sorts', async ({ page }) => {
  await tapOn(page, '#sort');
  await tapOn(page, '#targetUrl');
});
test('goes on', async ({ page }) => {
  await tapOn(page, '#targetUrl');
});
`, []string{"searches", "sorts", "goes on"}, 2, []string{"links.spec.ts:5", "links.spec.ts:9"}},
	"test_links.py": {`def tap_on(page, selector):
    page.locator(selector).click()


def test_searches(page):
    tap_on(page, "#targetUrl")


def test_sorts(page):
    tap_on(page, "#sort")
    tap_on(page, "#targetUrl")


def test_goes_on(page):
    tap_on(page, "#targetUrl")
`, []string{"test_searches", "test_sorts", "test_goes_on"}, 2, []string{"test_links.py:11", "test_links.py:6"}},
	"LinksTest.java": {`package shop;
class LinksTest {
  private void tapOn(String selector) {
    page.locator(selector).click();
  }
  @Test
  void searches() { tapOn("#targetUrl"); }
  @Test
  void sorts() {
    tapOn("#sort");
    this.tapOn("#targetUrl");
  }
  @Test
  void goesOn() { tapOn("#targetUrl"); }
}
`, []string{"searches", "sorts", "goesOn"}, 4, []string{"LinksTest.java:11", "LinksTest.java:7"}},
	"LinksTests.cs": {`namespace Shop;
public class LinksTests : PageTest
{
    private Task TapOn(string selector) => Page.Locator(selector).ClickAsync();
    [Test]
    public async Task Searches() => await TapOn("#targetUrl");
    [Test]
    public async Task Sorts()
    {
        await TapOn("#sort");
        await TapOn("#targetUrl");
    }
    [Test]
    public async Task GoesOn() => await TapOn("#targetUrl");
}
`, []string{"Searches", "Sorts", "GoesOn"}, 4, []string{"LinksTests.cs:11", "LinksTests.cs:6"}},
	"links_test.go": {`package shop

func tapOn(page playwright.Page, selector string) error {
	return page.Locator(selector).Click()
}

func TestSearches(t *testing.T) {
	tapOn(open(t), "#targetUrl")
}

func TestSorts(t *testing.T) {
	page := open(t)
	tapOn(page, "#sort")
	tapOn(page, "#targetUrl")
}

func TestGoesOn(t *testing.T) {
	tapOn(open(t), "#targetUrl")
}
`, []string{"TestSearches", "TestSorts", "TestGoesOn"}, 4, []string{"links_test.go:14", "links_test.go:8"}},
}

func TestAHealEditsTheOtherUsesThatAreHandedToTheHelper(t *testing.T) {
	for file, c := range handedSuites {
		t.Run(file, func(t *testing.T) {
			site := &engine.Site{File: file, Line: c.helper}
			var learned []engine.Fingerprint
			for i, name := range c.tests {
				f := engine.Fingerprint{Tag: "input", Page: "/links", PageAddress: "/links", Name: "Target", TestID: engine.TestID(file + " › " + name), Site: site, Locator: "#targetUrl"}
				if i == 2 {
					f.Name = "Another"
				}
				learned = append(learned, f)
			}
			lost := engine.HealEvent{TestID: learned[0].TestID, Locator: "#targetUrl", HealedLocator: "#target-url", Confidence: 0.95, Outcome: engine.OutcomeHealed, Site: site, Original: learned[0]}
			got, _ := spreadIn(t, map[string]string{file: c.text}, []engine.HealEvent{lost}, learned)
			if diff := cmp.Diff(c.edits, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAHelperIsOnlyOneThatLooksForWhatItIsGiven(t *testing.T) {
	helpers := map[string]string{
		"tells it":             "console.log(`tap ${selector}`); await page.locator(selector).click();",
		"joins it":             "await page.locator(selector + ':visible').click();",
		"changes it":           "selector = selector.trim(); await page.locator(selector).click();",
		"keeps it":             "this.last = selector; await page.locator(selector).click();",
		"keeps it elsewhere":   "last = selector; await page.locator(last).click();",
		"gives it a name":      "const found = selector; await page.locator(found).click();",
		"compares it":          "if (selector === '#target-url') return; await page.locator(selector).click();",
		"gives it back":        "await page.locator(selector).click(); return selector;",
		"gives it to another":  "await unknown(page, selector);",
		"gives it to itself":   "await tapOn(page, selector);",
		"takes it as an entry": "await page.locator(names[selector]).click();",
		"types it":             "await page.locator('#field').fill(selector);",
	}
	for name, body := range helpers {
		text := "async function tapOn(page: Page, selector: string) { " + body + " }\ntest('y', async ({ page }) => {\n  await tapOn(page, '#a');\n});\n"
		got, _ := spreadIn(t, map[string]string{"a.spec.ts": strings.ReplaceAll(text, "'#a'", "'#targetUrl'")}, []engine.HealEvent{{
			TestID: "a.spec.ts › y", Locator: "#targetUrl", HealedLocator: "#target-url", Confidence: 0.95, Outcome: engine.OutcomeHealed}}, nil)
		if want := name == "tells it" || name == "gives it a name"; slices.Contains(got, "a.spec.ts:3") != want || len(got) > 1 {
			t.Errorf("a helper that %s: edits %v", name, got)
		}
	}
}

// A line that holds the old value in another kind of locator call is not the one that was
// healed, or its call is not understood: then no other place is known to be it.
func TestALineWithTheValueInAnotherKindOfCallIsNotPassedOver(t *testing.T) {
	for name, line := range map[string]string{
		"another kind":    `await page.getByLabel('Save').click();`,
		"another role":    `await page.getByRole('link', { name: 'Save' }).click();`,
		"other options":   `await page.getByRole('button', { name: 'Save', pressed: true }).click();`,
		"inside of a has": `await page.locator('li', { has: page.getByText('Save') }).click();`,
	} {
		t.Run(name, func(t *testing.T) {
			src := fstest.MapFS{"a.spec.ts": {Data: []byte("test('saves', async ({ page }) => {\n  " + line + "\n  await page.getByRole('button', { name: 'Save' }).click();\n});\n")}}
			h := engine.HealEvent{TestID: "a.spec.ts › saves", Locator: `internal:role=button[name="Save"i]`, HealedLocator: `internal:role=button[name="Keep"i]`,
				Outcome: engine.OutcomeHealed, Confidence: 1, Site: &engine.Site{File: "a.spec.ts", Line: 2}}
			if got := New(src).Propose(h, nil); got.Edit != nil || !strings.Contains(got.Reason, "in another kind of locator call") {
				t.Errorf("%+v, %s", got.Edit, got.Reason)
			}
			h.Site.Line = 3
			if got := New(src).Propose(h, nil); got.Edit == nil || got.Edit.Line != 3 {
				t.Errorf("its own line: %+v, %s", got.Edit, got.Reason)
			}
		})
	}
}

// What is spread beside an option may have the option, too, and what is spread before an
// argument may be any number of them.
func TestWhatIsSpreadHidesWhatAHelperGets(t *testing.T) {
	const named = "async function tapOn(page: Page, { selector }: { selector: string }) { await page.locator(selector).click(); }\n"
	const placed = "async function tapOn(page: Page, selector: string, other?: string) { await page.locator(selector).click(); }\n"
	const rest = "async function tapOn(page: Page, ...selectors: string[]) { await page.locator(selectors).click(); }\n"
	for call, helper := range map[string]string{
		"tapOn(page, { selector: '#save', ...more })": named,
		"tapOn(page, { ...more, selector: '#save' })": named,
		"tapOn(...pages, { selector: '#save' })":      named,
		"tapOn(...pages, '#save')":                    placed,
		"tapOn(page, '#save')":                        rest,
	} {
		src := fstest.MapFS{"a.spec.ts": {Data: []byte(helper + "test('saves', async ({ page }) => {\n  await " + call + ";\n});\n")}}
		h := engine.HealEvent{TestID: "a.spec.ts › saves", Locator: "#save", HealedLocator: "#next", Outcome: engine.OutcomeHealed, Confidence: 1}
		if got := New(src).Propose(h, nil); got.Edit != nil {
			t.Errorf("%s: edited %s", call, got.Edit.After)
		}
	}
}
