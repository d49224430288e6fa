package heal

import (
	"slices"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestSiblingsHaveTheContextOfTheirAncestors(t *testing.T) {
	elements := site(60)
	elements = append(elements, Element{Parent: -1, Tag: "div"}, Element{Parent: 60, Tag: "nav", Attributes: engine.Attributes{{Name: "id", Value: "mainMenu"}}},
		Element{Parent: 61, Tag: "a"}, Element{Parent: 60, Tag: "a"}, Element{Parent: 61, Tag: "b"}) // the last after another's child
	p := NewPage(elements)
	for i := range p.nodes {
		alone := NewCandidates([]engine.Fingerprint{p.Fingerprint(i)})
		var got, want []uint64
		for _, id := range p.nodes[i].context {
			got = append(got, p.token[id])
		}
		for _, id := range alone.nodes[0].context {
			want = append(want, alone.token[id])
		}
		if !slices.Equal(got, want) {
			t.Errorf("element %d: context %v, by its region %v", i, got, want)
		}
	}
}
