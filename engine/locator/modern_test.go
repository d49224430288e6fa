package locator

import (
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestModernMeansTheSameOrWasCounted(t *testing.T) {
	cases := []struct {
		name, next string
		matches    []engine.Match
		want       string
	}{
		{"test id", `[data-testid="pay"]`, nil, `page.getByTestId('pay')`},
		{"test id in xpath", `//*[@data-testid="pay"]`, nil, `page.getByTestId('pay')`},
		{"the last of a chain", `#cart >> [data-testid="pay"]`, nil, `page.locator('#cart').getByTestId('pay')`},
		{"another test attribute", `[data-qa="pay"]`, nil, ""},
		{"placeholder", `[placeholder="Card"]`, nil, `page.getByPlaceholder('Card', { exact: true })`},
		{"alternative text", `[alt='Visa']`, nil, `page.getByAltText('Visa', { exact: true })`},
		{"class", `.pay`, nil, ""},
		{"a test id with more", `button[data-testid="pay"]`, nil, ""},
		{"counted", `#pay`, []engine.Match{{Locator: `internal:text="Pay"i`, Count: 1}, {Locator: `internal:role=button[name="Pay"i]`, Count: 1}}, `page.getByRole('button', { name: 'Pay' })`},
		{"counted twice", `#pay`, []engine.Match{{Locator: `internal:role=button[name="Pay"i]`, Count: 2}}, ""},
		{"counted elsewhere", `#cart >> #pay`, []engine.Match{{Locator: `internal:role=button[name="Pay"i]`, Count: 1}}, ""},
		{"counted by a generated id", `#pay`, []engine.Match{{Locator: `internal:testid=[data-testid=":r1:"s]`, Count: 1}}, ""},
		{"modern already", `internal:role=button[name="Pay"i]`, nil, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			next, err := Parse(c.next)
			if err != nil {
				t.Fatal(err)
			}
			if got := Print(Modern(engine.HealEvent{Matches: c.matches}, next), TypeScript); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
