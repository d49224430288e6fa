package locator

import (
	"strings"
	"testing"
)

func TestAskedTextsAreWhatALocatorLooksForInWords(t *testing.T) {
	for selector, want := range map[string]string{
		`#save`:                                  ``,
		`internal:text="Save"i`:                  `Save`,
		`internal:text=/Save/i`:                  ``,
		`internal:role=button[name="Save all"i]`: `Save all`,
		`internal:role=button`:                   ``,
		`internal:label="E-mail"i`:               `E-mail`,
		`internal:attr=[placeholder="Find"i]`:    `Find`,
		`internal:testid=[data-testid="save"s]`:  ``,
		`.card >> internal:has-text="Pro"i >> internal:role=button[name="Buy"i]`:         `(Pro) Buy`,
		`.card >> internal:has-text="Pro"i`:                                              `Pro`,
		`.card >> internal:has="internal:text=\"Pro\"i" >> button`:                       `(Pro)`,
		`.card >> internal:has-not-text="Old"i >> button`:                                ``,
		`internal:text="A"i >> internal:or="internal:text=\"B\"i"`:                       ``,
		`internal:role=row[name="Ann"i] >> internal:text="Edit"i >> nth=0`:               `(Ann) Edit`,
		`internal:text="Menu"i >> internal:control=enter-frame >> internal:text="Save"i`: `Save`,
		`button:has-text("Save")`:                                                        `Save`,
		`tr:has-text('Ann') button`:                                                      `(Ann)`,
		`li:text-is("One") > a.x`:                                                        `(One)`,
		`button:not(:has-text("Save"))`:                                                  ``,
		`a:has-text("One"), a:has-text("Two")`:                                           ``,
		`getByRole('button', { name: 'Save' })`:                                          `Save`,
	} {
		s, err := Parse(selector)
		if err != nil {
			t.Fatalf("%s: %v", selector, err)
		}
		var got []string
		for _, a := range s.AskedTexts() {
			if a.Around {
				a.Text = "(" + a.Text + ")"
			}
			got = append(got, a.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", selector, got, want)
		}
	}
}
