package patch

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// BenchmarkPropose searches a checkout of 1,000 files of 300 lines for 50
// heals whose files are named by a shortened path.
func BenchmarkPropose(b *testing.B) {
	src := fstest.MapFS{}
	for i := range 1000 {
		var text strings.Builder
		for j := range 60 {
			fmt.Fprintf(&text, "test('case %d', async ({ page }) => {\n  // step %d\n  await page.locator('#b%d-%d').click();\n  await page.getByRole('button', { name: `Save ${%d}` }).click();\n});\n", j, j, i, j, j)
		}
		src[fmt.Sprintf("e2e/area%d/f%d.spec.ts", i%20, i)] = &fstest.MapFile{Data: []byte(text.String())}
	}
	b.ReportAllocs()
	for b.Loop() {
		p := New(src)
		var out []Proposal
		for i := range 50 {
			e := engine.HealEvent{
				TestID:  engine.TestID(fmt.Sprintf("f%d.spec.ts › case 7", i*20)),
				Locator: fmt.Sprintf("#b%d-7", i*20), HealedLocator: "#next", Confidence: 1,
			}
			got := p.Propose(e, nil)
			if got.Edit == nil {
				b.Fatal(got.Reason)
			}
			out = append(out, got)
		}
		Resolve(out)
	}
}

// BenchmarkProposeInImports searches the same amount of source for 50 heals of
// tests that each reach 20 page objects, of which the last holds the locator.
func BenchmarkProposeInImports(b *testing.B) {
	src := fstest.MapFS{}
	for i := range 50 {
		var test strings.Builder
		for k := range 19 {
			var page strings.Builder
			fmt.Fprintf(&page, "export class Page%d {\n  constructor(private page: Page) {}\n", k)
			for j := range 74 {
				fmt.Fprintf(&page, "  async step%d() {\n    await this.page.locator('#b%d-%d-%d').click();\n    // then\n  }\n", j, i, k, j)
			}
			page.WriteString("}\n")
			src[fmt.Sprintf("e2e/area%d/page%d.ts", i, k)] = &fstest.MapFile{Data: []byte(page.String())}
			fmt.Fprintf(&test, "import { Page%d } from './page%d';\n", k, k)
		}
		for j := range 90 {
			fmt.Fprintf(&test, "test('case %d', async ({ page }) => {\n  await new Page18(page).step%d();\n});\n", j, j%74)
		}
		src[fmt.Sprintf("e2e/area%d/a.spec.ts", i)] = &fstest.MapFile{Data: []byte(test.String())}
	}
	b.ReportAllocs()
	for b.Loop() {
		p := New(src)
		var passed []PassedTest
		for i := range 50 {
			for j := range 20 {
				passed = append(passed, PassedTest{Test: engine.TestResult{File: fmt.Sprintf("e2e/area%d/a.spec.ts", i), Name: fmt.Sprintf("case %d", j)}})
			}
		}
		p.SetPassed(passed)
		for i := range 50 {
			test := engine.TestResult{File: fmt.Sprintf("e2e/area%d/a.spec.ts", i), Name: "case 60"}
			got := p.Propose(engine.HealEvent{TestID: "case 60", Locator: fmt.Sprintf("#b%d-18-60", i), HealedLocator: "#next", Confidence: 1}, &test)
			if got.Edit == nil {
				b.Fatal(got.Reason)
			}
		}
	}
}
