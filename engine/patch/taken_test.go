package patch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine/patch"
)

// offersOn returns an offer for each pair of literals, at its first place in the text.
func offersOn(t *testing.T, text string, pairs ...string) (offers []patch.Offer) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		at := strings.Index(text, pairs[i])
		if at < 0 {
			t.Fatalf("no %s in the text", pairs[i])
		}
		offers = append(offers, patch.Offer{Start: at, Old: pairs[i], New: pairs[i+1]})
	}
	return offers
}

const shopTest = `test('saves', async ({ page }) => {
  await page.click('#save');
  await page.click('#close');
});
test('opens', async ({ page }) => {
  await page.click('#open'); await page.click('#next');
});
test('waits', async ({ page }) => {
  await page.click('#wait');
  await page.click('#wait');
});
`

func TestFindTaken(t *testing.T) {
	t.Parallel()
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(shopTest) }
	save, close, open := []string{"'#save'", "'#store'"}, []string{"'#close'", "'#leave'"}, []string{"'#open'", "'#begin'"}
	for name, c := range map[string]struct {
		after  string
		offers []string
		want   []bool
	}{
		"the edit alone":                    {replace(save...), save, []bool{true}},
		"nothing":                           {shopTest, save, []bool{false}},
		"another new text":                  {replace("'#save'", "'#keep'"), save, []bool{false}},
		"in other quotes":                   {replace("'#save'", `"#store"`), save, []bool{false}},
		"the line went":                     {replace("  await page.click('#save');\n", ""), save, []bool{false}},
		"with lines before it":              {"// a note\n\n" + replace(save...), save, []bool{true}},
		"indented, with Windows line ends":  {strings.ReplaceAll("\n"+replace("  await page.click('#save')", "\tawait page.click('#store')"), "\n", "\r\n"), save, []bool{true}},
		"beside another change":             {replace("'#save'", "'#store'", "'#close'", "'#somewhere'"), save, []bool{true}},
		"one of two neighbours":             {replace(save...), slices.Concat(save, close), []bool{true, false}},
		"both neighbours":                   {replace(slices.Concat(save, close)...), slices.Concat(save, close), []bool{true, true}},
		"neighbours that changed places":    {replace("'#save'", "'#leave'", "'#close'", "'#store'"), slices.Concat(save, close), []bool{false, false}},
		"one of two on a line":              {replace("'#next'", "'#on'"), slices.Concat(open, []string{"'#next'", "'#on'"}), []bool{false, true}},
		"both on a line":                    {replace("'#open'", "'#begin'", "'#next'", "'#on'"), slices.Concat(open, []string{"'#next'", "'#on'"}), []bool{true, true}},
		"one of two at a place":             {replace(save...), slices.Concat(save, []string{"'#save'", "'#keep'"}), []bool{true, false}},
		"two lines alike, the one edited":   {strings.Replace(shopTest, "'#wait'", "'#await'", 1), []string{"'#wait'", "'#await'"}, []bool{true}},
		"two lines alike, the other edited": {strings.Replace(shopTest, "'#wait');\n});", "'#await');\n});", 1), []string{"'#wait'", "'#await'"}, []bool{false}},
		"two lines alike, both edited":      {replace("'#wait'", "'#await'"), []string{"'#wait'", "'#await'"}, []bool{false}},
		"taken out here and put in there":   {strings.Replace(replace("  await page.click('#save');\n", ""), "'#wait'", "'#store'", 1), save, []bool{false}},
		"twice in the change":               {replace("  await page.click('#save');\n", "  await page.click('#store');\n  await page.click('#store');\n"), save, []bool{false}},
		"in a test that was written anew":   {strings.Repeat("// anew\n", 30) + strings.ReplaceAll(replace(save...), "await", "void"), save, []bool{false}},
		"the old line kept beside the new":  {replace("  await page.click('#save');\n", "  await page.click('#save');\n  await page.click('#store');\n"), save, []bool{false}},
		"an edit that nobody would make":    {replace("'saves'", "'stores'"), []string{"'saves'", "'stores'"}, []bool{false}},
		"an offer that changes nothing":     {replace(save...), []string{"'#save'", "'#save'"}, []bool{false}},
		"a file that lost everything":       {"", save, []bool{false}},
		"a file of too many lines to align": {strings.Repeat("x\n", 2000) + replace(save...) + strings.Repeat("y\n", 2000), save, []bool{false}},
	} {
		if got := patch.FindTaken("a.spec.ts", []byte(shopTest), []byte(c.after), offersOn(t, shopTest, c.offers...)); !slices.Equal(got, c.want) {
			t.Errorf("%s: taken %v, want %v", name, got, c.want)
		}
	}
	for name, o := range map[string]patch.Offer{
		"a place before the text": {Start: -1, Old: "'#save'", New: "'#store'"},
		"a place after it":        {Start: 1 << 30, Old: "'#save'", New: "'#store'"},
		"another place":           {Start: 3, Old: "'#save'", New: "'#store'"},
	} {
		if got := patch.FindTaken("a.spec.ts", []byte(shopTest), []byte(replace(save...)), []patch.Offer{o}); got[0] {
			t.Errorf("%s is taken", name)
		}
	}
}

// Whatever the texts and the offer, what is taken stands in the later text, and the line
// before is gone from its place.
func FuzzFindTaken(f *testing.F) {
	f.Add(shopTest, strings.Replace(shopTest, "'#save'", "'#store'", 1), strings.Index(shopTest, "'#save'"), "'#save'", "'#store'")
	f.Add(shopTest, "", 0, "", "")
	f.Fuzz(func(t *testing.T, before, after string, start int, old, with string) {
		taken := patch.FindTaken("a.spec.ts", []byte(before), []byte(after), []patch.Offer{{Start: start, Old: old, New: with}})
		if taken[0] && (before == after || !strings.Contains(after, with) || before[start:start+len(old)] != old) {
			t.Errorf("taken: %q for %q in %q, now %q", with, old, before, after)
		}
	})
}
