package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// signIn proposes an edit of the locator in a test's call, which was healed by an
// attribute, in a checkout with another file.
func signIn(call, healed, file, text string, matches ...engine.Match) Proposal {
	src := fstest.MapFS{"a.spec.ts": {Data: []byte("test('signs in', async ({ page }) => {\n  await " + call + ".click();\n});\n")}}
	if file != "" {
		src[file] = &fstest.MapFile{Data: []byte(text)}
	}
	return New(src).Propose(engine.HealEvent{TestID: "a.spec.ts › signs in", Locator: "#go", Outcome: engine.OutcomeHealed, Confidence: 1,
		HealedLocator: healed, Matches: matches}, nil)
}

func TestALocatorOfATestIDBecomesItsGetter(t *testing.T) {
	const config = "playwright.config.ts"
	counted := engine.Match{Locator: `internal:testid=[data-qa="in"s]`, Count: 1}
	for _, c := range []struct {
		name, call, healed, file, text string
		matches                        []engine.Match
		want                           string
	}{
		{"the usual attribute", `page.locator('#go')`, `[data-testid="in"]`, "", "", nil, `page.getByTestId('in')`},
		{"in the author's quotes", "page.locator(`#go`)", `[data-testid="in"]`, "", "", nil, "page.getByTestId(`in`)"},
		{"a quote in it", `page.locator("#go")`, `[data-testid='a"b']`, "", "", nil, `page.getByTestId("a\"b")`},
		{"spaces", `page.locator( '#go' )`, `[data-testid="in"]`, "", "", nil, `page.getByTestId( 'in' )`},
		{"another attribute in the settings", `page.locator('#go')`, `[data-testid="in"]`, config, "export default { use: { testIdAttribute: 'data-qa' } };", nil, `page.locator('[data-testid="in"]')`},
		{"an attribute in the settings, of this project or another", `page.locator('#go')`, `[data-qa="in"]`, config, "export default { use: { testIdAttribute: 'data-qa' } };", nil, `page.locator('[data-qa="in"]')`},
		{"set by a call", `page.locator('#go')`, `[data-testid="in"]`, "conftest.py", "playwright.selectors.set_test_id_attribute(name)", nil, `page.locator('[data-testid="in"]')`},
		{"the attribute that the healer read", `page.locator('#go')`, `[data-qa="in"]`, "", "", []engine.Match{counted, {Locator: `[data-qa="in"]`, Count: 1}}, `page.getByTestId('in')`},
		{"an id", `page.locator('#go')`, `#in`, "", "", nil, `page.locator('#in')`},
		{"more than the attribute", `page.locator('#go')`, `button[data-testid="in"]`, "", "", nil, `page.locator('button[data-testid="in"]')`},
		{"options", `page.locator('#go', { hasText: 'x' })`, `[data-testid="in"]`, "", "", nil, `page.locator('[data-testid="in"]', { hasText: 'x' })`},
		{"an action by selector", `page.click('#go'); await page`, `[data-testid="in"]`, "", "", nil, `page.click('[data-testid="in"]'); await page`},
		{"over lines", "page.locator(\n    '#go')", `[data-testid="in"]`, "", "", nil, `    '[data-testid="in"]')`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := signIn(c.call, c.healed, c.file, c.text, c.matches...)
			if got.Edit == nil {
				t.Fatalf("no edit: %s", got.Reason)
			}
			if after := strings.TrimSuffix(strings.TrimPrefix(got.Edit.After, "  await "), ".click();"); after != c.want {
				t.Errorf("%s, want %s", after, c.want)
			}
			if getter := strings.Contains(got.Edit.After, "getByTestId"); getter != strings.Contains(got.Code, "getByTestId") || getter && got.Modern != "" {
				t.Errorf("the edit is %s, and said is %s, or %s", got.Edit.After, got.Code, got.Modern)
			}
		})
	}
}

func TestAStoredEditOfACallIsMadeAgain(t *testing.T) {
	edit := *signIn(`page.locator('#go')`, `[data-testid="in"]`, "", "").Edit
	text := "test('signs in', async ({ page }) => {\n  await page.locator('#go').click();\n});\n"
	if again, err := VerifyEdit(edit.File, []byte(text), edit.Start, edit.Old, edit.New); err != nil || again != edit {
		t.Errorf("%+v, %v", again, err)
	}
	for _, with := range []string{
		`locator('#x')`, `evil('in')`, `getByTestId('in').evil()`, `getByTestId('in', x)`, `getByTestId(x)`, "getByTestId(`${x}`)", `getByText('in')`,
		`getByTestId('in'); evil()`, `getByTestId('in' )`, `getByTestId( 'in')`, `getByTestId /**/('in')`, "getByTestId('\u202e')", `get_by_test_id('in')`, `getByTestId('')`, ``,
	} {
		if e, err := VerifyEdit(edit.File, []byte(text), edit.Start, edit.Old, with); err == nil {
			t.Errorf("made: %+v", e)
		}
	}
}
