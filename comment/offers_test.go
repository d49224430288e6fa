package comment

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestAnOfferHoldsWhatACommentRemembersOfItsElementOrNothing(t *testing.T) {
	head := strings.Repeat("1", 40)
	edit := func(known ...engine.Fingerprint) SavedEdit {
		return SavedEdit{SavedElement: SavedElement{ID: "00000000", Test: "a"}, Path: "a.ts", Old: "'#a'", New: "'#b'", Accepted: known}
	}
	button := engine.Fingerprint{Tag: "button", Text: "store", TestID: "a", Locator: "#b"}
	offers, ok := ParseOffers(Offers{Head: head, Edits: []SavedEdit{edit(button)}}.Pack())
	if !ok {
		t.Fatal("the offers cannot be read")
	}
	other := button
	other.Locator = "#another"
	for name, c := range map[string]struct {
		remembered SavedEdit
		want       bool
	}{
		"the same":             {edit(button), true},
		"no room for it":       {edit(), true},
		"another element":      {edit(other), false},
		"an element more":      {edit(button, other), false},
		"another edit as well": {SavedEdit{SavedElement: SavedElement{ID: "00000000", Test: "a"}, Path: "a.ts", Old: "'#a'", New: "'#c'"}, false},
	} {
		if got := offers.Holds(c.remembered, head, nil); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	many := Offers{Head: head}
	for range 1000 {
		known := button
		known.Text = strings.Repeat("x", 5000)
		many.Edits = append(many.Edits, edit(known))
	}
	if read, ok := ParseOffers(many.Pack()); !ok || len(read.Edits) != 1000 || len(many.Edits[0].Accepted) != 1 {
		t.Errorf("of many offers %d are read", len(read.Edits))
	}
}
