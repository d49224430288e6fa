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
				TestID:  fmt.Sprintf("f%d.spec.ts › case 7", i*20),
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
