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
