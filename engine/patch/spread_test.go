package patch

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

// The suites of these tests mark their lines: what ends in the comment "A" was learned of
// the test that it stands in to look for #targetUrl, which became #target-url, "B" to
// look for another element of the page, and "P" for one of another page. A "!" marks
// where the element was lost.

// learnedLines reads the comments of a file.
func learnedLines(t *testing.T, file, text string, tests []string) (lost engine.HealEvent, learned []engine.Fingerprint) {
	t.Helper()
	test := ""
	uses := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		for _, name := range tests {
			if strings.Contains(line, name) {
				test = name
			}
		}
		_, mark, ok := cutMark(line)
		if !ok {
			continue
		}
		at := &engine.Site{File: file, Line: i + 1}
		f := engine.Fingerprint{Tag: "input", Page: "/links", PageAddress: "/links", Name: "Target", TestID: engine.TestID(file + " › " + test), Site: at,
			Locator: engine.StoredLocator("#targetUrl", uses[test])}
		switch mark[0] {
		case 'B':
			f.Name = "Another"
		case 'P':
			f.Page, f.PageAddress = "/other", "/other"
		}
		learned = append(learned, f)
		if strings.HasSuffix(mark, "!") {
			lost = engine.HealEvent{TestID: f.TestID, Locator: "#targetUrl", HealedLocator: "#target-url", Confidence: 0.95, Outcome: engine.OutcomeHealed,
				Occurrence: uses[test], Site: at, Original: f, Healed: engine.Fingerprint{Tag: "input", Name: "Target"}, Trace: "trace.zip"}
			lost.Original.Locator = lost.Locator
		}
		uses[test]++
	}
	return lost, learned
}

// cutMark cuts the mark off a line.
func cutMark(line string) (code, mark string, ok bool) {
	for _, comment := range []string{" // ", "  # "} {
		if code, mark, ok = strings.Cut(line, comment); ok && mark != "" && strings.ContainsRune("ABP", rune(mark[0])) && len(mark) <= 2 {
			return code, mark, true
		}
	}
	return line, "", false
}

// spreadIn returns the lines that are edited, as "file:line", and what Resolve makes of
// all proposals.
func spreadIn(t *testing.T, files map[string]string, heals []engine.HealEvent, learned []engine.Fingerprint, passed ...PassedTest) ([]string, []Proposal) {
	t.Helper()
	disk := fstest.MapFS{}
	for name, text := range files {
		disk[name] = &fstest.MapFile{Data: []byte(text)}
	}
	p := New(disk)
	p.SetPassed(passed)
	resultOf := func(id engine.TestID) *engine.TestResult {
		file, name, _ := strings.Cut(string(id), " › ")
		return &engine.TestResult{ID: id, File: file, Name: name}
	}
	var ps []Proposal
	for _, h := range heals {
		if h.Outcome != engine.OutcomeRefused {
			ps = append(ps, p.Propose(h, resultOf(h.TestID)))
		}
	}
	same := func(a, b engine.Fingerprint) bool { return a.Name == b.Name && a.Page == b.Page }
	more := p.Spread(ps, Suite{Heals: heals, Learned: learned, Result: resultOf, Same: same})
	ps = Resolve(append(ps, more...))
	var edited []string
	for _, q := range ps {
		if q.Edit == nil {
			t.Logf("no edit of %s: %s", q.Heal.TestID, q.Reason)
		} else if q.SameAs == 0 {
			edited = append(edited, fmt.Sprintf("%s:%d", path.Base(q.Edit.File), q.Edit.Line))
			if !strings.Contains(q.Edit.After, "target-url") {
				t.Errorf("line %d becomes %s", q.Edit.Line, q.Edit.After)
			}
		}
	}
	slices.Sort(edited)
	return edited, ps
}

