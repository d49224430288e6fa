package locator

import (
	"slices"
	"testing"
)

func TestOtherData(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		learned, lost string
		want          []Datum
	}{
		{"#row-41", "#row-42", []Datum{{"41", "42"}}},
		{"#row-a1b2-menu", "#row-c3-menu", []Datum{{"a1b2", "c3"}}},
		{`[data-test-id="Channel-USD"]`, `[data-test-id="Channel-EUR"]`, []Datum{{"USD", "EUR"}}},
		{`internal:testid=[data-testid="row-7"s]`, `internal:testid=[data-testid="row-19"s]`, []Datum{{"7", "19"}}},
		{`internal:role=button[name="Delete Ada"i]`, `internal:role=button[name="Delete Bob Ross"i]`, []Datum{{"Ada", "Bob Ross"}}},
		{`internal:role=row[name="Ada"i]`, `internal:role=row[name="Bob"i]`, []Datum{{"Ada", "Bob"}}},
		{`.task >> internal:has-text="Buy 1"i >> .check`, `.task >> internal:has-text="Sell 22"i >> .check`, []Datum{{"Buy 1", "Sell 22"}}},
		{`internal:role=row[name="Ada"i] >> internal:text="Ada now"i`, `internal:role=row[name="Bob"i] >> internal:text="Bob now"i`, []Datum{{"Ada", "Bob"}}},
		// What they differ in is not data alone, or nothing says what is looked for.
		{"#row-41", "#row-41", nil},
		{"#row-41", "#row-41 .menu", nil},
		{".open", "#row", nil},
		{`internal:text="Buy milk"i`, `internal:text="Sell bread"i`, nil},
		{`.task >> internal:has-text="Buy 1"i`, `.task >> internal:has-text="Sell 22"i`, nil},
		{`internal:role=button[name="Delete Ada"i]`, `internal:role=link[name="Delete Bob"i]`, nil},
		{`internal:role=button[name="Delete Ada"i]`, `internal:role=button[name="Delete Bob"s]`, nil},
		{`internal:role=row[name="Ada"i] >> internal:text="Ada now"i`, `internal:role=row[name="Bob"i] >> internal:text="Eve now"i`, nil},
		{"#row-41 > a", "#row-42 > a:not(.x)", nil},
		{"#menu > .a", "#menu > .b .c", nil},
		{`internal:role=button[name=/Delete 1/]`, `internal:role=button[name=/Delete 2/]`, nil},
		{"", "#a", nil},
	} {
		got, ok := OtherData(c.learned, c.lost)
		if ok != (c.want != nil) || ok && !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %v, %t", c.learned, c.lost, got, ok)
		}
	}
}
