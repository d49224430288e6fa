package locator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/breadcrumb/action/engine"
)

func TestParse(t *testing.T) {
	role := func(name string, m Match) Part {
		return Part{Kind: KindRole, Role: "button", Named: true, Value: name, Match: m}
	}
	cases := []struct {
		text string
		want []Part
	}{
		{`#login-btn`, []Part{{Kind: KindCSS, Value: "#login-btn"}}},
		{`css=#a`, []Part{{Kind: KindCSS, Value: "#a"}}},
		{`[data-x="a >> b"]`, []Part{{Kind: KindCSS, Value: `[data-x="a >> b"]`}}},
		{`#a >> .b>>nth=1`, []Part{{Kind: KindCSS, Value: "#a"}, {Kind: KindCSS, Value: ".b"}, {Kind: KindNth, Value: "1"}}},
		{`//div[@id="a"]`, []Part{{Kind: KindXPath, Value: `//div[@id="a"]`}}},
		{`(//div)[1]`, []Part{{Kind: KindXPath, Value: `(//div)[1]`}}},
		{`xpath=../a`, []Part{{Kind: KindXPath, Value: `../a`}}},
		{`id=a`, []Part{{Kind: KindID, Value: "a"}}},
		{`data-testid=a`, []Part{{Kind: KindTestID, Value: "a", Attr: "data-testid"}}},
		{`test-id=a`, []Part{{Kind: KindTestID, Value: "a"}}},
		{`text=Don't >> b`, []Part{{Kind: KindText, Value: "Don't", Match: MatchLoose}, {Kind: KindCSS, Value: "b"}}},
		{`text="Exact"`, []Part{{Kind: KindText, Value: "Exact", Match: MatchExact}}},
		{`"Exact"`, []Part{{Kind: KindText, Value: "Exact", Match: MatchExact}}},
		{`text=/re/i`, []Part{{Kind: KindText, Value: "/re/i", Regexp: true}}},
		{`role=button[name="Save"]`, []Part{role("Save", MatchExact)}},
		{`role=button[name='Save'i]`, []Part{role("Save", MatchWhole)}},
		{`role=button[name=Save]`, []Part{role("Save", MatchExact)}},
		{`role=button[name=/[/]x/]`, []Part{{Kind: KindRole, Role: "button", Named: true, Value: "/[/]x/", Regexp: true}}},
		{`text="a"i`, []Part{{Kind: KindText, Value: `"a"i`, Match: MatchLoose}}},
		{`text="a\nb"`, []Part{{Kind: KindText, Value: `anb`, Match: MatchExact}}},
		{`internal:text="a\nb"s`, []Part{{Kind: KindText, Value: "a\nb", Match: MatchExact}}},
		{`internal:text=/a\"b\/c/`, []Part{{Kind: KindText, Value: `/a"b/c/`, Regexp: true}}},
		{`internal:text=/a/qq`, []Part{{Kind: KindOther, Value: `/a/qq`}}},
		{`label=A`, []Part{{Kind: KindLabel, Value: "A"}}},
		{`internal:role=button[name="Sa\"ve"i]`, []Part{role(`Sa"ve`, MatchLoose)}},
		{`internal:role=button[name="a]b"s]`, []Part{role(`a]b`, MatchExact)}},
		{`internal:role=button`, []Part{{Kind: KindRole, Role: "button"}}},
		{`internal:role=heading[name="A"i][level=2]`, []Part{{Kind: KindRole, Role: "heading", Named: true, Value: "A", Match: MatchLoose, Rest: "[level=2]"}}},
		{`internal:role=evil"); x(`, []Part{{Kind: KindOther, Value: `evil"); x(`}}},
		{`internal:testid=[data-qa="a"s]`, []Part{{Kind: KindTestID, Value: "a", Attr: "data-qa"}}},
		{`internal:label="A"i`, []Part{{Kind: KindLabel, Value: "A", Match: MatchLoose}}},
		{`internal:attr=[placeholder="A"s]`, []Part{{Kind: KindPlaceholder, Value: "A", Match: MatchExact}}},
		{`internal:attr=[alt="A"i]`, []Part{{Kind: KindAlt, Value: "A", Match: MatchLoose}}},
		{`internal:attr=[title="A"i]`, []Part{{Kind: KindTitle, Value: "A", Match: MatchLoose}}},
		{`internal:attr=[href="A"i]`, []Part{{Kind: KindOther, Value: `[href="A"i]`}}},
		{`li >> internal:has-text="A"i`, []Part{{Kind: KindCSS, Value: "li"}, {Kind: KindHasText, Value: "A", Match: MatchLoose}}},
		{`li >> internal:has="\"#a >> b\""`, []Part{{Kind: KindCSS, Value: "li"}, {Kind: KindHas, Value: `"#a >> b"`}}},
		{`li >> internal:has-not="internal:role=link" >> visible=true`, []Part{{Kind: KindCSS, Value: "li"}, {Kind: KindHasNot, Value: "internal:role=link"}, {Kind: KindVisible, Value: "true"}}},
		{`li >> internal:has=b`, []Part{{Kind: KindCSS, Value: "li"}, {Kind: KindOther, Value: "b"}}},
		{`a >> internal:and="b" >> internal:or="c"`, []Part{{Kind: KindCSS, Value: "a"}, {Kind: KindAnd, Value: "b"}, {Kind: KindOr, Value: "c"}}},
		{`internal:role=button[name=/sa"ve/i]`, []Part{{Kind: KindRole, Role: "button", Named: true, Value: `/sa"ve/i`, Regexp: true}}},
		{`#f >> internal:control=enter-frame >> #a`, []Part{{Kind: KindCSS, Value: "#f"}, {Kind: KindFrame}, {Kind: KindCSS, Value: "#a"}}},

		{`getByTestId("a")`, []Part{{Kind: KindTestID, Value: "a"}}},
		{`page.getByRole('button', { name: 'Save' })`, []Part{role("Save", MatchLoose)}},
		{`page.get_by_role("button", name="Save", exact=True)`, []Part{role("Save", MatchExact)}},
		{`page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Save").setExact(true))`, []Part{role("Save", MatchExact)}},
		{`Page.GetByRole(AriaRole.Button, new() { Name = "Save" })`, []Part{role("Save", MatchLoose)}},
		{`page.GetByRole(*playwright.AriaRoleButton, playwright.PageGetByRoleOptions{Name: "Save", Exact: playwright.Bool(true)})`, []Part{role("Save", MatchExact)}},
		{`this.page.locator('#a').first()`, []Part{{Kind: KindCSS, Value: "#a"}, {Kind: KindNth, Value: "0"}}},
		{`page.locator("#a >> b").getByText('c', { exact: true })`, []Part{{Kind: KindCSS, Value: "#a"}, {Kind: KindCSS, Value: "b"}, {Kind: KindText, Value: "c", Match: MatchExact}}},
		{`page.locator("li").filter(has_text="A").nth(2)`, []Part{{Kind: KindCSS, Value: "li"}, {Kind: KindHasText, Value: "A", Match: MatchLoose}, {Kind: KindNth, Value: "2"}}},
		{`page.frame_locator("#f").get_by_label("A")`, []Part{{Kind: KindCSS, Value: "#f"}, {Kind: KindFrame}, {Kind: KindLabel, Value: "A", Match: MatchLoose}}},
		{`page.getByText(name)`, []Part{{Kind: KindOther, Value: `page.getByText(name)`}}},
		{`getByRole('button', { name: /a/ })`, []Part{{Kind: KindRole, Role: "button", Named: true, Value: "/a/", Regexp: true}}},
		{`getByText(/save/i)`, []Part{{Kind: KindText, Value: "/save/i", Regexp: true}}},
		{`page.get_by_text(re.compile(r"sa/ve\d", re.IGNORECASE | re.DOTALL))`, []Part{{Kind: KindText, Value: `/sa/ve\d/is`, Regexp: true}}},
		{`page.GetByText(regexp.MustCompile("(?i)save"))`, []Part{{Kind: KindText, Value: "/save/i", Regexp: true}}},
		{`getByText('a\tb')`, []Part{{Kind: KindText, Value: "a\tb", Match: MatchLoose}}},
		{`Page.GetByText("a\x41b")`, []Part{{Kind: KindOther, Value: `Page.GetByText("a\x41b")`}}},
		{`page.get_by_text("a\/b")`, []Part{{Kind: KindOther, Value: `page.get_by_text("a\/b")`}}},
		{`getByText('a' + b)`, []Part{{Kind: KindOther, Value: `getByText('a' + b)`}}},
		{"getByText(`a${b}`)", []Part{{Kind: KindOther, Value: "getByText(`a${b}`)"}}},
		{`page.locator('li', { hasText: 'a', has: page.locator('b') })`, []Part{{Kind: KindCSS, Value: "li"}, {Kind: KindHasText, Value: "a", Match: MatchLoose}, {Kind: KindHas, Value: "b"}}},
		{`getByRole('button', { name: 'Save', checked: true })`, []Part{{Kind: KindRole, Role: "button", Named: true, Value: "Save", Match: MatchLoose, Rest: "[checked=true]"}}},
		{`page.get_by_role("heading", level=2, include_hidden=True)`, []Part{{Kind: KindRole, Role: "heading", Rest: "[include-hidden=true][level=2]"}}},
		{`page.GetByRole("heading", playwright.PageGetByRoleOptions{Level: playwright.Int(2)})`, []Part{{Kind: KindRole, Role: "heading", Rest: "[level=2]"}}},
		{`page.locator('li').filter({ has: page.getByText('a') }).first()`, []Part{{Kind: KindCSS, Value: "li"}, {Kind: KindHas, Value: `internal:text="a"i`}, {Kind: KindNth, Value: "0"}}},
		{`page.locator("li").filter(has_not=page.locator("a").first)`, []Part{{Kind: KindCSS, Value: "li"}, {Kind: KindHasNot, Value: "a >> nth=0"}}},
		{`page.locator("li").filter(new Locator.FilterOptions().setHas(page.getByRole(AriaRole.LINK)))`, []Part{{Kind: KindCSS, Value: "li"}, {Kind: KindHas, Value: "internal:role=link"}}},
		{`Page.Locator("li").Filter(new() { HasNotText = "a" })`, []Part{{Kind: KindCSS, Value: "li"}, {Kind: KindHasNotText, Value: "a", Match: MatchLoose}}},
		{`page.Locator("li").Filter(playwright.LocatorFilterOptions{Visible: playwright.Bool(true)})`, []Part{{Kind: KindCSS, Value: "li"}, {Kind: KindVisible, Value: "true"}}},
		{`page.locator("a").and_(page.get_by_title("b"))`, []Part{{Kind: KindCSS, Value: "a"}, {Kind: KindAnd, Value: `internal:attr=[title="b"i]`}}},
		{`page.locator('li').filter({ has: x, hasText: 'a' })`, []Part{{Kind: KindOther, Value: `page.locator('li').filter({ has: x, hasText: 'a' })`}}},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			got, err := Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Parts, cmpopts.IgnoreFields(Part{}, "Raw")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "  ", "#a >> ", ">> #a", string(make([]byte, maxLength+1))} {
		if s, err := Parse(text); err == nil {
			t.Errorf("%.20q read as %v", text, s)
		}
	}
}

