package heal

import (
	"fmt"
	"slices"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// tangled returns a page whose elements stand in no order that a tree would give
// them: children come after other elements' children, and equals stand inside equals.
func tangled(n int) []Element {
	elements := []Element{{Parent: -1, Tag: "body", Visible: true}}
	for i := 1; i < n; i++ {
		parent := i - 1 - (i*i+i/3)%min(i, 9)
		text := fmt.Sprint("text ", i%5)
		elements = append(elements, Element{Parent: parent, Tag: []string{"div", "button", "h3", "p"}[i*7%4], OwnText: text, Text: text, Visible: i%13 != 0,
			BBox: &engine.BoundingBox{X: float64(i * 10), Y: 10, Width: 10, Height: 10}})
	}
	return elements
}

func TestARowIsTheLargestPartWithoutAnotherOfTheEquals(t *testing.T) {
	for _, elements := range [][]Element{site(200), tangled(200)} {
		p := NewPage(elements)
		for i := range int32(p.Len()) {
			equals := p.equalsOf(i)
			for _, most := range []int{1, p.Len()} {
				want, steps := i, 0
				for up := p.nodes[i].parent; up >= 0 && steps < most; up = p.nodes[up].parent {
					if slices.ContainsFunc(equals, func(j int32) bool { return j != i && p.contains(up, j) && !p.contains(j, i) }) {
						break
					}
					want, steps = up, steps+1
				}
				if row, n := p.rowOf(i, equals, most); row != want || n != steps {
					t.Fatalf("element %d of equals %v: row %d in %d steps, want %d in %d", i, equals, row, n, want, steps)
				}
			}
		}
	}
}

func TestAKeyIsATextThatNoOtherRowHas(t *testing.T) {
	row := func(texts ...string) []Element {
		elements := []Element{{Parent: -1, Tag: "tr", Visible: true}}
		for _, text := range texts {
			elements = append(elements, Element{Parent: 0, Tag: "td", Text: text, OwnText: text, Visible: true})
		}
		return append(elements, Element{Parent: 0, Tag: "button", Text: "Delete", OwnText: "Delete", Name: "Delete", Visible: true})
	}
	for _, tt := range []struct {
		name   string
		rows   [][]Element
		varies []string
		want   string
	}{
		{"words before numbers", [][]Element{row("17", "Ada"), row("18", "Bob")}, nil, "ada"},
		{"numbers where there are no words", [][]Element{row("17", "open"), row("18", "open")}, nil, "17"},
		{"the same words in other case", [][]Element{row("Open  now"), row("open now")}, nil, ""},
		{"what differs from run to run is none", [][]Element{row("17", "Ada"), row("18", "Bob")}, []string{"ada"}, "17"},
		{"the first of several", [][]Element{row("Ada", "Countess"), row("Bob")}, nil, "ada"},
		{"a text of one other row is enough", [][]Element{row("Ada", "open"), row("Bob"), row("Ada")}, nil, "open"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			elements := []Element{{Parent: -1, Tag: "body", Visible: true}}
			for _, r := range tt.rows {
				at := len(elements)
				for _, e := range r {
					if e.Parent += at; e.Tag == "tr" {
						e.Parent = 0
					}
					elements = append(elements, e)
				}
			}
			p := NewPage(elements)
			lost := int32(len(tt.rows[0]))
			if key, _ := p.keyOf(lost, p.equalsOf(lost), tt.varies); key != tt.want {
				t.Errorf("key is %q, want %q", key, tt.want)
			}
		})
	}
}

func TestLandmarksOfAPage(t *testing.T) {
	title := Element{Parent: -1, Tag: TitleTag, Text: "Orders"}
	heading := func(tag, text string, visible bool) Element {
		return Element{Parent: -1, Tag: tag, Text: text, Visible: visible}
	}
	field := func(typ string, visible bool) Element {
		return Element{Parent: -1, Tag: "input", Visible: visible, Attributes: engine.Attributes{{Name: "type", Value: typ}}}
	}
	for _, tt := range []struct {
		name     string
		elements []Element
		want     landmarks
	}{
		{"none", []Element{heading("h4", "small", true), heading("title", "shown", true), field("text", true)}, landmarks{mainHeading: -1}},
		{"the first title", []Element{title, {Parent: -1, Tag: TitleTag, Text: "of a frame"}}, landmarks{mainHeading: -1, title: "Orders"}},
		{"the highest heading", []Element{heading("h2", "first", true), heading("h1", "highest", true), heading("h1", "last", true)}, landmarks{mainHeading: 1}},
		{"no hidden or empty heading", []Element{heading("h1", "hidden", false), heading("h1", " ", true), heading("h3", "seen", true)}, landmarks{mainHeading: 2}},
		{"a password", []Element{field("text", true), field("PassWord", true)}, landmarks{mainHeading: -1, password: true}},
		{"no hidden password", []Element{field("password", false)}, landmarks{mainHeading: -1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := NewPage(tt.elements).landmarks; got != tt.want {
				t.Errorf("landmarks %+v, want %+v", got, tt.want)
			}
		})
	}
}
