//go:build unix

package ci

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
)

// BenchmarkApply proposes the edits of 1,000 heals of 5,000 tests in a checkout of 10,000
// files, in each language: 1,000 test files with a page object each, and 8,000 files of
// the application. The locators stand in tests, in methods and in constants of page
// objects. CPU-s is what the whole process used; heap-MB the most that its heap held.
func BenchmarkApply(b *testing.B) {
	for _, lang := range []suiteLanguage{typeScriptSuite, pythonSuite, javaSuite, csharpSuite, goSuite} {
		b.Run(lang.name, func(b *testing.B) {
			cfg := writeSuite(b, lang)
			for b.Loop() {
				peak := watchHeap()
				before := processTime(b)
				done, err := Apply(b.Context(), cfg, Deps{Now: time.Now}, nil, nil)
				used := processTime(b) - before
				b.ReportMetric(float64(peak())/(1<<20), "heap-MB")
				b.ReportMetric(used.Seconds(), "CPU-s")
				if err != nil || len(done.Edits) != benchFiles {
					b.Fatalf("%d edits, %v, %v", len(done.Edits), err, reasonsOf(done))
				}
			}
		})
	}
}

// reasonsOf returns why some heals have no edit.
func reasonsOf(done Applied) []string {
	var out []string
	for _, p := range done.Without[:min(len(done.Without), 5)] {
		out = append(out, fmt.Sprintf("%s in %s: %s %.2f", p.Heal.Locator, p.Heal.TestID, p.Reason, p.Confidence))
	}
	return out
}

func processTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// watchHeap looks at the size of the heap again and again until the function that it
// returns is called, which returns the largest that it saw, in bytes.
func watchHeap() (peak func() uint64) {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	stop, largest := make(chan struct{}), make(chan uint64)
	go func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		most := uint64(0)
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-stop:
				largest <- most
				return
			case <-tick.C:
			}
		}
	}()
	return func() uint64 { close(stop); return <-largest }
}

const benchFiles = 1000 // test files, and as many heals

// suiteLanguage writes the files of a suite in one language. The functions return the
// name and the text of file i.
type suiteLanguage struct {
	name               string
	test, page, module func(i int) (name, text string)
	testID             func(i, test int) string
	result             func(i, test int) string // its attributes in JUnit XML
	extra              map[string]string
}

// writeSuite writes a checkout with the reports and events of a run.
func writeSuite(b *testing.B, lang suiteLanguage) Config {
	b.Helper()
	dir := b.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	var report, events strings.Builder
	report.WriteString("<testsuites><testsuite>\n")
	for i := range benchFiles {
		write(lang.test(i))
		write(lang.page(i))
		for k := range 5 {
			fmt.Fprintf(&report, "<testcase %s time=\"1\"/>\n", lang.result(i, k))
		}
		h := engine.HealEvent{
			TestID: engine.NewTestID(lang.testID(i, i%5)), Locator: fmt.Sprintf("#b%d-%d", i, i%5), HealedLocator: fmt.Sprintf("#next%d-%d", i, i%5),
			Confidence: 1, Outcome: engine.OutcomeHealed, Matches: []engine.Match{{Locator: fmt.Sprintf("#next%d-%d", i, i%5), Count: 1}},
		}
		line, err := json.Marshal(h)
		if err != nil {
			b.Fatal(err)
		}
		events.Write(append(line, '\n'))
	}
	report.WriteString("</testsuite></testsuites>\n")
	for i := range 8 * benchFiles {
		write(lang.module(i))
	}
	for name, text := range lang.extra {
		write(name, text)
	}
	write("results.xml", report.String())
	write("heals.ndjson", events.String())
	return Config{Repo: dir, DryRun: true, JUnit: []string{filepath.Join(dir, "results.xml")}, HealEvents: []string{filepath.Join(dir, "heals.ndjson")}}
}

// repeat returns n pieces of text, each made of its number.
func repeat(n int, piece func(k int) string) string {
	var out strings.Builder
	for k := range n {
		out.WriteString(piece(k))
	}
	return out.String()
}

// locatorIn tells where the locator of a page object's step k stands: in its method, in a
// constant of the file, or in the test itself.
func locatorIn(k int) string { return []string{"method", "constant", "test"}[k%3] }