func TestOfReadsABareArgumentByItsAPI(t *testing.T) {
	cases := map[string]struct {
		locator, api string
		want         Kind
	}{
		"test id":            {"login", "getByTestId", KindTestID},
		"python":             {"login", "get_by_test_id", KindTestID},
		"role":               {"button", "getByRole", KindRole},
		"no role":            {"Sign in", "getByRole", KindCSS},
		"locator":            {"#a", "locator", KindCSS},
		"whole call":         {"getByText('a')", "getByTestId", KindText},
		"engine given":       {"internal:label=\"a\"i", "getByTestId", KindLabel},
		"text with an arrow": {"a", "getByText", KindText},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := Of(engine.HealEvent{Locator: c.locator, API: c.api})
			if err != nil || s.Last().Kind != c.want {
				t.Errorf("%v, %v", s, err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"#a", "a >> b", `internal:role=button[name="a"i]`, `getByRole('a', {name:'b'})`, `text=Don't`, `"`, `page.locator("`, "[", `internal:attr=[a="\"]`} {
		f.Add(seed, "getByTestId")
	}
	f.Fuzz(func(t *testing.T, text, api string) {
		s, err := Of(engine.HealEvent{Locator: text, API: api})
		if err != nil {
			return
		}
		if s.IsZero() || s.String() == "" && text != "" && s.Last().Value != "" {
			t.Errorf("%q has no text", text)
		}
		for lang := range dialects {
			Print(s, lang)
		}
	})
}
