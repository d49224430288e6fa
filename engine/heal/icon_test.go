package heal

import (
	"fmt"
	"slices"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// drawnButtons returns buttons without words whose pictures are drawn in many ways,
// alike and otherwise.
func drawnButtons() []Element {
	elements := []Element{{Parent: -1, Tag: "body", Visible: true}}
	add := func(parent int, tag string, attributes ...string) int {
		e := Element{Parent: parent, Tag: tag, Visible: true}
		for i := 0; i < len(attributes); i += 2 {
			e.Attributes = append(e.Attributes, engine.Attribute{Name: attributes[i], Value: attributes[i+1]})
		}
		elements = append(elements, e)
		return len(elements) - 1
	}
	for row := range 6 {
		id := fmt.Sprint("row-", row)
		for _, class := range []string{"bi bi-trash", "bi bi-pencil", "trash bi-trash bi", "fa fa-a", "fa fa-b", "fa fa-c", "fa fa-d", "fa fa-e", "fa fa-f"} {
			add(add(0, "button", "id", id), "i", "class", class)
		}
		add(add(0, "button", "class", "btn"), "I", "class", "bi bi-trash")
		add(add(0, "button"), "i", "class", "bi bi-trash", "id", id)
		add(add(0, "button"), "i", "id", id, "class", "bi bi-trash")
		add(add(0, "button"), "i", "data-icon", "bi bi-trash")
		add(add(0, "button", "id", id), "p", "class", "bi bi-trash")
		add(0, "button", "class", "bi bi-trash")
		svg := add(add(0, "button"), "svg")
		add(svg, "path", "d", "M0 0h"+fmt.Sprint(row%2))
		add(add(add(0, "button"), "svg"), "use", "href", "icons.svg?v="+fmt.Sprint(row)+"#trash")
		both := add(0, "button")
		add(both, "i", "data-icon", "bi bi-trash")
		add(both, "i", "class", "bi bi-star")
		add(add(0, "button"), "img", "alt", "")
		add(add(0, "button"), "img", "alt", "", "src", "/img/bin.png")
		add(add(0, "button"), "img", "src", "/img/trash."+id+".png")
		add(add(0, "button"), "i", "class", "trash")
		elements[add(add(0, "button"), "i", "class", "trash")].OwnText = "x" // hidden from the button's own name
	}
	return elements
}

func TestAnIconMatcherKnowsTheIconsThatAreTheSame(t *testing.T) {
	p := NewPage(drawnButtons())
	same := 0
	for _, i := range p.ofKind[kindButton] {
		matches := p.iconMatcher(i)
		for _, j := range p.ofKind[kindButton] {
			want := slices.Equal(p.iconOf(i), p.iconOf(j))
			if got := matches(j); got != want {
				t.Fatalf("%v and %v: same is %v", p.iconOf(i), p.iconOf(j), got)
			}
			if want {
				same++
			}
		}
	}
	if all := len(p.ofKind[kindButton]); same <= all || same == all*all {
		t.Errorf("%d pairs of %d buttons have one icon", same, all)
	}
}
