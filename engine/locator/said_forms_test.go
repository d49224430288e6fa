package locator

import (
	"slices"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestWhatAnElementSaysNowIsWrittenInTheAuthorsSelector(t *testing.T) {
	for _, c := range []struct {
		old  string
		want []string
	}{
		{`button:has-text("Save")`, []string{`button:has-text("Store")`}},
		{`#list > button:text-is('Save')`, []string{`#list > button:text-is('Store')`}},
		{`//button[text()='Save']`, []string{`//button[text()='Store']`}},
		{`//div//button[normalize-space()="Save"]`, []string{`//div//button[normalize-space()="Store"]`}},
		{`internal:role=list >> button:has-text("Save")`, []string{`internal:role=list >> button:has-text("Store")`}},
		{`button[title='Save it']`, []string{`button[title='Store it']`}},
		{`button:has-text("save")`, nil},
		{`button:has-text("Sav")`, nil},
		{`button.Save`, nil},
		{`internal:role=button[name="Save"i]`, nil},
	} {
		h := engine.HealEvent{Locator: c.old,
			Original: engine.Fingerprint{Tag: "button", Text: "Save", Name: "Save", Attributes: engine.Attributes{{Name: "title", Value: "Save it"}}},
			Healed:   engine.Fingerprint{Tag: "button", Text: "Store", Name: "Store", Attributes: engine.Attributes{{Name: "title", Value: "Store it"}}}}
		var got []string
		for _, s := range SaidForms(h) {
			got = append(got, s.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.old, got, c.want)
		}
	}
}

// A text with a quote could end the selector's own, and one that differs from run to run is
// none to look for.
func TestATextThatTheSelectorCannotHoldIsNotWritten(t *testing.T) {
	for _, now := range []string{`Bob's`, `"Store"`, `a\b`, "", "Save"} {
		h := engine.HealEvent{Locator: `button:has-text("Save")`, Original: engine.Fingerprint{Tag: "button", Text: "Save"}, Healed: engine.Fingerprint{Tag: "button", Text: now}}
		if got := SaidForms(h); len(got) > 0 {
			t.Errorf("%q: %s", now, got[0])
		}
	}
	varies := engine.HealEvent{Locator: `button:has-text("Save")`, Original: engine.Fingerprint{Tag: "button", Text: "Save"}, Healed: engine.Fingerprint{Tag: "button", Text: "Order 20431"}}
	if got := SaidForms(varies); len(got) > 0 {
		t.Errorf("other data: %s", got[0])
	}
}