var typeScriptSuite = suiteLanguage{
	name: "TypeScript",
	test: func(i int) (string, string) {
		return fmt.Sprintf("e2e/area%d/flow%d.spec.ts", i%40, i), fmt.Sprintf("import { test, expect } from '@playwright/test';\nimport { Page%d } from '../pages/page%d';\n\n", i, i) + repeat(5, func(k int) string {
			step := fmt.Sprintf("await new Page%d(page).step%d();", i, k)
			if locatorIn(k) == "test" {
				step = fmt.Sprintf("await page.locator('#b%d-%d').click();", i, k)
			}
			return fmt.Sprintf("test('case %d %d', async ({ page }) => {\n  await page.goto('/area/%d');\n  %s\n  await expect(page.getByRole('heading')).toHaveText(`Area ${%d}`);\n});\n\n", i, k, i, step, k)
		})
	},
	page: func(i int) (string, string) {
		return fmt.Sprintf("e2e/pages/page%d.ts", i), "import type { Page } from '@playwright/test';\n\n" + repeat(5, func(k int) string {
			if locatorIn(k) != "constant" {
				return ""
			}
			return fmt.Sprintf("const button%d_%d = '#b%d-%d';\n", i, k, i, k)
		}) + fmt.Sprintf("export class Page%d {\n  constructor(private readonly page: Page) {}\n", i) + repeat(5, func(k int) string {
			argument := fmt.Sprintf("button%d_%d", i, k)
			switch locatorIn(k) {
			case "method":
				argument = fmt.Sprintf("'#b%d-%d'", i, k)
			case "test":
				argument = fmt.Sprintf("'#other%d-%d'", i, k)
			}
			return fmt.Sprintf("\n  // clicks the button of step %d\n  async step%d() {\n    await this.page.locator(%s).click();\n  }\n", k, k, argument)
		}) + "}\n"
	},
	module: func(i int) (string, string) {
		return fmt.Sprintf("src/area%d/module%d.ts", i%200, i), fmt.Sprintf("import { load%d } from './module%d';\nimport { format } from '../format';\n\n", (i+200)%8000, (i+200)%8000) + repeat(20, func(k int) string {
			return fmt.Sprintf("/** Returns item %d of the list. */\nexport function load%s(list: Item[], limit = %d): Item[] {\n  const found = list.filter((item) => item.kind === 'kind-%d' && item.count > limit);\n  return found.map((item) => ({ ...item, label: `${item.name} (${format(item.count)})` }));\n}\n\n", k, numbered(i, k), k, k)
		})
	},
	testID: func(i, k int) string { return fmt.Sprintf("area%d/flow%d.spec.ts › case %d %d", i%40, i, i, k) },
	result: func(i, k int) string {
		return fmt.Sprintf(`name="case %d %d" classname="area%d/flow%d.spec.ts"`, i, k, i%40, i)
	},
}

// numbered returns the name of function k of module i: the first has the module's number
// alone.
func numbered(i, k int) string {
	if k == 0 {
		return fmt.Sprint(i)
	}
	return fmt.Sprintf("%d_%d", i, k)
}

