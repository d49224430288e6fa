package heal

import (
	"fmt"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/preset"
)

// site returns a page of about n elements: cards with a heading, a text, a
// field and two buttons each, as a laid-out browser page has them.
func site(n int) []Element {
	elements := []Element{{Parent: -1, Tag: "body", Visible: true, BBox: &engine.BoundingBox{X: 0, Y: 0, Width: 1280, Height: 9000}}}
	add := func(parent int, tag, text, class, id string) int {
		i := len(elements)
		e := Element{Parent: parent, Tag: tag, Text: text, OwnText: text, Visible: true,
			Attributes: engine.Attributes{{Name: "class", Value: class}}, BBox: &engine.BoundingBox{X: float64(i * 37 % 900), Y: float64(i * 9), Width: float64(80 + i%40), Height: 30}}
		if id != "" {
			e.Attributes = append(e.Attributes, engine.Attribute{Name: "id", Value: id})
		}
		switch tag {
		case "button":
			e.Role, e.Name = "button", text
		case "a":
			e.Role, e.Name = "link", text
			e.Attributes = append(e.Attributes, engine.Attribute{Name: "href", Value: "/items/" + id})
		}
		elements = append(elements, e)
		return i
	}
	for card := 0; len(elements) < n; card++ {
		box := add(0, "div", fmt.Sprintf("Order %d of customer %d Details Delete", card, card*7), "card shadow-sm mb-3", "")
		add(box, "h3", fmt.Sprintf("Order %d", card), "card-title", "")
		add(box, "p", fmt.Sprintf("of customer %d, who ordered %d things", card*7, card%9), "card-text text-muted", "")
		row := add(box, "div", "", "d-flex gap-2 toolbar", "")
		add(row, "a", fmt.Sprintf("Details of %d", card), "btn btn-link", fmt.Sprintf("details-%d", card))
		add(row, "button", "Delete", "btn btn-danger", fmt.Sprintf("delete-%d", card))
		icon := add(row, "button", "", "btn btn-icon", "")
		add(icon, "i", "", "bi bi-pencil", "")
	}
	return elements[:n]
}

var presetsBench = []preset.Name{preset.Docs, preset.Py, preset.Selfmend}

func BenchmarkPair(b *testing.B) {
	page := NewPage(site(1000))
	for _, p := range presetsBench {
		b.Run(string(p), func(b *testing.B) {
			f := page.Fingerprint(5)
			q := preset.NewScorer(p, preset.ShapeOf(&f))
			shapes := page.presetShapes()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				q.Score(&shapes[1+i%900])
			}
		})
	}
	lone := NewCandidates([]engine.Fingerprint{page.Fingerprint(5)})
	c := Compare(NewPage(site(1000)), page)
	for _, bench := range []struct {
		name string
		q    *query
		m    *Model
	}{
		{"default", newQuery(lone, 0, page, nil), modelAlone()},
		{"default with the old page", newQuery(c.Old, 5, page, c.align), modelPage()},
	} {
		b.Run(bench.name, func(b *testing.B) {
			row := make([]float32, rowWidth)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				bench.q.features(row, int32(1+i%900))
				bench.m.Forest.Score(row)
			}
		})
	}
	b.Run("default with the old page for the first time", func(b *testing.B) {
		q := newQuery(c.Old, 5, page, c.align)
		row := make([]float32, rowWidth)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%900 == 0 {
				c.align.competitors = competitors{}
			}
			q.features(row, int32(1+i%900))
			modelPage().Forest.Score(row)
		}
	})
	b.Run("default quick", func(b *testing.B) {
		q := newQuery(c.Old, 5, page, c.align)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			q.likeness(&page.nodes[1+i%900])
		}
	})
}

func BenchmarkHeal(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		elements := site(n)
		old, page := NewPage(elements), NewPage(elements)
		lost := old.Fingerprint(n / 2)
		for _, p := range preset.Names() {
			b.Run(fmt.Sprintf("%s/%d", p, n), func(b *testing.B) {
				page.presetShapes()
				b.ReportAllocs()
				for b.Loop() {
					Heal(lost, page, Options{Preset: p})
				}
			})
		}
		b.Run(fmt.Sprintf("default with old page/%d", n), func(b *testing.B) {
			c := Compare(old, page)
			b.ReportAllocs()
			for b.Loop() {
				c.align.competitors = competitors{} // as the first heal of the pages
				c.Heal(n/2, Options{})
			}
		})
	}
}

// lostKinds are elements of site that are lost in the benchmarks below, by where
// they are in a card: each is told from its equals in another way.
var lostKinds = []struct {
	name string
	at   int
}{
	{"link of its own name", 4},
	{"button of a row", 5},
	{"icon of a row", 6},
}

// BenchmarkHealPrepared is the first heal on two pages that are prepared and
// compared.
func BenchmarkHealPrepared(b *testing.B) {
	elements := site(1000)
	c := Compare(NewPage(elements), NewPage(elements))
	for _, lost := range lostKinds {
		b.Run(lost.name+"/1000", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.align.competitors = competitors{}
				c.Heal(1+8*62+lost.at, Options{})
			}
		})
	}
}

// BenchmarkDecide is all that a lost element costs: the new page prepared, compared
// with the one that was learned, and the heal.
func BenchmarkDecide(b *testing.B) {
	elements := site(1000)
	old := NewPage(elements)
	for _, lost := range lostKinds {
		b.Run(lost.name+"/1000", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Compare(old, NewPage(elements)).Heal(1+8*62+lost.at, Options{})
			}
		})
	}
}

func BenchmarkPrepare(b *testing.B) {
	elements := site(1000)
	b.Run("page/1000", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewPage(elements)
		}
	})
	b.Run("learn/100", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			LearnPage(NewPage(elements[:100]))
		}
	})
	b.Run("compare/1000", func(b *testing.B) {
		old, page := NewPage(elements), NewPage(elements)
		b.ReportAllocs()
		for b.Loop() {
			Compare(old, page)
		}
	})
}
