package locator

import "testing"

func TestPeopleReadACallInTheirLanguage(t *testing.T) {
	for _, c := range []struct {
		lang           Language
		selector, want string
	}{
		{TypeScript, `internal:role=button[name="Join"i]`, `getByRole('button', { name: 'Join' })`},
		{Python, `#list >> internal:text="Go"s`, `locator("#list").get_by_text("Go", exact=True)`},
		{Go, `internal:testid=[data-testid="go"s]`, `GetByTestId("go")`},
		{TypeScript, `#save >> nth=0`, `#save >> nth=0`},
		{TypeScript, `internal:chain="a"`, `internal:chain="a"`},
		{TypeScript, `internal:role=`, `internal:role=`},
	} {
		if got := Readable(c.selector, c.lang); got != c.want {
			t.Errorf("%s: %s, want %s", c.selector, got, c.want)
		}
	}
}

func TestAStoredNameIsShownAsItsTestWritesIt(t *testing.T) {
	const join = `internal:role=button[name="Join"i]`
	for _, c := range []struct{ name, shown string }{
		{join, `getByRole('button', { name: 'Join' })`}, {join + " #2", `getByRole('button', { name: 'Join' }) #2`}, {"#a", "#a"}, {"#a #2", "#a #2"},
	} {
		if got := ReadableStored(c.name, TypeScript); got != c.shown {
			t.Errorf("%s: %s, want %s", c.name, got, c.shown)
		}
		if !SameStored(c.name, c.shown) || SameStored(c.name, c.shown+" #3") || SameStored(c.name, "#other") {
			t.Errorf("%s and %s", c.name, c.shown)
		}
	}
	if SameStored(join, `getByRole('button', { name: 'Join', exact: true })`) || !SameStored(join, `get_by_role("button", name="Join")`) {
		t.Error("how strictly a name is compared is a part of it, the language is not")
	}
}