var pythonSuite = suiteLanguage{
	name: "Python",
	test: func(i int) (string, string) {
		return fmt.Sprintf("tests/area%d/test_flow%d.py", i%40, i), fmt.Sprintf("from pages.page%d import Page%d\n\n", i, i) + repeat(5, func(k int) string {
			step := fmt.Sprintf("Page%d(page).step%d()", i, k)
			if locatorIn(k) == "test" {
				step = fmt.Sprintf("page.locator(\"#b%d-%d\").click()", i, k)
			}
			return fmt.Sprintf("\ndef test_case_%d_%d(page):\n    page.goto(\"/area/%d\")\n    %s\n    assert page.get_by_role(\"heading\").inner_text() == f\"Area {%d}\"\n", i, k, i, step, k)
		})
	},
	page: func(i int) (string, string) {
		return fmt.Sprintf("pages/page%d.py", i), "from playwright.sync_api import Page\n\n" + repeat(5, func(k int) string {
			if locatorIn(k) != "constant" {
				return ""
			}
			return fmt.Sprintf("BUTTON_%d_%d = \"#b%d-%d\"\n", i, k, i, k)
		}) + fmt.Sprintf("\n\nclass Page%d:\n    def __init__(self, page: Page):\n        self.page = page\n", i) + repeat(5, func(k int) string {
			argument := fmt.Sprintf("BUTTON_%d_%d", i, k)
			switch locatorIn(k) {
			case "method":
				argument = fmt.Sprintf("\"#b%d-%d\"", i, k)
			case "test":
				argument = fmt.Sprintf("\"#other%d-%d\"", i, k)
			}
			return fmt.Sprintf("\n    def step%d(self):\n        \"\"\"Clicks the button of step %d.\"\"\"\n        self.page.locator(%s).click()\n", k, k, argument)
		})
	},
	module: func(i int) (string, string) {
		return fmt.Sprintf("shop/area%d/module%d.py", i%200, i), fmt.Sprintf("from shop.area%d.module%d import load%d\nfrom shop.format import format_count\n\n", i%200, (i+200)%8000, (i+200)%8000) + repeat(20, func(k int) string {
			return fmt.Sprintf("\ndef load%s(items, limit=%d):\n    \"\"\"Returns item %d of the list.\"\"\"\n    found = [item for item in items if item.kind == \"kind-%d\" and item.count > limit]\n    return [dict(item, label=f\"{item.name} ({format_count(item.count)})\") for item in found]\n\n", numbered(i, k), k, k, k)
		})
	},
	testID: func(i, k int) string {
		return fmt.Sprintf("tests/area%d/test_flow%d.py::test_case_%d_%d", i%40, i, i, k)
	},
	result: func(i, k int) string {
		return fmt.Sprintf(`name="test_case_%d_%d" classname="tests.area%d.test_flow%d"`, i, k, i%40, i)
	},
}

var javaSuite = suiteLanguage{
	name: "Java",
	test: func(i int) (string, string) {
		return fmt.Sprintf("src/test/java/shop/area%d/Flow%dTest.java", i%40, i), fmt.Sprintf("package shop.area%d;\n\nimport org.junit.jupiter.api.Test;\nimport com.microsoft.playwright.Page;\nimport shop.pages.Page%d;\n\nclass Flow%dTest {\n  Page page;\n", i%40, i, i) + repeat(5, func(k int) string {
			step := fmt.Sprintf("new Page%d(page).step%d();", i, k)
			if locatorIn(k) == "test" {
				step = fmt.Sprintf("page.locator(\"#b%d-%d\").click();", i, k)
			}
			return fmt.Sprintf("\n  @Test\n  void case%d_%d() {\n    page.navigate(\"/area/%d\");\n    %s\n    assertEquals(\"Area %d\", page.getByRole(AriaRole.HEADING).innerText());\n  }\n", i, k, i, step, k)
		}) + "}\n"
	},
	page: func(i int) (string, string) {
		return fmt.Sprintf("src/test/java/shop/pages/Page%d.java", i), fmt.Sprintf("package shop.pages;\n\nimport com.microsoft.playwright.Page;\n\npublic class Page%d {\n", i) + repeat(5, func(k int) string {
			if locatorIn(k) != "constant" {
				return ""
			}
			return fmt.Sprintf("  public static final String BUTTON_%d_%d = \"#b%d-%d\";\n", i, k, i, k)
		}) + fmt.Sprintf("  private final Page page;\n\n  public Page%d(Page page) {\n    this.page = page;\n  }\n", i) + repeat(5, func(k int) string {
			argument := fmt.Sprintf("BUTTON_%d_%d", i, k)
			switch locatorIn(k) {
			case "method":
				argument = fmt.Sprintf("\"#b%d-%d\"", i, k)
			case "test":
				argument = fmt.Sprintf("\"#other%d-%d\"", i, k)
			}
			return fmt.Sprintf("\n  // clicks the button of step %d\n  public void step%d() {\n    page.locator(%s).click();\n  }\n", k, k, argument)
		}) + "}\n"
	},
	module: func(i int) (string, string) {
		return fmt.Sprintf("src/main/java/shop/area%d/Module%d.java", i%200, i), fmt.Sprintf("package shop.area%d;\n\nimport java.util.List;\nimport shop.area%d.Module%d;\n\n/** Loads the items of the area. */\npublic class Module%d {\n", i%200, (i+200)%200, (i+200)%8000, i) + repeat(20, func(k int) string {
			return fmt.Sprintf("\n  /** Returns item %d of the list. */\n  public List<Item> load%s(List<Item> items, int limit) {\n    var found = items.stream().filter(item -> item.kind().equals(\"kind-%d\") && item.count() > limit);\n    return found.map(item -> item.withLabel(item.name() + \" (\" + format(item.count()) + \")\")).toList();\n  }\n", k, numbered(i, k), k)
		}) + "}\n"
	},
	testID: func(i, k int) string { return fmt.Sprintf("shop.area%d.Flow%dTest › case%d_%d", i%40, i, i, k) },
	result: func(i, k int) string {
		return fmt.Sprintf(`name="case%d_%d" classname="shop.area%d.Flow%dTest"`, i, k, i%40, i)
	},
}

