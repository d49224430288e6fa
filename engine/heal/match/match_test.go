package match

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/locator"
)

// page is a document whose style sheets and tree nobody can ask.
var page = Document{TestID: "data-qa", Elements: []heal.Element{
	{Parent: -1, Tag: "form", Text: "Save Discard"},
	{Parent: 0, Tag: "button", Text: "Save", Name: "Save", Role: "button", Attributes: engine.Attributes{{Name: "id", Value: "save"}, {Name: "data-qa", Value: "store"}}},
	{Parent: 0, Tag: "button", Text: "Discard", Name: "Discard", Role: "button", Attributes: engine.Attributes{{Name: "class", Value: "btn"}}},
	{Parent: 0, Tag: "input", Label: "City", Attributes: engine.Attributes{{Name: "name", Value: "city"}}},
}}

func TestOfCSSOnlyAttributesAreKnownWithoutATree(t *testing.T) {
	for selector, want := range map[string][]int{
		"#save": {1}, "#gone": nil, `[name="city"]`: {3}, `internal:testid=[data-qa="store"s]`: {1}, `internal:label="City"s`: {3},
		`internal:role=button[name="Discard"s]`: {2}, `internal:role=button[name=/disc/i]`: {2}, `internal:role=button[name=/^Save$/]`: {1}, `internal:role=button[name=/^save$/]`: nil, "internal:role=button": {1, 2}, `internal:role=button >> nth=1`: {2}, `internal:text="Save"i >> nth=0`: {1},
	} {
		s, err := locator.Parse(selector)
		if err != nil {
			t.Fatal(err)
		}
		got, err := page.Find(s.Parts)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", selector, err, diff)
		}
	}
	for _, selector := range []string{".btn", "form > button", "button", "button:visible", "//form/button", `internal:text=/save/i`, `internal:role=button[name=/sa|disc/]`} {
		s, err := locator.Parse(selector)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := page.Find(s.Parts); err == nil {
			t.Errorf("%s finds %v, which only a browser can tell", selector, got)
		}
	}
}

func TestWhatFindsTheProposedElementIsCounted(t *testing.T) {
	e := engine.HealEvent{TestID: "saves", Locator: "#store", Outcome: engine.OutcomeSuggested, Original: engine.Fingerprint{Tag: "button", Text: "Save"},
		Healed: engine.Fingerprint{Tag: "button", Role: "button", Name: "Save", Text: "Save", Attributes: page.Elements[1].Attributes}}
	refused := e
	find := func(s locator.Selector) ([]int, error) { return page.Find(s.Parts) }
	other := e
	Count(&e, Proposed{Index: 1}, "data-qa", find)
	s, err := locator.Parse("#save")
	if err != nil {
		t.Fatal(err)
	}
	if locator.ProofOf(e, s) != locator.Unique {
		t.Errorf("nothing shows that #save finds it alone: %+v", e.Matches)
	}
	if Count(&other, Proposed{Index: 2}, "data-qa", find); locator.ProofOf(other, s) == locator.Unique {
		t.Errorf("#save finds another element: %+v", other.Matches)
	}
	refused.Outcome = engine.OutcomeRefused
	if Count(&refused, Proposed{Index: 1}, "data-qa", find); refused.Matches != nil {
		t.Errorf("counted for a refusal: %+v", refused.Matches)
	}
}

func TestWhatTheProposedElementSaysNowIsCountedInTheAuthorsForm(t *testing.T) {
	e := engine.HealEvent{TestID: "saves", Locator: `form button:has-text("Save")`, Outcome: engine.OutcomeHealed,
		Original: engine.Fingerprint{Tag: "button", Text: "Save"}, Healed: engine.Fingerprint{Tag: "button", Role: "button", Name: "Store", Text: "Store"}}
	Count(&e, Proposed{Index: 1}, "data-qa", func(locator.Selector) ([]int, error) { return []int{1}, nil })
	s, err := locator.Parse(`form button:has-text("Store")`)
	if err != nil {
		t.Fatal(err)
	}
	if locator.ProofOf(e, s) != locator.Unique {
		t.Errorf("it is not among what was counted: %+v", e.Matches)
	}
}
