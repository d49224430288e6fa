package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each edit is asked for once, suggestions too, and what was refused is not offered again.
func TestApplyMakesWhatIsAnsweredYes(t *testing.T) {
	const spec = `test('pays', async ({ page }) => {
  await page.locator('#pay').click();
});
test('pays again', async ({ page }) => {
  await page.locator('#pay').click();
});
test('deploys', async ({ page }) => {
  await page.click('text=Deploy to staging');
});
`
	heal := func(test, line string) string {
		return `{"schema":"breadcrumb.heal/v1","test_id":"a.spec.ts › ` + test + `","locator":"#pay","confidence":0.97,"outcome":"healed","healed_locator":"#buy","site":{"file":"a.spec.ts","line":` + line + `},"timestamp":1772359200}` + "\n"
	}
	for _, c := range []struct {
		name, answers   string
		edits           int // of #pay
		deployed        bool
		says, saysNever []string
	}{
		{"no", "n\nn\nn\n", 0, false, []string{"1 of 3: ", "Make 1 edit?", "No edits made.\n"}, []string{"only suggested, name it", "Nothing to edit"}},
		{"quit", "q\n", 0, false, []string{"No edits made.\n"}, []string{"2 of 3", "only suggested, name it"}},
		{"the suggestion alone", "n\nn\ny\n", 0, true, []string{"only suggested: said \"Deploy to staging\"", "1 edit in 1 file.\n"}, []string{"name it to make it"}},
		{"all", "y\ny\nyes\n", 2, true, []string{"3 edits in 1 file.\n"}, []string{"No edits made"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"a.spec.ts": spec,
				"r.xml": `<testsuite name="a.spec.ts"><testcase name="pays" classname="a.spec.ts"/><testcase name="pays again" classname="a.spec.ts"/>` +
					`<testcase name="deploys" classname="a.spec.ts"><failure message="no"/></testcase></testsuite>`,
				"heals.ndjson": heal("pays", "2") + heal("pays again", "5") +
					`{"schema":"breadcrumb.heal/v1","test_id":"a.spec.ts › deploys","locator":"text=Deploy to staging","confidence":0.4,"outcome":"suggested","reason":"other-meaning","changed":[{"what":"name","was":"Deploy to staging","now":"Deploy to production"}],"healed_locator":"text=Deploy to production","site":{"file":"a.spec.ts","line":8},"timestamp":1772359200}` + "\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(dir)
			var out, errs bytes.Buffer
			code := Main(context.Background(), []string{"apply", "--junit", "r.xml", "--heal-events", "heals.ndjson"}, Streams{In: strings.NewReader(c.answers), Out: &out, Err: &errs})
			after, err := os.ReadFile("a.spec.ts")
			if code != 0 || err != nil || strings.Count(string(after), "#buy") != c.edits || strings.Contains(string(after), "production") != c.deployed {
				t.Errorf("exit code %d, %v; %s\n%s%s", code, err, after, out.String(), errs.String())
			}
			for _, want := range c.says {
				if !strings.Contains(out.String(), want) {
					t.Errorf("does not say %q:\n%s", want, out.String())
				}
			}
			for _, never := range c.saysNever {
				if strings.Contains(out.String(), never) {
					t.Errorf("says %q:\n%s", never, out.String())
				}
			}
		})
	}
}