var csharpSuite = suiteLanguage{
	name: "C#",
	test: func(i int) (string, string) {
		return fmt.Sprintf("Shop.Tests/Area%d/Flow%dTests.cs", i%40, i), fmt.Sprintf("using System.Threading.Tasks;\nusing NUnit.Framework;\nusing Shop.Tests.Pages;\n\nnamespace Shop.Tests.Area%d;\n\npublic class Flow%dTests : PageTest\n{\n", i%40, i) + repeat(5, func(k int) string {
			step := fmt.Sprintf("await new Page%d(Page).Step%d();", i, k)
			if locatorIn(k) == "test" {
				step = fmt.Sprintf("await Page.Locator(\"#b%d-%d\").ClickAsync();", i, k)
			}
			return fmt.Sprintf("    [Test]\n    public async Task Case%d_%d()\n    {\n        await Page.GotoAsync(\"/area/%d\");\n        %s\n        await Expect(Page.GetByRole(AriaRole.Heading)).ToHaveTextAsync($\"Area {%d}\");\n    }\n\n", i, k, i, step, k)
		}) + "}\n"
	},
	page: func(i int) (string, string) {
		return fmt.Sprintf("Shop.Tests/Pages/Page%d.cs", i), fmt.Sprintf("using System.Threading.Tasks;\nusing Microsoft.Playwright;\n\nnamespace Shop.Tests.Pages;\n\npublic class Page%d\n{\n", i) + repeat(5, func(k int) string {
			if locatorIn(k) != "constant" {
				return ""
			}
			return fmt.Sprintf("    public const string Button%d_%d = \"#b%d-%d\";\n", i, k, i, k)
		}) + fmt.Sprintf("    private readonly IPage page;\n\n    public Page%d(IPage page) => this.page = page;\n\n", i) + repeat(5, func(k int) string {
			argument := fmt.Sprintf("Button%d_%d", i, k)
			switch locatorIn(k) {
			case "method":
				argument = fmt.Sprintf("\"#b%d-%d\"", i, k)
			case "test":
				argument = fmt.Sprintf("\"#other%d-%d\"", i, k)
			}
			return fmt.Sprintf("    // Clicks the button of step %d.\n    public async Task Step%d()\n    {\n        await page.Locator(%s).ClickAsync();\n    }\n\n", k, k, argument)
		}) + "}\n"
	},
	module: func(i int) (string, string) {
		return fmt.Sprintf("Shop/Area%d/Module%d.cs", i%200, i), fmt.Sprintf("using System.Collections.Generic;\nusing System.Linq;\nusing Shop.Area%d;\n\nnamespace Shop.Area%d;\n\n/// <summary>Loads the items of the area.</summary>\npublic class Module%d\n{\n", (i+1)%200, i%200, i) + repeat(20, func(k int) string {
			return fmt.Sprintf("    /// <summary>Returns item %d of the list.</summary>\n    public IEnumerable<Item> Load%s(IEnumerable<Item> items, int limit = %d)\n    {\n        var found = items.Where(item => item.Kind == \"kind-%d\" && item.Count > limit);\n        return found.Select(item => item with { Label = $\"{item.Name} ({Format(item.Count)})\" });\n    }\n\n", k, numbered(i, k), k, k)
		}) + "}\n"
	},
	testID: func(i, k int) string {
		return fmt.Sprintf("Shop.Tests.Area%d.Flow%dTests › Case%d_%d", i%40, i, i, k)
	},
	result: func(i, k int) string {
		return fmt.Sprintf(`name="Case%d_%d" classname="Shop.Tests.Area%d.Flow%dTests"`, i, k, i%40, i)
	},
	extra: map[string]string{
		"Shop/Shop.csproj":             "<Project Sdk=\"Microsoft.NET.Sdk\"></Project>\n",
		"Shop.Tests/Shop.Tests.csproj": "<Project Sdk=\"Microsoft.NET.Sdk\"><ItemGroup><ProjectReference Include=\"..\\Shop\\Shop.csproj\" /></ItemGroup></Project>\n",
	},
}

