package heal

import (
	"slices"
	"testing"
)

func TestALikenessIsGivenUpOnlyBelowTheFloor(t *testing.T) {
	for _, elements := range [][]Element{site(120), nested()[:90], farOff()} {
		old, page := NewPage(elements), NewPage(elements)
		for oi := range elements {
			q := newQuery(old, oi, page, nil)
			for ci := range page.nodes {
				c := &page.nodes[ci]
				whole := q.likeness(c)
				for _, below := range []float32{0, .01, 1, 4, 8} {
					if got := q.likenessAbove(c, whole-below); got != whole {
						t.Fatalf("lost %d, candidate %d: likeness %v is %v above %v", oi, ci, whole, got, whole-below)
					}
				}
				if got := q.likenessAbove(c, 20); got != unlikely {
					t.Fatalf("lost %d, candidate %d: likeness %v is %v above any", oi, ci, whole, got)
				}
			}
		}
	}
}

// farOff returns elements whose boxes no browser gives.
func farOff() []Element {
	elements := site(40)
	for i := range elements {
		box := *elements[i].BBox
		box.X, box.Width = box.X*float64(1-i%3), box.Width*float64(2-i%5)*1e6
		elements[i].BBox = &box
	}
	return append(elements, Element{Parent: 0, Tag: "a", Text: "no box", Visible: true})
}

func TestTheLikeliestAreThoseOfALookAtEveryElement(t *testing.T) {
	old, page := NewPage(site(400)), NewPage(slices.Concat(site(300), farOff()))
	for oi := 0; oi < old.Len(); oi += 3 {
		q := newQuery(old, oi, page, nil)
		q.rankCandidates()
		var all []ranked
		for i := range page.nodes {
			if page.candidate(i) {
				all = append(all, ranked{int32(i), q.likeness(&page.nodes[i])})
			}
		}
		slices.SortFunc(all, func(a, b ranked) int {
			if q.ranksBefore(a, b) {
				return -1
			}
			return 1
		})
		if want := all[:maxRanked]; !slices.Equal(q.ranked, want) {
			t.Fatalf("lost %d: ranked %v, want %v", oi, q.ranked, want)
		}
	}
}
