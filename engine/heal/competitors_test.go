package heal

import (
	"fmt"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// nested returns a page of groups of wrappers in one place, deeper than the
// list of competitors is long, and of links that are alike.
func nested() []Element {
	elements := []Element{{Parent: -1, Tag: "body", Visible: true, BBox: &engine.BoundingBox{X: 0, Y: 0, Width: 1280, Height: 2000}}}
	for group := range 3 {
		parent := 0
		for deep := range maxCompetitors + 6 {
			box := &engine.BoundingBox{X: 10, Y: float64(100 * group), Width: 300 - float64(deep/20), Height: 40}
			elements = append(elements, Element{Parent: parent, Tag: "div", Text: fmt.Sprint("Basket ", group), Visible: true, BBox: box,
				Attributes: engine.Attributes{{Name: "class", Value: fmt.Sprintf("box level-%c", 'a'+deep%7)}}})
			parent = len(elements) - 1
		}
		for link := range 40 {
			elements = append(elements, Element{Parent: parent, Tag: "a", Role: "link", Text: fmt.Sprint("Item ", link%9), Name: fmt.Sprint("Item ", link%9), Visible: true,
				BBox: &engine.BoundingBox{X: float64(link * 20), Y: float64(100 * group), Width: 18, Height: 12}, Attributes: engine.Attributes{{Name: "href", Value: fmt.Sprint("/item/", link*group)}}})
		}
	}
	return elements
}

func TestCompetitorsAreThoseOfALookAtEveryElement(t *testing.T) {
	changed := nested()[:180]
	for i := range changed {
		if i%5 == 0 && i > 0 {
			changed[i].Text, changed[i].Role = "Offer of the day", "button"
		}
	}
	old, page := NewPage(nested()), NewPage(changed)
	al := align(old, page)
	for oi := 1; oi < old.Len(); oi += 7 {
		q := newQuery(old, oi, page, al)
		for ci := int32(1); int(ci) < page.Len(); ci++ {
			c := &page.nodes[ci]
			got := q.compete(c, ci)
			q.back.lookFor(c, ci)
			want := competition{own: q.back.likeness(q.o), competitor: -1}
			for _, k := range kindsOf(q.o, c) {
				for _, i := range old.ofKind[k] {
					q.addCompetitor(&want, i, q.back.likeness(&old.nodes[i]))
				}
			}
			q.back.forget()
			got.ahead, want.ahead = min(maxAhead, got.ahead), min(maxAhead, want.ahead)
			if got != want {
				t.Fatalf("lost %d, candidate %d: %+v, want %+v", oi, ci, got, want)
			}
		}
	}
}

// kindsOf returns the kinds of two elements, one if they are the same.
func kindsOf(o, c *node) []kind {
	if o.kind == c.kind {
		return []kind{o.kind}
	}
	return []kind{o.kind, c.kind}
}

func TestCompetitorListsAreBounded(t *testing.T) {
	var r competitors
	list := []competitor{{1, 1}}
	for i := range int32(maxLists + 5) {
		if kept := r.remember(competitorKey{1, i}, list); kept[0] != list[0] {
			t.Fatal(kept)
		}
	}
	if len(r.lists) != maxLists {
		t.Errorf("%d lists kept", len(r.lists))
	}
}