var goSuite = suiteLanguage{
	name: "Go",
	test: func(i int) (string, string) {
		return fmt.Sprintf("e2e/area%d/flow%d_test.go", i%40, i), fmt.Sprintf("package area%d\n\nimport (\n\t\"testing\"\n\n\t\"example.com/shop/e2e/pages%d\"\n)\n", i%40, i%40) + repeat(5, func(k int) string {
			step := fmt.Sprintf("pages%d.New%d(page).Step%d(t)", i%40, i, k)
			if locatorIn(k) == "test" {
				step = fmt.Sprintf("check(t, page.Locator(\"#b%d-%d\").Click())", i, k)
			}
			return fmt.Sprintf("\nfunc TestCase%d_%d(t *testing.T) {\n\tpage := newPage(t)\n\topen(t, page, \"/area/%d\")\n\t%s\n\texpect(t, page.GetByRole(\"heading\"), \"Area %d\")\n}\n", i, k, i, step, k)
		})
	},
	page: func(i int) (string, string) {
		return fmt.Sprintf("e2e/pages%d/page%d.go", i%40, i), fmt.Sprintf("package pages%d\n\nimport (\n\t\"testing\"\n\n\t\"github.com/mxschmitt/playwright-go\"\n)\n\n", i%40) + repeat(5, func(k int) string {
			if locatorIn(k) != "constant" {
				return ""
			}
			return fmt.Sprintf("const button%d_%d = \"#b%d-%d\"\n", i, k, i, k)
		}) + fmt.Sprintf("\ntype Page%d struct{ page playwright.Page }\n\nfunc New%d(page playwright.Page) *Page%d { return &Page%d{page} }\n", i, i, i, i) + repeat(5, func(k int) string {
			argument := fmt.Sprintf("button%d_%d", i, k)
			switch locatorIn(k) {
			case "method":
				argument = fmt.Sprintf("\"#b%d-%d\"", i, k)
			case "test":
				argument = fmt.Sprintf("\"#other%d-%d\"", i, k)
			}
			return fmt.Sprintf("\n// Step%d clicks the button of step %d.\nfunc (p *Page%d) Step%d(t *testing.T) {\n\tif err := p.page.Locator(%s).Click(); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n", k, k, i, k, argument)
		})
	},
	module: func(i int) (string, string) {
		return fmt.Sprintf("area%d/module%d.go", i%200, i), fmt.Sprintf("package area%d\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/shop/format\"\n)\n", i%200) + repeat(20, func(k int) string {
			return fmt.Sprintf("\n// Load%s returns item %d of the list.\nfunc Load%s(items []Item, limit int) []Item {\n\tvar found []Item\n\tfor _, item := range items {\n\t\tif item.Kind == \"kind-%d\" && item.Count > limit {\n\t\t\tfound = append(found, item.WithLabel(fmt.Sprintf(\"%%s (%%s)\", item.Name, format.Count(item.Count))))\n\t\t}\n\t}\n\treturn found\n}\n", numbered(i, k), k, numbered(i, k), k)
		})
	},
	testID: func(i, k int) string { return fmt.Sprintf("example.com/shop/e2e/area%d › TestCase%d_%d", i%40, i, k) },
	result: func(i, k int) string {
		return fmt.Sprintf(`name="TestCase%d_%d" classname="example.com/shop/e2e/area%d"`, i, k, i%40)
	},
	extra: map[string]string{"go.mod": "module example.com/shop\n\ngo 1.26\n"},
}
