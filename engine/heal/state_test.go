package heal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func TestStateKeepsWhatTheScorerLooksAt(t *testing.T) {
	page := NewPage(shop())
	state, err := page.State()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadState(state)
	if err != nil {
		t.Fatal(err)
	}
	for i := range page.nodes {
		if diff := cmp.Diff(page.Fingerprint(i), back.Fingerprint(i)); diff != "" {
			t.Errorf("element %d: %s", i, diff)
		}
	}
}

func TestStateNeverKeepsWhatWasTyped(t *testing.T) {
	page := NewPage([]Element{
		{Parent: -1, Tag: "body", Visible: true},
		{Parent: 0, Tag: "input", Visible: true, Value: "hunter2", Attributes: engine.Attributes{{Name: "type", Value: "password"}, {Name: "value", Value: "hunter2"}}},
	})
	state, err := page.State()
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadState(state)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := back.Element(1).Attributes.Get("value"); ok || back.Element(1).Value != "" {
		t.Errorf("state keeps %q", v)
	}
}

func TestStateOfAHugePageFits(t *testing.T) {
	elements := []Element{{Parent: -1, Tag: "body", Visible: true}}
	noise := uint64(1)
	for i := 1; i < 30_000; i++ {
		var b strings.Builder
		for b.Len() < 300 {
			noise = noise*6364136223846793005 + 1
			b.WriteByte('a' + byte(noise>>60))
		}
		elements = append(elements, Element{Parent: i / 10, Tag: "p", Text: b.String(), OwnText: b.String(), Visible: true})
	}
	state, err := NewPage(elements).State()
	if err != nil {
		t.Fatal(err)
	}
	if len(state) > MaxStateBytes {
		t.Errorf("state has %d bytes", len(state))
	}
}

func FuzzReadState(f *testing.F) {
	state, err := NewPage(shop()).State()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(state)
	f.Add([]byte(stateHeader))
	f.Fuzz(func(t *testing.T, b []byte) {
		page, err := ReadState(b)
		if err != nil {
			return
		}
		again, err := page.State()
		if err != nil {
			return
		}
		if _, err := ReadState(again); err != nil || bytes.Equal(again, nil) {
			t.Fatalf("what was read cannot be written and read again: %v", err)
		}
	})
}

// shop is a small page of a shop, laid out.
func shop() []Element {
	box := func(x, y, w, h float64) *engine.BoundingBox {
		return &engine.BoundingBox{X: x, Y: y, Width: w, Height: h}
	}
	return []Element{
		{Parent: -1, Tag: "body", Visible: true, Text: "Shop Home Sign in Basket Add to basket Remove Check out", BBox: box(0, 0, 1280, 900)},
		{Parent: 0, Tag: "nav", Visible: true, Text: "Home Sign in", Attributes: engine.Attributes{{Name: "class", Value: "top-nav"}}, BBox: box(0, 0, 1280, 50)},
		{Parent: 1, Tag: "a", Visible: true, Text: "Home", OwnText: "Home", Role: "link", Name: "Home", Attributes: engine.Attributes{{Name: "href", Value: "/"}}, BBox: box(10, 10, 60, 20)},
		{Parent: 1, Tag: "a", Visible: true, Text: "Sign in", OwnText: "Sign in", Role: "link", Name: "Sign in", Attributes: engine.Attributes{{Name: "href", Value: "/login"}, {Name: "id", Value: "login"}}, BBox: box(80, 10, 60, 20)},
		{Parent: 0, Tag: "main", Visible: true, Text: "Basket Add to basket Remove Check out", BBox: box(0, 60, 1280, 800)},
		{Parent: 4, Tag: "h1", Visible: true, Text: "Basket", OwnText: "Basket", Role: "heading", Name: "Basket", BBox: box(20, 70, 400, 40)},
		{Parent: 4, Tag: "button", Visible: true, Text: "Add to basket", OwnText: "Add to basket", Role: "button", Name: "Add to basket", Attributes: engine.Attributes{{Name: "class", Value: "btn btn-primary"}, {Name: "id", Value: "add"}}, BBox: box(20, 120, 120, 30)},
		{Parent: 4, Tag: "button", Visible: true, Text: "Remove", OwnText: "Remove", Role: "button", Name: "Remove", Attributes: engine.Attributes{{Name: "class", Value: "btn"}, {Name: "data-testid", Value: "remove"}}, BBox: box(150, 120, 80, 30)},
		{Parent: 4, Tag: "input", Visible: true, Role: "textbox", Name: "Voucher", Label: "Voucher", Attributes: engine.Attributes{{Name: "name", Value: "voucher"}, {Name: "type", Value: "text"}}, BBox: box(20, 160, 200, 30)},
		{Parent: 4, Tag: "button", Visible: true, Text: "Check out", OwnText: "Check out", Role: "button", Name: "Check out", Attributes: engine.Attributes{{Name: "class", Value: "btn btn-primary"}, {Name: "id", Value: "pay"}}, BBox: box(20, 200, 120, 30)},
	}
}