// spreadSuites are one suite in each language. Every line with A is to be edited, and
// so is the one that ends in "beside".
var spreadSuites = map[string]struct {
	text  string
	tests []string
}{
	"links.spec.ts": {`import { test, expect } from '@playwright/test';
test('searches', async ({ page }) => {
  await page.goto('/links');
  await page.fill('#targetUrl', 'https://example.com'); // A!
  await page.press('#targetUrl', 'Enter'); // A
  await page.locator('#rows a').click();
  await page.locator('#targetUrl').click(); // P
});
test('sorts', async ({ page }) => {
  await page.locator('#sort').click();
  await expect(page.locator('#targetUrl')).toBeVisible(); /* beside */
  await page.locator('#targetUrl').fill('x'); // A
  await page.locator('#next').click();
  await page.locator('#targetUrl').fill('y');
});
test('goes on', async ({ page }) => {
  await page.locator('#targetUrl').fill('x'); // B
});
`, []string{"searches", "sorts", "goes on"}},
	"test_links.py": {`from playwright.sync_api import Page, expect


def test_searches(page: Page):
    page.goto("/links")
    page.fill("#targetUrl", "https://example.com")  # A!
    page.press("#targetUrl", "Enter")  # A
    page.locator("#rows a").click()
    page.locator("#targetUrl").click()  # P


def test_sorts(page: Page):
    page.locator("#sort").click()
    expect(page.locator("#targetUrl")).to_be_visible()  # (beside)
    page.locator("#targetUrl").fill("x")  # A
    page.locator("#next").click()
    page.locator("#targetUrl").fill("y")


def test_goes_on(page: Page):
    page.locator("#targetUrl").fill("x")  # B
`, []string{"test_searches", "test_sorts", "test_goes_on"}},
	"LinksTest.java": {`package shop;
import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import com.microsoft.playwright.*;
import org.junit.jupiter.api.Test;
class LinksTest {
  Page page;
  @Test
  void searches() {
    page.navigate("/links");
    page.fill("#targetUrl", "https://example.com"); // A!
    page.press("#targetUrl", "Enter"); // A
    page.locator("#rows a").click();
    page.locator("#targetUrl").click(); // P
  }
  @Test
  void sorts() {
    page.locator("#sort").click();
    assertThat(page.locator("#targetUrl")).isVisible(); /* beside */
    page.locator("#targetUrl").fill("x"); // A
    page.locator("#next").click();
    page.locator("#targetUrl").fill("y");
  }
  @Test
  void goesOn() {
    page.locator("#targetUrl").fill("x"); // B
  }
}
`, []string{"searches", "sorts", "goesOn"}},
	"LinksTests.cs": {`using Microsoft.Playwright;
using Microsoft.Playwright.NUnit;
namespace Shop;
public class LinksTests : PageTest
{
    [Test]
    public async Task Searches()
    {
        await Page.GotoAsync("/links");
        await Page.FillAsync("#targetUrl", "https://example.com"); // A!
        await Page.PressAsync("#targetUrl", "Enter"); // A
        await Page.Locator("#rows a").ClickAsync();
        await Page.Locator("#targetUrl").ClickAsync(); // P
    }
    [Test]
    public async Task Sorts()
    {
        await Page.Locator("#sort").ClickAsync();
        await Expect(Page.Locator("#targetUrl")).ToBeVisibleAsync(); /* beside */
        await Page.Locator("#targetUrl").FillAsync("x"); // A
        await Page.Locator("#next").ClickAsync();
        await Page.Locator("#targetUrl").FillAsync("y");
    }
    [Test]
    public async Task GoesOn()
    {
        await Page.Locator("#targetUrl").FillAsync("x"); // B
    }
}
`, []string{"Searches", "Sorts", "GoesOn"}},
	"links_test.go": {`package shop

import "testing"

func TestSearches(t *testing.T) {
	page := open(t)
	page.Goto("/links")
	page.Fill("#targetUrl", "https://example.com") // A!
	page.Press("#targetUrl", "Enter") // A
	page.Locator("#rows a").Click()
	page.Locator("#targetUrl").Click() // P
}

func TestSorts(t *testing.T) {
	page := open(t)
	page.Locator("#sort").Click()
	expect.Locator(page.Locator("#targetUrl")).ToBeVisible() /* beside */
	page.Locator("#targetUrl").Fill("x") // A
	page.Locator("#next").Click()
	page.Locator("#targetUrl").Fill("y")
}

func TestGoesOn(t *testing.T) {
	page := open(t)
	page.Locator("#targetUrl").Fill("x") // B
}
`, []string{"TestSearches", "TestSorts", "TestGoesOn"}},
}

func TestAHealEditsEveryUseOfTheElement(t *testing.T) {
	for file, c := range spreadSuites {
		t.Run(file, func(t *testing.T) {
			lost, learned := learnedLines(t, file, c.text, c.tests)
			var want []string
			for i, line := range strings.Split(c.text, "\n") {
				_, mark, ok := cutMark(line)
				if ok && mark[0] == 'A' || strings.Contains(line, "beside") {
					want = append(want, fmt.Sprintf("%s:%d", file, i+1))
				}
			}
			slices.Sort(want)
			got, ps := spreadIn(t, map[string]string{file: c.text}, []engine.HealEvent{lost}, learned)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, p := range ps[1:] {
				if !p.Follows() || p.Cause != CauseOf(lost) {
					t.Errorf("line %d follows from %+v", p.Edit.Line, p.Cause)
				}
			}
			if ps[0].Follows() || len(ps) != 4 {
				t.Errorf("the heal follows from %+v, of %d", ps[0].Cause, len(ps))
			}
		})
	}
}

// What is not known to be the same element is left alone, in every language.
func TestAHealWithoutALineEditsAllThatStandTogether(t *testing.T) {
	const text = `test('searches', async ({ page }) => {
  await page.fill('#targetUrl', 'https://example.com');
  await expect(page.locator('#targetUrl')).toBeVisible();
  await page.press('#targetUrl', 'Enter');
});
`
	lost := engine.HealEvent{TestID: "links.spec.ts › searches", Locator: "#targetUrl", HealedLocator: "#target-url", Confidence: 0.95, Outcome: engine.OutcomeHealed}
	got, _ := spreadIn(t, map[string]string{"links.spec.ts": text}, []engine.HealEvent{lost}, nil)
	if diff := cmp.Diff([]string{"links.spec.ts:2", "links.spec.ts:3", "links.spec.ts:4"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A locator is kept in a variable, and used further down: in a step, behind a literal that
// looks for the same.
func TestAHealEditsTheVariableThatIsUsedInAStepFurtherDown(t *testing.T) {
	for file, text := range keptInVariables {
		text = strings.ReplaceAll(text, "#email", "#targetUrl")
		lost := engine.HealEvent{TestID: engine.TestID(file + " › " + titlesOfVariables[file]), Locator: "#targetUrl", HealedLocator: "#target-url",
			Confidence: 0.95, Outcome: engine.OutcomeHealed, Site: &engine.Site{File: file, Line: lineWith(text, "meant") + 1}}
		own := engine.Fingerprint{TestID: lost.TestID, Locator: lost.Locator, Tag: "input", Name: "Target", Page: "/links", Site: lost.Site}
		later := own
		later.Locator, later.Site = "#targetUrl #2", &engine.Site{File: file, Line: lineWith(text, "lost")}
		lost.Original = own
		got, _ := spreadIn(t, map[string]string{file: text}, []engine.HealEvent{lost}, []engine.Fingerprint{own, later})
		if diff := cmp.Diff([]string{fmt.Sprintf("%s:%d", file, lost.Site.Line-1), fmt.Sprintf("%s:%d", file, lost.Site.Line)}, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		later.Name = "another"
		got, _ = spreadIn(t, map[string]string{file: text}, []engine.HealEvent{lost}, []engine.Fingerprint{own, later})
		if diff := cmp.Diff([]string{fmt.Sprintf("%s:%d", file, lost.Site.Line)}, got); diff != "" {
			t.Errorf("another element: -want +got:\n%s", diff)
		}
	}
}

func TestAHealEditsNoUseThatMayBeAnotherElements(t *testing.T) {
	for file, c := range spreadSuites {
		lost, learned := learnedLines(t, file, c.text, c.tests)
		second := slices.IndexFunc(learned, func(f engine.Fingerprint) bool { return f.TestID != lost.TestID })
		sorts := learned[second].TestID
		result := func(id engine.TestID) engine.TestResult {
			_, name, _ := strings.Cut(string(id), " › ")
			return engine.TestResult{ID: id, File: file, Name: name}
		}
		only := fmt.Sprintf("%s:%d", file, lost.Site.Line)
		pressed := fmt.Sprintf("%s:%d", file, lost.Site.Line+1)
		refuse := func(reason string) engine.HealEvent {
			return engine.HealEvent{TestID: sorts, Locator: lost.Locator, Outcome: engine.OutcomeRefused, Reason: reason, Site: learned[second].Site}
		}
		for name, k := range map[string]struct {
			learn  func([]engine.Fingerprint) []engine.Fingerprint
			heals  []engine.HealEvent
			passed []PassedTest
			want   []string
		}{
			"a test passes with the old locator on the page": {passed: []PassedTest{{Test: result(sorts)}}, want: []string{only}},
			"the other test looked and found none":           {heals: []engine.HealEvent{refuse(engine.ReasonNoCandidates)}, want: []string{only, pressed}},
			"the other test found two":                       {heals: []engine.HealEvent{refuse(engine.ReasonAmbiguous)}, want: []string{only, pressed}},
			"nothing was learned":                            {learn: func([]engine.Fingerprint) []engine.Fingerprint { return nil }, want: []string{only, pressed}},
			"the page is not known": {learn: func(list []engine.Fingerprint) []engine.Fingerprint {
				for i := range list {
					list[i].Page = ""
				}
				return list
			}, want: []string{only, pressed}},
		} {
			t.Run(file+" "+name, func(t *testing.T) {
				known := slices.Clone(learned)
				if k.learn != nil {
					known = k.learn(known)
				}
				got, _ := spreadIn(t, map[string]string{file: c.text}, append([]engine.HealEvent{lost}, k.heals...), known, k.passed...)
				slices.Sort(k.want)
				if diff := cmp.Diff(k.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	}
}

// Lines that were learned count only while all of them stand where they were, or all
// moved as far as the lost one did.
func TestLearnedLinesMoveTogether(t *testing.T) {
	for file, c := range spreadSuites {
		lost, learned := learnedLines(t, file, c.text, c.tests)
		was := *lost.Site
		for name, k := range map[string]struct {
			above int // the line that two lines are added above
			site  int // how far the lost one moved
			all   bool
		}{
			"all of them":                   {2, 2, true},
			"those below the lost one":      {was.Line + 3, 0, false},
			"nobody knows where it is lost": {2, 0, false},
		} {
			t.Run(file+" "+name, func(t *testing.T) {
				lines := strings.Split(c.text, "\n")
				text := strings.Join(slices.Insert(lines, k.above-1, "", ""), "\n")
				h := lost
				site := was
				site.Line += k.site
				h.Site = &site
				if name == "nobody knows where it is lost" {
					h.Site = nil
				}
				got, _ := spreadIn(t, map[string]string{file: text}, []engine.HealEvent{h}, learned)
				if all := len(got) == 4; all != k.all {
					t.Errorf("edited %v", got)
				}
				for _, at := range got {
					for i, line := range strings.Split(text, "\n") {
						_, mark, ok := cutMark(line)
						meant := ok && mark[0] == 'A' || strings.Contains(line, "beside")
						if at == fmt.Sprintf("%s:%d", file, i+1) && !meant {
							t.Errorf("edited %s", line)
						}
					}
				}
			})
		}
	}
}

// What a call between two uses may do to the page ends what stands beside the first.
func TestWhatMayBringAnotherPageEndsWhatStandsBeside(t *testing.T) {
	for between, beside := range map[string]bool{
		"await expect(page.locator('#rows')).toHaveCount(2);": true,
		"await page.locator('#rows').hover();":                true,
		"await page.locator('#rows').click();":                false,
		"await page.setContent('<p>');":                       false,
		"await issueOrder(page);":                             false,
		"await assertDashboard(page);":                        false,
		"page = await context.newPage();":                     false,
		"});\ntest('other', async ({ page }) => {":            false,
	} {
		text := "test('a', async ({ page }) => {\n  await page.fill('#targetUrl', 'x'); // A!\n  " + between + "\n  await page.press('#targetUrl', 'Enter');\n});\n"
		lost, _ := learnedLines(t, "a.spec.ts", text, []string{"'a'"})
		lost.TestID = "a.spec.ts › a"
		got, _ := spreadIn(t, map[string]string{"a.spec.ts": text}, []engine.HealEvent{lost}, nil)
		if (len(got) == 2) != beside || len(got) == 0 {
			t.Errorf("%s: edited %v", between, got)
		}
	}
}

// A heal in a test that failed all the same shows nothing by itself. Where a test that
// passed found the same element again by the same locator, it does.
func TestAHealIsEditedInATestThatFailedWhereAnotherOneProvesIt(t *testing.T) {
	for file, c := range spreadSuites {
		lost, learned := learnedLines(t, file, c.text, c.tests)
		lost.Trace = ""
		second := slices.IndexFunc(learned, func(f engine.Fingerprint) bool { return f.TestID != lost.TestID })
		again := lost
		again.TestID, again.Occurrence, again.Site = learned[second].TestID, 0, learned[second].Site
		at := fmt.Sprintf("%s:%d", file, again.Site.Line)
		for name, k := range map[string]struct {
			alter      func(*engine.HealEvent)
			bothFailed bool
			want       bool
		}{
			"found alike":       {alter: func(*engine.HealEvent) {}, want: true},
			"found another way": {alter: func(h *engine.HealEvent) { h.HealedLocator = "#target-url-2" }},
			"only suggested":    {alter: func(h *engine.HealEvent) { h.Outcome, h.Reason = engine.OutcomeSuggested, engine.ReasonOtherMeaning }},
			"an assertion":      {alter: func(h *engine.HealEvent) { h.Outcome, h.Reason = engine.OutcomeSuggested, engine.ReasonSuggestOnly }, want: true},
			"both failed":       {alter: func(*engine.HealEvent) {}, bothFailed: true},
		} {
			t.Run(file+" "+name, func(t *testing.T) {
				other := again
				k.alter(&other)
				failed := func(id engine.TestID) bool { return id == other.TestID || k.bothFailed }
				p := New(fstest.MapFS{file: &fstest.MapFile{Data: []byte(c.text)}})
				all, err := p.ProposeAll([]engine.HealEvent{lost, other}, Suite{Heals: []engine.HealEvent{lost, other}, Learned: learned,
					Result: func(id engine.TestID) *engine.TestResult {
						_, name, _ := strings.Cut(string(id), " › ")
						return &engine.TestResult{ID: id, File: file, Name: name}
					},
					Failed: failed, Editable: func(string) bool { return true },
					Same: func(a, b engine.Fingerprint) bool { return a.Name == b.Name && a.Page == b.Page }})
				if err != nil {
					t.Fatal(err)
				}
				edited, told := false, false
				for _, q := range all {
					mine := q.Heal.TestID == other.TestID && q.Heal.Occurrence == 0
					edited = edited || mine && q.Edit != nil && !q.Suggested() && q.Doubt == "" && fmt.Sprintf("%s:%d", file, q.Edit.Line) == at
					told = told || mine && (q.Edit == nil || q.Suggested() || q.Doubt != "")
				}
				if edited != k.want || told && k.want {
					t.Errorf("edited: %v, told that it is not: %v", edited, told)
				}
			})
		}
	}
}

// A call that takes the place of a whole chain takes that of the same chain in its other uses.
func TestACallForAWholeChainSpreadsToItsOtherUses(t *testing.T) {
	t.Parallel()
	const suite = `import { test, expect } from '@playwright/test';
test('labels', async ({ page }) => {
  await expect(page.locator('.bar .button').filter({hasText: 'Add Labels'})).toBeVisible();
  await page.locator('.bar .button').filter({hasText: 'Add Labels'}).click();
  await page.locator('.bar .button').filter({hasText: 'Delete'}).click();
});
test('again', async ({ page }) => {
  await page.locator('#rows a').click();
  await page.locator('.bar .button').filter({hasText: 'Add Labels'}).click();
});
test('elsewhere', async ({ page }) => {
  await page.locator('.bar .button').filter({hasText: 'Add Labels'}).click();
});
`
	const lost = `.bar .button >> internal:has-text="Add Labels"i`
	element := func(test string, occurrence, line int, page string) engine.Fingerprint {
		return engine.Fingerprint{Tag: "button", Name: "Add Labels", Page: page, PageAddress: page, TestID: engine.TestID("a.spec.ts › " + test),
			Locator: engine.StoredLocator(lost, occurrence), Site: &engine.Site{File: "a.spec.ts", Line: line}}
	}
	learned := []engine.Fingerprint{element("labels", 0, 3, "/task"), element("labels", 1, 4, "/task"), element("again", 0, 9, "/task"), element("elsewhere", 0, 12, "/other")}
	h := engine.HealEvent{TestID: "a.spec.ts › labels", Locator: lost, HealedLocator: `internal:role=button[name="Edit target-url"s]`, Confidence: 0.95, Outcome: engine.OutcomeHealed,
		Site: learned[0].Site, Original: learned[0], Healed: engine.Fingerprint{Tag: "button", Role: "button", Name: "Edit target-url"}}
	h.Original.Locator = lost
	edited, _ := spreadIn(t, map[string]string{"a.spec.ts": suite}, []engine.HealEvent{h}, learned)
	if diff := cmp.Diff([]string{"a.spec.ts:3", "a.spec.ts:4", "a.spec.ts:9"}, edited); diff != "" {
		t.Error(diff)
	}
}

// What was found ahead was tried by nobody, but counted on the page as it was.
func TestAChainThatWasFoundAheadBecomesTheCallThatWasCountedAlone(t *testing.T) {
	t.Parallel()
	const suite = "import { test } from '@playwright/test';\ntest('labels', async ({ page }) => {\n  await page.locator('.bar .button').filter({hasText: 'Add'}).click();\n});\n"
	for _, c := range []struct {
		name    string
		matches []engine.Match
		want    string
	}{
		{"one call alone", []engine.Match{{Locator: `internal:role=button[name="Edit"i]`, Count: 2}, {Locator: `internal:role=button[name="Edit"s]`, Count: 1}}, "  await page.getByRole('button', { name: 'Edit', exact: true }).click();"},
		{"none alone", []engine.Match{{Locator: `internal:role=button[name="Edit"i]`, Count: 2}}, ""},
		{"none on the page", []engine.Match{{Locator: `internal:role=button[name="Edit"s]`, Count: 0}}, ""},
		{"none counted", nil, ""},
	} {
		h := engine.HealEvent{TestID: "a.spec.ts › labels", Locator: `.bar .button >> internal:has-text="Add"i`, Confidence: 0.95, Outcome: engine.OutcomeSuggested, Reason: engine.ReasonAhead, Ahead: true,
			Site: &engine.Site{File: "a.spec.ts", Line: 3}, Healed: engine.Fingerprint{Tag: "button", Role: "button", Name: "Edit"}, Matches: c.matches}
		got := ""
		if e := New(fstest.MapFS{"a.spec.ts": &fstest.MapFile{Data: []byte(suite)}}).Propose(h, nil).Edit; e != nil {
			got = e.After
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
